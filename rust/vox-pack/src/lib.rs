//! Which fate each item gets, so that the whole is worth most within a budget: a multiple-choice
//! knapsack with groups, pins and caps, solved with an upper bound that proves how good it is.
//!
//! Only the concave hull of each item's fates matters to the linear relaxation: filling by slope
//! solves that, and its value bounds every packing. Ties go by slope, then the cheaper, then the
//! newer (the higher index); the answer doesn't depend on the number of threads.

mod base;
mod bound;
mod chunks;
mod classes;

mod fill;
mod hull;
mod increments;
mod options;
mod order;
mod packing;
mod problem;
mod refine;
mod rooms;
mod search;
mod select;

pub use packing::{Packing, pack};
pub use problem::{MOST_FATES, Problem, UNAVAILABLE};

/// Whether a problem of so many items is worth several threads.
pub fn wants_threads(items: usize) -> bool {
    items > chunks::WORTH_THREADS
}
