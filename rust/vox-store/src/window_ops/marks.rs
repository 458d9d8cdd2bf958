//! Trimming, restoring, pinning and unpinning items, many ranges of many windows at once.

use std::ops::Range;

use heed::{RoTxn, RwTxn};
use vox_format::{
    ranges::PackedRanges,
    rows::{Event, OverlayRange, WindowRow},
};
use vox_types::{Code, Error, OverlayKind, Result, WindowNo};

use super::ranges;
use crate::{
    Snapshot, Store, events,
    fault::{Fallible, Fault},
    meta::now,
    spine::{
        overlays,
        sums::{self, Sums},
        windows,
    },
    tables::Tables,
};

/// What is done to items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Hides those that aren't hidden, but no pinned ones and none of a pinned window.
    Trim,
    /// Hides those that aren't hidden, pinned or not.
    TrimPinnedToo,
    /// Shows those that are hidden.
    Restore,
    /// Keeps them through trimming and compaction.
    Pin,
    /// Takes that back.
    Unpin,
}

impl Mark {
    fn overlay(self) -> OverlayKind {
        match self {
            Self::Trim | Self::TrimPinnedToo | Self::Restore => OverlayKind::Trimmed,
            Self::Pin | Self::Unpin => OverlayKind::Pinned,
        }
    }

    /// Whether it says something of items, or takes back what was said.
    fn says(self) -> bool {
        matches!(self, Self::Trim | Self::TrimPinnedToo | Self::Pin)
    }
}

impl Places {
    /// What of these lies in `ranges`, which ascend and don't overlap.
    #[must_use]
    pub fn within(self, ranges: &[Range<u64>]) -> Self {
        let range =
            |r: &Range<u64>| OverlayRange { first: r.start, count: r.end - r.start, value: 0 };
        let others: Vec<_> = ranges.iter().map(range).collect();
        let mut own = self.ordinals;
        own.sort_unstable_by_key(|range| (range.start, range.end));
        let cut = own.iter().flat_map(|range| ranges::within(std::slice::from_ref(range), &others));
        Self { window: self.window, ordinals: cut.map(|cut| ranges::ordinals(&cut)).collect() }
    }
}

/// Items of one window.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The window.
    pub window: WindowNo,
    /// Their ordinals.
    pub ordinals: Vec<Range<u64>>,
}

/// What a mark changes of one window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marked {
    /// The window.
    pub window: WindowNo,
    /// The items that change.
    pub changed: Sums,
    /// How many stay as they are because they, or their window, are pinned.
    pub kept: u64,
}

/// Windows are marked in one transaction until their ranges are so many: some 4 MB of dirty pages.
/// Judgement.
const RANGES_AT_ONCE: usize = 1 << 16;

impl Store {
    /// Marks items. Durable on return; each window changes as a whole, and if there are many
    /// windows those before a failure stay changed. Of one range, and of each that changes, 24
    /// bytes are kept in memory: at most 12 bytes for each item of the largest window.
    ///
    /// `not_found` if there is no such window, `invalid_argument` if it has no such items.
    pub fn mark(&self, mark: Mark, places: Vec<Places>) -> Result<Vec<Marked>> {
        let mut done = Vec::with_capacity(places.len());
        let mut group = Vec::new();
        let mut size = 0;
        for place in places {
            size += place.ordinals.len().max(1);
            group.push(place);
            if size >= RANGES_AT_ONCE {
                done.append(&mut self.mark_group(mark, std::mem::take(&mut group))?);
                size = 0;
            }
        }
        if !group.is_empty() {
            done.append(&mut self.mark_group(mark, group)?);
        }
        Ok(done)
    }

    fn mark_group(&self, mark: Mark, group: Vec<Places>) -> Result<Vec<Marked>> {
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let at = now();
            group.iter().map(|places| mark_one(tables, txn, mark, places, at)).collect()
        })
    }
}

