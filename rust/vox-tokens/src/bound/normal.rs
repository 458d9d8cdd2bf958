//! What Unicode's normal forms make of a character, at most.

use unicode_normalization::{
    IsNormalized, UnicodeNormalization, char::canonical_combining_class, is_nfc_quick,
};

use super::Cost;

/// Unicode's normal forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Canonical, composed.
    Nfc,
    /// Canonical, decomposed.
    Nfd,
    /// Compatible, composed.
    Nfkc,
    /// Compatible, decomposed.
    Nfkd,
}

/// Bytes that `c` becomes at most in a text normalised to `form`.
///
/// Decomposing looks at one character at a time and reordering changes no length. Composing
/// replaces two characters by one that has no more bytes than both (the tests look at every pair),
/// so a composed text is never longer than the decomposed one. A character alone between two
/// boundaries becomes what it becomes by itself.
pub(super) fn cost(form: Form, c: char) -> Cost {
    if c >= UNCHANGED {
        let bytes = c.len_utf8() as u32;
        return Cost { alone: bytes, joined: bytes, starts: true };
    }
    let one = std::iter::once(c);
    let (alone, decomposed) = match form {
        Form::Nfc => (bytes(one.clone().nfc()), bytes(one.nfd())),
        Form::Nfkc => (bytes(one.clone().nfkc()), bytes(one.nfkd())),
        Form::Nfd => (u32::MAX, bytes(one.nfd())),
        Form::Nfkd => (u32::MAX, bytes(one.nfkd())),
    };
    Cost { alone: alone.min(decomposed), joined: decomposed, starts: starts(form, c) }
}

/// From here on no character decomposes, composes or is a mark (the tests look at each). Most code
/// points are there, and a table of costs asks for all.
const UNCHANGED: char = '\u{30000}';

/// Whether a normalisation boundary is before `c` in every text: what it decomposes to begins with
/// a starter that never composes with what is before it.
fn starts(form: Form, c: char) -> bool {
    let one = std::iter::once(c);
    let first = match form {
        Form::Nfc | Form::Nfd => one.nfd().next(),
        Form::Nfkc | Form::Nfkd => one.nfkd().next(),
    };
    first.is_some_and(|first| {
        canonical_combining_class(first) == 0
            && is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes
    })
}

fn bytes(text: impl Iterator<Item = char>) -> u32 {
    text.map(|c| c.len_utf8() as u32).sum()
}
