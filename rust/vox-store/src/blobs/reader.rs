//! Finding and reading blobs in one transaction.

use heed::RoTxn;
use vox_format::{
    keys,
    leaf::Entry,
    segment::{GONE, Group, Placed},
};
use vox_types::{BlobRef, Code, ContentHash, Error, Result};

use super::codec::{contents, decompress};
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
pub fn blob_at<'t>(tables: &Tables, txn: &'t RoTxn<'_>, blob: BlobRef) -> Fallible<Placed<'t>> {
    let (group, slot) = group_at(tables, txn, blob)?;
    Ok(group.placed(slot)?)
}

/// The content hash of `blob`.
pub fn hash_of(tables: &Tables, txn: &RoTxn<'_>, blob: BlobRef) -> Fallible<ContentHash> {
    let (group, slot) = group_at(tables, txn, blob)?;
    Ok(group.hash(slot)?)
}

/// The bytes of `blob`.
pub fn read(tables: &Tables, txn: &RoTxn<'_>, blob: BlobRef) -> Fallible<Vec<u8>> {
    let placed = blob_at(tables, txn, blob)?;
    if placed.codec == GONE {
        return Err(purged(&placed).into());
    }
    Ok(contents(&placed)?)
}

/// Reads many blobs in the order of their references, several of which may stand in one frame.
pub struct InOrder<'t> {
    tables: &'t Tables,
    txn: &'t RoTxn<'t>,
    frame: Unpacked<'t>,
}

/// The frame that was unpacked last: the next blob may stand in it too.
#[derive(Default)]
pub struct Unpacked<'t> {
    frame: &'t [u8],
    raw: Vec<u8>,
}

impl<'t> InOrder<'t> {
    /// A reader of what `txn` sees.
    pub fn new(tables: &'t Tables, txn: &'t RoTxn<'t>) -> Self {
        Self { tables, txn, frame: Unpacked::default() }
    }

    /// The bytes of `blob`.
    pub fn read(&mut self, blob: BlobRef) -> Fallible<&[u8]> {
        let placed = blob_at(self.tables, self.txn, blob)?;
        Ok(self.frame.contents(&placed)?)
    }

    /// The bytes of `blob`, or an error if they don't have its hash.
    pub fn verified_read(&mut self, blob: BlobRef) -> Fallible<&[u8]> {
        let placed = blob_at(self.tables, self.txn, blob)?;
        let bytes = self.frame.contents(&placed)?;
        if ContentHash::of(bytes) != placed.hash {
            return Err(false_hash(&placed.hash).into());
        }
        Ok(bytes)
    }
}

impl<'t> Unpacked<'t> {
    /// The bytes of a blob of the same transaction as those before.
    pub fn contents(&mut self, placed: &Placed<'t>) -> Result<&[u8]> {
        if placed.codec == GONE {
            return Err(purged(placed));
        }
        if self.frame.is_empty() || !std::ptr::eq(self.frame, placed.frame) {
            let too_long = |_| Error::damaged("a frame of several blobs claims to be too long");
            let frame_len = u32::try_from(placed.frame_len).map_err(too_long)?;
            self.frame = &[];
            self.raw = decompress(placed.codec, placed.frame, frame_len)?;
            self.frame = placed.frame;
        }
        let range = placed.at as usize..(placed.at + u64::from(placed.raw_len)) as usize;
        let short = || Error::damaged(format!("blob {:?} ends behind its frame", placed.hash));
        self.raw.get(range).ok_or_else(short)
    }
}

fn false_hash(hash: &ContentHash) -> Error {
    Error::damaged(format!("blob {hash:?} doesn't have the hash it claims"))
}

fn purged(placed: &Placed<'_>) -> Error {
    Error::new(Code::Purged, format!("the content {:?} was purged", placed.hash))
}

/// The bytes of `blob`, or an error if they don't have its hash.
pub fn verified_read(tables: &Tables, txn: &RoTxn<'_>, blob: BlobRef) -> Fallible<Vec<u8>> {
    let bytes = read(tables, txn, blob)?;
    let hash = hash_of(tables, txn, blob)?;
    if ContentHash::of(&bytes) != hash {
        return Err(false_hash(&hash).into());
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
) -> Fallible<Option<Placed<'t>>> {
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
) -> Fallible<Option<Placed<'t>>> {
    let (group, slot) = group_at(tables, txn, BlobRef(payload))?;
    if group.codec(slot) == GONE || group.hash(slot)? != *hash {
        return Ok(None);
    }
    Ok(Some(group.placed(slot)?))
}
