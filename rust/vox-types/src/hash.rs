//! The two hashes of the archive. See "What is hashed" in `contracts/archive-format.md`.

use std::fmt;

use crate::{ItemKind, Role};

/// BLAKE3-256 of an item's bytes: the identity of a blob.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The first eight bytes as a number, the key of the blob index.
    pub fn prefix(&self) -> u64 {
        prefix(&self.0)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// The hash of a whole path from its root to an item.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainHash(pub [u8; 32]);

impl ChainHash {
    /// The parent of a root item.
    pub const ROOT: Self = Self([0; 32]);

    /// The chain hash of an item that follows `self` on a path.
    pub fn child(&self, role: Role, kind: ItemKind, content: &ContentHash) -> Self {
        let mut input = [0u8; 66];
        input[..32].copy_from_slice(&self.0);
        input[32] = role as u8;
        input[33] = kind as u8;
        input[34..].copy_from_slice(&content.0);
        Self(*blake3::hash(&input).as_bytes())
    }

    /// The first eight bytes as a number, the key of the chain index.
    pub fn prefix(&self) -> u64 {
        prefix(&self.0)
    }
}

impl fmt::Debug for ChainHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

fn prefix(hash: &[u8; 32]) -> u64 {
    u64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default())
}
