//! Tombstones: what was purged, so that a source doesn't bring it back unasked.

use heed::{RoTxn, RwTxn};
use vox_format::rows::{self, TombstoneRow};
use vox_types::{BlobRef, ContentHash};

use crate::{fault::Fallible, tables::Tables};

/// The tombstone of a content.
pub(crate) fn get(
    tables: &Tables,
    txn: &RoTxn<'_>,
    hash: &ContentHash,
) -> Fallible<Option<TombstoneRow>> {
    match tables.tombstones.get(txn, &hash.0)? {
        Some(row) => Ok(Some(rows::decode(row, "a tombstone")?)),
        None => Ok(None),
    }
}

/// Writes down that an item of time `created_at` with this content was purged; `blob` has the hash.
pub(crate) fn put(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    hash: &ContentHash,
    blob: BlobRef,
    created_at: i64,
    (at, why): (i64, &str),
) -> Fallible<()> {
    let mut row = get(tables, txn, hash)?.unwrap_or_default();
    (row.blob, row.at) = (blob.0, at);
    why.clone_into(&mut row.why);
    if let Err(place) = row.times.binary_search(&created_at) {
        row.times.insert(place, created_at);
    }
    tables.tombstones.put(txn, &hash.0, &rows::encode(&row)?)?;
    Ok(())
}

/// The slot that has the hash of a content that was purged with this time, or that comes without
/// one.
pub(crate) fn buried(row: &TombstoneRow, created_at: Option<i64>) -> Option<BlobRef> {
    let same = created_at.is_none_or(|at| row.times.binary_search(&at).is_ok());
    same.then_some(BlobRef(row.blob))
}

/// Takes back that an item of time `created_at`, or of all times, was purged.
pub(crate) fn lift(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    hash: &ContentHash,
    created_at: Option<i64>,
) -> Fallible<()> {
    let Some(mut row) = get(tables, txn, hash)? else { return Ok(()) };
    row.times.retain(|time| created_at.is_some_and(|at| *time != at));
    match row.times.is_empty() {
        true => drop(tables.tombstones.delete(txn, &hash.0)?),
        false => tables.tombstones.put(txn, &hash.0, &rows::encode(&row)?)?,
    }
    Ok(())
}
