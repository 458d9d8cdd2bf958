//! Byte-pair encoding of one piece of text: exact, in linear time, over a vocabulary that is one
//! run of bytes and can be mapped.
//!
//! A [`Source`] says which tokens there are and what merges into what. [`Vocabulary::compile`]
//! makes the tables, which [`Vocabulary::open`] later uses as they lie on disk. [`Bpe`] counts and
//! encodes pieces with them.
//!
//! Byte-pair encoding merges, again and again, the adjacent pair that comes first in the order of
//! merges, the leftmost of equals. Three facts make it fast (Berglund and van der Merwe,
//! "Formalizing BPE tokenization", 2023, treat them formally):
//!
//! 1. Whether two tokens may stand side by side depends on these two alone, and a sequence of
//!    tokens is the encoding of its text exactly if all its neighbours may. `seam` decides it.
//! 2. So the encoding of a prefix is unique, and one pass from the left that tries the longest
//!    token first and steps back where it must finds it, visiting no place in vain twice. `pass`
//!    is that.
//! 3. A token is formed by one pair only, whichever pairs would give its text. Numbered in the
//!    order of forming, a token's number is its rank, and one word holds a merge. `compile` does
//!    the numbering.
//!
//! The facts hold if a merge never comes earlier than what forms its parts. Trained vocabularies
//! are so; one that isn't is found out by `compile` and goes through `merging`, which does what
//! the definition says with a heap.

mod compile;
mod layout;
pub mod merging;
mod pairs;
mod pass;
mod seam;
mod seams;
mod source;
pub mod trie;
mod vocabulary;

pub use compile::late;
pub use layout::{NONE, VERSION};
pub use pass::{Bpe, Scratch};
pub use source::{Merging, Source};
pub use vocabulary::Vocabulary;
