//! In which order increments are taken: by slope, then the cheaper, then the newer.

use std::cmp::Ordering;

use crate::{
    classes::Classes,
    increments::{Increment, Increments, What},
};

/// An increment with all that decides its place. No two of a problem are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Value for each token more.
    pub slope: f64,
    /// Tokens more.
    pub cost: u64,
    /// The highest index among the items that it changes.
    pub newest: u32,
    /// What it changes.
    pub what: What,
}

impl Candidate {
    /// `increment` as a candidate.
    pub fn of(increment: &Increment, increments: &Increments, classes: &Classes) -> Self {
        let what = increments.what(increment);
        let newest = match what {
            What::Item(item, _) => item as u32,
            What::Group(group) => classes.group(group).last().copied().unwrap_or(0),
        };
        Self { slope: increment.slope, cost: increments.cost(increment), newest, what }
    }

    /// Which of two comes first.
    pub fn order(&self, other: &Self) -> Ordering {
        let fate = |what| match what {
            What::Item(_, fate) => fate,
            What::Group(_) => 0,
        };
        other
            .slope
            .total_cmp(&self.slope)
            .then(self.cost.cmp(&other.cost))
            .then(other.newest.cmp(&self.newest))
            .then_with(|| fate(self.what).cmp(&fate(other.what)))
    }
}
