//! The term of a word: folded, and of bounded length.

use super::unicode::{FOLDS, Kind, Tables, char_at};

/// Longer words, in bytes when folded, are cut. Judgement: identifiers and hashes in hexadecimal
/// are shorter.
pub(crate) const LONGEST_WHOLE: usize = 64;

/// What is left of them, in bytes, before the hash of the whole.
const LONGEST_PREFIX: usize = 48;

/// Between the start of a cut word and its hash: no word holds it.
pub(crate) const CUT: char = '\u{1}';

/// The term of the word `word`, whose characters have these kinds: itself if it is short and
/// folded already, otherwise put into `buffer`.
#[inline]
pub(crate) fn term<'a>(
    tables: &Tables,
    word: &'a [u8],
    seen: Kind,
    buffer: &'a mut String,
) -> &'a str {
    if word.len() <= LONGEST_WHOLE && seen & FOLDS == 0 {
        return std::str::from_utf8(word).expect("characters of a word are UTF-8");
    }
    buffer.clear();
    push(tables, word, buffer);
    buffer
}

/// Appends the term of `word`.
pub(crate) fn push(tables: &Tables, word: &[u8], buffer: &mut String) {
    let start = buffer.len();
    let mut at = 0;
    while let Some((char, length)) = char_at(word, at) {
        if buffer.len() - start > LONGEST_WHOLE {
            return push_hash(tables, word, start, buffer);
        }
        buffer.push(tables.fold(char));
        at += length;
    }
    if buffer.len() - start > LONGEST_WHOLE {
        push_hash(tables, word, start, buffer);
    }
}

/// Cuts what was appended from `start` on, and appends the hash of the whole word.
fn push_hash(tables: &Tables, word: &[u8], start: usize, buffer: &mut String) {
    let kept = prefix(&buffer[start..]).len();
    buffer.truncate(start + kept);

    let mut hasher = blake3::Hasher::new();
    let mut folded = [0; 1024];
    let (mut at, mut filled) = (0, 0);
    while let Some((char, length)) = char_at(word, at) {
        if filled + 4 > folded.len() {
            hasher.update(&folded[..filled]);
            filled = 0;
        }
        filled += tables.fold(char).encode_utf8(&mut folded[filled..]).len();
        at += length;
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
