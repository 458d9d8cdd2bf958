//! Hits in the order of their times.

use std::ops::Range;

use rayon::prelude::*;
use roaring::RoaringTreemap;
use vox_store::cores;
use vox_types::{ItemId, Result};

use super::walk;
use crate::{archive::Archive, search::TimeOrder};

/// All hits by time, and those of one time by item: 16 bytes for each, so that any stretch of them
/// is there at once.
pub(super) struct ByTime(Vec<(i64, u64)>);

impl ByTime {
    /// The order of `items`.
    pub(super) fn of(archive: &Archive, items: &RoaringTreemap) -> Result<Self> {
        let mut order = walk::each(archive, items, |chunk, index, item| {
            (chunk.created_at().get(index) as i64, item.0)
        })?;
        match order.len() {
            0..10_000 => order.sort_unstable(),
            _ => cores::on_all(|| order.par_sort_unstable())?,
        }
        Ok(Self(order))
    }

    /// `count` items from place `start` on.
    pub(super) fn page(&self, start: u64, count: u64, order: TimeOrder) -> Vec<ItemId> {
        let Range { start, end } = clamp(start, count, self.0.len());
        let item = |(_, item): &(i64, u64)| ItemId(*item);
        match order {
            TimeOrder::OldestFirst => self.0[start..end].iter().map(item).collect(),
            TimeOrder::NewestFirst => {
                let places = self.0.len() - end..self.0.len() - start;
                self.0[places].iter().rev().map(item).collect()
            }
        }
    }
}

/// The places from `start` on, at most `count`, that there are.
pub(super) fn clamp(start: u64, count: u64, len: usize) -> Range<usize> {
    let end = start.saturating_add(count).min(len as u64);
    start.min(end) as usize..end as usize
}
