//! Groups of blobs: the values of `segments` and `tails`.

use vox_types::{ContentHash, Error, Result};

use crate::cursor::{put_header, take, take_header, u32_at};

/// The codec of a body that stands as it is.
pub const STORED: u8 = 0;
/// The codec of a zstd frame without a dictionary.
pub const ZSTD: u8 = 1;
/// The codec of a zstd frame with dictionary `d` is `ZSTD_DICTIONARY + d`.
pub const ZSTD_DICTIONARY: u8 = 16;
/// The codec of a slot whose body was removed.
pub const GONE: u8 = 255;

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
        fn any_bytes_are_a_group_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(group) = Group::parse(&bytes) {
                for i in 0..group.len() + 1 {
                    let _ = group.slot(i);
                }
            }
        }
    }
}
