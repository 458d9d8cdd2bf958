//! What can change about items: ranges with a value.

use std::ops::{
    Bound::{Excluded, Included},
    Range,
};

use heed::{RoTxn, RwTxn};
use vox_format::{keys, rows::OverlayRange};
use vox_types::{Error, OverlayKind, WindowNo};

use crate::{fault::Fallible, tables::Tables};

/// The ranges that touch `ordinals`, in order.
pub fn touching(
    tables: &Tables,
    txn: &RoTxn<'_>,
    window: WindowNo,
    kind: OverlayKind,
    ordinals: Range<u64>,
) -> Fallible<Vec<OverlayRange>> {
    let key = |ordinal| keys::overlay(window, kind as u8, ordinal);
    let mut ranges = Vec::new();
    if let Some((found, value)) = tables.overlays.get_lower_than(txn, &key(ordinals.start))?
        && let Some((owner, overlay, first)) = keys::split_overlay(found)
        && (owner, overlay) == (window, kind as u8)
    {
        let range = OverlayRange::decode(first, value)?;
        if range.end() > ordinals.start {
            ranges.push(range);
        }
    }
    let (from, to) = (key(ordinals.start), key(ordinals.end));
    for row in tables.overlays.range(txn, &(Included(&from[..]), Excluded(&to[..])))? {
        let (found, value) = row?;
        let Some((_, _, first)) = keys::split_overlay(found) else {
            return Err(Error::damaged("a key of overlays isn't 13 bytes long").into());
        };
        ranges.push(OverlayRange::decode(first, value)?);
    }
    Ok(ranges)
}

/// Ranges that are no farther apart than this are looked up at once. Judgement.
const GAP: u64 = 1024;

/// The ranges that touch any of `ordinals`, in order; between them there may be others. Both
/// ascend, and neither overlaps itself.
pub(crate) fn touching_any(
    tables: &Tables,
    txn: &RoTxn<'_>,
    window: WindowNo,
    kind: OverlayKind,
    ordinals: &[Range<u64>],
) -> Fallible<Vec<OverlayRange>> {
    let mut found: Vec<OverlayRange> = Vec::new();
    for near in ordinals.chunk_by(|a, b| b.start.saturating_sub(a.end) <= GAP) {
        let span = near[0].start..near[near.len() - 1].end;
        let mut ranges = touching(tables, txn, window, kind, span)?;
        // A long range may reach from one stretch into the next.
        if ranges.first().is_some_and(|first| Some(first) == found.last()) {
            ranges.remove(0);
        }
        found.append(&mut ranges);
    }
    Ok(found)
}

/// Says of `ordinals`, of which nothing is said, that they have `value`.
pub(crate) fn say(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    kind: OverlayKind,
    ordinals: impl IntoIterator<Item = Range<u64>>,
    value: i64,
) -> Fallible<()> {
    for range in ordinals {
        put(tables, txn, &keys::overlay(window, kind as u8, range.start), range, value)?;
    }
    Ok(())
}

/// Takes back what `old`, a range that is there, says; of `kept` parts of it, it stays said.
pub(crate) fn take_back(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    kind: OverlayKind,
    old: &OverlayRange,
    kept: impl IntoIterator<Item = Range<u64>>,
) -> Fallible<()> {
    tables.overlays.delete(txn, &keys::overlay(window, kind as u8, old.first))?;
    say(tables, txn, window, kind, kept, old.value)
}

/// Says of the first `count` items of `to`, of which nothing is said, all that is said of those of
/// `from`, but for their positions in its committed set, which `to` hasn't. Gives how many of them
/// are trimmed.
pub(crate) fn copy_beginning(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    from: WindowNo,
    to: WindowNo,
    count: u64,
) -> Fallible<u64> {
    let mut trimmed = 0;
    for kind in OverlayKind::ALL {
        for range in touching(tables, txn, from, *kind, 0..count)? {
            if *kind == OverlayKind::Committed && range.value >= 0 {
                continue;
            }
            let ordinals = range.first..range.end().min(count);
            if *kind == OverlayKind::Trimmed {
                trimmed += ordinals.end - ordinals.start;
            }
            say(tables, txn, to, *kind, [ordinals], range.value)?;
        }
    }
    Ok(trimmed)
}

/// Says `value` of all of `ordinals`, or nothing more with none. Gives how many items had a value
/// there before.
pub(crate) fn set(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    kind: OverlayKind,
    ordinals: Range<u64>,
    value: Option<i64>,
) -> Fallible<u64> {
    let key = |ordinal| keys::overlay(window, kind as u8, ordinal);
    let mut covered = 0;
    for old in touching(tables, txn, window, kind, ordinals.clone())? {
        covered += old.end().min(ordinals.end) - old.first.max(ordinals.start);
        tables.overlays.delete(txn, &key(old.first))?;
        let left = old.first..old.first.max(ordinals.start);
        let right = ordinals.end.min(old.end())..old.end();
        for rest in [left, right] {
            if !rest.is_empty() {
                put(tables, txn, &key(rest.start), rest, old.value)?;
            }
        }
    }
    if let Some(value) = value
        && !ordinals.is_empty()
    {
        put(tables, txn, &key(ordinals.start), ordinals, value)?;
    }
    Ok(covered)
}

fn put(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    key: &[u8],
    ordinals: Range<u64>,
    value: i64,
) -> Fallible<()> {
    let range = OverlayRange { first: ordinals.start, count: ordinals.end - ordinals.start, value };
    tables.overlays.put(txn, key, &range.encode())?;
    Ok(())
}
