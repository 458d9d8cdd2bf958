//! Which increments are taken without a second look, and which stand so near to the break that
//! their order counts: told apart by a histogram over the leading bits of slopes, so that only
//! some hundred of millions are ever sorted.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use crate::{
    classes::Classes,
    increments::{Increment, Increments, What},
    order::Candidate,
};

/// Exponent and five bits of mantissa: a bucket holds slopes within 3 %.
const BUCKETS: usize = 1 << 16;

/// So many increments on each side of the break are put in order, if there are.
const NEAR: usize = 128;

/// Tokens and increments of each bucket.
struct Histogram {
    costs: Vec<u64>,
    counts: Vec<u32>,
}

/// What the histogram decided.
pub(crate) struct Selected {
    /// In no order: what may or may not be taken.
    pub near: Vec<Candidate>,
    /// What was taken costs.
    pub cost: u64,
    /// And is worth.
    pub value: f64,
}

/// Positive floats sort like their bits.
fn bucket(increment: &Increment) -> usize {
    (increment.slope.to_bits() >> 47) as usize & (BUCKETS - 1)
}

impl Histogram {
    fn of(increments: &Increments) -> Self {
        let new = || Self { costs: vec![0; BUCKETS], counts: vec![0; BUCKETS] };
        let add = |mut all: Self, part: &Vec<Increment>| {
            for increment in part {
                let bucket = bucket(increment);
                all.costs[bucket] += increments.cost(increment);
                all.counts[bucket] += 1;
            }
            all
        };
        let join = |mut all: Self, more: Self| {
            all.costs.iter_mut().zip(more.costs).for_each(|(sum, more)| *sum += more);
            all.counts.iter_mut().zip(more.counts).for_each(|(sum, more)| *sum += more);
            all
        };
        increments.parts.par_iter().fold(new, add).reduce(new, join)
    }

    /// The buckets around the one in which `room` runs out; None if everything fits.
    fn around(&self, room: u64) -> Option<(usize, usize)> {
        let mut spent = 0u64;
        let full = (0..BUCKETS).rev().find(|bucket| {
            spent = spent.saturating_add(self.costs[*bucket]);
            spent > room
        })?;
        let widen = |mut range: Box<dyn Iterator<Item = usize> + '_>| {
            let mut seen = 0;
            range.find(|bucket| {
                seen += self.counts[*bucket] as usize;
                seen >= NEAR
            })
        };
        let low = widen(Box::new((0..full).rev())).unwrap_or(0);
        let high = widen(Box::new(full + 1..BUCKETS)).unwrap_or(BUCKETS - 1);
        Some((low, high))
    }
}

/// Takes what surely fits `room` into `fates`.
pub(crate) fn take(
    increments: &Increments,
    classes: &Classes,
    fates: &mut Vec<u8>,
    room: u64,
) -> Selected {
    let (low, high) = Histogram::of(increments).around(room).unwrap_or((0, 0));
    let shared: Vec<AtomicU8> = std::mem::take(fates).into_iter().map(AtomicU8::new).collect();
    let parts: Vec<Selected> = increments
        .parts
        .par_iter()
        .map(|part| {
            let mut selected = Selected { near: Vec::new(), cost: 0, value: 0.0 };
            for increment in part {
                let bucket = bucket(increment);
                if bucket > high {
                    let cost = increments.cost(increment);
                    selected.cost += cost;
                    selected.value += increment.slope * cost as f64;
                    match increments.what(increment) {
                        What::Item(item, fate) => shared[item].store(fate, Relaxed),
                        What::Group(group) => {
                            let kept = &increments.kept[classes.starts[group] as usize..];
                            for (item, fate) in classes.group(group).iter().zip(kept) {
                                shared[*item as usize].store(*fate, Relaxed);
                            }
                        }
                    }
                } else if bucket >= low {
                    selected.near.push(Candidate::of(increment, increments, classes));
                }
            }
            selected
        })
        .collect();
    *fates = shared.into_iter().map(AtomicU8::into_inner).collect();
    let mut all = Selected { near: Vec::new(), cost: 0, value: 0.0 };
    for part in parts {
        all.near.extend_from_slice(&part.near);
        all.cost += part.cost;
        all.value += part.value;
    }
    all
}

/// Puts `candidates` in order as far as `room` asks for: those from the first number on, up to the
/// second, are in order; those before surely fit, those after may only fill what is left.
pub(crate) fn order_around(candidates: &mut [Candidate], room: u64) -> (usize, usize) {
    let (mut low, mut high) = (0, candidates.len());
    let mut left = room;
    while high - low > 4 * NEAR {
        let middle = low + (high - low) / 2;
        candidates[low..high].select_nth_unstable_by(middle - low, Candidate::order);
        let cost = candidates[low..middle].iter().map(|candidate| candidate.cost);
        match left.checked_sub(cost.fold(0, u64::saturating_add)) {
            Some(rest) => (low, left) = (middle, rest),
            None => high = middle,
        }
    }
    let from = low.saturating_sub(NEAR);
    if from > 0 {
        candidates[..low].select_nth_unstable_by(from, Candidate::order);
    }
    let to = (high + NEAR).min(candidates.len());
    if to < candidates.len() {
        candidates[high..].select_nth_unstable_by(to - high, Candidate::order);
    }
    candidates[from..to].sort_unstable_by(Candidate::order);
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_order_around_the_break_is_what_sorting_all_puts_there() {
        let mut candidates: Vec<Candidate> = (0..20_000u32)
            .map(|number| Candidate {
                slope: f64::from(number.wrapping_mul(2_654_435_761) % 50),
                cost: u64::from(number.wrapping_mul(40_503) % 17 + 1),
                newest: number,
                what: What::Item(number as usize, 1),
            })
            .collect();
        let mut sorted = candidates.clone();
        sorted.sort_unstable_by(Candidate::order);
        for room in [0, 40, 90_000, 170_000, 10_000_000] {
            let (from, to) = order_around(&mut candidates, room);
            let newest = |all: &[Candidate]| all.iter().map(|c| c.newest).collect::<Vec<_>>();
            assert_eq!(newest(&candidates[from..to]), newest(&sorted[from..to]));
            let surely: u64 = candidates[..from].iter().map(|candidate| candidate.cost).sum();
            assert!(surely <= room);
            let all: u64 = sorted[..to].iter().map(|candidate| candidate.cost).sum();
            assert!(all > room || to == sorted.len());
        }
    }
}
