//! Small problems of every kind, against trying all packings.

use proptest::prelude::*;
use vox_pack::{Packing, Problem, UNAVAILABLE, pack};
use vox_types::Code;

/// A problem that owns its columns.
#[derive(Clone, Debug)]
struct Owned {
    costs: Vec<u32>,
    values: Vec<f64>,
    fates: usize,
    budget: u64,
    groups: Option<Vec<i32>>,
    pins: Option<Vec<i8>>,
    claimants: Option<Vec<u8>>,
    caps: Option<Vec<u64>>,
}

impl Owned {
    fn problem(&self) -> Problem<'_> {
        Problem {
            costs: &self.costs,
            values: &self.values,
            fates: self.fates,
            budget: self.budget,
            groups: self.groups.as_deref(),
            pins: self.pins.as_deref(),
            claimants: self.claimants.as_deref(),
            caps: self.caps.as_deref(),
        }
    }

    /// The value of `fates`, if it is allowed.
    fn value(&self, fates: &[u8]) -> Option<f64> {
        let problem = self.problem();
        let (mut used, mut value) = (0, 0.0);
        let mut accounts = vec![0; 256];
        for (item, &fate) in fates.iter().enumerate() {
            let cost = problem.costs_of(item)[usize::from(fate)];
            let pin = self.pins.as_ref().map_or(-1, |pins| pins[item]);
            if cost == UNAVAILABLE || pin >= 0 && pin != fate as i8 {
                return None;
            }
            used += u64::from(cost);
            accounts[problem.claimant(item)] += u64::from(cost);
            value += problem.values_of(item)[usize::from(fate)];
            if let Some(groups) = &self.groups
                && groups[item] >= 0
            {
                let mut others = groups.iter().zip(fates).filter(|(g, _)| **g == groups[item]);
                if others.any(|(_, other)| (*other == 0) != (fate == 0)) {
                    return None;
                }
            }
        }
        let within = self.caps.iter().flatten().zip(accounts).all(|(cap, used)| used <= *cap);
        (used <= self.budget && within).then_some(value)
    }

    /// The most that any packing is worth.
    fn best(&self) -> Option<f64> {
        let items = self.problem().items();
        let mut fates = vec![0u8; items];
        let mut best: Option<f64> = None;
        loop {
            if let Some(value) = self.value(&fates) {
                best = Some(best.map_or(value, |best| best.max(value)));
            }
            let Some(place) = fates.iter().position(|fate| usize::from(*fate) + 1 < self.fates)
            else {
                return best;
            };
            fates[place] += 1;
            fates[..place].fill(0);
        }
    }
}

fn rows(items: usize, fates: usize) -> impl Strategy<Value = (Vec<u32>, Vec<f64>)> {
    let cost = prop_oneof![8 => 0..30u32, 1 => Just(UNAVAILABLE), 1 => 0..200u32];
    let stub = prop_oneof![6 => Just(0u32), 2 => 0..6u32, 1 => Just(UNAVAILABLE)];
    let value = prop_oneof![
        4 => (0..60u32).prop_map(f64::from),
        2 => 0.0..50.0f64,
        1 => Just(0.0),
    ];
    let options = items * fates;
    (
        prop::collection::vec(cost, options),
        prop::collection::vec(stub, items),
        prop::collection::vec(value, options),
        0..4u8,
    )
        .prop_map(move |(mut costs, stubs, mut values, kind)| {
            for item in 0..items {
                costs[item * fates] = stubs[item];
                values[item * fates] = 0.0;
                for option in item * fates + 1..(item + 1) * fates {
                    let cost = f64::from(costs[option]);
                    match kind {
                        _ if costs[option] == UNAVAILABLE => {}
                        // Like a subset sum, and strongly correlated.
                        1 => values[option] = cost,
                        2 => values[option] = cost + 5.0,
                        _ => {}
                    }
                }
            }
            (costs, values)
        })
}

fn problems() -> impl Strategy<Value = Owned> {
    (0..=6usize, 1..=4usize).prop_flat_map(|(items, fates)| {
        (
            rows(items, fates),
            0..150u64,
            prop::option::of(prop::collection::vec(-1..3i32, items)),
            prop::option::weighted(
                0.4,
                prop::collection::vec(prop_oneof![5 => Just(-1i8), 1 => 0..fates as i8], items),
            ),
            prop::option::of((
                prop::collection::vec(0..3u8, items),
                prop::option::of(prop::collection::vec(0..90u64, 3)),
            )),
        )
            .prop_map(move |((costs, values), budget, groups, pins, accounts)| {
                let (claimants, caps) = accounts.map_or((None, None), |(c, caps)| (Some(c), caps));
                Owned { costs, values, fates, budget, groups, pins, claimants, caps }
            })
    })
}

fn check(owned: &Owned, packing: &Packing) {
    let value = owned.value(&packing.fates).expect("the packing is allowed");
    assert_eq!(packing.value, value);
    let problem = owned.problem();
    let cost = |item: usize| u64::from(problem.costs_of(item)[usize::from(packing.fates[item])]);
    assert_eq!(packing.used, (0..problem.items()).map(cost).sum::<u64>());
    assert!(packing.bound >= packing.value);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_small_problem_is_solved_like_by_trying_everything(owned in problems()) {
        match (pack(&owned.problem()), owned.best()) {
            (Ok(packing), Some(best)) => {
                check(&owned, &packing);
                let close = 1e-9 * best.max(1.0);
                prop_assert!(packing.bound >= best - close, "bound {} best {best}", packing.bound);
                prop_assert!((packing.value - best).abs() <= close, "{} best {best}", packing.value);
                prop_assert_eq!(packing.gap(), 0.0);
            }
            (Err(error), None) => prop_assert_eq!(error.code, Code::Infeasible),
            (answer, best) => prop_assert!(false, "{answer:?}, and the best is {best:?}"),
        }
    }
}
