//! The items of each window in order, as far as that is known.

use std::collections::BTreeMap;

use vox_format::{
    keys,
    rows::{Extent, WindowRow},
};
use vox_types::{ChainHash, Result, RunNo, WindowNo};

use super::{items::Items, report::Report, source::Source};

/// A stretch of a run on the path of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The ordinal of its first item, where that is known.
    pub ordinal: Option<u64>,
    /// The run.
    pub run: RunNo,
    /// The first position.
    pub first: u32,
    /// The position behind its last one.
    pub end: u32,
}

/// The paths of windows, and who owns which run.
pub struct Paths {
    /// Of each window.
    pub windows: BTreeMap<WindowNo, Vec<Stretch>>,
    /// Of each run.
    pub owners: BTreeMap<RunNo, WindowNo>,
}

/// Reads every extent; puts items that no extent names where they belong in their owner. `rows` are
/// those of windows that were saved; a number above `most` is no window's.
pub fn read(
    source: &Source,
    items: &Items<'_>,
    rows: &BTreeMap<WindowNo, WindowRow>,
    most: WindowNo,
    report: &mut Report,
) -> Result<Paths> {
    let mut windows: BTreeMap<WindowNo, Vec<Stretch>> = BTreeMap::new();
    source.rows("extents", report, |report, key, value| {
        let decoded = keys::split_ordinal(key)
            .and_then(|(window, ordinal)| Some((window, Extent::decode(ordinal, &value).ok()?)));
        let Some((window, extent)) = decoded else {
            report.lost("extents", key, "the row is no extent of a window");
            return Ok(());
        };
        let path = windows.entry(window).or_default();
        let before = path.last().map_or(0, |stretch| {
            stretch.ordinal.unwrap_or(0) + u64::from(stretch.end - stretch.first)
        });
        let end = extent.first.checked_add(extent.count);
        let possible = extent.count > 0
            && extent.ordinal >= before
            && extent.ordinal.checked_add(extent.count.into()).is_some()
            && window <= most
            && items.runs.contains_key(&extent.run);
        match end.filter(|_| possible) {
            Some(end) => path.push(Stretch {
                ordinal: Some(extent.ordinal),
                run: extent.run,
                first: extent.first,
                end,
            }),
            None => report.lost("extents", key, "the extent can't be one of this window"),
        }
        Ok(())
    })?;
    windows.retain(|_, path| !path.is_empty());
    let owners = owners(items, &windows, rows, most);
    for (window, path) in &mut windows {
        let end = rows.get(window).map(|row| (row.items, ChainHash(row.chain)));
        let own = |stretch: &Stretch| owners.get(&stretch.run) == Some(window);
        for stretch in plausible_path(path, end, own, items) {
            let ordinal = stretch.ordinal.unwrap_or_default();
            let message = "the extent doesn't fit what stands before and behind it";
            report.lost("extents", &keys::ordinal(*window, ordinal), message);
        }
    }
    for (run, owner) in &owners {
        let path = windows.entry(*owner).or_default();
        add_missing(path, *run, items);
    }
    Ok(Paths { windows, owners })
}

/// Cuts stretches that reach into the next one, and takes out those of other windows' runs that
/// don't go on where the path is. `end` is how many items the window has, and the chain behind them.
fn plausible_path(
    path: &mut Vec<Stretch>,
    end: Option<(u64, ChainHash)>,
    own: impl Fn(&Stretch) -> bool,
    items: &Items<'_>,
) -> Vec<Stretch> {
    let starts = path.iter().skip(1).filter_map(|stretch| stretch.ordinal);
    let limits: Vec<Option<u64>> = starts.map(Some).chain([end.map(|(items, _)| items)]).collect();
    let mut wrong = Vec::new();
    for (stretch, limit) in path.iter_mut().zip(limits) {
        if let (Some(from), Some(limit)) = (stretch.ordinal, limit)
            && limit.saturating_sub(from) < u64::from(stretch.end - stretch.first)
            && !own(stretch)
        {
            wrong.push(*stretch);
            stretch.end = stretch.first + limit.saturating_sub(from) as u32;
        }
    }
    path.retain(|stretch| stretch.first < stretch.end);
    let ordinal_end =
        |stretch: &Stretch| stretch.ordinal.map(|at| at + u64::from(stretch.end - stretch.first));
    let mut place = 0;
    while let Some(stretch) = path.get(place).copied() {
        let joined = |before: &Stretch| ordinal_end(before) == stretch.ordinal;
        let before = match place.checked_sub(1).and_then(|before| path.get(before)) {
            None => Some(ChainHash::ROOT).filter(|_| stretch.ordinal == Some(0)),
            Some(before) if joined(before) => items.chain_before(before.run, before.end),
            Some(_) => None,
        };
        let here = items.chain_before(stretch.run, stretch.first);
        let behind = match path.get(place + 1) {
            Some(next) if ordinal_end(&stretch) == next.ordinal => {
                items.chain_before(next.run, next.first)
            }
            None => end.filter(|(items, _)| ordinal_end(&stretch) == Some(*items)).map(|end| end.1),
            Some(_) => None,
        };
        let last = items.chain_before(stretch.run, stretch.end);
        let differ = |one: Option<ChainHash>, other: Option<ChainHash>| matches!((one, other), (Some(one), Some(other)) if one != other);
        if !own(&stretch) && (differ(before, here) || differ(last, behind)) {
            wrong.push(path.remove(place));
        } else {
            place += 1;
        }
    }
    wrong
}

