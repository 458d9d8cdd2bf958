//! One character of a text, as llama.cpp sees it.

use crate::unicode::{Classes, class::Class};

/// A character and where it is.
#[derive(Clone, Copy)]
pub struct Look {
    /// Its class; 0 behind the end of the text.
    pub class: Class,
    /// Its code point.
    pub code: u32,
    /// Where the next one begins.
    pub end: usize,
}

impl Look {
    /// Whether it is of one of the classes in `mask`.
    #[inline(always)]
    pub fn is(self, mask: Class) -> bool {
        self.class & mask != 0
    }

    /// Whether it is `byte`.
    #[inline(always)]
    pub fn byte(self, byte: u8) -> bool {
        self.class != 0 && self.code == u32::from(byte)
    }
}

/// Looks at the character that begins at `at`.
#[inline(always)]
pub fn look(text: &str, at: usize) -> Look {
    let classes = Classes::llama_cpp();
    match text.as_bytes().get(at) {
        None => Look { class: 0, code: 0, end: at },
        Some(&byte) if byte < 128 => {
            Look { class: classes.ascii(byte), code: byte.into(), end: at + 1 }
        }
        Some(_) => {
            let character = text[at..].chars().next().unwrap_or_default();
            let end = at + character.len_utf8();
            Look { class: classes.of(character.into()), code: character.into(), end }
        }
    }
}

/// Where the run of characters of `mask` that begins at `at` ends.
#[inline]
pub fn run(text: &str, mut at: usize, mask: Class) -> usize {
    loop {
        let here = look(text, at);
        if !here.is(mask) {
            return at;
        }
        at = here.end;
    }
}
