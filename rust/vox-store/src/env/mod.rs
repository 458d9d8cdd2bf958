//! Opening an archive's files: generations, the memory map, and the faults of the system.

mod current;
mod faults;
mod gate;
mod generation;
mod length;
mod lost;
mod registry;
mod surroundings;

pub use current::FORMAT;
pub(crate) use current::{Current, read_any_current, read_current, sync_folder};
pub(crate) use generation::Make;
pub use generation::{Generation, Reading};
pub(crate) use lost::folders;
pub(crate) use registry::{share, shared};
pub use surroundings::Warning;
