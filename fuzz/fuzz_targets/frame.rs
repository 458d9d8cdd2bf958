//! Any file, plain or zstd, is framed without a panic, and in small steps as in large ones.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use vox_frame::{Framer, Limits, Quarantined};

type Read = (Vec<(u64, Vec<u8>)>, Vec<Quarantined>, u64, u64);

fn read(path: &std::path::Path, limits: Limits) -> Read {
    let mut framer = Framer::open(path, 0, limits).expect("the file was just written");
    let (mut records, mut aside) = (vec![], vec![]);
    while let Some(batch) = framer.next_batch().expect("the file can be read") {
        records.extend(batch.iter().map(|record| (record.offset, record.bytes.to_vec())));
        aside.extend(batch.quarantined);
    }
    (records, aside, framer.end(), framer.pending())
}

fuzz_target!(|input: (u8, u8, u8, &[u8])| {
    let (batch_records, read_bytes, batch_bytes, bytes) = input;
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for the input");
    let small = Limits {
        batch_records: usize::from(batch_records).max(1),
        read_bytes: usize::from(read_bytes).max(1),
        batch_bytes: usize::from(batch_bytes).max(1),
        ..Limits::default()
    };
    let whole = read(file.path(), Limits::default());
    assert_eq!(whole, read(file.path(), small));
    for pair in whole.1.windows(2) {
        assert!(pair[0].offset < pair[1].offset);
    }
});
