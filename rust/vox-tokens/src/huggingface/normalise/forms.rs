//! The normalisation forms of Unicode, as of Unicode 9.0.
//!
//! The tokenizers library normalises with a crate whose tables are of that version and which tells
//! what becomes of each character; characters that came later are left as they are. The same
//! crate is used here. It is slow, so it sees only what it can change.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use unicode_normalization_alignments::{
    UnicodeNormalization,
    char::{canonical_combining_class, decompose_canonical, decompose_compatible},
};

use crate::huggingface::text::{Normal, Rewriting};

/// A normalisation form (Unicode Standard Annex 15).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

/// No character from here on normalises to anything else, or combines.
const END: usize = 0x3_0000;

/// By code point, one bit: whether normalising can change the character or combine it with what
/// stands before it.
type Active = Box<[u64]>;

static ACTIVE: [LazyLock<Active>; 4] = [
    LazyLock::new(|| active(Form::Nfc)),
    LazyLock::new(|| active(Form::Nfd)),
    LazyLock::new(|| active(Form::Nfkc)),
    LazyLock::new(|| active(Form::Nfkd)),
];

/// Every character that can combine with one before it.
static SECOND: LazyLock<Active> = LazyLock::new(|| {
    let mut seconds = vec![0; END / 64].into_boxed_slice();
    for c in characters() {
        let mut parts = 0;
        decompose_canonical(c, |part| {
            if parts > 0 {
                set(&mut seconds, part);
            }
            parts += 1;
        });
    }
    seconds
});

fn characters() -> impl Iterator<Item = char> {
    (0..END as u32).filter_map(char::from_u32)
}

fn set(bits: &mut Active, c: char) {
    bits[c as usize / 64] |= 1 << (c as usize % 64);
}

fn has(bits: &Active, c: char) -> bool {
    (c as usize) < END && bits[c as usize / 64] >> (c as usize % 64) & 1 == 1
}

fn active(form: Form) -> Active {
    let mut bits = vec![0; END / 64].into_boxed_slice();
    for c in characters() {
        let alone = form.apply(c).eq([(c, 0)]);
        let combines = form.composes() && has(&SECOND, c);
        if !alone || combines || canonical_combining_class(c) != 0 {
            set(&mut bits, c);
        }
    }
    bits
}

impl Form {
    /// Whether the form puts characters together again.
    pub fn composes(self) -> bool {
        matches!(self, Self::Nfc | Self::Nfkc)
    }

    fn apply(self, c: char) -> Box<dyn Iterator<Item = (char, isize)>> {
        self.apply_all(std::iter::once(c))
    }

    fn apply_all<'t>(
        self,
        text: impl Iterator<Item = char> + 't,
    ) -> Box<dyn Iterator<Item = (char, isize)> + 't> {
        match self {
            Self::Nfc => Box::new(text.nfc()),
            Self::Nfd => Box::new(text.nfd()),
            Self::Nfkc => Box::new(text.nfkc()),
            Self::Nfkd => Box::new(text.nfkd()),
        }
    }

    /// What `c` decomposes into, in full.
    pub fn decomposed(self, c: char, each: impl FnMut(char)) {
        match self {
            Self::Nfc | Self::Nfd => decompose_canonical(c, each),
            Self::Nfkc | Self::Nfkd => decompose_compatible(c, each),
        }
    }

    /// Whether `c` is what others are put together to.
    pub fn is_composed(self, c: char) -> bool {
        let mut parts = 0;
        self.decomposed(c, |_| parts += 1);
        parts > 1 && self.apply(c).eq([(c, 0)])
    }

    /// Whether `c` may combine with a character before it.
    pub fn combines(self, c: char) -> bool {
        self.composes() && has(&SECOND, c)
    }

    /// Whether a text surely is in this form.
    pub fn has(self, text: &str) -> bool {
        text.is_ascii() || {
            let active = &*ACTIVE[self as usize];
            !text.chars().any(|c| has(active, c))
        }
    }

    /// Brings a text into this form.
    pub fn normalise(self, normal: &mut Normal) {
        if !self.has(&normal.text) {
            normal.rewrite(0, |old, new| self.rewrite(&ACTIVE[self as usize], old, new));
        }
    }

    /// Between two characters of which the second is not active, nothing combines: so what has to
    /// be normalised is a run of active characters, with the one before it.
    fn rewrite(self, active: &Active, old: &str, new: &mut Rewriting) {
        let (mut done, mut before) = (0, 0);
        let mut characters = old.char_indices();
        while let Some((at, c)) = characters.next() {
            if !has(active, c) {
                before = at;
                continue;
            }
            let end = characters.by_ref().find(|&(_, c)| !has(active, c)).map(|(at, _)| at);
            let stop = end.unwrap_or(old.len());
            new.push_str(&old[done..before]);
            for (c, change) in self.apply_all(old[before..stop].chars()) {
                new.push(c, change);
            }
            done = stop;
            before = stop;
        }
        new.push_str(&old[done..]);
    }
}
