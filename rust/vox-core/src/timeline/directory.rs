//! Chunks with their first and last times, and sums over them.

use std::ops::Range;

/// Chunks that share one sum.
const BLOCK: usize = 64;

/// A chunk with at least one item that is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Entry {
    /// The earliest time of an item that is shown.
    pub min: i64,
    /// The latest.
    pub max: i64,
    pub run: u32,
    /// Position of the first item.
    pub first: u32,
    /// Items it held when the timeline was made; later ones don't belong to it.
    pub len: u16,
    /// Items that are shown.
    pub shown: u16,
}

/// Entries by their earliest and by their latest times.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    /// Sorted by `min`.
    entries: Vec<Entry>,
    /// Indexes of entries, sorted by `max`.
    by_max: Vec<u32>,
    /// Items shown in front of each block of `entries`, and of `by_max`.
    before_min: Vec<u64>,
    before_max: Vec<u64>,
    /// The largest `max` of each block of `entries`.
    latest: Vec<i64>,
    total: u64,
}

impl Directory {
    pub(super) fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable();
        entries.shrink_to_fit();
        let mut by_max: Vec<u32> = (0..entries.len() as u32).collect();
        by_max.sort_by_key(|&index| entries[index as usize].max);
        let latest = entries
            .chunks(BLOCK)
            .map(|block| block.iter().map(|entry| entry.max).max().unwrap_or(i64::MIN));
        let latest = latest.collect();
        let (before_min, total) = sums(entries.iter().map(|entry| entry.shown));
        let (before_max, _) = sums(by_max.iter().map(|&index| entries[index as usize].shown));
        Self { entries, by_max, before_min, before_max, latest, total }
    }

    /// Items shown in all chunks.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The earliest and the latest time that the items at `positions` can have.
    pub(super) fn times(&self, positions: Range<u64>) -> Option<(i64, i64)> {
        let last = positions.end.checked_sub(1)?;
        let shown = |index| self.entries.get(index).map(|entry: &Entry| entry.shown);
        let from = find(&self.before_min, shown, positions.start)?;
        let to = find(&self.before_max, |place| shown(*self.by_max.get(place)? as usize), last)?;
        Some((self.entries[from].min, self.entries[self.by_max[to] as usize].max))
    }

    /// Items in the chunks that end before `time`.
    pub(super) fn shown_before(&self, time: i64) -> u64 {
        let place = self.by_max.partition_point(|&index| self.entries[index as usize].max < time);
        let block = place / BLOCK;
        let sum = self.before_max.get(block).copied().unwrap_or(self.total);
        let rest = self.by_max[(block * BLOCK).min(place)..place].iter();
        sum + rest.map(|&index| u64::from(self.entries[index as usize].shown)).sum::<u64>()
    }

    /// The chunks that reach into the time from `from` to `to`, both included.
    pub(super) fn reaching_into(&self, from: i64, to: i64) -> impl Iterator<Item = &Entry> {
        let end = self.entries.partition_point(|entry| entry.min <= to);
        let blocks = self.entries[..end].chunks(BLOCK).zip(&self.latest);
        blocks
            .filter(move |(_, latest)| **latest >= from)
            .flat_map(|(block, _)| block)
            .filter(move |entry| entry.max >= from)
    }
}

/// The sum in front of each block, and the sum of all.
fn sums(shown: impl Iterator<Item = u16>) -> (Vec<u64>, u64) {
    let mut before = Vec::new();
    let mut total = 0;
    for (index, shown) in shown.enumerate() {
        if index % BLOCK == 0 {
            before.push(total);
        }
        total += u64::from(shown);
    }
    (before, total)
}

/// The place that holds item number `position`, counted through.
fn find(before: &[u64], shown: impl Fn(usize) -> Option<u16>, position: u64) -> Option<usize> {
    let block = before.partition_point(|&sum| sum <= position).checked_sub(1)?;
    let mut left = position - before[block];
    let mut place = block * BLOCK;
    loop {
        let count = u64::from(shown(place)?);
        if left < count {
            return Some(place);
        }
        left -= count;
        place += 1;
    }
}
