//! Arrow columns: the fields that batches of items have, and their arrays.

pub(crate) mod arrays;
pub(crate) mod closed;
pub(crate) mod overlays;
pub(crate) mod schema;
