//! What may still be spent: of the budget, and of each claimant's cap.

use vox_types::Result;

use crate::{
    Problem,
    base::{self, Base, too_dear},
    classes::Classes,
    increments::{Increments, What},
    order::Candidate,
};

/// What is left beyond what the fates cost so far.
#[derive(Clone, Debug)]
pub(crate) struct Rooms {
    /// Of the budget.
    pub total: u64,
    /// Of each cap; empty without caps. Below zero only where a cheapest packing is over a cap.
    pub caps: Vec<i64>,
    /// Whether this is what a first filling left: then only what fits now matters, not what a
    /// relaxation would mix.
    pub rest: bool,
}

/// Why something doesn't fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// The budget.
    Total,
    /// A claimant's cap.
    Cap(usize),
}

impl Rooms {
    /// What the cheapest packing leaves.
    pub fn of(problem: &Problem<'_>, classes: &Classes, base: &Base) -> Result<Self> {
        let total = base.room(problem)?;
        let Some(caps) = problem.caps else {
            return Ok(Self { total, caps: Vec::new(), rest: false });
        };
        let mut least = vec![0u64; caps.len()];
        let mut spent = vec![0u64; caps.len()];
        for (item, fate) in base.fates.iter().enumerate() {
            let cost = u64::from(problem.costs_of(item)[usize::from(*fate)]);
            spent[problem.claimant(item)] += cost;
            least[problem.claimant(item)] += cost;
        }
        // A group may have to take the way that is dearer as a whole but cheaper for one cap.
        for &item in &classes.members {
            let item = item as usize;
            let costs = problem.costs_of(item);
            let now = costs[usize::from(base.fates[item])];
            let kept = costs[usize::from(base::kept_fate(problem, item))];
            least[problem.claimant(item)] -= u64::from(now - now.min(kept).min(costs[0]));
        }
        for (claimant, (least, cap)) in least.iter().zip(caps).enumerate() {
            if least > cap {
                let whose = format!("the cap of claimant {claimant}");
                let counts = |item| problem.claimant(item) == claimant;
                return Err(too_dear(problem, &base.fates, *least, *cap, &whose, counts));
            }
        }
        let left = |(cap, spent): (&u64, &u64)| {
            i64::try_from(i128::from(*cap) - i128::from(*spent)).unwrap_or(i64::MAX)
        };
        Ok(Self { total, caps: caps.iter().zip(&spent).map(left).collect(), rest: false })
    }

    /// The most that `item` may cost beyond its cheapest fate.
    pub fn widest(&self, problem: &Problem<'_>, item: usize) -> u64 {
        match self.caps.get(problem.claimant(item)) {
            // Groups may give room back to a cap.
            Some(cap) if self.rest || problem.groups.is_none() => {
                self.total.min(u64::try_from(*cap).unwrap_or(0))
            }
            _ => self.total,
        }
    }

    /// Takes what `candidate` costs, or says why it doesn't fit.
    pub fn take(
        &mut self,
        problem: &Problem<'_>,
        classes: &Classes,
        increments: &Increments,
        candidate: &Candidate,
    ) -> Result<(), Full> {
        if candidate.cost > self.total {
            return Err(Full::Total);
        }
        if !self.caps.is_empty() {
            match candidate.what {
                What::Item(item, _) => {
                    let claimant = problem.claimant(item);
                    let cost = candidate.cost as i64;
                    if cost > self.caps[claimant] {
                        return Err(Full::Cap(claimant));
                    }
                    self.caps[claimant] -= cost;
                }
                What::Group(group) => {
                    let more = self.of_group(problem, classes, increments, group);
                    let full =
                        more.iter().find(|(claimant, more)| *more > self.caps[*claimant].max(0));
                    if let Some((claimant, _)) = full {
                        return Err(Full::Cap(*claimant));
                    }
                    for (claimant, more) in more {
                        self.caps[claimant] -= more;
                    }
                }
            }
        }
        self.total -= candidate.cost;
        Ok(())
    }

    /// What keeping a group costs each claimant more; less where stubs cost more than what is kept.
    fn of_group(
        &self,
        problem: &Problem<'_>,
        classes: &Classes,
        increments: &Increments,
        group: usize,
    ) -> Vec<(usize, i64)> {
        let mut more: Vec<(usize, i64)> = Vec::new();
        let kept = &increments.kept[classes.starts[group] as usize..];
        for (&item, &fate) in classes.group(group).iter().zip(kept) {
            let claimant = problem.claimant(item as usize);
            let costs = problem.costs_of(item as usize);
            let cost = i64::from(costs[usize::from(fate)]) - i64::from(costs[0]);
            match more.iter_mut().find(|(known, _)| *known == claimant) {
                Some((_, more)) => *more += cost,
                None => more.push((claimant, cost)),
            }
        }
        more
    }
}
