//! Work on stretches of items, on as many cores as there are. Stretches have the same ends
//! whatever the number of threads, so that sums of floats come out the same.

use rayon::prelude::*;

/// Items of a stretch.
pub(crate) const STRETCH: usize = 1 << 14;

/// Up to so many items nothing runs on other threads.
pub(crate) const WORTH_THREADS: usize = STRETCH;

/// What `work` gives for each of `count` numbers from 0 on, in their order.
pub(crate) fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if count > 1 {
        (0..count).into_par_iter().with_max_len(1).map(work).collect()
    } else {
        (0..count).map(work).collect()
    }
}

/// The items of stretch `number` among `items`.
pub(crate) fn items_of(number: usize, items: usize) -> std::ops::Range<usize> {
    number * STRETCH..items.min((number + 1) * STRETCH)
}
