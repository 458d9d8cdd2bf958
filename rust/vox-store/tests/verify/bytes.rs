//! Bytes of the data file that changed or are gone.

use std::collections::BTreeMap;

use proptest::prelude::*;
use vox_store::{
    Store,
    tables::{Table, Tables},
    verify::{Kind, Options, Report, Verdict, repair, verify_file},
};
use vox_types::{Code, ContentHash};

use crate::archive::{Numbers, data_file, rows, sample, with_data};

fn check(bytes: &[u8]) -> Report {
    let folder = with_data(bytes);
    verify_file(&data_file(folder.path()), &Options::default()).unwrap()
}

/// Every row of a table of the sample.
fn stored(table: impl Fn(&Tables) -> Table) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let folder = with_data(sample());
    rows(&Store::open(folder.path()).unwrap(), table)
}

/// The places of the file where `value` stands, older copies included.
fn places(value: &[u8]) -> Vec<usize> {
    let head = &value[..value.len().min(24)];
    let starts = sample().windows(head.len()).enumerate().filter(|(_, window)| *window == head);
    starts.map(|(at, _)| at).filter(|at| sample()[*at..].starts_with(value)).collect()
}

/// The sample with `bits` flipped at `offset` of `value`, wherever it stands.
fn flipped(value: &[u8], offset: usize, bits: u8) -> Vec<u8> {
    let mut bytes = sample().to_vec();
    let places = places(value);
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at + offset] ^= bits);
    bytes
}

fn finds(report: &Report, tables: &[&str]) -> bool {
    report.findings.iter().any(|finding| tables.contains(&finding.table))
}

#[test]
fn a_flipped_byte_in_any_part_of_a_segment_is_found() {
    let segments = stored(|tables| tables.segments);
    let value = segments.values().find(|value| value.len() > 30_000 && value[2] > 50).unwrap();
    let n = usize::from(u16::from_le_bytes([value[2], value[3]]));
    let parts = [
        ("version", 0),
        ("reserved", 1),
        ("number", 2),
        ("an end", 4 + 41 * 3),
        ("a length", 4 + 41 * 5 + 4),
        ("a codec", 4 + 41 * 7 + 8),
        ("a hash", 4 + 41 * 9 + 9 + 11),
        ("bodies", 4 + 41 * n + 5000),
    ];
    for (part, offset) in parts {
        let report = check(&flipped(value, offset, 0x20));
        assert!(finds(&report, &["segments"]), "{part}: {:?}", report.findings);
        assert_eq!(report.verdict(), Verdict::Damaged, "{part}");
    }
}

#[test]
fn a_flipped_byte_in_a_chunk_is_found() {
    let chunks = stored(|tables| tables.chunks);
    let value = chunks.values().max_by_key(|value| value.len()).unwrap();
    // The header, the chain before, and the columns of content and extra.
    for offset in [0, 1, 2, 4, 35, 36, 44, 60, 200, 400, 700] {
        let report = check(&flipped(value, offset, 0x08));
        assert!(finds(&report, &["chunks", "blob_recent"]), "byte {offset}: {:?}", report.findings);
        assert_ne!(report.verdict(), Verdict::Clean, "byte {offset}");
    }
    // The previews stand at the end.
    for back in [1, 50, 400, 2000] {
        let report = check(&flipped(value, value.len() - back, 0x01));
        assert!(finds(&report, &["chunks"]), "{back} bytes before the end: {:?}", report.findings);
    }
}

#[test]
fn a_file_cut_off_anywhere_is_damaged_and_not_repaired() {
    let whole = sample();
    let mut numbers = Numbers(3);
    for _ in 0..25 {
        let length = numbers.below(whole.len() - 8192) + 8192;
        let report = check(&whole[..length]);
        assert_eq!(report.verdict(), Verdict::Damaged, "{length} bytes");
        assert!(report.findings.iter().any(|finding| finding.kind == Kind::Structure));
    }
    let folder = with_data(&whole[..whole.len() / 2]);
    let refused = Store::open(folder.path()).and_then(|store| repair(&store)).unwrap_err();
    assert_eq!(refused.code, Code::Damaged);
}

#[test]
fn damaged_pages_are_reported_with_the_table_that_cannot_be_read() {
    let segments = stored(|tables| tables.segments);
    let value = segments.values().find(|value| value.len() > 30_000).unwrap();
    let mut bytes = sample().to_vec();
    for at in places(value) {
        // The header of the overflow page.
        bytes[at - 16..at].fill(0xff);
    }
    let report = check(&bytes);
    let unreadable = |table| {
        report
            .findings
            .iter()
            .any(|f| f.table == table && f.kind == Kind::Unreadable && f.page.is_some())
    };
    assert!(unreadable("segments"), "{:?}", report.findings);
    assert!(finds(&report, &["pages"]));
    assert_eq!(report.verdict(), Verdict::Damaged);
}

#[test]
fn a_file_without_a_sound_meta_page_is_damaged() {
    let mut bytes = sample().to_vec();
    bytes[16 + 24..16 + 120].fill(0xee);
    bytes[4096 + 16 + 24..4096 + 16 + 120].fill(0xee);
    let report = check(&bytes);
    assert_eq!((report.verdict(), report.total), (Verdict::Damaged, 1));
}

/// Whether every blob of the group `value` is the same in `changed`.
fn content_is_intact(value: &[u8], changed: &[u8]) -> bool {
    let group = |value| vox_format::segment::Group::parse(value).ok();
    let (Some(old), Some(new)) = (group(value), group(changed)) else { return false };
    if old.len() != new.len() || value[1] != changed[1] || old.body_bytes() != new.body_bytes() {
        return false;
    }
    (0..old.len()).all(|slot| {
        let (Ok(old), Ok(new)) = (old.slot(slot), new.slot(slot)) else { return false };
        let raw = vox_store::blobs::decompress(new.codec, new.body, new.raw_len);
        raw.is_ok_and(|raw| ContentHash::of(&raw) == old.hash) && new.hash == old.hash
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_flipped_byte_in_a_group_is_found_unless_its_content_stays_the_same(
        tail in any::<bool>(), pick in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), bit in 0..8u8,
    ) {
        let groups = stored(|tables| if tail { tables.tails } else { tables.segments });
        let value = groups.values().nth(pick.index(groups.len())).unwrap();
        let offset = at.index(value.len());
        let bytes = flipped(value, offset, 1 << bit);
        let mut changed = value.clone();
        changed[offset] ^= 1 << bit;
        let report = check(&bytes);
        let found = finds(&report, &["segments", "tails"]);
        // zstd ignores a few bits, such as those of the size of the window.
        prop_assert!(found || content_is_intact(value, &changed), "byte {}", offset);
    }

    #[test]
    fn no_damage_is_a_panic(seed in any::<u64>(), flips in 1usize..60, cut in prop::option::of(any::<prop::sample::Index>())) {
        let mut numbers = Numbers(seed);
        let mut bytes = sample().to_vec();
        for _ in 0..flips {
            let at = numbers.below(bytes.len());
            bytes[at] ^= numbers.next() as u8;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let folder = with_data(&bytes);
        // A file whose start is gone is no archive; anything else gives a report.
        if let Ok(report) = verify_file(&data_file(folder.path()), &Options { sample: Some(numbers.next() % 500) }) {
            prop_assert_eq!(report.total == 0, report.verdict() == Verdict::Clean);
        }
    }
}
