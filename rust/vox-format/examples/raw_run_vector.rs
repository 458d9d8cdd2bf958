//! Prints `contracts/vectors/raw_run.json`, source bytes and the raw run that holds them:
//! `cargo run --package vox-format --example raw_run_vector`.

use serde_json::json;
use vox_format::{
    forms,
    raw::{Head, Record, RunCut, encode},
    segment::STORED,
};
use vox_types::{BlobRef, ContentHash, CutForm};

/// What stands for a stretch of source bytes.
enum Part {
    Rest(&'static [u8]),
    Item(&'static [u8], CutForm),
    Hole(usize),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    use Part::{Hole, Item, Rest};
    // Between two records stands what is none.
    let records: [&[Part]; 4] = [
        &[Rest(b"{\"t\":\""), Item(b"line\n\"q\"", CutForm::Text), Rest(b"\"}")],
        &[
            Rest(b"{\"a\":\""),
            Item(b"gr\xc3\xbcn", CutForm::Ascii),
            Rest(b"\",\"b\":["),
            Item(b"[1, 2]", CutForm::Slice),
            Rest(b"],\"c\":\""),
            Item(b"\x00\x01\x02\x03", CutForm::Base64),
            Rest(b"\"}"),
        ],
        &[Item(b"{\"type\":\"note\"}", CutForm::Verbatim)],
        &[Hole(40)],
    ];
    let between: [&[u8]; 4] = [b"\xef\xbb\xbf", b"\r\n\r\n", b"\nno record\n", b"\n"];
    let (mut source, mut rest) = (Vec::new(), Vec::new());
    let (mut places, mut cuts, mut blobs) = (Vec::new(), Vec::new(), Vec::new());
    let mut gap = 0;
    for (before, parts) in between.iter().zip(records) {
        source.extend_from_slice(before);
        rest.extend_from_slice(before);
        gap += before.len() as u32;
        let start = source.len();
        for part in parts {
            let from = source.len();
            let (blob, form) = match part {
                Rest(bytes) => {
                    source.extend_from_slice(bytes);
                    rest.extend_from_slice(bytes);
                    gap += bytes.len() as u32;
                    continue;
                }
                Item(bytes, form) => {
                    forms::put(bytes, *form, &mut source).ok_or("no form gives the item back")?;
                    blobs.push(*bytes);
                    (BlobRef::new(7, blobs.len() as u16), *form)
                }
                Hole(len) => {
                    source.resize(from + len, b' ');
                    (BlobRef(0), CutForm::Hole)
                }
            };
            cuts.push(RunCut { blob, gap, len: (source.len() - from) as u32, form });
            gap = 0;
        }
        places.push(Record { start: start as u32, len: (source.len() - start) as u32 });
    }
    let head = Head {
        codec: STORED,
        base: Some(4),
        hash: ContentHash::of(b"the source bytes before something was purged"),
        source_len: source.len() as u32,
        rest_len: rest.len() as u32,
    };
    let vector = json!({
        "about": "A raw run: source bytes, the records in them, the blobs that its cuts name, and \
                  the run that gives the bytes back. Its body is stored as it is.",
        "base": head.base,
        "hash": hex(&head.hash.0),
        "source": hex(&source),
        "records": places.iter().map(|record| [record.start, record.len]).collect::<Vec<_>>(),
        "blobs": (1..).zip(&blobs).map(|(slot, bytes)| json!({
            "blob": BlobRef::new(7, slot).0,
            "bytes": hex(bytes),
        })).collect::<Vec<_>>(),
        "forms": cuts.iter().map(|cut| cut.form.name()).collect::<Vec<_>>(),
        "run": hex(&encode(&head, &places, &cuts, &rest)),
    });
    println!("{}", serde_json::to_string_pretty(&vector)?);
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
