//! Opening an archive's files: generations, the memory map, and the faults of the system.

mod current;
mod faults;
mod gate;
mod generation;
mod length;
mod lock_file;
mod lost;
mod older;
mod registry;
mod room;
mod surroundings;

pub use current::FORMAT;
pub(crate) use current::{Current, other_format, read_any_current, read_current, sync_folder};
pub(crate) use generation::Make;
pub use generation::{Generation, Reading};
pub(crate) use lost::{folders, look};
pub(crate) use older::hold_older;
pub(crate) use registry::{in_use, make_folder, share, shared};
pub use surroundings::Warning;
