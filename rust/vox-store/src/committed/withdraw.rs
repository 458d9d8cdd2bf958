//! Taking a committed set away, because something that it repeats is purged.

use std::collections::{BTreeMap, BTreeSet};

use heed::RwTxn;
use vox_types::{ItemId, OverlayKind, RunNo, WindowId, WindowNo};

use super::{commit, name_of, positions, read};
use crate::{
    blobs,
    fault::Fallible,
    spine::{extents, overlays, runs, windows},
    tables::Tables,
};

/// Takes the committed sets away that repeat any of `items`.
pub(crate) fn withdraw_where_items_stand(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    items: &[ItemId],
) -> Fallible<()> {
    let mut by_run: BTreeMap<RunNo, Vec<u32>> = BTreeMap::new();
    for item in items {
        by_run.entry(item.run()).or_default().push(item.position());
    }
    let mut showing = BTreeSet::new();
    for (run, positions) in &mut by_run {
        positions.sort_unstable();
        showing.extend(runs::windows_of(tables, txn, *run)?);
    }
    for no in showing {
        let id = WindowId(windows::expect(tables, txn, no)?.id);
        if read::blob(tables, txn, id)?.is_some() && repeats(tables, txn, no, &by_run)? {
            withdraw(tables, txn, no)?;
        }
    }
    Ok(())
}

/// Whether any of the items at these positions of runs has a position in the set of a window.
fn repeats(
    tables: &Tables,
    txn: &RwTxn<'_>,
    window: WindowNo,
    by_run: &BTreeMap<RunNo, Vec<u32>>,
) -> Fallible<bool> {
    for extent in extents::all(tables, txn, window)? {
        let Some(positions) = by_run.get(&extent.run) else { continue };
        let kind = OverlayKind::Committed;
        let ordinals = extent.ordinal..extent.end();
        for range in overlays::touching(tables, txn, window, kind, ordinals.clone())? {
            if range.value < 0 {
                continue;
            }
            let first = range.first.max(ordinals.start) - extent.ordinal;
            let end = range.end().min(ordinals.end) - extent.ordinal;
            let position = |offset: u64| u64::from(extent.first) + offset;
            let at = positions.partition_point(|at| u64::from(*at) < position(first));
            if positions.get(at).is_some_and(|at| u64::from(*at) < position(end)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Takes the committed set of a window away, if it has one: its name goes, and the positions of its
/// items.
pub(crate) fn withdraw(tables: &Tables, txn: &mut RwTxn<'_>, window: WindowNo) -> Fallible<()> {
    let row = windows::expect(tables, txn, window)?;
    let id = WindowId(row.id);
    let Some(blob) = read::blob(tables, txn, id)? else { return Ok(()) };
    let previous = blobs::hash_of(tables, txn, blob)?;
    tables.names.delete(txn, name_of(id).as_bytes())?;
    positions::set(tables, txn, window, row.items, &[])?;
    commit::told(tables, txn, window, None, Some(previous), 0)
}
