//! What pins and groups leave of each item's fates.

use vox_types::{Code, Error, Result};

use crate::{Problem, UNAVAILABLE, problem::invalid};

/// What is left to decide about an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Any fate that it has.
    Free,
    /// Any but being dropped.
    Kept,
    /// Nothing.
    Fixed(u8),
    /// Dropped or kept together with the others of its group.
    Member,
}

/// The modes of all items, and the groups that are still open.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// None if every item is free.
    modes: Option<Vec<Mode>>,
    /// Items of open groups, group after group, rising within each.
    pub members: Vec<u32>,
    /// Where each open group begins in `members`, and where the last ends.
    pub starts: Vec<u32>,
}

impl Classes {
    /// Resolves pins, and groups that leave no choice.
    pub fn of(problem: &Problem<'_>) -> Result<Self> {
        let mut classes = Self { modes: None, members: Vec::new(), starts: vec![0] };
        if problem.pins.is_none() && problem.groups.is_none() {
            return Ok(classes);
        }
        let mut modes = match problem.pins {
            None => vec![Mode::Free; problem.items()],
            Some(pins) => {
                let mode = |(item, pin): (usize, &i8)| pinned(problem, item, *pin);
                pins.iter().enumerate().map(mode).collect::<Result<_>>()?
            }
        };
        if let Some(groups) = problem.groups {
            let (members, starts) = by_group(groups);
            classes.members.reserve(members.len());
            for ends in starts.windows(2) {
                let group = &members[ends[0] as usize..ends[1] as usize];
                let mode = decide(problem, &modes, group)?;
                for item in group {
                    let before = &mut modes[*item as usize];
                    if !matches!(before, Mode::Fixed(_)) {
                        *before = mode;
                    }
                }
                if mode == Mode::Member {
                    classes.members.extend_from_slice(group);
                    classes.starts.push(classes.members.len() as u32);
                }
            }
        }
        classes.modes = Some(modes);
        Ok(classes)
    }

    /// What is left to decide about `item`.
    pub fn mode(&self, item: usize) -> Mode {
        self.modes.as_ref().map_or(Mode::Free, |modes| modes[item])
    }

    /// How many open groups there are.
    pub fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// The items of an open group.
    pub fn group(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

fn pinned(problem: &Problem<'_>, item: usize, pin: i8) -> Result<Mode> {
    let Ok(fate) = u8::try_from(pin) else {
        return match pin {
            -1 => Ok(Mode::Free),
            _ => Err(invalid(format!("item {item}: pin {pin}; -1 is none, others are fates"))),
        };
    };
    match problem.costs_of(item).get(usize::from(fate)) {
        None => Err(invalid(format!(
            "item {item}: pinned to fate {fate}, and there are {}",
            problem.fates
        ))),
        Some(&UNAVAILABLE) => {
            Err(infeasible(format!("item {item}: pinned to fate {fate}, which it can't have")))
        }
        Some(_) => Ok(Mode::Fixed(fate)),
    }
}

/// What is open about a group: all of it, which fates it is kept with, or nothing.
fn decide(problem: &Problem<'_>, modes: &[Mode], group: &[u32]) -> Result<Mode> {
    let mut kept = None;
    let mut dropped = None;
    for &item in group {
        let costs = problem.costs_of(item as usize);
        match modes[item as usize] {
            Mode::Fixed(0) => dropped = dropped.or(Some(item)),
            Mode::Fixed(_) => kept = kept.or(Some(item)),
            _ => {
                if costs[0] == UNAVAILABLE {
                    kept = kept.or(Some(item));
                }
                if costs[1..].iter().all(|cost| *cost == UNAVAILABLE) {
                    dropped = dropped.or(Some(item));
                }
            }
        }
    }
    match (kept, dropped) {
        (Some(kept), Some(dropped)) => Err(infeasible(format!(
            "items {kept} and {dropped} are of one group, and the first must be kept and the \
             second dropped: pin both alike or take them apart"
        ))),
        (Some(_), None) => Ok(Mode::Kept),
        (None, Some(_)) => Ok(Mode::Fixed(0)),
        (None, None) if group.len() == 1 => Ok(Mode::Free),
        (None, None) => Ok(Mode::Member),
    }
}

/// Items by group, and where each group begins and the last ends. Groups come by number.
fn by_group(groups: &[i32]) -> (Vec<u32>, Vec<u32>) {
    let last = groups.iter().copied().max().unwrap_or(-1);
    let Ok(last) = usize::try_from(last) else { return (Vec::new(), vec![0]) };
    if last > groups.len().saturating_mul(4) {
        return by_sparse_group(groups);
    }
    let mut ends = vec![0u32; last + 2];
    for group in groups {
        if let Ok(group) = usize::try_from(*group) {
            ends[group + 1] += 1;
        }
    }
    for group in 0..=last {
        ends[group + 1] += ends[group];
    }
    let mut members = vec![0u32; ends[last + 1] as usize];
    let mut next = ends.clone();
    for (item, group) in groups.iter().enumerate() {
        if let Ok(group) = usize::try_from(*group) {
            members[next[group] as usize] = item as u32;
            next[group] += 1;
        }
    }
    ends.dedup();
    (members, ends)
}

fn by_sparse_group(groups: &[i32]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(i32, u32)> =
        groups.iter().zip(0u32..).filter(|(group, _)| **group >= 0).map(|(g, i)| (*g, i)).collect();
    pairs.sort_unstable();
    let mut starts: Vec<u32> = vec![0];
    for (place, pair) in pairs.windows(2).enumerate() {
        if pair[0].0 != pair[1].0 {
            starts.push(place as u32 + 1);
        }
    }
    starts.push(pairs.len() as u32);
    (pairs.into_iter().map(|(_, item)| item).collect(), starts)
}

/// There is no answer.
pub(crate) fn infeasible(says: impl Into<String>) -> Error {
    Error::new(Code::Infeasible, says)
}
