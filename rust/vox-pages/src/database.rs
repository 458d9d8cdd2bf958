//! Databases: the record that describes a tree, and access to a tree's entries.

use std::{borrow::Cow, cmp::Ordering};

use crate::{
    Cursor, Finding, FindingKind, PageFile,
    bytes::{u16_at, u32_at, u64_at},
    cursor,
    node::{Value, leaf},
};

/// Levels that a tree can have; LMDB's cursors hold no more.
pub(crate) const MAX_DEPTH: usize = 32;

/// The root of an empty tree.
const NO_PAGE: u64 = u64::MAX;

/// Reverse keys, duplicates and integer keys, in all their forms.
const UNSUPPORTED_FLAGS: u16 = 0x7e;

/// What LMDB notes down about a tree (`MDB_db`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeRecord {
    pub(crate) pad: u32,
    /// How the database was opened.
    pub flags: u16,
    /// Levels, 0 for an empty tree.
    pub depth: u16,
    /// Pages that hold separators.
    pub branch_pages: u64,
    /// Pages that hold entries.
    pub leaf_pages: u64,
    /// Pages that hold long values.
    pub overflow_pages: u64,
    /// Entries.
    pub entries: u64,
    root: u64,
}

impl TreeRecord {
    pub(crate) const LEN: usize = 48;

    /// The record at the start of `bytes`, if they suffice.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            pad: u32_at(bytes, 0)?,
            flags: u16_at(bytes, 4)?,
            depth: u16_at(bytes, 6)?,
            branch_pages: u64_at(bytes, 8)?,
            leaf_pages: u64_at(bytes, 16)?,
            overflow_pages: u64_at(bytes, 24)?,
            entries: u64_at(bytes, 32)?,
            root: u64_at(bytes, 40)?,
        })
    }

    /// The root page, none for an empty tree.
    pub fn root(&self) -> Option<u64> {
        (self.root != NO_PAGE).then_some(self.root)
    }

    /// What in the record can't be true in a file whose last page is `last_page`.
    pub(crate) fn plausible(&self, last_page: u64) -> Result<(), String> {
        match self.root() {
            None if self.depth == 0 && self.entries == 0 && self.pages() == Some(0) => Ok(()),
            None => Err("has no root page but isn't empty".into()),
            Some(root) if !(2..=last_page).contains(&root) => {
                Err(format!("has its root at page {root}, outside of the file"))
            }
            Some(_) if self.depth == 0 || usize::from(self.depth) > MAX_DEPTH => {
                Err(format!("has a depth of {}", self.depth))
            }
            Some(_) if self.pages().is_none_or(|pages| pages > last_page) => {
                Err("has more pages than the file".into())
            }
            Some(_) => Ok(()),
        }
    }

    fn pages(&self) -> Option<u64> {
        self.branch_pages.checked_add(self.leaf_pages)?.checked_add(self.overflow_pages)
    }
}

/// The order of a tree's keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyOrder {
    /// Byte by byte.
    Bytes,
    /// As a native `u64`, in the free list.
    Integer,
    /// One that isn't read here.
    Unsupported,
}

impl KeyOrder {
    /// How `a` stands to `b`; any two keys of an unsupported order count as ascending.
    pub(crate) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Bytes => a.cmp(b),
            Self::Integer => match (<[u8; 8]>::try_from(a), <[u8; 8]>::try_from(b)) {
                (Ok(a), Ok(b)) => u64::from_le_bytes(a).cmp(&u64::from_le_bytes(b)),
                _ => a.cmp(b),
            },
            Self::Unsupported => Ordering::Less,
        }
    }
}

/// A database of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    name: Option<Vec<u8>>,
    record: TreeRecord,
    order: KeyOrder,
}

impl Database {
    pub(crate) fn free_list(file: &PageFile) -> Self {
        Self { name: None, record: file.meta().free, order: KeyOrder::Integer }
    }

