//! Blobs moving to the segments of a new generation.

use heed::RoTxn;
use vox_format::{
    keys,
    segment::{self, GONE, Group, HEADER_BYTES, SEGMENT_BYTES, SLOT_BYTES, Slot},
};
use vox_types::{BlobRef, Error, Result};

use super::{loader::Loader, references};
use crate::{blobs::MAX_SLOTS, fault::Fallible, tables::Tables};

/// A blob that has no place in the new generation.
const NOWHERE: u64 = u64::MAX;

/// Where each blob of the old generation stands in the new one: 8 bytes for each.
#[derive(Default)]
pub struct Places {
    /// For each segment the place of its first slot in `new`.
    starts: Vec<usize>,
    new: Vec<u64>,
}

impl Places {
    /// The reference that takes the place of `old`; none if the blob was left out.
    pub fn find(&self, old: BlobRef) -> Option<BlobRef> {
        let segment = usize::try_from(old.segment()).ok()?;
        let start = *self.starts.get(segment)?;
        let end = self.starts.get(segment + 1).copied().unwrap_or(self.new.len());
        let new = *self.new[start..end].get(usize::from(old.slot()))?;
        (new != NOWHERE).then_some(BlobRef(new))
    }

    /// Like [`Places::find`], for a row that refers to `old`.
    pub fn expect(&self, old: BlobRef) -> Result<BlobRef> {
        self.find(old).ok_or_else(|| {
            let (segment, slot) = (old.segment(), old.slot());
            Error::damaged(format!("a row refers to blob {slot} of segment {segment}: no such"))
        })
    }

    /// Begins with the slots that start at `slot` of `segment`.
    fn begin(&mut self, segment: u64, slot: u16) -> Result<()> {
        let next = self.starts.len() as u64;
        let slots = self.starts.last().map_or(0, |start| self.new.len() - start);
        match slot {
            0 if segment == next => self.starts.push(self.new.len()),
            _ if segment + 1 == next && usize::from(slot) == slots => {}
            _ => {
                let says =
                    format!("slot {slot} of segment {segment} doesn't follow the one before");
                return Err(Error::damaged(says));
            }
        }
        Ok(())
    }
}

/// Shows each group of blobs with its segment and the number of its first slot, in order.
fn groups<'t>(
    tables: &Tables,
    txn: &'t RoTxn<'_>,
    mut visit: impl FnMut(u64, u16, Group<'t>) -> Fallible<()>,
) -> Fallible<()> {
    let no_key = || Error::damaged("the key of a group of blobs is malformed");
    for row in tables.segments.iter(txn)? {
        let (key, value) = row?;
        let segment = key.try_into().map(u64::from_be_bytes).map_err(|_| no_key())?;
        visit(segment, 0, Group::parse(value)?)?;
    }
    for row in tables.tails.iter(txn)? {
        let (key, value) = row?;
        let (segment, slot) = keys::split_tail(key).ok_or_else(no_key)?;
        visit(segment, slot, Group::parse(value)?)?;
    }
    Ok(())
}

/// The blobs whose bytes are gone and that a row still names, in order.
fn named_gone(tables: &Tables, format: u32, txn: &RoTxn<'_>) -> Fallible<Vec<u64>> {
    let mut gone = Vec::new();
    groups(tables, txn, |segment, first, group| {
        let slots = (0..group.len()).filter(|slot| group.codec(*slot) == GONE);
        gone.extend(slots.map(|slot| BlobRef::new(segment, first + slot as u16).0));
        Ok(())
    })?;
    if gone.is_empty() {
        return Ok(gone);
    }
    let mut named = vec![false; gone.len()];
    for (table, from) in Tables::NAMES.iter().zip(tables.all()) {
        let Some(rewrite) = references::rewrite(table, format) else { continue };
        for row in from.iter(txn)? {
            let (key, value) = row?;
            rewrite(key, value, &mut |blob| {
                if let Ok(place) = gone.binary_search(&blob.0) {
                    named[place] = true;
                }
                Ok(blob)
            })?;
        }
    }
    let mut named = named.into_iter();
    gone.retain(|_| named.next() == Some(true));
    Ok(gone)
}

/// Writes all blobs to full segments in their order, without the slots that are gone and that
/// nothing names.
pub fn copy(
    tables: &Tables,
    format: u32,
    txn: &RoTxn<'_>,
    loader: &mut Loader<'_>,
    to: &Tables,
) -> Fallible<Places> {
    let named = named_gone(tables, format, txn)?;
    let mut places = Places::default();
    let mut packer = Packer { to, segment: 0, slots: Vec::new(), bytes: 0 };
    groups(tables, txn, |segment, first, group| {
        places.begin(segment, first)?;
        let mut head = 0;
        while head < group.len() {
            // Blobs that share a frame stay together.
            let members = group.members(head);
            let mut slots = Vec::with_capacity(members.len());
            let mut stays = Vec::with_capacity(members.len());
            for i in members.clone() {
                let old = BlobRef::new(segment, first + i as u16).0;
                let stay = group.codec(i) != GONE || named.binary_search(&old).is_ok();
                stays.push(stay);
                if stay {
                    slots.push(group.slot(i)?);
                }
            }
            let mut next = packer.add(loader, &slots)?.0;
            for stay in stays {
                places.new.push(if stay { next } else { NOWHERE });
                next += u64::from(stay);
            }
            head = members.end;
        }
        Ok(())
    })?;
    packer.finish(loader)?;
    Ok(places)
}

/// Fills segments.
struct Packer<'t> {
    to: &'t Tables,
    segment: u64,
    slots: Vec<Slot<'t>>,
    bytes: usize,
}

impl<'t> Packer<'t> {
    /// Puts `slots` into one segment; gives the reference of the first.
    fn add(&mut self, loader: &mut Loader<'_>, slots: &[Slot<'t>]) -> Result<BlobRef> {
        let size: usize = slots.iter().map(|slot| SLOT_BYTES + slot.body.len()).sum();
        let full = HEADER_BYTES + self.bytes + size > SEGMENT_BYTES
            || self.slots.len() + slots.len() > MAX_SLOTS;
        if full && !self.slots.is_empty() {
            let key = self.segment.to_be_bytes();
            loader.put(self.to.segments, &key, &segment::encode(&self.slots))?;
            self.segment += 1;
            self.slots.clear();
            self.bytes = 0;
        }
        let first = self.slots.len() as u16;
        self.slots.extend_from_slice(slots);
        self.bytes += size;
        Ok(BlobRef::new(self.segment, first))
    }

    /// Leaves the last segment open.
    fn finish(self, loader: &mut Loader<'_>) -> Result<()> {
        if !self.slots.is_empty() {
            let key = keys::tail(self.segment, 0);
            loader.put(self.to.tails, &key, &segment::encode(&self.slots))?;
        }
        Ok(())
    }
}
