//! What the bytes of source files take, by the adapter that read them.

use std::collections::{BTreeMap, HashMap};

use heed::RoTxn;
use vox_format::{
    chunk::Chunk,
    keys::Domain,
    raw::RawRun,
    rows::{self, CursorRow},
    segment::SLOT_BYTES,
};
use vox_types::{BlobRef, Error, Rest};

use super::{all, number_of};
use crate::{blobs, fault::Fallible, tables::Tables};

/// What the files of one adapter come to. A blob counts for the first that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceSize {
    /// Bytes that are kept, of all readings, decompressed.
    pub source_bytes: u64,
    /// Bodies of the blobs of their items.
    pub item_bytes: u64,
    /// What the tables of those blobs take.
    pub table_bytes: u64,
    /// Raw runs.
    pub run_bytes: u64,
}

/// What is kept of source files, by the names of their adapters.
pub fn of_sources(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<BTreeMap<String, SourceSize>> {
    let mut adapters: HashMap<Vec<u8>, String> = HashMap::new();
    for row in tables.cursors.iter(txn)? {
        let (key, value) = row?;
        adapters.insert(key.to_vec(), rows::decode::<CursorRow>(value, "a cursor")?.source);
    }
    let mut sizes: BTreeMap<String, SourceSize> = BTreeMap::new();
    let mut owners: HashMap<u64, &str> = HashMap::new();
    for stretch in all(tables, txn)? {
        let no_cursor = || Error::damaged("a row of raw_files names no cursor");
        let adapter = adapters.get(&stretch.cursor[..]).ok_or_else(no_cursor)?;
        owners.entry(stretch.row.run).or_insert(adapter);
        if stretch.domain == Domain::Content {
            sizes.entry(adapter.clone()).or_default().source_bytes += stretch.row.length;
        }
    }
    let mut seen = Seen::default();
    let mut add = |adapter: &str, blob: BlobRef| -> Fallible<()> {
        if seen.insert(blob) {
            let (group, slot) = blobs::group_at(tables, txn, blob)?;
            let size = sizes.entry(adapter.to_owned()).or_default();
            size.item_bytes += group.slot(slot)?.body.len() as u64;
            size.table_bytes += SLOT_BYTES as u64;
        }
        Ok(())
    };
    let mut run_bytes: HashMap<&str, u64> = HashMap::new();
    for row in tables.raw_runs.iter(txn)? {
        let (key, value) = row?;
        let Some(adapter) = owners.get(&number_of(key)?) else { continue };
        *run_bytes.entry(adapter).or_default() += value.len() as u64;
        for blob in RawRun::parse(value)?.references()? {
            add(adapter, blob)?;
        }
    }
    for row in tables.chunks.iter(txn)? {
        let chunk = Chunk::parse(row?.1)?;
        for place in 0..chunk.len() {
            if let Some(Rest::Record(record)) = chunk.rest_at(place)
                && let Some(adapter) = owners.get(&record.run())
            {
                add(adapter, chunk.content_at(place))?;
            }
        }
    }
    for (adapter, bytes) in run_bytes {
        sizes.entry(adapter.to_owned()).or_default().run_bytes += bytes;
    }
    Ok(sizes)
}

/// A set of blobs: a bit for each slot of the segments that it has some of.
#[derive(Default)]
struct Seen(HashMap<u64, Vec<u64>>);

impl Seen {
    /// Whether `blob` is new to it.
    fn insert(&mut self, blob: BlobRef) -> bool {
        let bits = self.0.entry(blob.segment()).or_default();
        let (word, bit) = (usize::from(blob.slot()) / 64, 1 << (blob.slot() % 64));
        if bits.len() <= word {
            bits.resize(word + 1, 0);
        }
        let new = bits[word] & bit == 0;
        bits[word] |= bit;
        new
    }
}
