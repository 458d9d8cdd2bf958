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
    }
    for slot in slots {
        out.extend_from_slice(&slot.raw_len.to_le_bytes());
    }
    out.extend(slots.iter().map(|slot| slot.codec));
    for slot in slots {
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
    len: usize,
    ends: &'a [u8],
    raw_lens: &'a [u8],
    codecs: &'a [u8],
    hashes: &'a [u8],
    bodies: &'a [u8],
}

impl<'a> Group<'a> {
    /// Reads the tables of a group.
    pub fn parse(mut bytes: &'a [u8]) -> Result<Self> {
        let rest = &mut bytes;
        let len = take_header(rest, "a group of blobs")?;
        Ok(Self {
            len,
            ends: take(rest, len * 4, "ends of a group")?,
            raw_lens: take(rest, len * 4, "lengths of a group")?,
            codecs: take(rest, len, "codecs of a group")?,
            hashes: take(rest, len * 32, "hashes of a group")?,
            bodies: rest,
        })
    }

    /// How many slots.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no slots.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes of bodies the tables claim; the value should hold just as many.
    pub fn body_bytes(&self) -> (u32, usize) {
        (if self.len == 0 { 0 } else { u32_at(self.ends, self.len - 1) }, self.bodies.len())
    }

    /// The hash at `i`, without touching the bodies.
    pub fn hash(&self, i: usize) -> Result<ContentHash> {
        match self.hashes.get(i * 32..).and_then(|rest| rest.first_chunk()) {
            Some(hash) => Ok(ContentHash(*hash)),
            None => Err(self.no_slot(i)),
        }
    }

    /// The length of the raw bytes at `i`, without touching the bodies.
    pub fn raw_len(&self, i: usize) -> u32 {
        u32_at(self.raw_lens, i)
    }

    /// The codec at `i`, without touching the bodies; [`GONE`] past the end.
    pub fn codec(&self, i: usize) -> u8 {
        self.codecs.get(i).copied().unwrap_or(GONE)
    }

    /// The slot at `i`.
    pub fn slot(&self, i: usize) -> Result<Slot<'a>> {
        let hash = self.hash(i)?;
        let start = if i == 0 { 0 } else { u32_at(self.ends, i - 1) } as usize;
        let end = u32_at(self.ends, i) as usize;
        let body = self.bodies.get(start..end).ok_or_else(|| {
            Error::damaged(format!(
                "body {i} of a group claims bytes {start}..{end} of {}",
                self.bodies.len()
            ))
        })?;
        Ok(Slot { hash, raw_len: self.raw_len(i), codec: self.codecs[i], body })
    }

    fn no_slot(&self, i: usize) -> Error {
        Error::damaged(format!("slot {i} of a group of {}", self.len))
    }
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
