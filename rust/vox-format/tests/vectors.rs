//! The golden values of `contracts/vectors/` hold for this implementation.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use serde_json::{Value, json};
use vox_format::{
    chunk::{Chunk, ItemRow, encode_chunk},
    preview::{binary_preview, preview},
    raw::{RawRun, encode},
};
use vox_types::{
    BlobRef, ChainHash, ContentHash, Fidelity, ItemKind, RecordRef, Rest, Role, WindowId,
    call_number,
};

fn vectors(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/vectors");
    serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let list = value[name].as_array().unwrap();
    assert!(!list.is_empty());
    list
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap()
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap()
}

fn bytes(value: &Value, name: &str) -> Vec<u8> {
    let hex = text(value, name).as_bytes().chunks(2);
    hex.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn hash(value: &Value, name: &str) -> [u8; 32] {
    bytes(value, name).try_into().unwrap()
}

fn rest(value: &Value) -> Option<Rest> {
    let record = value["record"].as_u64().map(|record| Rest::Record(RecordRef(record)));
    record.or_else(|| value["extra"].as_u64().map(|blob| Rest::Extra(BlobRef(blob))))
}

fn row(item: &Value) -> ItemRow {
    ItemRow {
        content: BlobRef(number(item, "content")),
        rest: rest(&item["rest"]),
        created_at: item["created_at"].as_i64().unwrap(),
        byte_len: number(item, "byte_len"),
        role: Role::from_name(text(item, "role")).unwrap(),
        kind: ItemKind::from_name(text(item, "kind")).unwrap(),
        fidelity: Fidelity::from_name(text(item, "fidelity")).unwrap(),
        redacted: item["redacted"].as_bool().unwrap(),
        side: item["side"].as_bool().unwrap(),
        purged: item["purged"].as_bool().unwrap(),
        name: number(item, "name") as u32,
        token_estimate: number(item, "token_estimate") as u32,
        call: item["call"].as_u64().unwrap_or(0) as u32,
        preview: text(item, "preview").to_owned(),
    }
}

#[test]
fn content_hashes_are_the_golden_ones() {
    for case in list(&vectors("hashes.json"), "content") {
        assert_eq!(ContentHash::of(&bytes(case, "bytes")).0, hash(case, "hash"));
    }
}

#[test]
fn chain_hashes_are_the_golden_ones() {
    for case in list(&vectors("hashes.json"), "chain") {
        let chain = ChainHash(hash(case, "parent")).child(
            Role::from_name(text(case, "role")).unwrap(),
            ItemKind::from_name(text(case, "kind")).unwrap(),
            &ContentHash(hash(case, "content")),
        );
        assert_eq!(chain.0, hash(case, "hash"));
    }
}

#[test]
fn window_ids_are_the_golden_ones() {
    for case in list(&vectors("hashes.json"), "window_id") {
        let id = WindowId::derive(text(case, "key"), number(case, "revision") as u32);
        assert_eq!(id.to_string(), text(case, "id"));
    }
}

#[test]
fn numbers_of_calls_are_the_golden_ones() {
    for case in list(&vectors("hashes.json"), "call") {
        assert_eq!(u64::from(call_number(text(case, "id"))), number(case, "call"));
    }
}

#[test]
fn previews_are_the_golden_ones() {
    let vectors = vectors("preview.json");
    for case in list(&vectors, "text") {
        assert_eq!(preview(&bytes(case, "bytes")), text(case, "preview"), "{case}");
    }
    for case in list(&vectors, "binary") {
        let line = binary_preview(text(case, "media_type"), number(case, "length"));
        assert_eq!(line, text(case, "preview"));
    }
}

#[test]
fn the_golden_chunk_holds_its_items() {
    let vector = vectors("chunk.json");
    let rows: Vec<ItemRow> = list(&vector, "items").iter().map(row).collect();
    let golden = bytes(&vector, "chunk");
    let chunk = Chunk::parse(&golden).unwrap();
    assert_eq!(chunk.chain_before().0, hash(&vector, "chain_before"));
    assert_eq!(chunk.rows().unwrap(), rows);

    // LZ4 may compress in many ways, all else has one form.
    let encoded = encode_chunk(&chunk.chain_before(), &rows);
    let columns = columns_length(&golden);
    assert_eq!(encoded[..columns], golden[..columns]);
    assert_eq!(Chunk::parse(&encoded).unwrap().rows().unwrap(), rows);
}

#[test]
fn a_chunk_without_calls_is_read_and_written_anew_in_the_layout_of_today() {
    let vector = vectors("chunk-layout-2.json");
    let rows: Vec<ItemRow> = list(&vector, "items").iter().map(row).collect();
    assert!(rows.iter().all(|row| row.call == 0));
    let golden = bytes(&vector, "chunk");
    let chunk = Chunk::parse(&golden).unwrap();
    assert_eq!(chunk.rows().unwrap(), rows);
    assert_eq!(chunk.extend(&[]).unwrap(), encode_chunk(&chunk.chain_before(), &rows));
    let again = chunk.with_blobs(Ok).unwrap();
    assert_eq!(Chunk::parse(&again).unwrap().rows().unwrap(), rows);
}

#[test]
fn the_golden_raw_run_gives_back_its_source_bytes() {
    let vector = vectors("raw_run.json");
    let golden = bytes(&vector, "run");
    let run = RawRun::parse(&golden).unwrap();
    assert_eq!(run.head.base, Some(number(&vector, "base")));
    assert_eq!(run.head.hash.0, hash(&vector, "hash"));
    let content = |blob: BlobRef| {
        let named = list(&vector, "blobs").iter().find(|one| number(one, "blob") == blob.0);
        Ok::<_, vox_types::Error>(bytes(named.unwrap(), "bytes"))
    };
    let source = run.source(run.body, content).unwrap();
    assert_eq!(source.bytes, bytes(&vector, "source"));
    let records = run.records().unwrap();
    let places: Vec<_> = records.iter().map(|record| json!([record.start, record.len])).collect();
    assert_eq!(places, list(&vector, "records"));
    let cuts = run.cuts().unwrap();
    let forms: Vec<_> = cuts.iter().map(|cut| json!(cut.form.name())).collect();
    assert_eq!(forms, list(&vector, "forms"));
    let hole = records.last().unwrap();
    assert_eq!(source.holes.len(), 1);
    assert_eq!(source.holes[0], hole.start as usize..hole.end() as usize);
    assert_eq!(encode(&run.head, &records, &cuts, run.body), golden);
}

/// The length of the header and the eight columns of a chunk.
fn columns_length(chunk: &[u8]) -> usize {
    let items = usize::from(u16::from_le_bytes([chunk[2], chunk[3]]));
    (0..8).fold(36, |at, _| at + 9 + (items * usize::from(chunk[at + 8])).div_ceil(8))
}
