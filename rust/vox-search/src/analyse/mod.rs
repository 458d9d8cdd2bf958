//! What a text consists of, for index and matcher alike.
//!
//! - **Words**: the longest runs of letters, marks, digits and `_`, folded by simple case folding.
//!   An identifier is a word (`foo_bar`, `fooBar`, `E0308`), and so are its parts (`foo`, `bar`),
//!   at the same position. Of scripts without spaces every two neighbouring characters are a word,
//!   and the last one alone.
//! - **Joins**: two words with nothing but one to three other visible characters between them, and
//!   these, as one term at the position of the first (`src/x`, `x.py`, `py:42`).
//! - **Stems** of words, which only score.

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
