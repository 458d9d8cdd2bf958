//! The term of a word: folded, and of bounded length.

use std::ops::Range;

use super::unicode::{FOLDS, Kind, Tables};

/// Longer words, in bytes when folded, are cut. Judgement: identifiers and hashes in hexadecimal
/// are shorter.
pub(crate) const LONGEST_WHOLE: usize = 64;

/// What is left of them, in bytes, before the hash of the whole.
const LONGEST_PREFIX: usize = 48;

/// Between the start of a cut word and its hash: no word holds it.
pub(crate) const CUT: char = '\u{1}';

/// The text that is analysed.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    /// The same, if it is known to be UTF-8: then words needn't be checked again.
    text: Option<&'a str>,
}

impl<'a> Source<'a> {
    /// A text of which all is looked at.
    pub(crate) fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, text: std::str::from_utf8(bytes).ok() }
    }

    /// A text of which parts are looked at.
    pub(crate) fn parts(bytes: &'a [u8]) -> Self {
        Self { bytes, text: None }
    }

    /// Characters of it.
    #[inline]
    pub(crate) fn chars(&self, range: Range<usize>) -> &'a str {
        match self.text {
            Some(text) => &text[range],
            None => std::str::from_utf8(&self.bytes[range]).expect("these are characters"),
        }
    }
}

/// The term of the word at `range`, whose characters have these kinds: itself if it is short and
/// folded already, otherwise put into `buffer`.
#[inline]
pub(crate) fn term<'a>(
    tables: &Tables,
    source: Source<'a>,
    range: Range<usize>,
    seen: Kind,
    buffer: &'a mut String,
) -> &'a str {
    if range.len() <= LONGEST_WHOLE && seen & FOLDS == 0 {
        return source.chars(range);
    }
    buffer.clear();
    push(tables, source.chars(range), buffer);
    buffer
}

/// Appends the term of `word`.
pub(crate) fn push(tables: &Tables, word: &str, buffer: &mut String) {
    let start = buffer.len();
    if word.len() <= LONGEST_WHOLE && word.is_ascii() {
        buffer.push_str(word);
        buffer[start..].make_ascii_lowercase();
        return;
    }
    for char in word.chars() {
        if buffer.len() - start > LONGEST_WHOLE {
            break;
        }
        buffer.push(tables.fold(char));
    }
    if buffer.len() - start > LONGEST_WHOLE {
        push_hash(tables, word, start, buffer);
    }
}

/// Cuts what was appended from `start` on, and appends the hash of the whole word.
fn push_hash(tables: &Tables, word: &str, start: usize, buffer: &mut String) {
    let kept = prefix(&buffer[start..]).len();
    buffer.truncate(start + kept);

    let mut hasher = blake3::Hasher::new();
    let mut folded = [0; 1024];
    let mut filled = 0;
    for char in word.chars() {
        if filled + 4 > folded.len() {
            hasher.update(&folded[..filled]);
            filled = 0;
        }
        filled += tables.fold(char).encode_utf8(&mut folded[filled..]).len();
    }
    hasher.update(&folded[..filled]);
    buffer.push(CUT);
    buffer.push_str(&hasher.finalize().to_hex()[..16]);
}

/// The start of a term that is certain to stand in the text, folded: all of it unless it was cut.
pub(crate) fn visible(term: &str) -> &str {
    term.split(CUT).next().unwrap_or(term)
}

/// The longest start of a term that the terms of all words beginning so have in common.
pub(crate) fn prefix(term: &str) -> &str {
    let term = visible(term);
    let mut end = term.len().min(LONGEST_PREFIX);
    while !term.is_char_boundary(end) {
        end -= 1;
    }
    &term[..end]
}
