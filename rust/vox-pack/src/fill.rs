//! Filling by slope: what fits is taken, and what doesn't ends its item's or group's hull.

use crate::{
    Problem,
    classes::Classes,
    increments::{Increments, What},
    order::Candidate,
    rooms::{Full, Rooms},
    select,
};

/// What a token costs in value: of the budget, and of each claimant's account.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prices {
    /// Of the budget: 0 while it isn't spent.
    pub total: f64,
    /// On top of that, of each cap.
    pub caps: Vec<f64>,
}

impl Prices {
    /// Of a token that goes on the account of `claimant`.
    pub fn of(&self, claimant: usize) -> f64 {
        self.total + self.caps.get(claimant).copied().unwrap_or(0.0)
    }
}

/// A packing that grows.
pub(crate) struct Fill<'a> {
    problem: &'a Problem<'a>,
    classes: &'a Classes,
    increments: &'a Increments,
    /// One for each item.
    pub fates: Vec<u8>,
    /// What is left.
    pub rooms: Rooms,
    /// What was taken is worth.
    pub gained: f64,
    /// Where the budget was first too small: what was gained before, what was left, and the slope.
    pub at_break: Option<(f64, u64, f64)>,
    /// Slopes at which the budget and the caps were first too small.
    full: (Option<f64>, Vec<Option<f64>>),
    /// Items whose hulls have ended.
    ended: Vec<bool>,
}

impl<'a> Fill<'a> {
    /// Begins with `fates` and what they leave.
    pub fn new(
        problem: &'a Problem<'a>,
        classes: &'a Classes,
        increments: &'a Increments,
        fates: Vec<u8>,
        rooms: Rooms,
    ) -> Self {
        let full = (None, vec![None; rooms.caps.len()]);
        let ended = vec![false; problem.items()];
        Self {
            problem,
            classes,
            increments,
            fates,
            rooms,
            gained: 0.0,
            at_break: None,
            full,
            ended,
        }
    }

    /// Takes what fits of `candidates`, which come in order. Gives the place of the first that
    /// didn't fit the budget.
    pub fn take(&mut self, candidates: &[Candidate]) -> Option<usize> {
        let mut first = None;
        for (place, candidate) in candidates.iter().enumerate() {
            if self.ended[candidate.newest as usize] {
                continue;
            }
            match self.rooms.take(self.problem, self.classes, self.increments, candidate) {
                Ok(()) => {
                    self.gained += candidate.slope * candidate.cost as f64;
                    self.apply(candidate.what);
                }
                Err(full) => {
                    if full == Full::Total {
                        first = first.or(Some(place));
                    }
                    self.note(full, candidate.slope);
                    self.end(candidate.what);
                }
            }
        }
        first
    }

    /// Takes what fits of `candidates` as if they came in order, where there are no caps: only
    /// those around the break, and those that fit what is left, are sorted.
    pub fn take_in_order(&mut self, candidates: &mut [Candidate]) {
        let (from, to) = select::order_around(candidates, self.rooms.total);
        self.take_all(&candidates[..from]);
        self.take(&candidates[from..to]);
        let left = self.rooms.total;
        let mut small = Vec::new();
        for candidate in &candidates[to..] {
            if candidate.cost > left {
                self.end(candidate.what);
            } else {
                small.push(*candidate);
            }
        }
        small.retain(|candidate| !self.ended[candidate.newest as usize]);
        small.sort_unstable_by(Candidate::order);
        self.take(&small);
    }

    /// Takes `candidates`, which all fit the budget, in any order.
    pub fn take_all(&mut self, candidates: &[Candidate]) {
        for candidate in candidates {
            self.rooms.total -= candidate.cost;
            self.gained += candidate.slope * candidate.cost as f64;
            self.apply(candidate.what);
        }
    }

    fn apply(&mut self, what: What) {
        match what {
            What::Item(item, fate) => {
                // Steps of one item may come in any order.
                let costs = self.problem.costs_of(item);
                if costs[usize::from(fate)] > costs[usize::from(self.fates[item])] {
                    self.fates[item] = fate;
                }
            }
            What::Group(group) => {
                let kept = &self.increments.kept[self.classes.starts[group] as usize..];
                for (item, fate) in self.classes.group(group).iter().zip(kept) {
                    if self.fates[*item as usize] == 0 {
                        self.fates[*item as usize] = *fate;
                    }
                }
            }
        }
    }

    fn end(&mut self, what: What) {
        match what {
            What::Item(item, _) => self.ended[item] = true,
            What::Group(group) => {
                for item in self.classes.group(group) {
                    self.ended[*item as usize] = true;
                }
            }
        }
    }

    fn note(&mut self, full: Full, slope: f64) {
        if self.full.0.is_some() {
            return;
        }
        match full {
            Full::Total => {
                self.full.0 = Some(slope);
                self.at_break = Some((self.gained, self.rooms.total, slope));
            }
            Full::Cap(claimant) => {
                self.full.1[claimant].get_or_insert(slope);
            }
        }
    }

    /// The prices at which the relaxation is solved.
    pub fn prices(&self) -> Prices {
        let total = self.full.0.unwrap_or(0.0);
        let caps = self.full.1.iter().map(|full| full.map_or(0.0, |full| (full - total).max(0.0)));
        Prices { total, caps: caps.collect() }
    }
}
