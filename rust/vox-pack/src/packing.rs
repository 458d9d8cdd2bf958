//! The whole of it, step by step.

use rayon::prelude::*;
use vox_types::Result;

use crate::{
    Problem,
    base::Base,
    bound, chunks,
    classes::{Classes, Mode, infeasible},
    fill::{Fill, Prices},
    increments::{Increments, What},
    options::Class,
    order::Candidate,
    refine::Refine,
    rooms::Rooms,
    select,
};

/// Of the bound: what rounding may have added to a sum of so many values, with room to spare.
const ROUNDING: f64 = 1e-12;

/// Up to so many items, optimality is worth some milliseconds.
const PROVEN_ITEMS: usize = 2000;

/// Up to so many items all are searched; beyond, those around the break.
const SEARCHED_ITEMS: usize = 20_000;

/// How often what is left is filled.
const ROUNDS: usize = 4;

/// Of the bound: what is left of the budget must be worth more, at the price of a token.
const WORTH_ANOTHER_ROUND: f64 = 1e-6;

/// So many increments on each side of the break.
const AROUND: usize = 64;

/// States of the search for a proof: about 15 ms.
const PROOF_WORK: usize = 2_000_000;

/// States of a search that only looks for something better: below 1 ms.
const REFINE_WORK: usize = 100_000;

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
    let mut base = base;
    let mut left = rooms.clone();
    let mut bound = 0.0;
    let mut most = None;
    let mut price = Prices::default();
    // One huge step that doesn't fit can leave much of the budget: what is left is filled again.
    for round in 0..ROUNDS {
        let increments = Increments::of(problem, &classes, &base, &left);
        let (fill, near) = filled(problem, &classes, &increments, &base, left);
        let prices = fill.prices();
        if round == 0 {
            bound = match (problem.caps, fill.at_break) {
                (Some(_), _) => bound::at(problem, &classes, &prices, &rooms),
                (None, Some((gained, left, slope))) => base.value + gained + slope * left as f64,
                (None, None) => base.value + fill.gained,
            };
        }
        Fill { fates: base.fates, rooms: left, .. } = fill;
        let all = near.is_none();
        if round == 0 || !all {
            let refine = Refine {
                problem,
                classes: &classes,
                prices: &prices,
                widest: &rooms,
                work: if problem.items() <= PROVEN_ITEMS { PROOF_WORK } else { REFINE_WORK },
                rounding: bound * ROUNDING,
                all,
            };
            let searched = near.unwrap_or_else(|| all_classes(problem, &classes));
            let found = refine.run(&mut base.fates, &mut left, &searched).filter(|_| all);
            most = most
                .or(found
                    .map(|missing| missing + summed(problem, base.fates.clone(), 0.0, None).value));
        }
        if round == 0 {
            price = prices;
        }
        let caps = left.caps.iter().zip(&price.caps).map(|(left, price)| price * *left as f64);
        let worth = caps.fold(price.total * left.total as f64, f64::max);
        if worth <= bound * WORTH_ANOTHER_ROUND {
            break;
        }
        left.rest = true;
    }
    let fates = base.fates;
    let packing = summed(problem, fates, bound, most);
    let keeps = |(used, cap): (&u64, &u64)| used <= cap;
    if !packing.by_claimant.iter().zip(problem.caps.unwrap_or(&[])).all(keeps) {
        return Err(infeasible("no packing was found in which every claimant keeps to its cap"));
    }
    Ok(packing)
}

/// A packing filled by slope. If there are too many classes to search them all, those around the
/// break, nearest first.
fn filled<'a>(
    problem: &'a Problem<'a>,
    classes: &'a Classes,
    increments: &'a Increments,
    base: &Base,
    rooms: Rooms,
) -> (Fill<'a>, Option<Vec<Class>>) {
    let mut fates = base.fates.clone();
    if problem.caps.is_some() || problem.items() <= SEARCHED_ITEMS {
        let mut candidates = Vec::with_capacity(increments.len());
        for part in &increments.parts {
            candidates.extend(part.iter().map(|step| Candidate::of(step, increments, classes)));
        }
        let mut fill = Fill::new(problem, classes, increments, fates, rooms);
        let first = if problem.caps.is_none() {
            fill.take_in_order(&mut candidates);
            None
        } else {
            if problem.items() > chunks::WORTH_THREADS {
                candidates.par_sort_unstable_by(Candidate::order);
            } else {
                candidates.sort_unstable_by(Candidate::order);
            }
            fill.take(&candidates)
        };
        if problem.items() <= SEARCHED_ITEMS {
            return (fill, None);
        }
        let near = near_break(problem, classes, &candidates, first);
        return (fill, Some(near));
    }
    let mut selected = select::take(increments, classes, &mut fates, rooms.total);
    let mut fill = Fill::new(problem, classes, increments, fates, rooms);
    fill.rooms.total -= selected.cost;
    fill.gained = selected.value;
    let (from, to) = select::order_around(&mut selected.near, fill.rooms.total);
    fill.take_all(&selected.near[..from]);
    let ordered = &selected.near[from..to];
    let first = fill.take(ordered);
    let near = near_break(problem, classes, ordered, first);
    (fill, Some(near))
}

/// The classes of the candidates around the one at `first`, which come in order.
fn near_break(
    problem: &Problem<'_>,
    classes: &Classes,
    candidates: &[Candidate],
    first: Option<usize>,
) -> Vec<Class> {
    let Some(first) = first else { return Vec::new() };
    let around = first.saturating_sub(AROUND)..(first + AROUND).min(candidates.len());
    let mut member = vec![false; if classes.groups() > 0 { problem.items() } else { 0 }];
    let mut near = Vec::new();
    for candidate in &candidates[around] {
        match candidate.what {
            What::Group(group) => near.push(Class::Group(group)),
            What::Item(item, _) if classes.mode(item) == Mode::Member => member[item] = true,
            What::Item(item, _) => near.push(Class::Item(item)),
        }
    }
    if member.contains(&true) {
        let is_near = |group: &usize| classes.group(*group).iter().any(|i| member[*i as usize]);
        near.extend((0..classes.groups()).filter(is_near).map(Class::Group));
    }
    near.sort_unstable();
    near.dedup();
    near
}

/// Everything that is decided as one.
fn all_classes(problem: &Problem<'_>, classes: &Classes) -> Vec<Class> {
    let is_single = |item: &usize| !matches!(classes.mode(*item), Mode::Fixed(_) | Mode::Member);
    let singles = (0..problem.items()).filter(is_single).map(Class::Item);
    singles.chain((0..classes.groups()).map(Class::Group)).collect()
}

fn summed(problem: &Problem<'_>, fates: Vec<u8>, bound: f64, most: Option<f64>) -> Packing {
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
    let bound = bound.min(most.unwrap_or(f64::INFINITY)).max(value);
    let bound = if bound - value <= rounding { value } else { bound + rounding };
    Packing { fates, used, value, bound, by_claimant }
}
