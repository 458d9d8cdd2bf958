//! The best packing among all choices that can still matter: a dynamic programme over a core that
//! grows from the classes nearest to the break (D. Pisinger, A minimal algorithm for the
//! multiple-choice knapsack problem, EJOR 83, 1995), with one account or several.
//!
//! Everything is told as a difference from the relaxation's own choice: tokens more, value more. A
//! state is dropped if another one is cheaper and worth more, or if the best that could still
//! become of it isn't worth more than the best packing known.

use std::cmp::Ordering;

use crate::options::{Class, Level};

/// Levels of which a state remembers its choice: a chain of these.
#[derive(Clone, Copy)]
struct Link {
    before: u32,
    level: u32,
    choice: u32,
}

const NOTHING: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct State<const K: usize> {
    more: [i64; K],
    gain: f64,
    link: u32,
    choice: u32,
}

/// What to look for.
pub(crate) struct Search<const K: usize> {
    /// Price of a token, by account.
    pub prices: [f64; K],
    /// What the relaxation's own choice leaves, by account; below 0 if it is too dear.
    pub left: [i64; K],
    /// Value of the best packing known beyond the relaxation's own choice; -infinity if none is.
    pub known: f64,
    /// Values are multiples of this; 0 if that isn't known.
    pub grain: f64,
    /// Differences of value below this are rounding.
    pub rounding: f64,
    /// How many states may be made.
    pub work: usize,
}

/// What was found.
pub(crate) struct Found {
    /// The choices of the best packing, if it is better than the known one.
    pub choices: Option<Vec<(Class, Vec<u8>)>>,
    /// How much more than the best one a packing can be worth at most, as far as these levels go.
    pub missing: f64,
}

/// The least loss for each token that choices from a level on offer, by account.
#[derive(Clone, Copy)]
struct Rates<const K: usize> {
    spend: [f64; K],
    save: [f64; K],
}

impl<const K: usize> Search<K> {
    /// What a packing can lose at most and still be better than one of `gain`.
    pub fn most_loss(&self, gain: f64) -> f64 {
        let reach: f64 = (0..K).map(|k| self.prices[k] * self.left[k] as f64).sum();
        let slack = if self.grain > 0.0 { self.grain - self.rounding } else { self.rounding };
        reach - gain - slack
    }

    /// What a state has lost at least, whatever follows.
    fn loss(&self, state: &State<K>, rates: &Rates<K>) -> f64 {
        let mut lost = -state.gain;
        let mut further = 0.0f64;
        for k in 0..K {
            lost += self.prices[k] * state.more[k] as f64;
            let left = self.left[k] - state.more[k];
            let rate = if left < 0 { rates.save[k] } else { rates.spend[k].min(self.prices[k]) };
            if left != 0 {
                further = further.max(rate * left.unsigned_abs() as f64);
            }
        }
        lost + further
    }

    /// Runs over `levels`, those nearest to the break first.
    pub fn run(&self, levels: &[Level<K>]) -> Found {
        let rates = rates(levels);
        let mut links: Vec<Link> = Vec::new();
        let mut states = vec![State { more: [0; K], gain: 0.0, link: NOTHING, choice: NOTHING }];
        let mut best = (self.known, None);
        self.note(&states, &mut best);
        let mut work = 0;
        let mut missing = 0.0f64;
        let mut next: Vec<State<K>> = Vec::new();
        for (number, level) in levels.iter().enumerate() {
            let most = self.most_loss(best.0);
            states.retain(|state| self.loss(state, &rates[number]) < most);
            if states.is_empty() {
                break;
            }
            work += states.len() * (level.choices.len() + 1);
            if work > self.work {
                let least = states.iter().map(|state| self.loss(state, &rates[number]));
                missing = self.most_loss(best.0) - least.fold(f64::INFINITY, f64::min);
                missing = (missing + self.grain.max(self.rounding)).max(0.0);
                break;
            }
            next.clear();
            next.extend_from_slice(&states);
            for (choice, option) in level.choices.iter().enumerate() {
                if option.loss >= most {
                    continue;
                }
                next.extend(states.iter().map(|state| State {
                    more: std::array::from_fn(|k| state.more[k] + option.more[k]),
                    gain: state.gain + option.gain,
                    link: state.link,
                    choice: choice as u32,
                }));
            }
            // Each choice shifts a sorted run; sorting merges them.
            next.sort_by(order);
            self.thin(&mut next, &rates[number + 1], most, &mut states);
            for state in &mut states {
                if state.choice != NOTHING {
                    let link =
                        Link { before: state.link, level: number as u32, choice: state.choice };
                    state.link = links.len() as u32;
                    state.choice = NOTHING;
                    links.push(link);
                }
            }
            self.note(&states, &mut best);
        }
        let cut = levels.iter().any(|level| level.cut);
        if cut {
            missing = self.most_loss(best.0) + self.grain.max(self.rounding);
        }
        Found { choices: best.1.map(|link| chosen(levels, &links, link)), missing }
    }

    /// Notes the state that is worth most and fits.
    fn note(&self, states: &[State<K>], best: &mut (f64, Option<u32>)) {
        for state in states {
            if state.gain > best.0 && (0..K).all(|k| state.more[k] <= self.left[k]) {
                *best = (state.gain, Some(state.link));
            }
        }
    }

    /// Moves what is neither dominated nor hopeless from `from` to `to`.
    fn thin(&self, from: &mut Vec<State<K>>, rates: &Rates<K>, most: f64, to: &mut Vec<State<K>>) {
        /// With several accounts, how many of the last states are looked at for a better one.
        const BACK: usize = 64;
        to.clear();
        for state in from.drain(..) {
            let back = if K == 1 { 1 } else { BACK };
            let dominated = to.iter().rev().take(back).any(|other| {
                other.gain >= state.gain && (0..K).all(|k| other.more[k] <= state.more[k])
            });
            if !dominated && self.loss(&state, rates) < most {
                to.push(state);
            }
        }
    }
}

fn order<const K: usize>(a: &State<K>, b: &State<K>) -> Ordering {
    a.more[0].cmp(&b.more[0]).then(b.gain.total_cmp(&a.gain))
}

/// For each level, and the end, what all from there on offer.
fn rates<const K: usize>(levels: &[Level<K>]) -> Vec<Rates<K>> {
    let none = Rates { spend: [f64::INFINITY; K], save: [f64::INFINITY; K] };
    let mut rates = vec![none; levels.len() + 1];
    for (number, level) in levels.iter().enumerate().rev() {
        let mut now = rates[number + 1];
        for choice in &level.choices {
            for k in 0..K {
                let rate = choice.loss / choice.more[k].unsigned_abs() as f64;
                match choice.more[k].cmp(&0) {
                    Ordering::Greater => now.spend[k] = now.spend[k].min(rate),
                    Ordering::Less => now.save[k] = now.save[k].min(rate),
                    Ordering::Equal => {}
                }
            }
        }
        rates[number] = now;
    }
    rates
}

fn chosen<const K: usize>(
    levels: &[Level<K>],
    links: &[Link],
    mut link: u32,
) -> Vec<(Class, Vec<u8>)> {
    let mut choices = Vec::new();
    while link != NOTHING {
        let Link { before, level, choice } = links[link as usize];
        let level = &levels[level as usize];
        let from = level.choices[choice as usize].fates as usize;
        choices.push((level.class, level.fates[from..from + level.own.len()].to_vec()));
        link = before;
    }
    choices
}
