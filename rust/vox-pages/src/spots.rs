//! Entries by where they stand, whatever their keys say: for saving what is left of a tree whose
//! keys can't be trusted.

use crate::{
    Cursor, Database, Finding, PageFile,
    cursor::value,
    node::{key, leaf},
};

/// Where an entry of a tree stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    page: u64,
    index: usize,
}

/// The keys of a database and where they stand, in the order of the tree. Made by
/// [`Database::spots`].
///
/// Damage is an item of its own, and the entries behind it follow. Keys may come in any order, and
/// one may come twice.
#[derive(Debug)]
pub struct Spots<'f>(Cursor<'f>);

impl Database {
    /// Every entry that can be reached.
    pub fn spots<'f>(&self, file: &'f PageFile) -> Spots<'f> {
        Spots(Cursor::in_any_order(file, self))
    }
}

impl PageFile {
    /// The value of the entry at `spot`.
    pub fn value_at(&self, spot: Spot) -> Result<Vec<u8>, Finding> {
        let page = self.page(spot.page)?;
        value(self, spot.page, leaf(&page, spot.index)?.value)
    }
}

impl Iterator for Spots<'_> {
    type Item = Result<(Vec<u8>, Spot), Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        let (page, index) = match self.0.advance()? {
            Ok(place) => place,
            Err(finding) => return Some(Err(finding)),
        };
        let key = key(&page, index).map(<[u8]>::to_vec);
        Some(key.map(|key| (key, Spot { page: page.number(), index })))
    }
}
