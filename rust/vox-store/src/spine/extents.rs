//! A window's items as extents of runs.

use std::ops::Bound::{Excluded, Included};

use heed::{RoTxn, RwTxn};
use vox_format::{cursor::only_u32, keys, rows::Extent};
use vox_types::{Error, ItemId, WindowNo};

use crate::{fault::Fallible, tables::Tables};

/// The extent that holds `ordinal`; none past the end.
pub(crate) fn at(
    tables: &Tables,
    txn: &RoTxn<'_>,
    window: WindowNo,
    ordinal: u64,
) -> Fallible<Option<Extent>> {
    let found = tables.extents.get_lower_than_or_equal_to(txn, &keys::ordinal(window, ordinal))?;
    Ok(read(found)?
        .filter(|(owner, extent)| *owner == window && ordinal < extent.end())
        .map(|(_, extent)| extent))
}

/// The last extent.
fn last(tables: &Tables, txn: &RoTxn<'_>, window: WindowNo) -> Fallible<Option<Extent>> {
    let found = tables.extents.get_lower_than_or_equal_to(txn, &keys::ordinal(window, u64::MAX))?;
    Ok(read(found)?.filter(|(owner, _)| *owner == window).map(|(_, extent)| extent))
}

/// All extents in order.
pub(crate) fn all(tables: &Tables, txn: &RoTxn<'_>, window: WindowNo) -> Fallible<Vec<Extent>> {
    let rows = tables.extents.prefix_iter(txn, &window.to_be_bytes())?;
    let mut extents = Vec::new();
    for row in rows {
        extents.extend(read(Some(row?))?.map(|(_, extent)| extent));
    }
    Ok(extents)
}

/// The item at `ordinal`.
pub(crate) fn item(
    tables: &Tables,
    txn: &RoTxn<'_>,
    window: WindowNo,
    ordinal: u64,
) -> Fallible<Option<ItemId>> {
    let extent = at(tables, txn, window, ordinal)?;
    Ok(extent.and_then(|extent| Some(ItemId::new(extent.run, extent.position_of(ordinal)?))))
}

fn read(row: Option<(&[u8], &[u8])>) -> Fallible<Option<(WindowNo, Extent)>> {
    let Some((key, value)) = row else { return Ok(None) };
    let Some((window, ordinal)) = keys::split_ordinal(key) else {
        return Err(Error::damaged("a key of extents isn't 12 bytes long").into());
    };
    Ok(Some((window, Extent::decode(ordinal, value)?)))
}

/// Appends an extent; one that goes on where the last ended becomes part of it.
pub(crate) fn push(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    new: Extent,
) -> Fallible<()> {
    if new.count == 0 {
        return Ok(());
    }
    let goes_on = |last: &Extent| {
        (last.run, last.end(), last.end_position()) == (new.run, new.ordinal, new.first)
    };
    let extent = match last(tables, txn, window)?.filter(goes_on) {
        Some(last) => Extent { count: last.count + new.count, ..last },
        None => {
            count_run(tables, txn, new.run, window)?;
            new
        }
    };
    tables.extents.put(txn, &keys::ordinal(window, extent.ordinal), &extent.encode())?;
    Ok(())
}

/// Lets `child`, which is empty, share the first `count` items of `parent`.
pub(crate) fn share(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    parent: WindowNo,
    child: WindowNo,
    count: u64,
) -> Fallible<()> {
    let range = (Included(keys::ordinal(parent, 0)), Excluded(keys::ordinal(parent, count)));
    let bounds = (range.0.as_ref().map(|key| &key[..]), range.1.as_ref().map(|key| &key[..]));
    let mut shared = Vec::new();
    for row in tables.extents.range(txn, &bounds)? {
        shared.extend(read(Some(row?))?.map(|(_, extent)| extent));
    }
    for mut extent in shared {
        extent.count = u64::from(extent.count).min(count - extent.ordinal) as u32;
        push(tables, txn, child, extent)?;
    }
    Ok(())
}

fn count_run(tables: &Tables, txn: &mut RwTxn<'_>, run: u32, window: WindowNo) -> Fallible<()> {
    let key = keys::pair(run, window);
    let count = match tables.run_windows.get(txn, &key)? {
        Some(count) => only_u32(count, "a row of run_windows")?,
        None => 0,
    };
    tables.run_windows.put(txn, &key, &(count + 1).to_le_bytes())?;
    Ok(())
}
