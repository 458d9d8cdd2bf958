//! Searching an archive.
//!
//! A hit is an item whose text matches, whose own fields pass, and which at least one window in
//! scope shows. An index gives them where there is one; what it doesn't cover yet, and all where
//! there is none, is found by reading texts. Both ways give the same hits.

mod answer;
mod hit;
mod request;

pub use answer::{Answer, MOST_RANKED};
pub use hit::{Facets, Hit, State, TimeOrder, WindowLabel};
pub use request::SearchRequest;
