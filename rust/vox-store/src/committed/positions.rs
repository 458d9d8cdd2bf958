//! Where the items of a window stand in its committed set, as the overlay `committed` says it.

use std::ops::Range;

use heed::RwTxn;
use vox_types::{Code, Error, OverlayKind, Result, WindowNo};

use crate::{
    fault::Fallible,
    spine::overlays::{self, say, take_back},
    tables::Tables,
};

/// Positions by ordinal; an error if an item or a position is there twice.
pub(super) fn in_order(mut positions: Vec<(u64, u64)>) -> Result<Vec<(u64, i64)>> {
    let refuse = |says: String| Error::new(Code::InvalidArgument, says);
    positions.sort_unstable();
    if let Some(pair) = positions.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (ordinal, first, second) = (pair[0].0, pair[0].1, pair[1].1);
        return Err(refuse(format!("item {ordinal} is committed at {first} and at {second}")));
    }
    let mut places: Vec<(u64, u64)> = positions.iter().map(|(at, place)| (*place, *at)).collect();
    places.sort_unstable();
    if let Some(pair) = places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (place, first, second) = (pair[0].0, pair[0].1, pair[1].1);
        return Err(refuse(format!("items {first} and {second} are both committed at {place}")));
    }
    let signed = |(ordinal, place): (u64, u64)| match i64::try_from(place) {
        Ok(place) => Ok((ordinal, place)),
        Err(_) => Err(refuse(format!("{place} is too large for a position"))),
    };
    positions.into_iter().map(signed).collect()
}

/// Lets `positions`, in order, be those of a window of so many items; an item that was taken out
/// of the set and has none stays so. Gives whether anything changed.
pub(super) fn set(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    items: u64,
    positions: &[(u64, i64)],
) -> Fallible<bool> {
    if let Some((ordinal, _)) = positions.last().filter(|(ordinal, _)| *ordinal >= items) {
        let says = format!("window {window} has {items} items, so no item {ordinal} to commit");
        return Err(Error::new(Code::InvalidArgument, says).into());
    }
    let kind = OverlayKind::Committed;
    let mut changed = false;
    let mut fresh = Vec::new();
    let mut rest = positions;
    for old in overlays::touching(tables, txn, window, kind, 0..items)? {
        let (before, others) = rest.split_at(rest.partition_point(|(at, _)| *at < old.first));
        let (within, behind) = others.split_at(others.partition_point(|(at, _)| *at < old.end()));
        fresh.extend_from_slice(before);
        rest = behind;
        if old.count == 1 && within == [(old.first, old.value)] {
            continue;
        }
        if old.value < 0 && within.is_empty() {
            continue;
        }
        let taken_out = old.value < 0;
        let kept = if taken_out { between(old.first..old.end(), within) } else { Vec::new() };
        take_back(tables, txn, window, kind, &old, kept)?;
        fresh.extend_from_slice(within);
        changed = true;
    }
    fresh.extend_from_slice(rest);
    changed |= !fresh.is_empty();
    for (ordinal, place) in fresh {
        let item = std::iter::once(ordinal..ordinal + 1);
        say(tables, txn, window, kind, item, place)?;
    }
    Ok(changed)
}

/// What of `range` lies between the ordinals of `positions`, which lie in it.
fn between(range: Range<u64>, positions: &[(u64, i64)]) -> Vec<Range<u64>> {
    let mut out = Vec::new();
    let mut at = range.start;
    for (ordinal, _) in positions {
        out.push(at..*ordinal);
        at = ordinal + 1;
    }
    out.push(at..range.end);
    out.retain(|range| !range.is_empty());
    out
}
