//! Runs of characters of one class, found eight bytes at a time where they are ASCII.

use crate::unicode::{
    Classes,
    class::{Class, LOWER, UPPER},
};

/// Valid UTF-8, and what its characters are.
#[derive(Clone, Copy)]
pub struct Text<'t> {
    pub bytes: &'t [u8],
    pub classes: &'static Classes,
    /// Whether `(?i:s)` is also U+017F, the long s.
    pub long_s: bool,
}

/// Every byte of a word.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The highest bit of every byte.
pub const HIGH: u64 = 0x8080_8080_8080_8080;

/// The highest bit of every byte of `word` that is in `first..=last`, both ASCII.
#[inline(always)]
pub const fn within(word: u64, first: u8, last: u8) -> u64 {
    let low = word & !HIGH;
    let above = low + EACH * (0x80 - first as u64);
    let beyond = low + EACH * (0x7f - last as u64);
    above & !beyond & !word & HIGH
}

impl<'t> Text<'t> {
    /// From byte `start` to byte `end`.
    #[inline(always)]
    pub fn part(self, start: usize, end: usize) -> Self {
        Self { bytes: &self.bytes[start..end], ..self }
    }

    /// The class and the length of the character at `at`; none, of length 0, at the end.
    #[inline(always)]
    pub fn class(&self, at: usize) -> (Class, usize) {
        match self.bytes.get(at) {
            None => (0, 0),
            Some(&byte) if byte < 0x80 => (self.classes.ascii(byte), 1),
            Some(_) => self.wide(at),
        }
    }

    /// As [`Text::class`], of a character beyond ASCII.
    #[inline(never)]
    fn wide(&self, at: usize) -> (Class, usize) {
        let (code, width) = self.code(at);
        (self.classes.of(code), width)
    }

    /// The code point at `at`, which is within the text, and the length of its encoding.
    #[inline(always)]
    pub fn code(&self, at: usize) -> (u32, usize) {
        let low = |offset: usize| u32::from(self.bytes[at + offset]) & 0x3f;
        let lead = u32::from(self.bytes[at]);
        match lead {
            0..0x80 => (lead, 1),
            0x80..0xe0 => (((lead & 0x1f) << 6) | low(1), 2),
            0xe0..0xf0 => (((lead & 0xf) << 12) | (low(1) << 6) | low(2), 3),
            _ => (((lead & 7) << 18) | (low(1) << 12) | (low(2) << 6) | low(3), 4),
        }
    }

    /// The byte at `at`; 0xff, which is in no text, at the end.
    #[inline(always)]
    pub fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0xff)
    }

    /// The end of the run of bytes from `at` for which `mask` gives the highest bit.
    #[inline(always)]
    fn bytes_run(&self, mut at: usize, mask: impl Fn(u64) -> u64) -> usize {
        while let Some(chunk) = self.bytes[at..].first_chunk::<8>() {
            let outside = !mask(u64::from_le_bytes(*chunk)) & HIGH;
            if outside != 0 {
                return at + outside.trailing_zeros() as usize / 8;
            }
            at += 8;
        }
        while at < self.bytes.len() && mask(u64::from(self.bytes[at])) & 0x80 != 0 {
            at += 1;
        }
        at
    }

    /// The first place from `at` for which `mask` gives the highest bit; the end if there is none.
    #[inline(always)]
    pub fn find(&self, at: usize, mask: impl Fn(u64) -> u64) -> usize {
        self.bytes_run(at, |word| !mask(word))
    }

    /// The end of the run of `[A-Za-z]` from `at`.
    #[inline(always)]
    pub fn ascii_letters(&self, at: usize) -> usize {
        self.bytes_run(at, |word| within(word | (EACH * 0x20), b'a', b'z'))
    }

    /// The end of the run of `[a-z]` from `at`.
    #[inline(always)]
    pub fn ascii_lower(&self, at: usize) -> usize {
        self.bytes_run(at, |word| within(word, b'a', b'z'))
    }

    /// The end of the run of `[A-Z]` from `at`.
    #[inline(always)]
    pub fn ascii_upper(&self, at: usize) -> usize {
        self.bytes_run(at, |word| within(word, b'A', b'Z'))
    }

    /// The end of the run of `byte`, which is ASCII, from `at`.
    #[inline(always)]
    pub fn same(&self, at: usize, byte: u8) -> usize {
        self.bytes_run(at, |word| within(word, byte, byte))
    }

    /// The end of the run of characters of `set` but those of `except`, from `at`.
    #[inline(always)]
    pub fn run(&self, mut at: usize, set: Class, except: Class) -> usize {
        loop {
            let (class, width) = self.class(at);
            if class & set == 0 || class & except != 0 {
                return at;
            }
            at += width;
        }
    }

    /// [`Text::run`] for a set that has all ASCII letters.
    #[inline(always)]
    pub fn letters(&self, mut at: usize, set: Class, except: Class) -> usize {
        debug_assert!(set & UPPER != 0 && set & LOWER != 0);
        loop {
            at = self.ascii_letters(at);
            if self.byte(at) < 0x80 {
                return at;
            }
            // What isn't ASCII seldom stands alone.
            while self.byte(at) >= 0x80 {
                let (class, width) = self.class(at);
                if class & set == 0 || class & except != 0 {
                    return at;
                }
                at += width;
            }
        }
    }

    /// The end of the joiner at `at`; `at` if there is none.
    #[inline(always)]
    pub fn joiner(&self, at: usize) -> usize {
        let joins = matches!(self.bytes[at..], [0xe2, 0x80, 0x8c | 0x8d, ..]);
        if joins { at + 3 } else { at }
    }

    /// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` at `at`; 0 if there is none.
    #[inline(always)]
    pub fn contraction(&self, at: usize, any_case: bool) -> usize {
        if self.byte(at) != b'\'' {
            return 0;
        }
        let fold = if any_case { 0x20 } else { 0 };
        match (self.byte(at + 1) | fold, self.byte(at + 2)) {
            (b's' | b't' | b'm' | b'd', _) => 2,
            (b'r' | b'v', second) if second | fold == b'e' => 3,
            (b'l', second) if second | fold == b'l' => 3,
            _ if any_case && self.long_s && self.bytes[at + 1..].starts_with("ſ".as_bytes()) => 3,
            _ => 0,
        }
    }
}
