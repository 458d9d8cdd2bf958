//! Many items on all cores: answers in the order of the items, work shared out by bytes.
//!
//! Everything here runs on the rayon pool that is installed, see [`Lanes`].

pub(crate) mod lanes;
pub(crate) mod share;

pub use lanes::Lanes;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use vox_types::{Code, Error, Result};

use crate::{
    Tokenizer,
    bound::Symbols,
    ratio::{Census, Family},
    valid,
};

/// How many tokens each of `items` is.
pub fn count(tokenizer: &Tokenizer, items: &[&[u8]], lanes: Lanes) -> Result<Vec<u32>> {
    each(
        items,
        lanes,
        |bytes, from| tokenizer.cut(bytes, from),
        || tokenizer.worker(),
        |worker, bytes| worker.count(&valid(bytes), u64::MAX),
    )
}

/// The tight bound of each of `items`.
pub fn tight_bound(tokenizer: &Tokenizer, items: &[&[u8]], lanes: Lanes) -> Result<Vec<u32>> {
    each(
        items,
        lanes,
        |bytes, from| tokenizer.cut(bytes, from),
        || tokenizer.worker(),
        |worker, bytes| worker.tight_bound(&valid(bytes)),
    )
}

/// The bound of each of `items` that a stream would have.
pub fn bound(symbols: &Symbols, items: &[&[u8]], lanes: Lanes) -> Result<Vec<u32>> {
    let start = || symbols.clone();
    each(items, lanes, |_, _| None, start, |symbols, bytes| symbols.bound(&valid(bytes)))
}

/// The estimate of each of `items`.
pub fn ratio(family: &Family, items: &[&[u8]], lanes: Lanes) -> Result<Vec<u32>> {
    let none = |_: &[u8], _: usize| None;
    each(items, lanes, none, || (), |(), bytes| family.estimate(&Census::of(bytes)))
}

/// The tokens of each of `items`: all of them in one piece, and where those of each end.
pub fn encode(
    tokenizer: &Tokenizer,
    items: &[&[u8]],
    lanes: Lanes,
) -> Result<(Vec<u32>, Vec<u64>)> {
    let encoded = lanes::run(
        share::whole(items, lanes.number()),
        lanes,
        || tokenizer.worker(),
        |worker, share| {
            let (mut ids, mut ends) = (Vec::new(), Vec::new());
            for bytes in share.of(items) {
                worker.encode(&valid(bytes), &mut ids);
                ends.push(ids.len());
            }
            (share.first, ids, ends)
        },
    );
    let mut parts = encoded;
    parts.sort_unstable_by_key(|(first, ..)| *first);
    let mut all = Vec::with_capacity(parts.iter().map(|(_, ids, _)| ids.len()).sum());
    let mut ends = Vec::with_capacity(items.len());
    for (_, ids, ends_here) in parts {
        ends.extend(ends_here.into_iter().map(|end| (all.len() + end) as u64));
        all.extend(ids);
    }
    Ok((all, ends))
}

/// An answer to whether items fit a budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// They do: a bound on their tokens is within the budget.
    Bounded(u64),
    /// They do: this is how many tokens they have.
    Counted(u64),
    /// They don't: this many tokens or more, which is above the budget.
    Over(u64),
}

/// Whether all of `items`, each by itself, are at most `budget` tokens. Looks at no more than it
/// takes to know.
pub fn fits(tokenizer: &Tokenizer, items: &[&[u8]], budget: u64, lanes: Lanes) -> Fit {
    // A bound takes less work, and stops after about as many bytes as the budget has tokens.
    let bound = bounded(&tokenizer.symbols(), items, budget, lanes);
    if bound <= budget {
        return Fit::Bounded(bound);
    }
    let cut = |bytes: &[u8], from| tokenizer.cut(bytes, from);
    let start = || tokenizer.worker();
    let tokens = total(items, budget, lanes, cut, start, |worker, bytes, left| {
        worker.count(&valid(bytes), left)
    });
    if tokens <= budget { Fit::Counted(tokens) } else { Fit::Over(tokens) }
}

/// The bound of all of `items` together, or any number above `budget` that isn't above that. Stops
/// as soon as it is more than `budget`.
pub fn bounded(symbols: &Symbols, items: &[&[u8]], budget: u64, lanes: Lanes) -> u64 {
    let start = || symbols.clone();
    total(
        items,
        budget,
        lanes,
        |_, _| None,
        start,
        |symbols, bytes, _| symbols.bound(&valid(bytes)),
    )
}

/// What `measure` says of all of `items`, added up as long as that isn't above `budget`. Its last
/// argument is what is left of the budget: it may stop when it is above that.
fn total<S>(
    items: &[&[u8]],
    budget: u64,
    lanes: Lanes,
    cut: impl Fn(&[u8], usize) -> Option<usize>,
    start: impl Fn() -> S + Sync,
    measure: impl Fn(&mut S, &[u8], u64) -> u64 + Sync,
) -> u64 {
    let total = AtomicU64::new(0);
    lanes::run(share::cut(items, lanes.number(), cut), lanes, start, |state, share| {
        for bytes in share.of(items) {
            let Some(left) = budget.checked_sub(total.load(Relaxed)) else { return };
            total.fetch_add(measure(state, bytes, left), Relaxed);
        }
    });
    total.into_inner()
}

/// What `measure` says of each of `items`. A long item is measured in parts where `cut` allows it:
/// `cut(bytes, from)` gives a place at or after `from` on both sides of which `measure` may be
/// asked and its answers added. Each thread begins with a `start` of its own.
pub fn each<S>(
    items: &[&[u8]],
    lanes: Lanes,
    cut: impl Fn(&[u8], usize) -> Option<usize>,
    start: impl Fn() -> S + Sync,
    measure: impl Fn(&mut S, &[u8]) -> u64 + Sync,
) -> Result<Vec<u32>> {
    let answers: Vec<AtomicU32> = items.iter().map(|_| AtomicU32::new(0)).collect();
    let failed =
        lanes::run(share::cut(items, lanes.number(), cut), lanes, start, |state, share| {
            share.of(items).zip(share.first..).find_map(|(bytes, item)| {
                let tokens = u32::try_from(measure(state, bytes)).ok();
                let before = answers[item].fetch_add(tokens.unwrap_or(0), Relaxed);
                tokens.and_then(|tokens| before.checked_add(tokens)).is_none().then_some(item)
            })
        });
    match failed.into_iter().flatten().min() {
        None => Ok(answers.into_iter().map(AtomicU32::into_inner).collect()),
        Some(item) => Err(Error::new(
            Code::TooLarge,
            format!("item {item} has more than {} tokens: count it in parts", u32::MAX),
        )),
    }
}

#[cfg(test)]
mod tests;
