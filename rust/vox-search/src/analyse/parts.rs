//! The parts of an identifier.

use std::ops::Range;

use super::unicode::{Kind, LOWER, MARK, Tables, UNDERSCORE, UPPER};

/// Longer identifiers, in bytes, have no parts. Judgement: they are encoded data, whose letters
/// change case at random.
const LONGEST_SPLIT: usize = 128;

/// Whether a word can have parts: `seen` is what all its characters are, `inner` all but the first.
#[inline]
pub(crate) fn has_parts(length: usize, seen: Kind, inner: Kind) -> bool {
    let camel = inner & UPPER != 0 && seen & LOWER != 0;
    (camel || seen & UNDERSCORE != 0) && length <= LONGEST_SPLIT
}

/// Calls `part` with the range of each part of two characters or more: what stands between `_`,
/// and begins with an upper-case letter that follows or precedes a lower-case one. A border
/// between letters and digits is none.
pub(crate) fn parts(tables: &Tables, word: &str, mut part: impl FnMut(Range<usize>)) {
    let (mut start, mut characters) = (0, 0);
    let mut before = UNDERSCORE;
    let mut ends = |range: Range<usize>, characters: usize| {
        if characters >= 2 && range.len() < word.len() {
            part(range);
        }
    };
    let mut chars = word.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let kind = tables.kind(char);
        if kind & UNDERSCORE != 0 {
            ends(start..at, characters);
            (start, characters) = (at + 1, 0);
        } else {
            let lower_next = chars.peek().is_some_and(|(_, next)| tables.kind(*next) & LOWER != 0);
            if kind & UPPER != 0 && (before & LOWER != 0 || lower_next) {
                ends(start..at, characters);
                (start, characters) = (at, 0);
            }
            characters += 1;
        }
        if kind & MARK == 0 {
            before = kind;
        }
    }
    ends(start..word.len(), characters);
}

#[cfg(test)]
mod tests {
    use super::super::unicode::tables;
    use super::*;

    fn of(word: &str) -> Vec<&str> {
        let mut found = Vec::new();
        parts(tables(), word, |range| found.push(&word[range]));
        found
    }

    #[test]
    fn identifiers_have_parts() {
        assert_eq!(of("foo_bar"), ["foo", "bar"]);
        assert_eq!(of("fooBarBaz"), ["foo", "Bar", "Baz"]);
        assert_eq!(of("HTTPServer"), ["HTTP", "Server"]);
        assert_eq!(of("__init__"), ["init"]);
        assert_eq!(of("sha256Sum_of"), ["sha256", "Sum", "of"]);
        assert_eq!(of("ÉtéÜber"), ["Été", "Über"]);
    }

    #[test]
    fn words_codes_and_single_letters_have_none() {
        for word in ["foo", "Foo", "FOO", "E0308", "3F2A", "x86", "___", "a_b_c"] {
            assert_eq!(of(word), [""; 0], "{word}");
        }
        assert_eq!(of("x_1_abc"), ["abc"]);
    }
}
