//! Tables as they are compared between archives: references of blobs as hashes, index entries
//! summed up.

use std::collections::BTreeMap;

use vox_format::{
    chunk::Chunk,
    name::Target,
    rows::{self, QuarantineRow},
};
use vox_store::{
    Store, blobs,
    index::HashIndex,
    tables::{Table, Tables},
};
use vox_types::{BlobRef, Rest};

/// The rows of each table, in words that are the same in equal archives.
pub type Dump = BTreeMap<&'static str, BTreeMap<String, String>>;

/// Everything in an archive but how its blobs are packed and its indexes are layered.
pub fn dump(store: &Store) -> Dump {
    store.read(|tables, txn| Ok(dump_tables(tables, txn))).unwrap()
}

fn dump_tables(tables: &Tables, txn: &heed::RoTxn<'_>) -> Dump {
    let mut dump = Dump::new();
    for (name, table) in Tables::NAMES.iter().zip(tables.all()) {
        let kept = dump.entry(name).or_default();
        let rows = rows_of(table, txn).into_iter().filter_map(|(key, value)| {
            let value = match *name {
                "segments" | "tails" | "blob_recent" | "blob_levels" | "chain_recent"
                | "chain_levels" => return None,
                "meta" if key.ends_with(b"_merges") => return None,
                "chunks" => chunk(tables, txn, &value),
                "quarantine" => {
                    let row: QuarantineRow = rows::decode(&value, "a row").unwrap();
                    let blob = row.blob.map(|blob| hash(tables, txn, BlobRef(blob)));
                    format!("{:?} {blob:?}", QuarantineRow { blob: None, ..row })
                }
                "names" => match Target::decode(&value).unwrap() {
                    Target::Blob(blob) => hash(tables, txn, blob),
                    other => format!("{other:?}"),
                },
                _ => format!("{value:?}"),
            };
            Some((format!("{key:?}"), value))
        });
        kept.extend(rows);
    }
    let mut counts: BTreeMap<u64, (i64, i64)> = BTreeMap::new();
    let index = HashIndex::of_blobs(tables);
    let sum = |entry: vox_format::leaf::Entry| {
        let (references, holds) = counts.entry(entry.payload).or_default();
        *references += entry.references;
        *holds += entry.holds;
        std::ops::ControlFlow::Continue(())
    };
    index.for_each(txn, sum).unwrap();
    let blobs = dump.entry("blobs").or_default();
    for (blob, counts) in counts {
        let blob = BlobRef(blob);
        let content = blobs::verified_read(tables, txn, blob).unwrap();
        let there = blobs.insert(hash(tables, txn, blob), format!("{counts:?} {content:?}"));
        assert_eq!(there, None, "content that is there twice");
    }
    dump
}

pub fn rows_of(table: Table, txn: &heed::RoTxn<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    table.iter(txn).unwrap().map(|row| row.unwrap()).map(|(k, v)| (k.into(), v.into())).collect()
}

fn hash(tables: &Tables, txn: &heed::RoTxn<'_>, blob: BlobRef) -> String {
    format!("{:?}", blobs::hash_of(tables, txn, blob).unwrap())
}

fn chunk(tables: &Tables, txn: &heed::RoTxn<'_>, value: &[u8]) -> String {
    let chunk = Chunk::parse(value).unwrap();
    let rows = chunk.rows().unwrap().into_iter().map(|mut row| {
        let content = hash(tables, txn, std::mem::replace(&mut row.content, BlobRef(0)));
        let rest = match row.rest {
            Some(Rest::Extra(blob)) => {
                row.rest = None;
                Some(hash(tables, txn, blob))
            }
            _ => None,
        };
        format!("{row:?} {content} {rest:?}")
    });
    format!("{:?} {:?}", chunk.chain_before(), rows.collect::<Vec<_>>())
}
