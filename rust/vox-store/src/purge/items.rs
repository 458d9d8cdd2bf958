//! Purging items: their rows stay, with nothing but their place, their length and their hash.

use std::collections::{BTreeMap, HashMap};

use heed::{RoTxn, RwTxn};
use vox_format::{
    chunk::{Chunk, encode_chunk},
    keys,
    leaf::Entry,
};
use vox_types::{BlobRef, ContentHash, ItemId, RecordRef, Rest, RunNo};

use super::{ranges::Ranges, tombstones};
use crate::{
    blobs, committed, fault::Fallible, index::HashIndex, producers, raw, spine::runs,
    tables::Tables,
};

/// Items that one transaction purges. Judgement.
pub(crate) const BATCH: u64 = 20_000;
/// Chunks that one transaction looks at. Judgement.
const CHUNKS: usize = 2_000;

/// What was found, or purged, so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub items: u64,
    pub bytes: u64,
}

/// Shows the chunks that hold some of `items` from `from` on, each with the places of those in it.
/// `visit` says when it has enough. Gives where to go on; none at the end.
fn chunks(
    tables: &Tables,
    txn: &RoTxn<'_>,
    items: &Ranges,
    from: ItemId,
    mut visit: impl FnMut(ItemId, &Chunk<'_>, &[usize]) -> Fallible<bool>,
) -> Fallible<Option<ItemId>> {
    let mut seen = 0;
    let mut at = from.0;
    while let Some(range) = items.within(at..u64::MAX).next() {
        if seen == CHUNKS {
            return Ok(Some(ItemId(at)));
        }
        let item = ItemId(range.start);
        let found = runs::chunk_at(tables, txn, item.run(), item.position())?;
        let missing = || vox_types::Error::damaged(format!("there is no chunk of item {item}"));
        let (first, value) = found.ok_or_else(missing)?;
        let chunk = Chunk::parse(value)?;
        let first = ItemId::new(item.run(), first);
        let end = first.0 + chunk.len() as u64;
        if item.0 >= end {
            return Err(missing().into());
        }
        let wanted = items.within(at.max(first.0)..end);
        let places: Vec<usize> = wanted.flatten().map(|id| (id - first.0) as usize).collect();
        at = end;
        seen += 1;
        if visit(first, &chunk, &places)? {
            return Ok(Some(ItemId(at)));
        }
    }
    Ok(None)
}

/// Counts those of `items` that aren't purged yet.
pub(crate) fn count(
    tables: &Tables,
    txn: &RoTxn<'_>,
    items: &Ranges,
    from: ItemId,
    tally: &mut Tally,
) -> Fallible<Option<ItemId>> {
    chunks(tables, txn, items, from, |_, chunk, places| {
        for place in places.iter().filter(|place| !chunk.attributes_at(**place).purged()) {
            tally.items += 1;
            tally.bytes += chunk.byte_len().get(*place);
        }
        Ok(false)
    })
}

/// A row that lost its content.
struct Lost {
    item: ItemId,
    blob: BlobRef,
    created_at: i64,
    rest: Option<Rest>,
}

/// Purges those of `items` from `from` on that aren't yet, about [`BATCH`] of them. Gives where to
/// go on.
pub(crate) fn purge(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    items: &Ranges,
    from: ItemId,
    (at, why): (i64, &str),
    tally: &mut Tally,
) -> Fallible<Option<ItemId>> {
    let mut written = Vec::new();
    let mut lost = Vec::new();
    let next = chunks(tables, txn, items, from, |first, chunk, places| {
        let before = lost.len();
        let mut rows = chunk.rows()?;
        for place in places {
            let row = &mut rows[*place];
            if row.purged {
                continue;
            }
            lost.push(Lost {
                item: ItemId(first.0 + *place as u64),
                blob: row.content,
                created_at: row.created_at,
                rest: row.rest,
            });
            tally.bytes += row.byte_len;
            row.purged = true;
            row.rest = None;
            row.preview.clear();
        }
        if lost.len() > before {
            let key = keys::pair(first.run(), first.position());
            written.push((key, encode_chunk(&chunk.chain_before(), &rows)));
        }
        Ok(lost.len() as u64 >= BATCH)
    })?;
    tally.items += lost.len() as u64;
    for (key, value) in written {
        tables.chunks.put(txn, &key, &value)?;
    }
    let records: Vec<RecordRef> = lost
        .iter()
        .filter_map(|lost| match lost.rest {
            Some(Rest::Record(record)) => Some(record),
            _ => None,
        })
        .collect();
    let index = HashIndex::of_blobs(tables);
    let mut changes = Vec::with_capacity(lost.len());
    let mut by_run: BTreeMap<RunNo, HashMap<BlobRef, ContentHash>> = BTreeMap::new();
    for Lost { item, blob, created_at, rest } in &lost {
        let hash = blobs::hash_of(tables, txn, *blob)?;
        changes.push((hash.prefix(), blob.0));
        by_run.entry(item.run()).or_default().insert(*blob, hash);
        if let Some(Rest::Extra(extra)) = rest {
            changes.push((blobs::hash_of(tables, txn, *extra)?.prefix(), extra.0));
        }
        tombstones::put(tables, txn, &hash, *blob, *created_at, (at, why))?;
    }
    for blob in producers::forget_items(tables, txn, &by_run)? {
        changes.push((blobs::hash_of(tables, txn, blob)?.prefix(), blob.0));
    }
    changes.sort_unstable();
    for (prefix, payload) in changes {
        index.add(txn, Entry { prefix, payload, references: -1, holds: 0 })?;
    }
    index.settle(txn)?;
    // Their records go, and others that hold the same where no item does any more.
    raw::remove_records(tables, txn, &records)?;
    let items: Vec<ItemId> = lost.iter().map(|lost| lost.item).collect();
    committed::withdraw_where_items_stand(tables, txn, &items)?;
    let mut blobs: Vec<BlobRef> = lost.iter().map(|lost| lost.blob).collect();
    blobs.sort_unstable();
    blobs.dedup();
    raw::remove_contents(tables, txn, &blobs)?;
    Ok(next)
}
