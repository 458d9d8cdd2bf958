//! Groups of blobs: the values of `segments` and `tails`.

use vox_types::{ContentHash, Error, Result};

use crate::cursor::{put_header, take, take_header, u32_at};

/// The codec of a body that stands as it is.
pub const STORED: u8 = 0;
/// The codec of a zstd frame without a dictionary.
pub const ZSTD: u8 = 1;
/// The codec of a zstd frame with dictionary `d` is `ZSTD_DICTIONARY + d`.
pub const ZSTD_DICTIONARY: u8 = 16;
/// The codec of a blob whose body is a zstd frame that holds those after it too, is this and the
/// number of the dictionary, 0 for none.
pub const JOINT: u8 = 32;
/// The codec of a blob that stands in the frame of one before it; its body is empty.
pub const MEMBER: u8 = 254;
/// The codec of a slot whose body was removed.
pub const GONE: u8 = 255;

/// Blobs join a frame up to so many raw bytes.
pub const JOINT_BYTES: usize = 256 << 10;

/// A segment takes no further blob once it would pass this many bytes: 16 LMDB pages of 4 KiB
/// less the header of an overflow page.
pub const SEGMENT_BYTES: usize = 16 * 4096 - 16;

/// What a slot adds to a group besides its body.
pub const SLOT_BYTES: usize = 4 + 4 + 1 + 32;

/// What a group without slots takes.
pub const HEADER_BYTES: usize = 4;

/// One blob as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Hash of the raw bytes.
    pub hash: ContentHash,
    /// Length of the raw bytes.
    pub raw_len: u32,
    /// How `body` is coded.
    pub codec: u8,
    /// The stored bytes.
    pub body: &'a [u8],
}

/// Encodes a group; at most 65,535 slots.
pub fn encode(slots: &[Slot<'_>]) -> Vec<u8> {
    let bodies: usize = slots.iter().map(|slot| slot.body.len()).sum();
    let mut out = Vec::with_capacity(HEADER_BYTES + slots.len() * SLOT_BYTES + bodies);
    put_header(&mut out, slots.len() as u16);
    let mut end = 0u32;
    for slot in slots {
        end += slot.body.len() as u32;
        out.extend_from_slice(&end.to_le_bytes());
        out.extend_from_slice(&slot.raw_len.to_le_bytes());
        out.push(slot.codec);
        out.extend_from_slice(&slot.hash.0);
    }
    for slot in slots {
        out.extend_from_slice(slot.body);
    }
    out
}

/// Whether `codec` is that of a frame that holds several blobs.
pub fn is_joint(codec: u8) -> bool {
    (JOINT..2 * JOINT).contains(&codec)
}

/// A blob and the frame that holds it.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// Hash of the raw bytes.
    pub hash: ContentHash,
    /// Length of the raw bytes.
    pub raw_len: u32,
    /// How the frame is coded; [`GONE`] if the blob is.
    pub codec: u8,
    /// The frame.
    pub frame: &'a [u8],
    /// How many raw bytes the frame holds.
    pub frame_len: u64,
    /// Where in them those of the blob start.
    pub at: u64,
}

impl Placed<'_> {
    /// Whether the frame holds other blobs too.
    pub fn shares_frame(&self) -> bool {
        self.frame_len != u64::from(self.raw_len)
    }
}

/// A group in place.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    rows: &'a [[u8; SLOT_BYTES]],
    bodies: &'a [u8],
}

impl<'a> Group<'a> {
    /// Reads the table of a group.
    pub fn parse(mut bytes: &'a [u8]) -> Result<Self> {
        let rest = &mut bytes;
        let len = take_header(rest, "a group of blobs")?;
        let (rows, _) = take(rest, len * SLOT_BYTES, "the table of a group")?.as_chunks();
        Ok(Self { rows, bodies: rest })
    }

    /// How many slots.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no slots.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many bytes of bodies the table claims, and how many there are.
    pub fn body_bytes(&self) -> (u32, usize) {
        (self.rows.last().map_or(0, |row| u32_at(row, 0)), self.bodies.len())
    }

    /// The hash at `i`, without touching the bodies.
    pub fn hash(&self, i: usize) -> Result<ContentHash> {
        Ok(hash_of(self.row(i)?))
    }

    /// The length of the raw bytes at `i`, without touching the bodies; 0 past the end.
    pub fn raw_len(&self, i: usize) -> u32 {
        self.rows.get(i).map_or(0, |row| u32_at(row, 1))
    }

    /// The codec at `i`, without touching the bodies; [`GONE`] past the end.
    pub fn codec(&self, i: usize) -> u8 {
        self.rows.get(i).map_or(GONE, |row| row[CODEC_AT])
    }

