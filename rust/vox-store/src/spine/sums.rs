//! Sums over items of a window, read from the packed columns of their chunks.

use std::ops::Range;

use heed::RoTxn;
use vox_format::{
    chunk::Chunk,
    rows::{Extent, WindowRow},
};
use vox_types::{Error, ItemId, ItemKind, WindowNo};

use super::{extents, runs};
use crate::{fault::Fallible, tables::Tables};

/// How many items, and what they come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// How many.
    pub items: u64,
    /// Their lengths.
    pub bytes: u64,
    /// Their token estimates.
    pub tokens: u64,
    /// How many are of the kind `record`.
    pub records: u64,
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.items += other.items;
        self.bytes += other.bytes;
        self.tokens += other.tokens;
        self.records += other.records;
    }
}

/// The sums over `ranges` of window `no`, which ascend. What the window's row says isn't there at
/// all isn't looked for.
pub(crate) fn of(
    tables: &Tables,
    txn: &RoTxn<'_>,
    no: WindowNo,
    row: &WindowRow,
    ranges: impl IntoIterator<Item = Range<u64>>,
) -> Fallible<Sums> {
    let mut sums = Sums::default();
    let mut open: Option<(Extent, u32, Chunk<'_>)> = None;
    for range in ranges {
        let mut at = range.start;
        while at < range.end {
            let place = |(extent, first, chunk): &(Extent, u32, Chunk<'_>)| {
                let place = extent.position_of(at)?.checked_sub(*first)? as usize;
                (place < chunk.len()).then_some(place)
            };
            let (extent, first, chunk, place) =
                match open.as_ref().and_then(|o| Some((o, place(o)?))) {
                    Some((found, place)) => (found.0, found.1, found.2, place),
                    None => {
                        let missing = || Error::damaged(format!("window {no} lacks its item {at}"));
                        let extent = extents::at(tables, txn, no, at)?.ok_or_else(missing)?;
                        let position = extent.position_of(at).ok_or_else(missing)?;
                        let item = ItemId::new(extent.run, position);
                        let (chunk, place) = runs::chunk_of(tables, txn, item)?;
                        (extent, position - place as u32, chunk, place)
                    }
                };
            open = Some((extent, first, chunk));
            let in_extent = (extent.end().min(range.end) - at) as usize;
            let places = place..chunk.len().min(place + in_extent);
            at += places.len() as u64;
            sums.items += places.len() as u64;
            sums.bytes = sums.bytes.wrapping_add(chunk.byte_len().sum(places.clone()));
            if row.tokens > 0 {
                sums.tokens = sums.tokens.wrapping_add(chunk.token_estimate().sum(places.clone()));
            }
            if row.records > 0 {
                let kinds = places.map(|place| chunk.attributes_at(place).kind());
                sums.records +=
                    kinds.filter(|kind| matches!(kind, Ok(ItemKind::Record))).count() as u64;
            }
        }
    }
    Ok(sums)
}

/// The sums over the first `count` items of a window, counted from whichever end is nearer.
pub(crate) fn of_beginning(
    tables: &Tables,
    txn: &RoTxn<'_>,
    no: WindowNo,
    row: &WindowRow,
    count: u64,
) -> Fallible<Sums> {
    if count <= row.items / 2 {
        return of(tables, txn, no, row, std::iter::once(0..count));
    }
    let rest = of(tables, txn, no, row, std::iter::once(count..row.items))?;
    let without = |all: u64, rest: u64| {
        let wrong = || Error::damaged(format!("the roll-ups of window {no} are too small"));
        all.checked_sub(rest).ok_or_else(wrong)
    };
    Ok(Sums {
        items: count,
        bytes: without(row.bytes, rest.bytes)?,
        tokens: without(row.tokens, rest.tokens)?,
        records: without(row.records, rest.records)?,
    })
}
