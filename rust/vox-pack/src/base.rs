//! The cheapest packing there is: what every other one is compared with.

use vox_types::Result;

use crate::{
    Problem, UNAVAILABLE, chunks,
    classes::{Classes, Mode, infeasible},
    hull,
    problem::invalid,
};

/// How many items an error names.
const NAMED: usize = 10;

/// The fates that cost least, and what they cost.
pub(crate) struct Base {
    /// One for each item. A group that is dropped or kept at the same cost is kept.
    pub fates: Vec<u8>,
    /// All their tokens.
    pub cost: u64,
    /// What they are worth.
    pub value: f64,
}

impl Base {
    /// Chooses the cheapest fate of every item and group, and checks every value on the way.
    pub fn of(problem: &Problem<'_>, classes: &Classes) -> Result<Self> {
        let items = problem.items();
        let stretches = items.div_ceil(chunks::STRETCH);
        let parts = chunks::map(stretches, |stretch| part(problem, classes, stretch));
        let mut fates = Vec::with_capacity(items);
        let mut cost = 0;
        let (mut value, mut most_value) = (0.0, 0.0);
        for part in parts {
            let part = part?;
            fates.extend_from_slice(&part.fates);
            cost += part.cost;
            value += part.value;
            most_value += part.most_value;
        }
        if !f64::is_finite(most_value) {
            return Err(invalid("the values add up to more than a float holds; scale them down"));
        }
        for group in 0..classes.groups() {
            let (dropped, kept) = Self::both(problem, classes.group(group));
            if kept <= dropped {
                for &item in classes.group(group) {
                    let fate = kept_fate(problem, item as usize);
                    fates[item as usize] = fate;
                    value += problem.values_of(item as usize)[usize::from(fate)];
                }
            }
            cost += kept.min(dropped);
        }
        Ok(Self { fates, cost, value })
    }

    /// What a group costs if it is dropped, and if it is kept as cheaply as possible.
    fn both(problem: &Problem<'_>, group: &[u32]) -> (u64, u64) {
        group.iter().fold((0, 0), |(dropped, kept), &item| {
            let costs = problem.costs_of(item as usize);
            let fate = usize::from(kept_fate(problem, item as usize));
            (dropped + u64::from(costs[0]), kept + u64::from(costs[fate]))
        })
    }

    /// What the budget leaves beyond the cheapest packing; an error that names the pins and the
    /// missing tokens if that is less than nothing.
    pub fn room(&self, problem: &Problem<'_>) -> Result<u64> {
        problem.budget.checked_sub(self.cost).ok_or_else(|| {
            too_dear(problem, &self.fates, self.cost, problem.budget, "the budget", |_| true)
        })
    }
}

/// The error that the `cost` of what can't be avoided is above `limit`.
pub(crate) fn too_dear(
    problem: &Problem<'_>,
    fates: &[u8],
    cost: u64,
    limit: u64,
    whose: &str,
    counts: impl Fn(usize) -> bool,
) -> vox_types::Error {
    let spent = |item: usize| u64::from(problem.costs_of(item)[usize::from(fates[item])]);
    let is_pinned = |item: &usize| problem.pins.is_some_and(|pins| pins[*item] >= 0);
    let pinned: Vec<usize> =
        (0..fates.len()).filter(|item| counts(*item)).filter(is_pinned).collect();
    let tokens: u64 = pinned.iter().map(|item| spent(*item)).sum();
    let named: Vec<String> = pinned.iter().take(NAMED).map(usize::to_string).collect();
    let more = match pinned.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let pins = match pinned.len() {
        0 => "nothing is pinned".to_owned(),
        _ => format!("the pinned items {}{more} cost {tokens}", named.join(", ")),
    };
    infeasible(format!(
        "{} tokens are missing: {pins}, the least that the others cost is {}, and {whose} is \
         {limit}",
        cost - limit,
        cost - tokens
    ))
}

/// The cheapest fate of a member of an open group that isn't dropped.
pub(crate) fn kept_fate(problem: &Problem<'_>, item: usize) -> u8 {
    hull::cheapest(problem.costs_of(item), problem.values_of(item), 1).unwrap_or(0) as u8
}

struct Part {
    fates: Vec<u8>,
    cost: u64,
    value: f64,
    most_value: f64,
}

fn part(problem: &Problem<'_>, classes: &Classes, stretch: usize) -> Result<Part> {
    let items = chunks::items_of(stretch, problem.items());
    let mut part =
        Part { fates: Vec::with_capacity(items.len()), cost: 0, value: 0.0, most_value: 0.0 };
    for item in items {
        problem.check_values(item)?;
        let (costs, values) = (problem.costs_of(item), problem.values_of(item));
        part.most_value += values.iter().copied().fold(0.0, f64::max);
        let fate = match classes.mode(item) {
            Mode::Free => hull::cheapest(costs, values, 0),
            Mode::Kept => hull::cheapest(costs, values, 1),
            Mode::Fixed(fate) => Some(usize::from(fate)),
            Mode::Member => {
                part.fates.push(0);
                continue;
            }
        };
        let Some(fate) = fate.filter(|fate| costs[*fate] != UNAVAILABLE) else {
            return Err(infeasible(format!(
                "item {item}: no fate is left for it; give at least one a cost"
            )));
        };
        part.cost += u64::from(costs[fate]);
        part.value += values[fate];
        part.fates.push(fate as u8);
    }
    Ok(part)
}
