//! What users do to windows and their items: mark, label, fork, merge, set fates, bind to a model.
//!
//! Each operation is an event that says what it changed, and each can be undone: nothing here takes
//! content away.

mod fates;
mod finding;
mod fork;
mod labels;
mod marks;
mod merge;
mod new_window;
mod overlay;
mod ranges;
mod route;

pub use fates::FATES;
pub use labels::Label;
pub use marks::{Mark, Marked, Places};
pub use merge::{Merge, Merged};
pub use new_window::NewWindow;
