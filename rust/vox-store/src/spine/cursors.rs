//! How far source files have been read, and what of them was set aside.

use heed::{RoTxn, RwTxn};
use vox_format::rows::{self, CursorRow, QuarantineRow};
use vox_types::Error;

use crate::{fault::Fallible, tables::Tables};

/// The key of a file's cursor.
pub fn key(path: &[u8]) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(&blake3::hash(path).as_bytes()[..16]);
    key
}

/// The cursor of a file.
pub(crate) fn get(tables: &Tables, txn: &RoTxn<'_>, path: &[u8]) -> Fallible<Option<CursorRow>> {
    match tables.cursors.get(txn, &key(path))? {
        Some(row) => Ok(Some(rows::decode(row, "a cursor")?)),
        None => Ok(None),
    }
}

/// Every cursor.
pub(crate) fn all(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Vec<CursorRow>> {
    let rows = tables.cursors.iter(txn)?;
    rows.map(|row| Ok(rows::decode(row?.1, "a cursor")?)).collect()
}

/// Writes a cursor.
pub(crate) fn put(tables: &Tables, txn: &mut RwTxn<'_>, row: &CursorRow) -> Fallible<()> {
    tables.cursors.put(txn, &key(&row.path), &rows::encode(row)?)?;
    Ok(())
}

/// The stretches of a file that were set aside, with their offsets.
pub fn quarantine(
    tables: &Tables,
    txn: &RoTxn<'_>,
    path: &[u8],
) -> Fallible<Vec<(u64, QuarantineRow)>> {
    let rows = tables.quarantine.prefix_iter(txn, &key(path))?;
    rows.map(|row| {
        let (key, value) = row?;
        let offset = key.get(16..24).and_then(|offset| offset.first_chunk());
        let short = || Error::damaged("a key of quarantine is too short");
        let offset = u64::from_be_bytes(*offset.ok_or_else(short)?);
        Ok((offset, rows::decode(value, "a quarantined stretch")?))
    })
    .collect()
}
