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
