//! What takes how much room.

use std::ops::Bound;

use heed::RoTxn;
use vox_format::segment::{GONE, Group};
use vox_types::{Error, Result};

use crate::{Store, fault::Fallible, tables::Tables};

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
            // A damaged record of a table may claim any numbers.
            let pages = [stat.leaf_pages, stat.overflow_pages]
                .into_iter()
                .fold(stat.branch_pages, usize::saturating_add);
            let bytes = (pages as u64).saturating_mul(u64::from(stat.page_size));
            Ok(TableSize { name, rows: stat.entries as u64, bytes })
        })
        .collect()
}

/// Segments that are looked at in one transaction. Judgement: some milliseconds.
const SEGMENTS_AT_ONCE: usize = 4096;

impl Store {
    /// How many blobs there are, their raw bytes and their stored bytes. Not of one moment: what is
    /// written or collected meanwhile may count or not.
    pub fn blob_sizes(&self) -> Result<BlobSizes> {
        let mut sum = BlobSizes::default();
        let mut next = Some(0);
        let mut of = None;
        while let Some(first) = next {
            let (generation, sizes, after) = self.read_in(|generation, txn| {
                let (sizes, after) = of_segments(&generation.tables, txn, first)?;
                Ok((generation.number, sizes, after))
            })?;
            if of.replace(generation).is_some_and(|of| of != generation) {
                // Blobs stand elsewhere in a new generation.
                (sum, next) = (BlobSizes::default(), Some(0));
                continue;
            }
            sum.blobs += sizes.blobs;
            sum.raw_bytes += sizes.raw_bytes;
            sum.body_bytes += sizes.body_bytes;
            next = after;
        }
        Ok(sum)
    }
}

/// Sums up the tables of some groups of blobs from segment `first` on, and says which segment comes
/// next. After the last segment come the tails of the open one.
fn of_segments(tables: &Tables, txn: &RoTxn<'_>, first: u64) -> Fallible<(BlobSizes, Option<u64>)> {
    let mut sizes = BlobSizes::default();
    let from = (Bound::Included(&first.to_be_bytes()[..]), Bound::Unbounded);
    for (count, row) in tables.segments.range(txn, &from)?.enumerate() {
        let (key, value) = row?;
        if count == SEGMENTS_AT_ONCE {
            let next = key.try_into().map(u64::from_be_bytes);
            let next =
                next.map_err(|_| Error::damaged("the key of a segment isn't 8 bytes long"))?;
            return Ok((sizes, Some(next)));
        }
        add(&mut sizes, value)?;
    }
    for row in tables.tails.iter(txn)? {
        add(&mut sizes, row?.1)?;
    }
    Ok((sizes, None))
}

fn add(sizes: &mut BlobSizes, group: &[u8]) -> Fallible<()> {
    let group = Group::parse(group)?;
    for i in (0..group.len()).filter(|i| group.codec(*i) != GONE) {
        sizes.blobs += 1;
        sizes.raw_bytes += u64::from(group.raw_len(i));
    }
    sizes.body_bytes += group.body_bytes().1 as u64;
    Ok(())
}
