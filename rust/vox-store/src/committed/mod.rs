//! The committed set of a window: a document that says what of it reaches a model.
//!
//! The document is a blob that the name `context:<window id>` stands for, so that a collection
//! keeps it. The core doesn't read it: which items it repeats stands in the overlay `committed`.

mod commit;
mod name;
mod positions;
mod read;
mod withdraw;

pub use commit::Commit;
pub use name::{name_of, window_of};
pub(crate) use withdraw::{withdraw, withdraw_where_items_stand};