    pub(crate) fn main(file: &PageFile) -> Self {
        let record = file.meta().main;
        Self { name: None, record, order: order_of(&record) }
    }

    /// The named database that `record` describes in the main database.
    pub(crate) fn named(
        file: &PageFile,
        page: u64,
        name: &[u8],
        record: &[u8],
    ) -> Result<Self, Finding> {
        let fault = |what: &str| {
            let name = String::from_utf8_lossy(name);
            Finding::at(
                FindingKind::Record,
                page,
                format!("the record of database {name:?} {what}"),
            )
        };
        let record = (record.len() == TreeRecord::LEN)
            .then(|| TreeRecord::parse(record))
            .flatten()
            .ok_or_else(|| fault("has a wrong size"))?;
        record.plausible(file.meta().last_page).map_err(|what| fault(&what))?;
        if record.flags & !UNSUPPORTED_FLAGS != 0 {
            return Err(fault("has unknown flags"));
        }
        Ok(Self { name: Some(name.to_vec()), record, order: order_of(&record) })
    }

    /// The name; empty for the main database.
    pub fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.name.as_deref().unwrap_or_default())
    }

    /// What LMDB notes down about it.
    pub fn record(&self) -> &TreeRecord {
        &self.record
    }

    pub(crate) fn order(&self) -> KeyOrder {
        self.order
    }

    /// How the database is called in a sentence.
    pub(crate) fn label(&self) -> String {
        match (&self.name, self.order) {
            (Some(_), _) => format!("database {:?}", self.name()),
            (None, KeyOrder::Integer) => "the free list".into(),
            (None, _) => "the main database".into(),
        }
    }

    /// Every entry, in the order of the keys.
    pub fn iter<'f>(&self, file: &'f PageFile) -> Cursor<'f> {
        Cursor::new(file, self, None)
    }

    /// Every entry whose key isn't less than `key`, in the order of the keys.
    pub fn iter_from<'f>(&self, file: &'f PageFile, key: &[u8]) -> Cursor<'f> {
        Cursor::new(file, self, Some(key.to_vec()))
    }

    /// The value of `key`.
    ///
    /// Errors: the first damage on the way to it.
    pub fn get(&self, file: &PageFile, key: &[u8]) -> Result<Option<Vec<u8>>, Finding> {
        let Some((page, index)) = cursor::find(file, self, key)? else { return Ok(None) };
        cursor::value(file, page.number(), leaf(&page, index)?.value).map(Some)
    }

    /// The finding that says that this database isn't read, if so.
    pub(crate) fn unsupported(&self) -> Option<Finding> {
        (self.order == KeyOrder::Unsupported).then(|| {
            Finding::general(
                FindingKind::Unsupported,
                format!(
                    "{} has duplicates or another order of keys (flags {:#06x}) and isn't read",
                    self.label(),
                    self.record.flags
                ),
            )
        })
    }
}

fn order_of(record: &TreeRecord) -> KeyOrder {
    if record.flags & UNSUPPORTED_FLAGS == 0 { KeyOrder::Bytes } else { KeyOrder::Unsupported }
}

/// The named databases of a file, in the order of their names. Made by [`PageFile::databases`].
#[derive(Debug)]
pub struct Databases<'f> {
    file: &'f PageFile,
    cursor: Cursor<'f>,
}

impl<'f> Databases<'f> {
    pub(crate) fn new(file: &'f PageFile) -> Self {
        Self { file, cursor: Database::main(file).iter(file) }
    }
}

impl Iterator for Databases<'_> {
    type Item = Result<Database, Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (page, index) = match self.cursor.advance()? {
                Ok(place) => place,
                Err(finding) => return Some(Err(finding)),
            };
            match leaf(&page, index) {
                Ok(node) => {
                    if let Value::Record(record) = node.value {
                        return Some(Database::named(self.file, page.number(), node.key, record));
                    }
                }
                Err(finding) => return Some(Err(finding)),
            }
        }
    }
}
