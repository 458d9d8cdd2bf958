//! Finding and reading blobs in one transaction.

use heed::RoTxn;
use vox_format::{
    keys,
    leaf::Entry,
    segment::{GONE, Group, Slot},
};
use vox_types::{BlobRef, Code, ContentHash, Error};

use super::codec::decompress;
use crate::{fault::Fallible, index::Finder, tables::Tables};

/// The group that holds `blob`, and its place there.
pub fn group_at<'t>(
    tables: &Tables,
    txn: &'t RoTxn<'_>,
    blob: BlobRef,
) -> Fallible<(Group<'t>, usize)> {
    let slot = usize::from(blob.slot());
    if let Some(value) = tables.segments.get(txn, &blob.segment().to_be_bytes())? {
        return Ok((Group::parse(value)?, slot));
    }
    let key = keys::tail(blob.segment(), blob.slot());
    if let Some((key, value)) = tables.tails.get_lower_than_or_equal_to(txn, &key)?
        && let Some((segment, first)) = keys::split_tail(key)
        && segment == blob.segment()
    {
        return Ok((Group::parse(value)?, slot - usize::from(first)));
    }
    Err(Error::damaged(format!("segment {} is missing", blob.segment())).into())
}

/// The stored form of `blob`.
pub fn blob_at<'t>(tables: &Tables, txn: &'t RoTxn<'_>, blob: BlobRef) -> Fallible<Slot<'t>> {
    let (group, slot) = group_at(tables, txn, blob)?;
    Ok(group.slot(slot)?)
}

/// The content hash of `blob`.
pub fn hash_of(tables: &Tables, txn: &RoTxn<'_>, blob: BlobRef) -> Fallible<ContentHash> {
    let (group, slot) = group_at(tables, txn, blob)?;
    Ok(group.hash(slot)?)
}

/// The bytes of `blob`.
pub fn read(tables: &Tables, txn: &RoTxn<'_>, blob: BlobRef) -> Fallible<Vec<u8>> {
    let slot = blob_at(tables, txn, blob)?;
    if slot.codec == GONE {
        return Err(
            Error::new(Code::Purged, format!("the content {:?} was purged", slot.hash)).into()
        );
    }
    Ok(decompress(slot.codec, slot.body, slot.raw_len)?)
}

/// The bytes of `blob`, or an error if they don't have its hash.
pub fn verified_read(tables: &Tables, txn: &RoTxn<'_>, blob: BlobRef) -> Fallible<Vec<u8>> {
    let bytes = read(tables, txn, blob)?;
    let hash = hash_of(tables, txn, blob)?;
    if ContentHash::of(&bytes) != hash {
        return Err(Error::damaged(format!("blob {hash:?} doesn't have the hash it claims")).into());
    }
    Ok(bytes)
}

/// The blob with `hash` and its counts, if it is there.
pub fn find(
    tables: &Tables,
    finder: &Finder,
    txn: &RoTxn<'_>,
    hash: &ContentHash,
) -> Fallible<Option<Entry>> {
    for entry in finder.find(txn, hash.prefix())? {
        if slot_if(tables, txn, entry.payload, hash)?.is_some() {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The stored form of the blob with `hash`, if it is there.
pub fn find_stored<'t>(
    tables: &Tables,
    finder: &Finder,
    txn: &'t RoTxn<'_>,
    hash: &ContentHash,
) -> Fallible<Option<Slot<'t>>> {
    finder.any(txn, hash.prefix(), |payload| slot_if(tables, txn, payload, hash))
}

/// The blob with `hash`, if it came since the last merge of the index.
pub fn find_recent(
    tables: &Tables,
    finder: &Finder,
    txn: &RoTxn<'_>,
    hash: &ContentHash,
) -> Fallible<Option<BlobRef>> {
    let mut entries = Vec::new();
    finder.find_recent(txn, hash.prefix(), &mut entries)?;
    for entry in entries {
        if slot_if(tables, txn, entry.payload, hash)?.is_some() {
            return Ok(Some(BlobRef(entry.payload)));
        }
    }
    Ok(None)
}

/// The stored form of the blob at `payload`, which has the prefix of `hash`, if it has all of it.
fn slot_if<'t>(
    tables: &Tables,
    txn: &'t RoTxn<'_>,
    payload: u64,
    hash: &ContentHash,
) -> Fallible<Option<Slot<'t>>> {
    let slot = blob_at(tables, txn, BlobRef(payload))?;
    Ok((slot.codec != GONE && slot.hash == *hash).then_some(slot))
}
