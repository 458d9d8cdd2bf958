//! What a text consists of, for index and matcher alike.
//!
//! - **Words**: the longest runs of letters, marks, digits and `_`, folded by simple case folding.
//!   An identifier is a word (`foo_bar`, `fooBar`, `E0308`), and so are its parts (`foo`, `bar`),
//!   at the same position. Of scripts without spaces every two neighbouring characters are a word,
//!   and the last one alone: one character is found as the start of a word, more as a phrase.
//!   Bytes that aren't UTF-8 stand between words.
//! - **Joins**: two words with nothing but one to three other visible characters (punctuation or
//!   symbols) between them, and these, as one term at the position of the first (`src/x`, `x.py`,
//!   `py:42`). Of scripts without spaces the characters next to the gap are joined.
//! - **Stems** of words, which only score.
//!
//! A word longer than 64 bytes is cut to 48 and the hash of the whole. Whatever a text holds, the
//! work is linear in its length.

mod parts;
mod scan;
mod sought;
mod stem;
mod term;
mod unicode;

use std::ops::ControlFlow;

pub(crate) use scan::scan;
pub use sought::{Sought, Step, minds_case, sought};
pub use stem::Stems;
pub(crate) use term::{CUT, Source, prefix as cut_prefix, visible};
pub(crate) use unicode::{WORD, char_at, char_before, fold, is_dense, is_mark, tables};

/// Changes whenever the terms of any text do: an index made by another version isn't used.
pub const VERSION: u32 = 1;

/// A term of a text and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    /// The term, folded.
    pub term: &'a str,
    /// The number of its word in the text; parts of an identifier have the number of the whole.
    pub position: u32,
    /// Where it begins, in bytes of the text.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// What a term is of: its two kinds are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stream {
    /// Words and parts of identifiers.
    Words,
    /// Two words and what joins them.
    Joins,
}

/// Buffers of an analysis, to be used again for the next text.
#[derive(Debug, Default)]
pub struct Scratch {
    term: String,
    join: String,
}

/// Calls `visit` with every word of `text`, in order of positions, an identifier before its parts.
pub fn words(text: &[u8], scratch: &mut Scratch, mut visit: impl FnMut(Token<'_>)) {
    let _: ControlFlow<()> =
        scan::<true, false>(Source::whole(text), 0, scratch, &mut |_, token| {
            visit(token);
            ControlFlow::Continue(())
        });
}

/// Calls `visit` with every join of `text`, in order of positions.
pub fn joins(text: &[u8], scratch: &mut Scratch, mut visit: impl FnMut(Token<'_>)) {
    let _: ControlFlow<()> =
        scan::<false, true>(Source::whole(text), 0, scratch, &mut |_, token| {
            visit(token);
            ControlFlow::Continue(())
        });
}
