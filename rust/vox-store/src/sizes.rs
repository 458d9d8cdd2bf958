//! What takes how much room.

use heed::RoTxn;
use vox_format::segment::{GONE, Group};

use crate::{fault::Fallible, tables::Tables};

/// Rows of a table and the bytes of its pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableSize {
    /// The table's name.
    pub name: &'static str,
    /// How many rows.
    pub rows: u64,
    /// Whole pages, inner ones included.
    pub bytes: u64,
}

/// What all blobs come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlobSizes {
    /// How many.
    pub blobs: u64,
    /// Their raw bytes.
    pub raw_bytes: u64,
    /// Their bodies as they are stored.
    pub body_bytes: u64,
}

/// Rows and bytes of each table.
pub fn of_tables(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Vec<TableSize>> {
    let named = Tables::NAMES.iter().zip(tables.all());
    named
        .map(|(name, table)| {
            let stat = table.stat(txn)?;
            let pages = stat.branch_pages + stat.leaf_pages + stat.overflow_pages;
            let bytes = pages as u64 * u64::from(stat.page_size);
            Ok(TableSize { name, rows: stat.entries as u64, bytes })
        })
        .collect()
}

/// Sums up the tables of all groups of blobs.
pub fn of_blobs(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<BlobSizes> {
    let mut sizes = BlobSizes::default();
    for table in [tables.segments, tables.tails] {
        for row in table.iter(txn)? {
            let group = Group::parse(row?.1)?;
            for i in 0..group.len() {
                if group.codec(i) != GONE {
                    sizes.blobs += 1;
                    sizes.raw_bytes += u64::from(group.raw_len(i));
                }
            }
            sizes.body_bytes += group.body_bytes().1 as u64;
        }
    }
    Ok(sizes)
}
