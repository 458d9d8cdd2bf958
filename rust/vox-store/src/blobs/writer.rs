//! Storing prepared blobs within a write transaction.

use std::borrow::Cow;

use heed::{PutFlags, RoTxn, RwTxn};
use vox_format::{
    keys,
    leaf::Entry,
    segment::{self, Group, HEADER_BYTES, MEMBER, SEGMENT_BYTES, SLOT_BYTES, Slot},
};
use vox_types::{BlobRef, Code, ContentHash, Error};

use super::{
    codec::{compress_jointly, decompress},
    prepare::{self, Frame, Prepared, PreparedBlobs, State},
    reader,
};
use crate::{
    fault::Fallible,
    index::{Finder, HashIndex},
    tables::Tables,
};

/// Slots a segment may have; far above what 64 KB hold, below what two bytes count.
pub const MAX_SLOTS: usize = 60_000;

/// The greatest number of a segment: a reference has 48 bits for it.
const MAX_SEGMENT: u64 = (1 << 48) - 1;

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

/// How a batch uses one of its blobs.
#[derive(Clone, Copy, Default)]
struct Uses {
    reference: Option<BlobRef>,
    references: u32,
    holds: u32,
}

/// A blob that isn't written yet.
struct Fresh<'a> {
    hash: ContentHash,
    raw_len: u32,
    codec: u8,
    body: Cow<'a, [u8]>,
}

impl Fresh<'_> {
    fn slot(&self) -> Slot<'_> {
        let Self { hash, raw_len, codec, body } = self;
        Slot { hash: *hash, raw_len: *raw_len, codec: *codec, body }
    }
}

/// Stores what is used of a prepared batch.
///
/// Call [`refer`](Self::refer) or [`hold`](Self::hold) for each use, then
/// [`finish`](Self::finish): the index is only then complete.
pub struct BlobWriter<'a> {
    tables: &'a Tables,
    blobs: &'a PreparedBlobs,
    finder: Finder,
    /// Whether what was found when the batch was prepared still stands.
    trusted: bool,
    /// Whether only the recent index can have changed since.
    recent_only: bool,
    uses: Vec<Uses>,
    segment: u64,
    /// Slots and bytes that stand in `tails` already.
    tail_slots: usize,
    tail_bytes: usize,
    fresh: Vec<Fresh<'a>>,
    fresh_bytes: usize,
    stored: Stored,
}

