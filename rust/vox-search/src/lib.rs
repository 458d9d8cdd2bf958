//! Full text over items.
//!
//! A **query** ([`query`]) is parsed once and answered in two ways that give the same hits: by an
//! inverted index, and by a matcher that reads texts as they are. Both see a text through one
//! analyser ([`analyse`]), so they can't disagree about what a word is. Whoever calls brings the
//! texts: this crate knows no archive.

pub mod analyse;
pub mod index;
pub mod matcher;
pub mod query;
pub mod question;
pub mod snippet;
pub mod touched;
