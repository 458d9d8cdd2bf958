//! Which runs a source file consists of.

use heed::RoTxn;
use vox_format::{
    keys::{self, Domain},
    raw::FileRow,
};
use vox_types::Error;

use crate::{fault::Fallible, tables::Tables};

/// A stretch of a reading of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStretch {
    /// Key of the file's cursor.
    pub cursor: [u8; 16],
    /// Which reading of the file.
    pub reading: u32,
    /// What `offset` counts.
    pub domain: Domain,
    /// Where it starts.
    pub offset: u64,
    /// What stands there.
    pub row: FileRow,
}

impl FileStretch {
    /// The place after its last byte.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.row.length)
    }

    /// Reads a row of `raw_files`.
    pub fn decode(key: &[u8], value: &[u8]) -> Fallible<Self> {
        let (cursor, reading, domain, offset) = keys::split_raw_file(key)
            .ok_or_else(|| Error::damaged("a key of raw_files is no place in a file"))?;
        Ok(Self { cursor, reading, domain, offset, row: FileRow::decode(value)? })
    }
}

fn collect<'t>(
    rows: impl Iterator<Item = heed::Result<(&'t [u8], &'t [u8])>>,
) -> Fallible<Vec<FileStretch>> {
    rows.map(|row| row.map_err(Into::into).and_then(|(key, value)| FileStretch::decode(key, value)))
        .collect()
}

/// Every stretch of every reading of a file.
pub fn of_file(tables: &Tables, txn: &RoTxn<'_>, cursor: &[u8; 16]) -> Fallible<Vec<FileStretch>> {
    collect(tables.raw_files.prefix_iter(txn, cursor)?)
}

/// Every stretch of every file.
pub fn all(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Vec<FileStretch>> {
    collect(tables.raw_files.iter(txn)?)
}

/// The stretches of one reading of a file, in order.
pub fn of_reading(
    tables: &Tables,
    txn: &RoTxn<'_>,
    cursor: &[u8; 16],
    reading: u32,
    domain: Domain,
) -> Fallible<Vec<FileStretch>> {
    let prefix = keys::raw_file(cursor, reading, domain, 0);
    collect(tables.raw_files.prefix_iter(txn, &prefix[..21])?)
}

/// The stretch of a reading that holds `offset`.
pub fn stretch_at(
    tables: &Tables,
    txn: &RoTxn<'_>,
    cursor: &[u8; 16],
    reading: u32,
    domain: Domain,
    offset: u64,
) -> Fallible<Option<FileStretch>> {
    let wanted = keys::raw_file(cursor, reading, domain, offset);
    let Some((key, value)) = tables.raw_files.get_lower_than_or_equal_to(txn, &wanted)? else {
        return Ok(None);
    };
    let found = FileStretch::decode(key, value)?;
    let same = (found.cursor, found.reading, found.domain) == (*cursor, reading, domain);
    Ok((same && offset < found.end()).then_some(found))
}

/// Whether the byte at `offset` of a reading is kept, and isn't of a torn tail.
pub fn is_kept(
    tables: &Tables,
    txn: &RoTxn<'_>,
    cursor: &[u8; 16],
    reading: u32,
    domain: Domain,
    offset: u64,
) -> Fallible<bool> {
    let found = stretch_at(tables, txn, cursor, reading, domain, offset)?;
    Ok(found.is_some_and(|found| !found.row.torn))
}
