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

/// So many states go on when there were too many.
const BEAM: usize = 256;

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

/// The least loss of spending or saving so many tokens, by linear relaxation: the ends of its
/// pieces, tokens and loss, and the loss for each token beyond.
struct Curve {
    ends: Vec<(f64, f64)>,
    beyond: f64,
}

impl Curve {
    /// Of `levels`, on account `k`: of spending more, at a price that idle tokens cost, or of
    /// saving.
    fn of<const K: usize>(levels: &[Level<K>], k: usize, saves: bool, idle: f64) -> Self {
        let mut pieces: Vec<(f64, f64)> = Vec::new();
        for level in levels {
            let wanted = |more: i64| if saves { more < 0 } else { more > 0 };
            let options = level.choices.iter().filter(|choice| wanted(choice.more[k]));
            let points: Vec<(f64, f64)> =
                options.map(|c| (c.more[k].unsigned_abs() as f64, c.loss)).collect();
            // The convex hull of the points from the origin on.
            let mut at = (0.0, 0.0);
            while let Some(next) = points.iter().filter(|point| point.0 > at.0).min_by(|a, b| {
                let rate = |point: &(f64, f64)| (point.1 - at.1) / (point.0 - at.0);
                rate(a).total_cmp(&rate(b)).then(b.0.total_cmp(&a.0))
            }) {
                pieces.push(((next.1 - at.1) / (next.0 - at.0), next.0 - at.0));
                at = *next;
            }
        }
        pieces.retain(|(rate, _)| *rate < idle);
        pieces.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut ends = vec![(0.0, 0.0)];
        let (mut tokens, mut loss) = (0.0, 0.0);
        for (rate, more) in pieces {
            tokens += more;
            loss += rate * more;
            ends.push((tokens, loss));
        }
        Self { ends, beyond: idle }
    }

    /// The least loss for `tokens`.
    fn at(&self, tokens: f64) -> f64 {
        let next = self.ends.partition_point(|(end, _)| *end < tokens);
        let Some(before) = next.checked_sub(1).map(|place| self.ends[place]) else { return 0.0 };
        match self.ends.get(next) {
            Some(after) => {
                let share = (tokens - before.0) / (after.0 - before.0);
                before.1 + share * (after.1 - before.1)
            }
            None => before.1 + (tokens - before.0) * self.beyond,
        }
    }
}

/// Curves of all accounts, of levels from some place on.
struct Curves {
    spend: Vec<Curve>,
    save: Vec<Curve>,
}

impl<const K: usize> Search<K> {
    fn curves(&self, levels: &[Level<K>]) -> Curves {
        Curves {
            spend: (0..K).map(|k| Curve::of(levels, k, false, self.prices[k])).collect(),
            save: (0..K).map(|k| Curve::of(levels, k, true, f64::INFINITY)).collect(),
        }
    }

    /// What a packing that loses nothing is worth beyond the relaxation's own choice.
    fn reach(&self) -> f64 {
        (0..K).map(|k| self.prices[k] * self.left[k] as f64).sum()
    }

    /// What a packing can lose at most and still be better than one of `gain`.
    pub fn most_loss(&self, gain: f64) -> f64 {
        let slack = if self.grain > 0.0 { self.grain - self.rounding } else { self.rounding };
        self.reach() - gain - slack
    }

    /// What a state has lost at least, whatever follows.
    fn loss(&self, state: &State<K>, rates: &Rates<K>, curves: &Curves) -> f64 {
        let mut lost = -state.gain;
        let mut further = 0.0f64;
        for k in 0..K {
            lost += self.prices[k] * state.more[k] as f64;
            let left = self.left[k] - state.more[k];
            let rate = if left < 0 { rates.save[k] } else { rates.spend[k].min(self.prices[k]) };
            if left != 0 {
                let tokens = left.unsigned_abs() as f64;
                let curve = if left < 0 { &curves.save[k] } else { &curves.spend[k] };
                further = further.max(rate * tokens).max(curve.at(tokens));
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
        let mut curves = self.curves(levels);
        let mut work = 0;
        let mut floor = f64::INFINITY;
        let mut next: Vec<State<K>> = Vec::new();
        for (number, level) in levels.iter().enumerate() {
            let most = self.most_loss(best.0);
            // Curves of fewer levels are steeper; they are drawn anew after 1, 2, 4, 8, … levels.
            if number.is_power_of_two() {
                curves = self.curves(&levels[number..]);
            }
            states.retain(|state| self.loss(state, &rates[number], &curves) < most);
            if states.is_empty() {
                break;
            }
            work += states.len() * (level.choices.len() + 1);
            if work > self.work {
                // From here on only the most hopeful go on; what is cut keeps the rest honest.
                let beam = if work > self.work + self.work / 2 { 0 } else { BEAM };
                floor = floor.min(self.narrow(&mut states, beam, &rates[number], &curves));
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
            self.thin(&mut next, (&rates[number + 1], &curves), most, &mut states);
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
        if levels.iter().any(|level| level.cut) {
            floor = 0.0;
        }
        let missing = (self.reach() - best.0 - floor).max(0.0);
        Found { choices: best.1.map(|link| chosen(levels, &links, link)), missing }
    }

    /// Leaves the `most` states that have lost least, and gives the least loss of the others.
    fn narrow(
        &self,
        states: &mut Vec<State<K>>,
        most: usize,
        rates: &Rates<K>,
        curves: &Curves,
    ) -> f64 {
        if states.len() <= most {
            return f64::INFINITY;
        }
        let mut ranked: Vec<(f64, State<K>)> =
            states.drain(..).map(|state| (self.loss(&state, rates, curves), state)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let floor = ranked[most].0;
        states.extend(ranked[..most].iter().map(|(_, state)| *state));
        states.sort_by(order);
        floor
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
    fn thin(
        &self,
        from: &mut Vec<State<K>>,
        (rates, curves): (&Rates<K>, &Curves),
        most: f64,
        to: &mut Vec<State<K>>,
    ) {
        /// With several accounts, how many of the last states are looked at for a better one.
        const BACK: usize = 32;
        to.clear();
        for state in from.drain(..) {
            let back = if K == 1 { 1 } else { BACK };
            let dominated = to.iter().rev().take(back).any(|other| {
                other.gain >= state.gain && (0..K).all(|k| other.more[k] <= state.more[k])
            });
            if !dominated && self.loss(&state, rates, curves) < most {
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
