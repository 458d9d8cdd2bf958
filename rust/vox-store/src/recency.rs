//! Live windows in the order of their last change, over all repositories and tiers.

use std::{collections::BinaryHeap, ops::ControlFlow};

use heed::RoTxn;
use vox_types::{Result, SymbolNo, Tier, WindowNo};

use crate::{
    fault::{Fallible, Fault},
    tables::{Table, Tables},
};

/// A place in `by_recency`: key without repository and tier, which sorts the newest first.
type Place = [u8; 12];

/// Visits live windows, the newest first, until `visit` breaks.
pub fn walk(
    tables: &Tables,
    txn: &RoTxn<'_>,
    repo: Option<SymbolNo>,
    tier: Option<Tier>,
    mut visit: impl FnMut(WindowNo, i64) -> Result<ControlFlow<()>>,
) -> Fallible<()> {
    let mut groups = Vec::new();
    for group in group_keys(tables.by_recency, txn, repo)? {
        if tier.is_some_and(|tier| group[4] != tier as u8) {
            continue;
        }
        groups.push(tables.by_recency.prefix_iter(txn, &group)?);
    }
    let count = groups.len();
    // A max-heap of the reversed place: the newest window of all groups is on top.
    let mut heads = BinaryHeap::new();
    let mut step = |heads: &mut BinaryHeap<_>, group: usize| -> Fallible<()> {
        if let Some(row) = groups[group].next()
            && let Some(place) = row?.0.get(5..).and_then(|place| Place::try_from(place).ok())
        {
            heads.push(std::cmp::Reverse((place, group)));
        }
        Ok(())
    };
    for group in 0..count {
        step(&mut heads, group)?;
    }
    while let Some(std::cmp::Reverse((place, group))) = heads.pop() {
        let (time, window) = place.split_at(8);
        let time = time.first_chunk().copied().map_or(0, u64::from_be_bytes);
        let window = window.first_chunk().copied().map_or(0, u32::from_be_bytes);
        let updated_at = i64::MAX.wrapping_sub(time as i64);
        if visit(window, updated_at).map_err(Fault::Vox)?.is_break() {
            break;
        }
        step(&mut heads, group)?;
    }
    Ok(())
}

/// The repositories of live windows, ascending; 0 stands for none.
pub fn repos(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Vec<SymbolNo>> {
    let groups = group_keys(tables.by_recency, txn, None)?;
    let mut repos: Vec<SymbolNo> =
        groups.iter().map(|[a, b, c, d, _]| SymbolNo::from_be_bytes([*a, *b, *c, *d])).collect();
    repos.dedup();
    Ok(repos)
}

/// The prefixes (repository, tier) that have windows, found by skipping from one to the next.
fn group_keys(table: Table, txn: &RoTxn<'_>, repo: Option<SymbolNo>) -> Fallible<Vec<[u8; 5]>> {
    let mut groups = Vec::new();
    let mut from = Some(u64::from(repo.unwrap_or(0)) << 8);
    while let Some(next) = from {
        let key = &next.to_be_bytes()[3..];
        let Some((found, _)) = table.get_greater_than_or_equal_to(txn, key)? else { break };
        let Some(group) = found.first_chunk::<5>() else { break };
        let number =
            u64::from_be_bytes([0, 0, 0, group[0], group[1], group[2], group[3], group[4]]);
        if repo.is_some_and(|repo| number >> 8 != u64::from(repo)) {
            break;
        }
        groups.push(*group);
        from = (number < (1 << 40) - 1).then_some(number + 1);
    }
    Ok(groups)
}