/// The owner of each run: the window that its row names, unless that has nothing of it while it
/// has other things; else the one that has most of it.
fn owners(
    items: &Items<'_>,
    windows: &BTreeMap<WindowNo, Vec<Stretch>>,
    rows: &BTreeMap<WindowNo, WindowRow>,
    most: WindowNo,
) -> BTreeMap<RunNo, WindowNo> {
    let mut users: BTreeMap<RunNo, BTreeMap<WindowNo, u64>> = BTreeMap::new();
    for (window, path) in windows {
        for stretch in path {
            let has = users.entry(stretch.run).or_default().entry(*window).or_default();
            *has += u64::from(stretch.end - stretch.first);
        }
    }
    let mut next = rows.keys().chain(windows.keys()).max().map_or(0, |last| last + 1);
    let nobody = BTreeMap::new();
    let mut owners = BTreeMap::new();
    for (no, run) in &items.runs {
        let users = users.get(no).unwrap_or(&nobody);
        let trusted = |owner: &WindowNo| {
            users.contains_key(owner)
                || users.is_empty()
                || !windows.contains_key(owner)
                || rows.get(owner).is_some_and(|row| row.run == Some(*no))
        };
        let most_of_it = users.iter().max_by_key(|(_, has)| **has).map(|(window, _)| *window);
        let claimed = run.owner.filter(|owner| *owner <= most).filter(trusted);
        let owner = claimed.or(most_of_it).unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        owners.insert(*no, owner);
    }
    owners
}

/// Adds the positions of `run` that can be saved and aren't on the path of its owner.
fn add_missing(path: &mut Vec<Stretch>, run: RunNo, items: &Items<'_>) {
    let Some(there) = items.runs.get(&run).map(|run| run.there.clone()) else { return };
    for (first, end) in there {
        let mut position = first;
        while position < end {
            let holds = |stretch: &&Stretch| stretch.run == run && stretch.first <= position;
            if let Some(stretch) = path.iter().filter(holds).find(|stretch| stretch.end > position)
            {
                position = stretch.end;
                continue;
            }
            let next = path.iter().filter(|stretch| stretch.run == run && stretch.first > position);
            let next = next.map(|stretch| stretch.first).min().unwrap_or(end).min(end);
            let before = path.iter().rposition(|s| s.run == run && s.end <= position);
            let after = path.iter().position(|s| s.run == run && s.first >= next);
            let later = path.iter().position(|stretch| stretch.run > run);
            let at = match (before, after) {
                (Some(before), _) => before + 1,
                (None, Some(after)) => after,
                (None, None) => later.unwrap_or(path.len()),
            };
            let ordinal = ordinal_at(path, at, next - position);
            path.insert(at, Stretch { ordinal, run, first: position, end: next });
            position = next;
        }
    }
}

/// The ordinal of `count` items that come before place `at`, if there is a gap for them.
fn ordinal_at(path: &[Stretch], at: usize, count: u32) -> Option<u64> {
    let start = match at.checked_sub(1).and_then(|before| path.get(before)) {
        Some(before) => before.ordinal? + u64::from(before.end - before.first),
        None => 0,
    };
    match path.get(at) {
        Some(next) => next.ordinal.filter(|next| start + u64::from(count) <= *next).map(|_| start),
        None => Some(start),
    }
}

/// The greatest of ascending numbers that were counted up one by one. A damaged number may stand
/// far away from the others: it is alone there. Judgement: a gap of 1,000, and 8 behind it.
pub fn plausible(numbers: impl Iterator<Item = u32>) -> u32 {
    let numbers: Vec<u32> = numbers.collect();
    let mut most = 0;
    for (place, number) in numbers.iter().enumerate() {
        if number - most > 1000 && numbers.len() - place < 8 {
            break;
        }
        most = *number;
    }
    most
}
