//! The spine: windows, the items in them, and what is known about both.

pub(crate) mod chains;
pub mod cursors;
pub(crate) mod extents;
pub(crate) mod lineage;
pub mod overlays;
pub mod runs;
pub(crate) mod sums;
pub mod symbols;
pub(crate) mod usage;
pub mod windows;
