//! The items of many runs in the order of their times.
//!
//! A [`Timeline`] keeps some 36 bytes for each chunk of up to 512 items: its first and last time
//! and how many of its items the filter shows. From those it knows for any position between which
//! two times the item must stand, and reads only the chunks that reach into that stretch: as many
//! as there were conversations going on at that time.

mod directory;
mod positions;

pub use positions::{Building, RunInfo, Timeline};
