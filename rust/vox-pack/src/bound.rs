//! An upper bound on the value of any packing, by Lagrange multipliers: whatever prices tokens
//! have, no packing is worth more than the best fates less what they cost, and the price of all
//! that may be spent (M. L. Fisher, Management Science 27, 1981).

use crate::{
    Problem, UNAVAILABLE, chunks,
    classes::{Classes, Mode},
    fill::Prices,
    hull,
    rooms::Rooms,
};

/// The bound at `prices`, without fates that can't fit `rooms`, what the
/// cheapest packing leaves.
pub(crate) fn at(problem: &Problem<'_>, classes: &Classes, prices: &Prices, rooms: &Rooms) -> f64 {
    let stretches = problem.items().div_ceil(chunks::STRETCH);
    let parts = chunks::map(stretches, |stretch| {
        let items = chunks::items_of(stretch, problem.items());
        items.filter_map(|item| best(problem, classes.mode(item), prices, rooms, item)).sum::<f64>()
    });
    let groups: f64 = (0..classes.groups())
        .map(|group| {
            let members = classes.group(group).iter().map(|item| *item as usize);
            let kept: f64 = members
                .clone()
                .filter_map(|item| best(problem, Mode::Kept, prices, rooms, item))
                .sum();
            let dropped: f64 =
                members.filter_map(|item| best(problem, Mode::Fixed(0), prices, rooms, item)).sum();
            kept.max(dropped)
        })
        .sum();
    let mut bound = parts.iter().sum::<f64>() + groups;
    // At price 0 a cap may be infinite.
    if prices.total > 0.0 {
        bound += prices.total * problem.budget as f64;
    }
    for (price, cap) in prices.caps.iter().zip(problem.caps.unwrap_or(&[])) {
        if *price > 0.0 {
            bound += price * *cap as f64;
        }
    }
    bound
}

/// The most that a fate of `item` is worth beyond its price; None for a member of a group.
fn best(
    problem: &Problem<'_>,
    mode: Mode,
    prices: &Prices,
    rooms: &Rooms,
    item: usize,
) -> Option<f64> {
    let (costs, values) = (problem.costs_of(item), problem.values_of(item));
    let price = prices.of(problem.claimant(item));
    let worth = |fate: usize| values[fate] - price * f64::from(costs[fate]);
    let first = match mode {
        Mode::Free => 0,
        Mode::Kept => 1,
        Mode::Fixed(fate) => return Some(worth(usize::from(fate))),
        Mode::Member => return None,
    };
    let room = rooms.widest(problem, item);
    let least = u64::from(costs[hull::cheapest(costs, values, first)?]);
    (first..costs.len())
        .filter(|fate| costs[*fate] != UNAVAILABLE && u64::from(costs[*fate]) - least <= room)
        .map(worth)
        .reduce(f64::max)
}
