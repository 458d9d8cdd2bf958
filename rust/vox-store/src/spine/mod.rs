//! The spine: windows, the items in them, and what is known about both.

pub mod chains;
pub mod cursors;
pub mod extents;
pub mod overlays;
pub mod runs;
pub mod symbols;
pub mod usage;
pub mod windows;
