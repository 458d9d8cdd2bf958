//! Opening an archive's files: generations, the memory map, and the faults of the system.

mod current;
mod faults;
mod gate;
mod generation;
mod length;
mod registry;
mod surroundings;

pub use current::FORMAT;
pub(crate) use current::{Current, read_current};
pub use generation::{Generation, Reading};
pub(crate) use registry::shared;
pub use surroundings::Warning;
