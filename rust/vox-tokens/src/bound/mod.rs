//! Bounds: counts that are never too low, for less work than counting.
//!
//! [`Symbols`] says how many symbols a text is at most before anything merges. [`StreamBound`]
//! adds them up over chunks in constant memory; [`Pairs`] bounds one piece of byte-level text,
//! for [`crate::Worker::tight_bound`]. The proofs are in `contracts/counting.md`.

mod assumed;
mod normal;
mod pairs;
mod stream;
mod symbols;

pub use assumed::Assumption;
pub use normal::Form;
pub use pairs::Pairs;
pub use stream::StreamBound;
pub use symbols::{Cost, Symbols};

#[cfg(test)]
mod tests;
