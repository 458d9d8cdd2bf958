//! Storing prepared blobs within a write transaction.

use heed::{PutFlags, RwTxn};
use vox_format::{
    keys,
    leaf::Entry,
    segment::{self, Group, HEADER_BYTES, SEGMENT_BYTES, SLOT_BYTES, Slot},
};
use vox_types::{BlobRef, Error};

use super::{
    prepare::{Prepared, PreparedBlobs, State},
    reader,
};
use crate::{fault::Fallible, index::HashIndex, tables::Tables};

/// Slots a segment may have; far above what 64 KB hold, below what two bytes count.
const MAX_SLOTS: usize = 60_000;

/// What became of a batch.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Blobs that were new.
    pub added: u64,
    /// Their raw bytes.
    pub raw_bytes: u64,
    /// Their stored bytes.
    pub stored_bytes: u64,
}

impl std::ops::Add for Stored {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            added: self.added + other.added,
            raw_bytes: self.raw_bytes + other.raw_bytes,
            stored_bytes: self.stored_bytes + other.stored_bytes,
        }
    }
}

/// Appends blobs to the open segment.
pub struct BlobWriter<'a> {
    tables: &'a Tables,
    segment: u64,
    /// Slots and bytes that stand in `tails` already.
    tail_slots: usize,
    tail_bytes: usize,
    fresh: Vec<Slot<'a>>,
    fresh_bytes: usize,
    stored: Stored,
}

/// How a batch uses one of its blobs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Uses {
    /// Places in the archive that name it.
    pub references: u32,
    /// Holds taken on it.
    pub holds: u32,
}

/// Stands for a blob that isn't used and so wasn't stored.
pub const UNUSED: BlobRef = BlobRef(u64::MAX);

impl<'a> BlobWriter<'a> {
    /// Finds the open segment.
    pub fn begin(tables: &'a Tables, txn: &RwTxn<'_>) -> Fallible<Self> {
        let last = tables.segments.last(txn)?.map(|(key, _)| key.try_into().map(u64::from_be_bytes));
        let segment = match last {
            Some(Ok(last)) => last + 1,
            Some(Err(_)) => {
                return Err(Error::damaged("a segment's key isn't 8 bytes long").into());
            }
            None => 0,
        };
        let mut writer = Self {
            tables,
            segment,
            tail_slots: 0,
            tail_bytes: 0,
            fresh: Vec::new(),
            fresh_bytes: 0,
            stored: Stored::default(),
        };
        for row in tables.tails.prefix_iter(txn, &segment.to_be_bytes())? {
            let value = row?.1;
            writer.tail_slots += Group::parse(value)?.len();
            writer.tail_bytes += value.len() - HEADER_BYTES;
        }
        Ok(writer)
    }

    /// Stores what is used and new of `blobs`, counts the uses, and gives the reference of each
    /// of `blobs.unique`, or [`UNUSED`].
    pub fn store(
        &mut self,
        txn: &mut RwTxn<'_>,
        blobs: &'a PreparedBlobs,
        generation: u64,
        uses: &[Uses],
    ) -> Fallible<Vec<BlobRef>> {
        let index = HashIndex::of_blobs(self.tables);
        let finder = index.finder(txn)?;
        let trusted = blobs.generation == generation;
        let recent_only = trusted && blobs.merges == index.merges(txn)?;
        let mut changes = Vec::with_capacity(blobs.unique.len());
        let mut references = Vec::with_capacity(blobs.unique.len());
        for (blob, uses) in blobs.unique.iter().zip(uses) {
            if *uses == Uses::default() {
                references.push(UNUSED);
                continue;
            }
            let known = match blob.state {
                State::Known(known) if trusted => Some(known),
                _ if recent_only => {
                    reader::find_recent(self.tables, &finder, txn, &blob.hash)?
                }
                _ => reader::find(self.tables, &finder, txn, &blob.hash)?
                    .map(|entry| BlobRef(entry.payload)),
            };
            let reference = match known {
                Some(known) => known,
                None => self.append(txn, blob)?,
            };
            references.push(reference);
            changes.push(Entry {
                prefix: blob.hash.prefix(),
                payload: reference.0,
                references: i64::from(uses.references),
                holds: i64::from(uses.holds),
            });
        }
        changes.sort_unstable_by_key(|entry| entry.prefix);
        for change in changes {
            index.add(txn, change)?;
        }
        Ok(references)
    }

    fn append(&mut self, txn: &mut RwTxn<'_>, blob: &'a Prepared) -> Fallible<BlobRef> {
        let State::New { codec, body } = &blob.state else {
            return Err(Error::damaged(format!(
                "blob {:?} was in the archive and is gone; repeat the write",
                blob.hash
            ))
            .into());
        };
        let size = SLOT_BYTES + body.len();
        let slots = self.tail_slots + self.fresh.len();
        let full = HEADER_BYTES + self.tail_bytes + self.fresh_bytes + size > SEGMENT_BYTES;
        if slots > 0 && (full || slots >= MAX_SLOTS) {
            self.close_segment(txn)?;
        }
        let slot = self.tail_slots + self.fresh.len();
        self.fresh.push(Slot { hash: blob.hash, raw_len: blob.raw_len, codec: *codec, body });
        self.fresh_bytes += size;
        self.stored.added += 1;
        self.stored.raw_bytes += u64::from(blob.raw_len);
        self.stored.stored_bytes += size as u64;
        Ok(BlobRef::new(self.segment, slot as u16))
    }

    /// Writes the open segment as one value and starts the next.
    fn close_segment(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        let value = if self.tail_slots == 0 {
            segment::encode(&self.fresh)
        } else {
            let mut slots = Vec::with_capacity(self.tail_slots + self.fresh.len());
            for row in self.tables.tails.prefix_iter(txn, &self.segment.to_be_bytes())? {
                let group = Group::parse(row?.1)?;
                for i in 0..group.len() {
                    slots.push(group.slot(i)?);
                }
            }
            slots.extend_from_slice(&self.fresh);
            segment::encode(&slots)
        };
        let key = self.segment.to_be_bytes();
        self.tables.segments.put_with_flags(txn, PutFlags::APPEND, &key, &value)?;
        if self.tail_slots > 0 {
            let range = keys::tail(self.segment, 0)..=keys::tail(self.segment, u16::MAX);
            let range = (
                std::ops::Bound::Included(&range.start()[..]),
                std::ops::Bound::Included(&range.end()[..]),
            );
            self.tables.tails.delete_range(txn, &range)?;
        }
        self.segment += 1;
        (self.tail_slots, self.tail_bytes) = (0, 0);
        self.fresh.clear();
        self.fresh_bytes = 0;
        Ok(())
    }

    /// Writes what the open segment got as one more of its tails.
    pub fn finish(self, txn: &mut RwTxn<'_>) -> Fallible<Stored> {
        if !self.fresh.is_empty() {
            let key = keys::tail(self.segment, self.tail_slots as u16);
            self.tables.tails.put(txn, &key, &segment::encode(&self.fresh))?;
        }
        Ok(self.stored)
    }
}
