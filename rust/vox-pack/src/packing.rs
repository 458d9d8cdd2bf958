//! The whole of it, step by step.

use rayon::prelude::*;
use vox_types::Result;

use crate::{
    Problem,
    base::Base,
    bound, chunks,
    classes::{Classes, infeasible},
    fill::Fill,
    increments::Increments,
    order::Candidate,
    rooms::Rooms,
};

/// Of the bound: what rounding may have added to a sum of so many values, with room to spare.
const ROUNDING: f64 = 1e-12;

/// An answer, and how good it is at least.
#[derive(Clone, PartialEq, Debug)]
pub struct Packing {
    /// One for each item.
    pub fates: Vec<u8>,
    /// Tokens that they cost.
    pub used: u64,
    /// What they are worth.
    pub value: f64,
    /// No packing is worth more.
    pub bound: f64,
    /// Tokens of each claimant; as long as the caps, or as the highest claimant asks for.
    pub by_claimant: Vec<u64>,
}

impl Packing {
    /// The share of the bound that is missing: 0 if this packing is proven to be the best.
    pub fn gap(&self) -> f64 {
        if self.bound > self.value { (self.bound - self.value) / self.bound } else { 0.0 }
    }
}

/// Solves `problem`.
///
/// # Errors
///
/// `invalid_argument` for what makes no sense, naming the item; `infeasible` if what can't be
/// avoided costs more than there is, naming the pins and the missing tokens.
pub fn pack(problem: &Problem<'_>) -> Result<Packing> {
    problem.check()?;
    let classes = Classes::of(problem)?;
    let base = Base::of(problem, &classes)?;
    let rooms = Rooms::of(problem, &classes, &base)?;
    let increments = Increments::of(problem, &classes, &base, &rooms);
    let mut fill = Fill::new(problem, &classes, &increments, base.fates, rooms.clone());
    let mut candidates = Vec::with_capacity(increments.len());
    for part in &increments.parts {
        candidates.extend(part.iter().map(|step| Candidate::of(step, &increments, &classes)));
    }
    if candidates.len() > chunks::STRETCH {
        candidates.par_sort_unstable_by(Candidate::order);
    } else {
        candidates.sort_unstable_by(Candidate::order);
    }
    fill.take(&candidates);
    if fill.rooms.caps.iter().any(|left| *left < 0) {
        return Err(infeasible("no packing was found in which every claimant keeps to its cap"));
    }
    let bound = bound::at(problem, &classes, &fill.prices(), &rooms);
    Ok(summed(problem, fill.fates, bound))
}

fn summed(problem: &Problem<'_>, fates: Vec<u8>, bound: f64) -> Packing {
    let accounts = match (problem.caps, problem.claimants) {
        (Some(caps), _) => caps.len(),
        (None, Some(claimants)) => claimants.iter().max().map_or(0, |most| usize::from(*most) + 1),
        (None, None) => 0,
    };
    let parts = chunks::map(problem.items().div_ceil(chunks::STRETCH), |stretch| {
        let (mut used, mut value, mut by_claimant) = (0, 0.0, vec![0; accounts]);
        for item in chunks::items_of(stretch, problem.items()) {
            let cost = u64::from(problem.costs_of(item)[usize::from(fates[item])]);
            used += cost;
            value += problem.values_of(item)[usize::from(fates[item])];
            if accounts > 0 {
                by_claimant[problem.claimant(item)] += cost;
            }
        }
        (used, value, by_claimant)
    });
    let (mut used, mut value, mut by_claimant) = (0, 0.0, vec![0; accounts]);
    for part in parts {
        used += part.0;
        value += part.1;
        by_claimant.iter_mut().zip(part.2).for_each(|(sum, more)| *sum += more);
    }
    let rounding = bound * ROUNDING;
    let bound = if bound - value <= rounding { value } else { bound + rounding };
    Packing { fates, used, value, bound, by_claimant }
}
