//! The committed set of a window: a document that says what of it reaches a model.
//!
//! The document is a blob that the name `context:<window id>` stands for, so that a collection
//! keeps it; the core doesn't read it.

mod name;
mod read;

pub use name::{name_of, window_of};
