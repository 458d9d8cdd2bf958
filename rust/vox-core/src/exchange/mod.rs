//! Archives as lines of JSON. `contracts/jsonl-export.md` describes them; what they mean is said in
//! `vox_store::exchange`, here they have their syntax, and the trailer that makes a file whole.

mod json;
mod masking;
mod read;
mod write;

pub use read::{Imported, import};
pub use write::{Exported, export};

/// The type of the last line.
const TRAILER: &str = "trailer";
