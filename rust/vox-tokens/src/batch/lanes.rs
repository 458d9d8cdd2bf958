//! The threads of a batch.

use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
};

/// How many threads a batch may use: those of the rayon pool that is installed, or fewer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lanes(Option<NonZeroUsize>);

impl Lanes {
    /// At most `most` threads.
    pub fn at_most(most: NonZeroUsize) -> Self {
        Self(Some(most))
    }

    /// How many there are.
    pub(crate) fn number(self) -> usize {
        match self.0 {
            // Without a look at the pool: to ask for one that isn't there would start it.
            Some(NonZeroUsize::MIN) => 1,
            Some(most) => most.get().min(rayon::current_num_threads()),
            None => rayon::current_num_threads(),
        }
    }
}

/// Does `work` for each of `shares`, on as many threads as `lanes` says, each of which takes the
/// next share as soon as it has done one. The answers come in any order.
pub(crate) fn run<Share: Send, S, T: Send>(
    shares: Vec<Share>,
    lanes: Lanes,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Share) -> T + Sync,
) -> Vec<T> {
    let number = lanes.number().min(shares.len());
    let answers = Mutex::new(Vec::with_capacity(shares.len()));
    let shares = Mutex::new(shares.into_iter());
    let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
    let lane = || {
        let mut state = start();
        while let Some(share) = next() {
            let answer = work(&mut state, share);
            answers.lock().unwrap_or_else(PoisonError::into_inner).push(answer);
        }
    };
    match number {
        0 => {}
        1 => lane(),
        _ => rayon::scope(|scope| (0..number).for_each(|_| scope.spawn(|_| lane()))),
    }
    answers.into_inner().unwrap_or_else(PoisonError::into_inner)
}
