//! Queries as the index understands them.

use tantivy::query::Query;
use vox_types::{Code, Error, Result};

use super::fields::Fields;
use crate::query::Node;

/// A query over the fields of the index.
pub(super) struct Compiled {
    /// It matches every document whose text matches.
    pub(super) query: Box<dyn Query>,
    /// Whether it matches no other.
    pub(super) exact: bool,
}

/// `node` as a query over `fields`.
pub(super) fn compile(_node: &Node, _fields: &Fields) -> Result<Compiled> {
    Err(Error::new(Code::Internal, "queries aren't compiled yet"))
}