impl<'a> BlobWriter<'a> {
    /// Finds the open segment of generation `generation`.
    pub fn begin(
        tables: &'a Tables,
        txn: &RwTxn<'_>,
        blobs: &'a PreparedBlobs,
        generation: u64,
    ) -> Fallible<Self> {
        let segment = match tables.segments.last(txn)? {
            Some((key, _)) => {
                let last = key.try_into().map(u64::from_be_bytes).ok();
                let last = last.filter(|last| *last < MAX_SEGMENT);
                last.ok_or_else(|| Error::damaged("the last segment has no number of one"))? + 1
            }
            None => 0,
        };
        let index = HashIndex::of_blobs(tables);
        let trusted =
            blobs.generation == generation && blobs.sweeps == prepare::sweeps(tables, txn)?;
        let mut writer = Self {
            tables,
            blobs,
            finder: index.finder(txn)?,
            trusted,
            recent_only: trusted && blobs.merges == index.merges(txn)?,
            uses: vec![Uses::default(); blobs.unique.len()],
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

    /// Counts a place that names the `i`-th blob of the batch, and stores it if it is new.
    pub fn refer(&mut self, txn: &mut RwTxn<'_>, i: usize) -> Fallible<BlobRef> {
        let place = self.blobs.places[i] as usize;
        self.uses[place].references += 1;
        self.place(txn, place)
    }

    /// Takes a hold on the `i`-th blob of the batch, and stores it if it is new.
    pub fn hold(&mut self, txn: &mut RwTxn<'_>, i: usize) -> Fallible<BlobRef> {
        let place = self.blobs.places[i] as usize;
        self.uses[place].holds += 1;
        self.place(txn, place)
    }

    /// Takes `holds` holds on the `i`-th blob of the batch, maybe none, and stores it if it is new.
    pub fn hold_often(&mut self, txn: &mut RwTxn<'_>, i: usize, holds: u32) -> Fallible<BlobRef> {
        let place = self.blobs.places[i] as usize;
        self.uses[place].holds += holds;
        self.place(txn, place)
    }

    /// Stores what is left of a blob whose content was removed.
    pub fn gone(
        &mut self,
        txn: &mut RwTxn<'_>,
        hash: ContentHash,
        raw_len: u32,
    ) -> Fallible<BlobRef> {
        self.make_room(txn, 1, 0)?;
        Ok(self.put_slot(Fresh { hash, raw_len, codec: segment::GONE, body: Cow::Borrowed(&[]) }))
    }

    /// The content hash of `blob`, which may be one that isn't written before
    /// [`finish`](Self::finish).
    pub fn hash_of(&self, txn: &RoTxn<'_>, blob: BlobRef) -> Fallible<ContentHash> {
        let fresh = usize::from(blob.slot()).checked_sub(self.tail_slots);
        match fresh.and_then(|slot| self.fresh.get(slot)) {
            Some(fresh) if blob.segment() == self.segment => Ok(fresh.hash),
            _ => reader::hash_of(self.tables, txn, blob),
        }
    }

    fn place(&mut self, txn: &mut RwTxn<'_>, place: usize) -> Fallible<BlobRef> {
        if let Some(reference) = self.uses[place].reference {
            return Ok(reference);
        }
        let blob = &self.blobs.unique[place];
        let reference = match (self.known(txn, blob)?, &blob.state) {
            (Some(known), _) => known,
            (None, State::New { codec, body } | State::Unused { codec, body }) => {
                self.make_room(txn, 1, body.len())?;
                self.append(blob, *codec, Cow::Borrowed(body))
            }
            (None, State::Member(frame)) => {
                self.append_frame(txn, *frame)?;
                let lost = || Error::damaged("a blob isn't in the frame that it was put to");
                self.uses[place].reference.ok_or_else(lost)?
            }
            (None, State::Lost) => {
                let hash = blob.hash;
                let says = format!("the content {hash:?} was purged, so nothing can show it");
                return Err(Error::new(Code::Purged, says).into());
            }
            (None, State::Known(_)) => {
                let hash = blob.hash;
                return Err(Error::new(
                    Code::Conflict,
                    format!(
                        "blob {hash:?} was in use when the write began and was collected since; \
                         repeat the write"
                    ),
                )
                .into());
            }
        };
        self.uses[place].reference = Some(reference);
        Ok(reference)
    }

    /// Where a blob of the batch stands already.
    fn known(&self, txn: &RwTxn<'_>, blob: &Prepared) -> Fallible<Option<BlobRef>> {
        match blob.state {
            State::Known(known) if self.trusted => Ok(Some(known)),
            State::New { .. } | State::Member(_) if self.recent_only => {
                reader::find_recent(self.tables, &self.finder, txn, &blob.hash)
            }
            _ => Ok(reader::find(self.tables, &self.finder, txn, &blob.hash)?
                .map(|entry| BlobRef(entry.payload))),
        }
    }

    /// Closes the open segment if it can't take so many slots with bodies of `bytes` in all.
    fn make_room(&mut self, txn: &mut RwTxn<'_>, slots: usize, bytes: usize) -> Fallible<()> {
        let size = slots * SLOT_BYTES + bytes;
        let before = self.tail_slots + self.fresh.len();
        let full = HEADER_BYTES + self.tail_bytes + self.fresh_bytes + size > SEGMENT_BYTES;
        if before > 0 && (full || before + slots > MAX_SLOTS) {
            self.close_segment(txn)?;
        }
        Ok(())
    }

    fn append(&mut self, blob: &Prepared, codec: u8, body: Cow<'a, [u8]>) -> BlobRef {
        self.stored.added += 1;
        self.stored.raw_bytes += u64::from(blob.raw_len);
        self.stored.stored_bytes += (SLOT_BYTES + body.len()) as u64;
        self.put_slot(Fresh { hash: blob.hash, raw_len: blob.raw_len, codec, body })
    }

    /// Puts a slot to the open segment, which has room for it.
    fn put_slot(&mut self, new: Fresh<'a>) -> BlobRef {
        let slot = self.tail_slots + self.fresh.len();
        self.fresh_bytes += SLOT_BYTES + new.body.len();
        self.fresh.push(new);
        BlobRef::new(self.segment, slot as u16)
    }

    /// Stores all blobs of a frame that aren't in the archive, in one frame.
    fn append_frame(&mut self, txn: &mut RwTxn<'_>, frame: usize) -> Fallible<()> {
        let blobs = self.blobs;
        let frame = &blobs.frames[frame];
        let mut new = Vec::with_capacity(frame.members.len());
        for &place in &frame.members {
            if self.known(txn, &blobs.unique[place])?.is_none() {
                new.push(place);
            }
        }
        let (codec, mut body) = if new.len() == frame.members.len() {
            (frame.codec, Cow::Borrowed(&frame.body[..]))
        } else {
            let (codec, body) = self.part_of_frame(frame, &new)?;
            (codec, Cow::Owned(body))
        };
        self.make_room(txn, new.len(), body.len())?;
        for (i, place) in new.into_iter().enumerate() {
            let codec = if i == 0 { codec } else { MEMBER };
            let reference = self.append(&blobs.unique[place], codec, std::mem::take(&mut body));
            self.uses[place].reference = Some(reference);
        }
        Ok(())
    }

    /// A frame of only these members of `frame`.
    fn part_of_frame(&self, frame: &Frame, members: &[usize]) -> Fallible<(u8, Vec<u8>)> {
        let len = |place: usize| self.blobs.unique[place].raw_len;
        let frame_len = frame.members.iter().map(|place| len(*place)).sum();
        let mut raw = &decompress(frame.codec, &frame.body, frame_len)?[..];
        let mut part = Vec::new();
        for &place in &frame.members {
            let (bytes, rest) = raw.split_at(len(place) as usize);
            if members.contains(&place) {
                part.extend_from_slice(bytes);
            }
            raw = rest;
        }
        Ok(compress_jointly(&part)?)
    }

    /// Writes the open segment as one value and starts the next.
    fn close_segment(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        let value = if self.tail_slots == 0 {
            self.encode_fresh()
        } else {
            let mut slots = Vec::with_capacity(self.tail_slots + self.fresh.len());
            for row in self.tables.tails.prefix_iter(txn, &self.segment.to_be_bytes())? {
                let group = Group::parse(row?.1)?;
                for i in 0..group.len() {
                    slots.push(group.slot(i)?);
                }
            }
            slots.extend(self.fresh.iter().map(Fresh::slot));
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

    fn encode_fresh(&self) -> Vec<u8> {
        segment::encode(&self.fresh.iter().map(Fresh::slot).collect::<Vec<_>>())
    }

    /// Writes what the open segment got as one more of its tails, and counts all uses.
    pub fn finish(self, txn: &mut RwTxn<'_>) -> Fallible<Stored> {
        if !self.fresh.is_empty() {
            let key = keys::tail(self.segment, self.tail_slots as u16);
            self.tables.tails.put(txn, &key, &self.encode_fresh())?;
        }
        let used = self.uses.iter().zip(&self.blobs.unique);
        let mut changes: Vec<Entry> = used
            .filter_map(|(uses, blob)| {
                Some(Entry {
                    prefix: blob.hash.prefix(),
                    payload: uses.reference?.0,
                    references: i64::from(uses.references),
                    holds: i64::from(uses.holds),
                })
            })
            .collect();
        // In the order of the tree, so that its pages are visited once.
        changes.sort_unstable_by_key(|change| change.prefix);
        let index = HashIndex::of_blobs(self.tables);
        for change in changes {
            index.add(txn, change)?;
        }
        index.settle(txn)?;
        Ok(self.stored)
    }
}
