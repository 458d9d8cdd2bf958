//! What may still be chosen instead of the relaxation's own choice, class by class: the options
//! whose loss alone doesn't already make a packing worse than the best known one.

use crate::{
    Problem, UNAVAILABLE,
    classes::{Classes, Mode},
    fill::Prices,
};

/// How many ways to keep a group are looked at; beyond, nothing is proven.
const MOST_WAYS: usize = 4096;

/// What is decided as one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    /// An item in no open group.
    Item(usize),
    /// An open group.
    Group(usize),
}

/// An account that may run dry: the budget, or a claimant's cap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Account {
    /// The budget.
    Total,
    /// The cap of a claimant.
    Cap(usize),
}

/// A choice, compared with the relaxation's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<const K: usize> {
    /// Tokens more, of each account.
    pub more: [i64; K],
    /// Value more.
    pub gain: f64,
    /// What the choice is worth less at the relaxation's prices; never below 0.
    pub loss: f64,
    /// Where its fates begin in [`Level::fates`].
    pub fates: u32,
}

/// A class with its choices.
pub(crate) struct Level<const K: usize> {
    /// Which.
    pub class: Class,
    /// All but the relaxation's own.
    pub choices: Vec<Choice<K>>,
    /// The fates of choices, as many for each as the class has items.
    pub fates: Vec<u8>,
    /// Whether some ways to keep a group were left out.
    pub cut: bool,
    /// The relaxation's own choice: it changes the class to these fates.
    pub own: Vec<u8>,
}

/// What choices are judged by.
pub(crate) struct Judge<'a, const K: usize> {
    /// What is packed.
    pub problem: &'a Problem<'a>,
    /// What is open.
    pub classes: &'a Classes,
    /// The relaxation's.
    pub prices: &'a Prices,
    /// Which accounts are looked at.
    pub accounts: [Account; K],
    /// Tokens beyond the cheapest fate that an item may cost.
    pub room: u64,
    /// Differences of worth below this are rounding.
    pub same: f64,
}

/// A best fate.
#[derive(Clone, Copy)]
struct Best {
    fate: u8,
    worth: f64,
    lead: f64,
}

/// Fates of some members of a group, and what they come to.
#[derive(Clone)]
struct Way<const K: usize> {
    costs: [i64; K],
    value: f64,
    worth: f64,
    fates: Vec<u8>,
}

