//! What a purge takes: of which items, and of which windows.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use heed::RoTxn;
use vox_format::{
    keys,
    rows::{self, Extent, WindowRow},
};
use vox_types::{Code, Error, ItemId, OverlayKind, RunNo, WindowId, WindowNo};

use super::{Options, ranges::Ranges};
use crate::{
    fault::Fallible,
    spine::{extents, overlays, windows},
    tables::Tables,
};

/// What is to go. Items are ranges of their ids.
#[derive(Default)]
pub(crate) struct Plan {
    /// Items that go; some may be purged already.
    pub items: Ranges,
    /// Items that would go, were they not in other windows that keep them.
    pub shared: Ranges,
    /// Windows that go as a whole.
    pub windows: Vec<WindowNo>,
    /// Items that stay because they, or their window, are pinned.
    pub pinned_items: u64,
    /// Windows that stay because they are pinned.
    pub pinned_windows: u64,
    /// Items that were trimmed, or whose window was deleted, too recently.
    pub recent_items: u64,
    /// Windows that were deleted too recently.
    pub recent_windows: u64,
}

/// What may go of one window.
struct Offer {
    ordinals: Ranges,
    whole: bool,
}

/// Looks what may go now.
///
/// Errors: `not_found` for a window that isn't there; `invalid_argument` for one that is named and
/// pinned, or neither deleted nor with trimmed items.
pub(crate) fn plan(tables: &Tables, txn: &RoTxn<'_>, options: &Options) -> Fallible<Plan> {
    let mut plan = Plan::default();
    let mut offers: BTreeMap<WindowNo, Offer> = BTreeMap::new();
    if options.windows.is_empty() {
        for row in tables.windows.iter(txn)? {
            let (key, value) = row?;
            let no = key.try_into().map(u32::from_be_bytes);
            let no = no.map_err(|_| Error::damaged("a window's key isn't 4 bytes long"))?;
            let row: WindowRow = rows::decode(value, "a window")?;
            if row.trimmed > 0 || row.deleted_at.is_some() {
                offers.extend(plan.offer(tables, txn, options, no, &row)?.map(|offer| (no, offer)));
            }
        }
    } else {
        for no in &options.windows {
            let missing = || Error::new(Code::NotFound, format!("there is no window number {no}"));
            let row = windows::get(tables, txn, *no)?.ok_or_else(missing)?;
            check_named(&row)?;
            offers.extend(plan.offer(tables, txn, options, *no, &row)?.map(|offer| (*no, offer)));
        }
    }
    plan.settle(tables, txn, &offers)?;
    let whole = offers.iter().filter(|(_, offer)| offer.whole);
    plan.windows = whole.map(|(no, _)| *no).collect();
    Ok(plan)
}

/// An error if a window that is named can't be meant.
fn check_named(row: &WindowRow) -> Fallible<()> {
    let refuse = |why: &str| {
        let id = WindowId(row.id);
        Err(Error::new(Code::InvalidArgument, format!("window {id} {why}")).into())
    };
    if row.pinned {
        return refuse("is pinned, and what is pinned isn't purged; unpin it first");
    }
    if row.deleted_at.is_none() && row.trimmed == 0 {
        return refuse("is neither deleted nor has trimmed items; delete it or trim items first");
    }
    Ok(())
}

impl Plan {
    /// What may go of a window.
    fn offer(
        &mut self,
        tables: &Tables,
        txn: &RoTxn<'_>,
        options: &Options,
        no: WindowNo,
        row: &WindowRow,
    ) -> Fallible<Option<Offer>> {
        let all = 0..row.items;
        let deleted = row.deleted_at.filter(|_| options.deleted());
        let old_enough = |since: i64| options.is_old(since);
        let (wanted, whole) = match deleted {
            Some(since) if old_enough(since) => (Ranges::one(all.clone()), true),
            Some(_) => {
                self.recent_windows += u64::from(row.purged_at.is_none());
                self.recent_items += row.items;
                return Ok(None);
            }
            None if options.trimmed() && row.trimmed > 0 => {
                let mut old = Vec::new();
                for range in overlays::touching(tables, txn, no, OverlayKind::Trimmed, all.clone())?
                {
                    match old_enough(range.value) {
                        true => old.push(range.first..range.end()),
                        false => self.recent_items += range.count,
                    }
                }
                (Ranges::of(old), false)
            }
            None => return Ok(None),
        };
        if row.pinned {
            self.pinned_windows += u64::from(whole);
            self.pinned_items += wanted.count();
            return Ok(None);
        }
        let pinned = overlays::touching(tables, txn, no, OverlayKind::Pinned, all)?;
        let pinned = Ranges::of(pinned.iter().map(|range| range.first..range.end()).collect());
        let ordinals = wanted.less(&pinned);
        self.pinned_items += wanted.count() - ordinals.count();
        let whole = whole && row.purged_at.is_none();
        Ok(Some(Offer { ordinals, whole }))
    }

    /// Takes what all windows that have it offer.
    fn settle(
        &mut self,
        tables: &Tables,
        txn: &RoTxn<'_>,
        offers: &BTreeMap<WindowNo, Offer>,
    ) -> Fallible<()> {
        let mut wanted = Vec::new();
        for (no, offer) in offers {
            for extent in extents::all(tables, txn, *no)? {
                wanted.extend(ids(&extent, offer.ordinals.within(extent.ordinal..extent.end())));
            }
        }
        let wanted = Ranges::of(wanted);
        let runs: BTreeSet<RunNo> = wanted.iter().map(|range| ItemId(range.start).run()).collect();
        let mut holders: BTreeSet<WindowNo> = BTreeSet::new();
        for run in &runs {
            for row in tables.run_windows.prefix_iter(txn, &run.to_be_bytes())? {
                holders.extend(keys::split_pair(row?.0).map(|(_, window)| window));
            }
        }
        let mut kept = Vec::new();
        for no in holders {
            let offered = match offers.get(&no) {
                Some(offer) => offer.ordinals.clone(),
                // What is left of a window that was purged keeps nothing.
                None if windows::expect(tables, txn, no)?.purged_at.is_some() => continue,
                None => Ranges::default(),
            };
            for extent in extents::all(tables, txn, no)? {
                if runs.contains(&extent.run) {
                    let all = Ranges::one(extent.ordinal..extent.end());
                    kept.extend(ids(&extent, all.less(&offered).iter()));
                }
            }
        }
        let kept = Ranges::of(kept);
        self.items = wanted.less(&kept);
        self.shared = wanted.and(&kept);
        Ok(())
    }
}

/// The ids of the items at `ordinals`, which lie within `extent`.
fn ids(
    extent: &Extent,
    ordinals: impl Iterator<Item = Range<u64>>,
) -> impl Iterator<Item = Range<u64>> {
    let first = ItemId::new(extent.run, extent.first).0;
    let start = extent.ordinal;
    ordinals.map(move |range| first + (range.start - start)..first + (range.end - start))
}
