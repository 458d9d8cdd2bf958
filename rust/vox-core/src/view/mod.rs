//! Views: the items of a window, or of the whole archive, as columns for the rows that are shown.
//!
//! Everything here reads through [`ItemSource`], a snapshot of an archive, and touches only the
//! chunks that hold the rows asked for.

mod batch;
mod gather;
mod positions;
pub mod source;
mod stretch;

pub(crate) use batch::timeline_items;
pub use batch::{Columns, item_ids, items, items_by_id};
pub use positions::View;
pub use source::{Extent, ItemSource, OverlayRange};
pub use stretch::Ordinals;
