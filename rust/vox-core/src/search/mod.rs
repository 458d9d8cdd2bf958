//! Searching an archive.
//!
//! A hit is an item whose text matches, whose own fields pass, and which at least one window in
//! scope shows. An index gives them where there is one; what it doesn't cover yet, and all where
//! there is none, is found by reading texts. Both ways give the same hits.

mod answer;
mod find;
mod follow;
mod hit;
mod indexed;
mod kept;
mod related;
mod request;
mod scan;
mod scope;

pub use answer::{Answer, MOST_RANKED};
pub use follow::{Followed, Standing};
pub use hit::{Facets, Hit, State, TimeOrder, WindowLabel};
pub(crate) use kept::Kept;
pub use related::{Related, Way};
pub use request::SearchRequest;
pub use vox_search::snippet::{Line, Snippet};

/// The longest item that is indexed, in bytes. Longer ones are read by each search that may find
/// them, as are records. Judgement.
pub const LONGEST_INDEXED: u64 = 1 << 20;