    /// The slot at `i`.
    pub fn slot(&self, i: usize) -> Result<Slot<'a>> {
        let row = self.row(i)?;
        let start = if i == 0 { 0 } else { u32_at(self.row(i - 1)?, 0) } as usize;
        let end = u32_at(row, 0) as usize;
        let body = self.bodies.get(start..end).ok_or_else(|| {
            Error::damaged(format!(
                "body {i} of a group claims bytes {start}..{end} of {}",
                self.bodies.len()
            ))
        })?;
        Ok(Slot { hash: hash_of(row), raw_len: u32_at(row, 1), codec: row[CODEC_AT], body })
    }

    /// The blob at `i` with the frame that holds it, which others may share.
    pub fn placed(&self, i: usize) -> Result<Placed<'a>> {
        let slot = self.slot(i)?;
        let len = u64::from(slot.raw_len);
        let alone = Placed {
            hash: slot.hash,
            raw_len: slot.raw_len,
            codec: slot.codec,
            frame: slot.body,
            frame_len: len,
            at: 0,
        };
        if slot.codec != MEMBER && !is_joint(slot.codec) {
            return Ok(alone);
        }
        let head = self.head_of(i).ok_or_else(|| {
            Error::damaged(format!("slot {i} of a group is in the frame of one that isn't there"))
        })?;
        let members = self.members(head);
        let lens = |slots: &mut dyn Iterator<Item = usize>| -> u64 {
            slots.filter(|i| self.codec(*i) != GONE).map(|i| u64::from(self.raw_len(i))).sum()
        };
        let head_slot = self.slot(head)?;
        Ok(Placed {
            codec: head_slot.codec,
            frame: head_slot.body,
            frame_len: lens(&mut members.clone()),
            at: lens(&mut (head..i)),
            ..alone
        })
    }

    /// The slots of the frame whose head stands at `head`: it and those that follow and are members
    /// or gone. Of slots that aren't a head: themselves.
    pub fn members(&self, head: usize) -> std::ops::Range<usize> {
        if !is_joint(self.codec(head)) {
            return head..head + 1;
        }
        let last = (head + 1..self.len())
            .take_while(|i| matches!(self.codec(*i), MEMBER | GONE))
            .filter(|i| self.codec(*i) == MEMBER)
            .last();
        head..last.unwrap_or(head) + 1
    }

    fn head_of(&self, i: usize) -> Option<usize> {
        let before = (0..=i).rev().find(|i| !matches!(self.codec(*i), MEMBER | GONE))?;
        is_joint(self.codec(before)).then_some(before)
    }

    fn row(&self, i: usize) -> Result<&'a [u8; SLOT_BYTES]> {
        let missing = || Error::damaged(format!("slot {i} of a group of {}", self.len()));
        self.rows.get(i).ok_or_else(missing)
    }
}

/// Where the codec stands in a row, after end and length; the hash follows.
const CODEC_AT: usize = 8;

fn hash_of(row: &[u8; SLOT_BYTES]) -> ContentHash {
    let mut hash = [0; 32];
    hash.copy_from_slice(&row[CODEC_AT + 1..]);
    ContentHash(hash)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_group_gives_back_its_slots(bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..40)) {
            let slots: Vec<Slot> = bodies.iter().enumerate().map(|(i, body)| Slot {
                hash: ContentHash::of(body), raw_len: i as u32, codec: i as u8, body,
            }).collect();
            let bytes = encode(&slots);
            let group = Group::parse(&bytes).unwrap();
            prop_assert_eq!(group.len(), slots.len());
            for (i, slot) in slots.iter().enumerate() {
                let read = group.slot(i).unwrap();
                prop_assert_eq!((read.hash, read.raw_len, read.codec, read.body), (slot.hash, slot.raw_len, slot.codec, slot.body));
            }
            prop_assert!(group.slot(slots.len()).is_err());
        }

        #[test]
        fn a_member_is_found_in_the_frame_before_it(
            runs in prop::collection::vec((any::<bool>(), prop::collection::vec((0u32..50, any::<bool>()), 1..6)), 0..8),
        ) {
            // Each run is a frame of several blobs, of which some after the first are gone, or one
            // blob alone.
            let mut slots = Vec::new();
            let mut expected = Vec::new();
            for (joint, blobs) in &runs {
                let frame = ContentHash::of(&[slots.len() as u8]).0;
                let blobs = if *joint { &blobs[..] } else { &blobs[..1] };
                let live = |place: usize| place == 0 || !blobs[place].1;
                let lens = |places: std::ops::Range<usize>| -> u64 {
                    places.filter(|place| live(*place)).map(|place| u64::from(blobs[place].0)).sum()
                };
                for (place, (raw_len, _)) in blobs.iter().enumerate() {
                    let codec = match place {
                        _ if !live(place) => GONE,
                        0 if *joint => JOINT + 2,
                        0 => ZSTD,
                        _ => MEMBER,
                    };
                    let body = if place == 0 { frame.to_vec() } else { Vec::new() };
                    slots.push((*raw_len, codec, body));
                    expected.push(live(place).then(|| (frame.to_vec(), lens(0..blobs.len()), lens(0..place))));
                }
            }
            let hash = ContentHash::of(b"");
            let rows: Vec<Slot> = slots.iter().map(|(raw_len, codec, body)| Slot { hash, raw_len: *raw_len, codec: *codec, body }).collect();
            let bytes = encode(&rows);
            let group = Group::parse(&bytes).unwrap();
            for (i, expected) in expected.iter().enumerate() {
                let placed = group.placed(i).unwrap();
                match expected {
                    Some((frame, frame_len, at)) => {
                        prop_assert_eq!((placed.frame, placed.frame_len, placed.at), (&frame[..], *frame_len, *at));
                    }
                    None => prop_assert_eq!(placed.codec, GONE),
                }
            }
        }

        #[test]
        fn any_bytes_are_a_group_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(group) = Group::parse(&bytes) {
                for i in 0..group.len() + 1 {
                    let _ = group.slot(i);
                    let _ = group.placed(i);
                    let _ = group.members(i);
                }
            }
        }
    }
}
