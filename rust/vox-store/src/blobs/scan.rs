//! Reading the raw bytes of very many blobs, as fast as they unpack.

use std::ops::Range;

use heed::RoTxn;
use vox_format::{
    keys,
    segment::{GONE, Group, MEMBER, STORED, is_joint},
};
use vox_types::{BlobRef, Error, Result};

use super::codec::decompress_into;
use crate::{fault::Fallible, tables::Tables};

/// Reads blobs in the order of their references: each group is looked up once, each frame unpacked
/// once, into one buffer. Hashes aren't checked.
pub struct Scanner<'t> {
    tables: &'t Tables,
    txn: &'t RoTxn<'t>,
    open: Option<Open<'t>>,
    frame: Frame,
}

/// The group that the last blob stands in.
struct Open<'t> {
    segment: u64,
    first_slot: usize,
    group: Group<'t>,
}

/// The frame of several blobs that was unpacked last.
#[derive(Default)]
struct Frame {
    /// The places of its blobs in the group; empty: the buffer holds something else.
    places: Range<usize>,
    /// The place in the group up to which lengths were summed, and the sum.
    place: usize,
    at: usize,
    raw: Vec<u8>,
}

impl<'t> Scanner<'t> {
    /// A scanner of what `txn` sees.
    pub fn new(tables: &'t Tables, txn: &'t RoTxn<'t>) -> Self {
        Self { tables, txn, open: None, frame: Frame::default() }
    }

    /// The bytes of `blob`; none if they were removed.
    pub fn read(&mut self, blob: BlobRef) -> Fallible<Option<&[u8]>> {
        let slot = usize::from(blob.slot());
        let fits = |open: &Open<'_>| {
            open.segment == blob.segment()
                && slot.checked_sub(open.first_slot).is_some_and(|place| place < open.group.len())
        };
        if !self.open.as_ref().is_some_and(fits) {
            self.open = Some(open(self.tables, self.txn, blob)?);
            self.frame.places = 0..0;
        }
        let Some(Open { first_slot, group, .. }) = &self.open else { return Ok(None) };
        let place = slot - first_slot;
        let stored = match group.codec(place) {
            GONE if place >= group.len() => {
                let message = format!("slot {slot} of segment {} is missing", blob.segment());
                return Err(Error::damaged(message).into());
            }
            GONE => return Ok(None),
            codec if codec == MEMBER || is_joint(codec) => {
                return Ok(Some(self.frame.member(group, place)?));
            }
            _ => group.slot(place)?,
        };
        if stored.codec == STORED && stored.body.len() == stored.raw_len as usize {
            return Ok(Some(stored.body));
        }
        self.frame.places = 0..0;
        decompress_into(stored.codec, stored.body, stored.raw_len, &mut self.frame.raw)?;
        Ok(Some(&self.frame.raw))
    }
}

/// The group that holds `blob`.
fn open<'t>(tables: &Tables, txn: &'t RoTxn<'_>, blob: BlobRef) -> Fallible<Open<'t>> {
    let segment = blob.segment();
    if let Some(value) = tables.segments.get(txn, &segment.to_be_bytes())? {
        return Ok(Open { segment, first_slot: 0, group: Group::parse(value)? });
    }
    let key = keys::tail(segment, blob.slot());
    if let Some((key, value)) = tables.tails.get_lower_than_or_equal_to(txn, &key)?
        && let Some((found, first)) = keys::split_tail(key)
        && found == segment
    {
        return Ok(Open { segment, first_slot: usize::from(first), group: Group::parse(value)? });
    }
    Err(Error::damaged(format!("segment {segment} is missing")).into())
}

impl Frame {
    /// The bytes of the blob at `place` of `group`, which shares a frame with others.
    fn member(&mut self, group: &Group<'_>, place: usize) -> Result<&[u8]> {
        if !self.places.contains(&place) || place < self.place {
            let placed = group.placed(place)?;
            let too_long = |_| Error::damaged("a frame of several blobs claims to be too long");
            let frame_len = u32::try_from(placed.frame_len).map_err(too_long)?;
            self.places = 0..0;
            decompress_into(placed.codec, placed.frame, frame_len, &mut self.raw)?;
            let head = (0..=place).rev().find(|i| is_joint(group.codec(*i))).unwrap_or(place);
            self.places = group.members(head);
            (self.place, self.at) = (place, placed.at as usize);
        }
        let between = (self.place..place).filter(|i| group.codec(*i) != GONE);
        self.at += between.map(|i| group.raw_len(i) as usize).sum::<usize>();
        self.place = place;
        let end = self.at + group.raw_len(place) as usize;
        let short = || Error::damaged("a blob ends behind its frame");
        self.raw.get(self.at..end).ok_or_else(short)
    }
}