impl<const K: usize> Judge<'_, K> {
    /// Appends the relaxation's own fates of a class: those in `known`, if none are worth more.
    pub fn own(&self, class: Class, known: &[u8], fates: &mut Vec<u8>) {
        match class {
            Class::Item(item) => {
                let best = self.best_two(item, self.classes.mode(item));
                fates.push(self.as_known(item, known, best));
            }
            Class::Group(group) => {
                let (kept, dropped, _) = self.kept_and_dropped(group);
                let members = self.classes.group(group);
                let was_kept = known[members[0] as usize] != 0;
                let ahead = if was_kept { self.same } else { -self.same };
                fates.extend(members.iter().map(|item| {
                    let best = self.best_two(*item as usize, Mode::Kept);
                    match kept + ahead > dropped {
                        true if was_kept => self.as_known(*item as usize, known, best),
                        true => best.map_or(0, |best| best.fate),
                        false => 0,
                    }
                }));
            }
        }
    }

    /// The known fate of `item` if it is as good as the best one, else that.
    fn as_known(&self, item: usize, known: &[u8], best: Option<Best>) -> u8 {
        let fate = usize::from(known[item]);
        let Some(best) = best else { return known[item] };
        let worth = self.problem.values_of(item)[fate]
            - self.prices.of(self.problem.claimant(item))
                * f64::from(self.problem.costs_of(item)[fate]);
        if worth + self.same >= best.worth { known[item] } else { best.fate }
    }

    /// Whether a class has a choice that loses less than `most`.
    pub fn is_open(&self, class: Class, most: f64) -> bool {
        match class {
            Class::Item(item) => {
                self.best_two(item, self.classes.mode(item)).is_some_and(|best| best.lead < most)
            }
            Class::Group(group) => {
                let (kept, dropped, lead) = self.kept_and_dropped(group);
                (kept - dropped).abs() < most || kept + self.same > dropped && lead < most
            }
        }
    }

    /// The best worth of a group that is kept, that of dropping it, and by how much the first is
    /// ahead of other ways to keep it.
    fn kept_and_dropped(&self, group: usize) -> (f64, f64, f64) {
        let members = self.classes.group(group).iter().map(|item| *item as usize);
        members.fold((0.0, 0.0, f64::INFINITY), |(kept, dropped, lead), item| {
            let best = self.best_two(item, Mode::Kept);
            let price = self.prices.of(self.problem.claimant(item));
            (
                kept + best.map_or(0.0, |best| best.worth),
                dropped - price * f64::from(self.problem.costs_of(item)[0]),
                best.map_or(lead, |best| lead.min(best.lead)),
            )
        })
    }

    /// The fate of most worth, the cheapest among equals, and how far it is ahead.
    fn best_two(&self, item: usize, mode: Mode) -> Option<Best> {
        let (costs, values) = (self.problem.costs_of(item), self.problem.values_of(item));
        let price = self.prices.of(self.problem.claimant(item));
        let least = self.allowed(item, mode).map(|fate| costs[fate]).min()?;
        let mut best: Option<Best> = None;
        for fate in self.allowed(item, mode) {
            if u64::from(costs[fate] - least) > self.room {
                continue;
            }
            let worth = values[fate] - price * f64::from(costs[fate]);
            best = Some(match best {
                None => Best { fate: fate as u8, worth, lead: f64::INFINITY },
                Some(best)
                    if worth > best.worth
                        || worth == best.worth && costs[fate] < costs[usize::from(best.fate)] =>
                {
                    Best { fate: fate as u8, worth, lead: worth - best.worth }
                }
                Some(best) => Best { lead: best.lead.min(best.worth - worth), ..best },
            });
        }
        best
    }

    /// The fates that `item` may have.
    fn allowed(&self, item: usize, mode: Mode) -> impl Iterator<Item = usize> {
        let costs = self.problem.costs_of(item);
        let fates = match mode {
            Mode::Free | Mode::Member => 0..costs.len(),
            Mode::Kept => 1..costs.len(),
            Mode::Fixed(fate) => usize::from(fate)..usize::from(fate) + 1,
        };
        fates.filter(|fate| costs[*fate] != UNAVAILABLE)
    }

    /// The class with those of its choices that lose less than `most`.
    pub fn level(&self, class: Class, own: &[u8], most: f64) -> Level<K> {
        let mut cut = false;
        let ways = match class {
            Class::Item(item) => self.fates_of(item, self.classes.mode(item)),
            Class::Group(group) => self.ways(group, most, &mut cut),
        };
        let own = own.to_vec();
        let mut level = Level { class, choices: Vec::new(), fates: Vec::new(), cut, own };
        let Some(own) = self.way_of(class, &level.own) else { return level };
        for way in ways {
            let loss = (own.worth - way.worth).max(0.0);
            if loss >= most || way.fates == own.fates {
                continue;
            }
            level.choices.push(Choice {
                more: std::array::from_fn(|k| way.costs[k] - own.costs[k]),
                gain: way.value - own.value,
                loss,
                fates: level.fates.len() as u32,
            });
            level.fates.extend_from_slice(&way.fates);
        }
        level
    }

    /// The fates that `item` may have, each as a way.
    fn fates_of(&self, item: usize, mode: Mode) -> Vec<Way<K>> {
        let costs = self.problem.costs_of(item);
        let least = self.allowed(item, mode).map(|fate| costs[fate]).min().unwrap_or(0);
        let fits = |fate: &usize| u64::from(costs[*fate] - least) <= self.room;
        self.allowed(item, mode).filter(fits).map(|fate| self.way(item, fate)).collect()
    }

    /// The way that gives a class these fates.
    fn way_of(&self, class: Class, fates: &[u8]) -> Option<Way<K>> {
        match class {
            Class::Item(item) => fates.first().map(|fate| self.way(item, usize::from(*fate))),
            Class::Group(group) => {
                let members = self.classes.group(group).iter().zip(fates);
                members
                    .map(|(item, fate)| self.way(*item as usize, usize::from(*fate)))
                    .reduce(|way, more| join(&way, &more))
            }
        }
    }

    fn way(&self, item: usize, fate: usize) -> Way<K> {
        let claimant = self.problem.claimant(item);
        let cost = self.problem.costs_of(item)[fate];
        let value = self.problem.values_of(item)[fate];
        Way {
            costs: std::array::from_fn(|k| match self.accounts[k] {
                Account::Total => i64::from(cost),
                Account::Cap(of) if of == claimant => i64::from(cost),
                Account::Cap(_) => 0,
            }),
            value,
            worth: value - self.prices.of(claimant) * f64::from(cost),
            fates: vec![fate as u8],
        }
    }

    /// Dropping a group, and the ways to keep it that lose less than `most` against the best one.
    fn ways(&self, group: usize, most: f64, cut: &mut bool) -> Vec<Way<K>> {
        let members = self.classes.group(group);
        let none = Way { costs: [0; K], value: 0.0, worth: 0.0, fates: Vec::new() };
        let mut dropped = none.clone();
        let mut kept = vec![none];
        for &item in members {
            let item = item as usize;
            dropped = join(&dropped, &self.way(item, 0));
            let fates = self.fates_of(item, Mode::Kept);
            let mut next: Vec<Way<K>> =
                kept.iter().flat_map(|way| fates.iter().map(|fate| join(way, fate))).collect();
            next.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            let best = next.first().map_or(0.0, |way| way.worth);
            // What is dropped may be the better choice; then all losses are larger still.
            next.retain(|way| best - way.worth < most);
            next = self.undominated(next);
            if next.len() > MOST_WAYS {
                *cut = true;
                next.truncate(MOST_WAYS);
            }
            kept = next;
        }
        kept.push(dropped);
        kept
    }

    /// Without ways that cost as much as another on every account and aren't worth more.
    fn undominated(&self, ways: Vec<Way<K>>) -> Vec<Way<K>> {
        if ways.len() < 3 || K > 1 {
            return ways;
        }
        let mut order: Vec<usize> = (0..ways.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&ways[*a], &ways[*b]);
            a.costs.cmp(&b.costs).then(b.value.total_cmp(&a.value))
        });
        let mut keep = vec![false; ways.len()];
        let mut most = f64::NEG_INFINITY;
        for place in order {
            if ways[place].value > most {
                most = ways[place].value;
                keep[place] = true;
            }
        }
        let mut keep = keep.into_iter();
        ways.into_iter().filter(|_| keep.next().unwrap_or(true)).collect()
    }
}

/// Two ways as one.
fn join<const K: usize>(way: &Way<K>, more: &Way<K>) -> Way<K> {
    Way {
        costs: std::array::from_fn(|k| way.costs[k] + more.costs[k]),
        value: way.value + more.value,
        worth: way.worth + more.worth,
        fates: [&way.fates[..], &more.fates].concat(),
    }
}
