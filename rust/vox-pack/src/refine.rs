//! Makes a packing better than filling by slope can, among the classes that it is given; and if
//! those are all, says how much better any packing can be.

use crate::{
    Problem, UNAVAILABLE,
    classes::{Classes, Mode},
    fill::Prices,
    options::{Account, Class, Judge, Level},
    rooms::Rooms,
    search::Search,
};

/// With so many accounts that may run dry nothing is searched any more.
const MOST_ACCOUNTS: usize = 6;

/// What is searched.
pub(crate) struct Refine<'a> {
    /// What is packed.
    pub problem: &'a Problem<'a>,
    /// What is open.
    pub classes: &'a Classes,
    /// The relaxation's.
    pub prices: &'a Prices,
    /// What the cheapest packing leaves.
    pub widest: &'a Rooms,
    /// How many states may be made.
    pub work: usize,
    /// Differences of value below this are rounding.
    pub rounding: f64,
    /// Whether the classes are all that there are, so that something can be proven.
    pub all: bool,
}

impl Refine<'_> {
    /// Makes `fates`, which leave `left`, better. Gives by how much a packing can be better still,
    /// as far as `classes` go; None if nothing was searched.
    pub fn run(&self, fates: &mut [u8], left: &mut Rooms, classes: &[Class]) -> Option<f64> {
        let accounts = self.accounts();
        match accounts.len() {
            1 => self.search::<1>(&accounts, fates, left, classes),
            2 => self.search::<2>(&accounts, fates, left, classes),
            3 => self.search::<3>(&accounts, fates, left, classes),
            4 => self.search::<4>(&accounts, fates, left, classes),
            5 => self.search::<5>(&accounts, fates, left, classes),
            MOST_ACCOUNTS => self.search::<MOST_ACCOUNTS>(&accounts, fates, left, classes),
            _ => None,
        }
    }

    /// The budget, and the caps that all together could exceed.
    fn accounts(&self) -> Vec<Account> {
        let mut accounts = vec![Account::Total];
        let Some(caps) = self.problem.caps else { return accounts };
        let mut most = vec![0u64; caps.len()];
        for item in 0..self.problem.items() {
            let costs = self.problem.costs_of(item).iter();
            let dearest = costs.filter(|cost| **cost != UNAVAILABLE).max();
            most[self.problem.claimant(item)] += u64::from(dearest.copied().unwrap_or(0));
        }
        let tight = most.iter().zip(caps).enumerate().filter(|(_, (most, cap))| most > cap);
        accounts.extend(tight.map(|(claimant, _)| Account::Cap(claimant)));
        accounts
    }

    fn search<const K: usize>(
        &self,
        accounts: &[Account],
        fates: &mut [u8],
        rooms: &mut Rooms,
        classes: &[Class],
    ) -> Option<f64> {
        let accounts: [Account; K] = accounts.try_into().ok()?;
        let judge = Judge {
            problem: self.problem,
            classes: self.classes,
            prices: self.prices,
            accounts,
            room: self.widest.total,
            same: self.rounding / self.problem.items().max(1) as f64,
        };
        let mut left = accounts.map(|account| match account {
            Account::Total => i64::try_from(rooms.total).unwrap_or(i64::MAX),
            Account::Cap(claimant) => rooms.caps[claimant],
        });
        let fits = left.iter().all(|left| *left >= 0);
        // From what is known to the relaxation's own choice.
        let mut known = 0.0;
        let own = |item: usize, own: u8, known: &mut f64, left: &mut [i64; K]| {
            let (costs, values) = (self.problem.costs_of(item), self.problem.values_of(item));
            let now = usize::from(fates[item]);
            let own = usize::from(own);
            *known += values[now] - values[own];
            let less = i64::from(costs[now]) - i64::from(costs[own]);
            for (left, account) in left.iter_mut().zip(accounts) {
                if account == Account::Total || account == Account::Cap(self.problem.claimant(item))
                {
                    *left = left.saturating_add(less);
                }
            }
        };
        let mut owns: Vec<u8> = Vec::with_capacity(classes.len());
        for class in classes {
            judge.own(*class, fates, &mut owns);
        }
        let mut place = 0;
        for class in classes {
            for item in items(self.classes, *class) {
                own(item, owns[place], &mut known, &mut left);
                place += 1;
            }
        }
        if self.all {
            left[0] -= left[0].rem_euclid(self.cost_grain());
        }
        let mut search = Search {
            prices: accounts.map(|account| match account {
                Account::Total => self.prices.total,
                Account::Cap(claimant) => self.prices.caps[claimant],
            }),
            left,
            known: if fits { known } else { f64::NEG_INFINITY },
            grain: if self.all { self.value_grain() } else { 0.0 },
            rounding: self.rounding,
            // Several accounts make states dearer.
            work: if K == 1 { self.work } else { self.work / 8 },
        };
        if search.grain <= 4.0 * search.rounding {
            search.grain = 0.0;
        }
        let most = search.most_loss(search.known);
        let mut levels: Vec<(f64, Level<K>)> = Vec::new();
        let mut place = 0;
        for class in classes {
            let many = items(self.classes, *class).count();
            let own = &owns[place..place + many];
            place += many;
            if !judge.is_open(*class, most) {
                continue;
            }
            let level = judge.level(*class, own, most);
            let near = level
                .choices
                .iter()
                .map(|choice| choice.loss / choice.more[0].unsigned_abs().max(1) as f64);
            let nearest = near.fold(f64::INFINITY, f64::min);
            if nearest.is_finite() {
                levels.push((nearest, level));
            }
        }
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        let levels = in_turn(levels);
        let found = search.run(&levels);
        if let Some(choices) = found.choices {
            let mut place = 0;
            for class in classes {
                for item in items(self.classes, *class) {
                    self.change(item, owns[place], fates, rooms);
                    place += 1;
                }
            }
            for (class, chosen) in choices {
                for (item, fate) in items(self.classes, class).zip(chosen) {
                    self.change(item, fate, fates, rooms);
                }
            }
        }
        Some(found.missing)
    }

    /// Gives an item a fate.
    fn change(&self, item: usize, fate: u8, fates: &mut [u8], rooms: &mut Rooms) {
        let costs = self.problem.costs_of(item);
        let (before, after) = (costs[usize::from(fates[item])], costs[usize::from(fate)]);
        // On the way the sum may be below nothing.
        rooms.total = rooms.total.wrapping_add(u64::from(before)).wrapping_sub(u64::from(after));
        if let Some(cap) = rooms.caps.get_mut(self.problem.claimant(item)) {
            *cap += i64::from(before) - i64::from(after);
        }
        fates[item] = fate;
    }

    /// What all differences of cost are multiples of: the budget can't be used more finely.
    fn cost_grain(&self) -> i64 {
        let mut grain = 0u64;
        for item in 0..self.problem.items() {
            if matches!(self.classes.mode(item), Mode::Fixed(_)) {
                continue;
            }
            let mut first = None;
            for &cost in self.problem.costs_of(item) {
                if cost != UNAVAILABLE {
                    grain = common(grain, u64::from(cost.abs_diff(*first.get_or_insert(cost))));
                }
            }
            if grain == 1 {
                return 1;
            }
        }
        grain.max(1) as i64
    }

    /// What all values are multiples of; 0 if they aren't whole numbers.
    fn value_grain(&self) -> f64 {
        /// Whole numbers up to here are exact.
        const EXACT: f64 = 9e15;
        let mut grain = 0u64;
        for value in self.problem.values {
            if value.fract() != 0.0 || *value > EXACT {
                return 0.0;
            }
            if grain != 1 {
                grain = common(grain, *value as u64);
            }
        }
        grain as f64
    }
}

/// Levels in the order given, but of those that are equally near the ones that can save and the
/// ones that can only spend by turns, as neither help without the others.
fn in_turn<const K: usize>(levels: Vec<(f64, Level<K>)>) -> Vec<Level<K>> {
    let mut near = f64::NAN;
    let mut seen = [0; 2];
    let mut turns: Vec<(f64, usize, Level<K>)> = Vec::with_capacity(levels.len());
    for (nearest, level) in levels {
        if nearest != near {
            (near, seen) = (nearest, [0; 2]);
        }
        let saves = usize::from(level.choices.iter().any(|choice| choice.more[0] < 0));
        turns.push((nearest, seen[saves], level));
        seen[saves] += 1;
    }
    turns.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    turns.into_iter().map(|(_, _, level)| level).collect()
}

/// The items of a class.
fn items(classes: &Classes, class: Class) -> impl Iterator<Item = usize> {
    let (one, many) = match class {
        Class::Item(item) => (Some(item), &[][..]),
        Class::Group(group) => (None, classes.group(group)),
    };
    one.into_iter().chain(many.iter().map(|item| *item as usize))
}

/// The greatest common divisor.
fn common(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
