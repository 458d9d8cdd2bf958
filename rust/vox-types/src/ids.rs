//! Numbers that name things within one archive.

use std::{fmt, str::FromStr};

use crate::{Code, Error};

/// A window's number within its archive.
pub type WindowNo = u32;
/// A run's number within its archive.
pub type RunNo = u32;
/// An interned text's number; 0 is "none".
pub type SymbolNo = u32;

/// Where a blob stands: its segment and its slot there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlobRef(pub u64);

impl BlobRef {
    /// A blob at `slot` of `segment`.
    pub fn new(segment: u64, slot: u16) -> Self {
        Self(segment << 16 | u64::from(slot))
    }

    /// The segment's number.
    pub fn segment(self) -> u64 {
        self.0 >> 16
    }

    /// The place in the segment.
    pub fn slot(self) -> u16 {
        self.0 as u16
    }
}

/// A record of a source file: its place among the records of a raw run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RecordRef(pub u64);

impl RecordRef {
    /// The record at `index` of raw run `run`.
    pub fn new(run: u64, index: u16) -> Self {
        Self(run << 16 | u64::from(index))
    }

    /// The raw run it stands in.
    pub fn run(self) -> u64 {
        self.0 >> 16
    }

    /// Its place among the records of the run.
    pub fn index(self) -> u16 {
        self.0 as u16
    }
}

/// An item: a position in a run. Written `run.position`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ItemId(pub u64);

impl ItemId {
    /// The item at `position` of `run`.
    pub fn new(run: RunNo, position: u32) -> Self {
        Self(u64::from(run) << 32 | u64::from(position))
    }

    /// The run it stands in.
    pub fn run(self) -> RunNo {
        (self.0 >> 32) as u32
    }

    /// Its place in the run.
    pub fn position(self) -> u32 {
        self.0 as u32
    }
}

/// Where the rest of an item's source record stands: the record without the bytes of its items.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rest {
    /// In a raw run.
    Record(RecordRef),
    /// In a blob of its own, as archives of format 1 kept it: an extra, cuts before the rest.
    Extra(BlobRef),
}

impl Rest {
    /// The number that a chunk holds for it; 0 stands for none.
    pub fn number(rest: Option<Self>) -> u64 {
        match rest {
            None => 0,
            Some(Self::Record(record)) => (record.0 << 1).wrapping_add(1),
            Some(Self::Extra(blob)) => (blob.0 << 1 | 1).wrapping_add(1),
        }
    }

    /// What a chunk says with `number`.
    pub fn from_number(number: u64) -> Option<Self> {
        let number = number.checked_sub(1)?;
        Some(match number & 1 {
            0 => Self::Record(RecordRef(number >> 1)),
            _ => Self::Extra(BlobRef(number >> 1)),
        })
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.run(), self.position())
    }
}

impl FromStr for ItemId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let (run, position) = text.split_once('.')?;
            Some(Self::new(run.parse().ok()?, position.parse().ok()?))
        };
        parse().ok_or_else(|| {
            Error::new(
                Code::InvalidArgument,
                format!("{text:?} is no item id; one looks like 12.345 (see `vox show`)"),
            )
        })
    }
}

/// A window's lasting identity, shown as a UUID.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct WindowId(pub [u8; 16]);

impl WindowId {
    /// The id of the window that `key` names at its producer. `revision` counts
    /// how often the producer has rewritten that conversation.
    pub fn derive(key: &str, revision: u32) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"vox.window.v1\0").update(key.as_bytes());
        hasher.update(b"\0").update(&revision.to_le_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(id)
    }
}

impl fmt::Display for WindowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.0.iter().enumerate() {
            if matches!(i, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}
