//! The inverted index: which items hold what, in a folder of its own.
//!
//! A document stands for an item and holds what never changes about it. Whatever can change (which
//! windows show it, tiers, tags) is the caller's, who says of each document whether it is wanted
//! while the index is read ([`Admit`]). The index holds no text. It can be lost at any time:
//! [`open`] says so, and whoever asks reads the texts instead.

mod best;
mod checked;
mod columns;
mod compile;
mod directory;
mod document;
mod errors;
mod fields;
mod folder;
mod one_of;
mod searcher;
mod tokens;
mod writer;

use vox_types::ItemId;

pub use self::{
    folder::{Index, Opened, Watermark, create, open},
    searcher::{Lane, Matched, Ranked, Searcher, Wanted},
    writer::Writer,
};

/// What is indexed of an item.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The item.
    pub item: ItemId,
    /// The first eight bytes of its content's hash, little-endian.
    pub content: u64,
    /// When it was written, in milliseconds since 1970.
    pub time: i64,
    /// Role, kind and flags, as a chunk of items keeps them.
    pub attributes: u16,
    /// The symbol of its name: the tool of a call or result.
    pub name: u32,
    /// Its bytes. What isn't UTF-8 in them separates words.
    pub text: &'a [u8],
    /// The files and symbols it touches, each as a term.
    pub touched: &'a [String],
}

/// What the index knows about a document that it considers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The item.
    pub item: ItemId,
    /// When it was written, in milliseconds since 1970.
    pub time: i64,
    /// Role, kind and flags.
    pub attributes: u16,
    /// The symbol of its name.
    pub name: u32,
}

/// Says which documents are wanted. It is asked while the index is read, of no more documents than
/// could still be in the answer.
pub trait Admit: Sync {
    /// Whether the document may be in the answer.
    fn admits(&self, facts: &Facts) -> bool;

    /// Whether everything is: then it needn't be asked.
    fn all(&self) -> bool {
        false
    }
}

/// Wants everything.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl Admit for Everything {
    fn admits(&self, _: &Facts) -> bool {
        true
    }

    fn all(&self) -> bool {
        true
    }
}

impl<F: Fn(&Facts) -> bool + Sync> Admit for F {
    fn admits(&self, facts: &Facts) -> bool {
        self(facts)
    }
}