impl Snapshot<'_> {
    /// What [`Store::mark`] would change, and keep, of a window now.
    pub fn would_mark(&self, mark: Mark, places: &Places) -> Result<Marked> {
        self.with(|tables, txn| {
            let row = window(tables, txn, places.window)?;
            let changes = changes(tables, txn, mark, places, &row)?;
            marked(tables, txn, places.window, &row, &changes)
        })
    }
}

/// What a mark changes of a window.
struct Changes {
    /// What stands there of the overlay and touches what is marked.
    standing: Vec<OverlayRange>,
    /// The items that change; their values are those that go.
    ranges: Vec<OverlayRange>,
    kept: u64,
}

fn changes(
    tables: &Tables,
    txn: &RoTxn<'_>,
    mark: Mark,
    places: &Places,
    row: &WindowRow,
) -> Fallible<Changes> {
    let window = places.window;
    let asked = ranges::in_order(window, row.items, &places.ordinals)?;
    let standing = overlays::touching_any(tables, txn, window, mark.overlay(), &asked)?;
    if !mark.says() {
        let ranges = ranges::within(&asked, &standing);
        return Ok(Changes { standing, ranges, kept: 0 });
    }
    let fresh = ranges::without(&asked, &standing);
    let changed = match mark {
        Mark::Trim if row.pinned => Vec::new(),
        Mark::Trim => {
            let pinned = overlays::touching_any(tables, txn, window, OverlayKind::Pinned, &fresh)?;
            ranges::without(&fresh, &pinned)
        }
        _ => fresh.clone(),
    };
    let kept = ranges::count(&fresh) - ranges::count(&changed);
    let range = |r: Range<u64>| OverlayRange { first: r.start, count: r.end - r.start, value: 0 };
    Ok(Changes { standing, ranges: changed.into_iter().map(range).collect(), kept })
}

fn mark_one(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    mark: Mark,
    places: &Places,
    at: i64,
) -> Fallible<Marked> {
    let (no, overlay) = (places.window, mark.overlay());
    let old = window(tables, txn, no)?;
    let changes = changes(tables, txn, mark, places, &old)?;
    let marked = marked(tables, txn, no, &old, &changes)?;
    if changes.ranges.is_empty() {
        return Ok(marked);
    }
    let changed: Vec<_> = changes.ranges.iter().map(ranges::ordinals).collect();
    let what = if mark.says() {
        overlays::say(tables, txn, no, overlay, changed, at)?;
        let ranges = PackedRanges::places(&changes.ranges);
        Event::Marked { overlay: overlay as u8, value: Some(at), ranges }
    } else {
        let mut going = changes.ranges.as_slice();
        for old in &changes.standing {
            let here = going.partition_point(|range| range.end() <= old.end());
            let (cut, rest) = going.split_at(here);
            going = rest;
            if !cut.is_empty() {
                let kept = ranges::without(&[ranges::ordinals(old)], cut);
                overlays::take_back(tables, txn, no, overlay, old, kept)?;
            }
        }
        let ranges = PackedRanges::with_values(&changes.ranges);
        Event::Marked { overlay: overlay as u8, value: None, ranges }
    };
    if overlay == OverlayKind::Trimmed {
        let mut row = old.clone();
        row.trimmed = match mark.says() {
            true => row.trimmed + marked.changed.items,
            false => row.trimmed.saturating_sub(marked.changed.items),
        };
        windows::put(tables, txn, no, Some(&old), &row)?;
    }
    events::append(tables, txn, at, Some(no), what)?;
    Ok(marked)
}

fn marked(
    tables: &Tables,
    txn: &RoTxn<'_>,
    window: WindowNo,
    row: &WindowRow,
    changes: &Changes,
) -> Fallible<Marked> {
    let ordinals = changes.ranges.iter().map(ranges::ordinals);
    let changed = sums::of(tables, txn, window, row, ordinals)?;
    Ok(Marked { window, changed, kept: changes.kept })
}

/// The row of window `no`, which a caller named.
pub(super) fn window(tables: &Tables, txn: &RoTxn<'_>, no: WindowNo) -> Fallible<WindowRow> {
    windows::get(tables, txn, no)?
        .ok_or_else(|| Fault::Vox(Error::new(Code::NotFound, format!("there is no window {no}"))))
}
