//! The start of a file of kept counts: what it is about.

use crate::Fingerprint;

/// Bytes before the table.
pub(super) const HEADER: usize = 4096;

const MAGIC: &[u8; 8] = b"voxcount";
const VERSION: u32 = 1;
/// What the check is taken of: magic, version, kind, fingerprint, owner, capacity.
const CHECKED: usize = 8 + 4 + 4 + 32 + 16 + 8;

/// What a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Contents = 1,
    Items = 2,
}

/// What a table is about; one that is about anything else isn't looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub kind: Kind,
    pub fingerprint: Fingerprint,
    /// The archive whose items are counted; zeros for contents, which are the same everywhere.
    pub owner: [u8; 16],
}

impl Header {
    /// The header of a table with room for `capacity`.
    pub fn encode(&self, capacity: u64) -> [u8; HEADER] {
        let mut out = Vec::with_capacity(HEADER);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(self.kind as u32).to_le_bytes());
        out.extend_from_slice(&self.fingerprint.0);
        out.extend_from_slice(&self.owner);
        out.extend_from_slice(&capacity.to_le_bytes());
        let check = blake3::hash(&out);
        out.extend_from_slice(check.as_bytes());
        let mut header = [0; HEADER];
        header[..out.len()].copy_from_slice(&out);
        header
    }

    /// The capacity that `file` claims, if it is a table of this.
    pub fn capacity(&self, file: &[u8]) -> Option<u64> {
        let capacity = file.get(CHECKED - 8..CHECKED)?.first_chunk()?;
        let capacity = u64::from_le_bytes(*capacity);
        let wanted = self.encode(capacity);
        (file.get(..CHECKED + 32)? == &wanted[..CHECKED + 32]).then_some(capacity)
    }
}
