//! Finds a stretch of text, minding case or not.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;
use regex_automata::{Input, meta};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use wide::u8x16;

use crate::analyse::{char_at, char_before, tables};

/// A stretch of text to be found.
pub(super) enum Needle {
    /// Byte for byte.
    Exact(Box<memmem::Finder<'static>>),
    /// Character for character when folded.
    Folded(Box<Folded>),
}

impl Needle {
    /// One that minds case, if `case` says so.
    pub(super) fn new(text: &str, case: bool) -> Self {
        if case || !text.chars().any(has_variants) {
            return Self::Exact(Box::new(memmem::Finder::new(text).into_owned()));
        }
        Self::Folded(Box::new(Folded::new(text)))
    }

    /// The first place in `text` from the byte `from` on.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        match self {
            Self::Exact(finder) => {
                let start = from + finder.find(text.get(from..)?)?;
                Some(start..start + finder.needle().len())
            }
            Self::Folded(folded) => folded.find(text, from),
        }
    }
}

/// Whether other characters are equal to `char` but for case.
fn has_variants(char: char) -> bool {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(char, char)]);
    class.try_case_fold_simple().expect("regex-syntax has case folding");
    class.iter().map(ClassUnicodeRange::len).sum::<usize>() > 1
}

/// A stretch of text whose case doesn't count.
///
/// Two of its bytes are looked for, sixteen places at once, where both stand at the right distance
/// the characters around are compared. Where that goes on too long without success (a text that
/// repeats the needle but for its end), an automaton takes over, which is slower but reads each
/// byte once.
pub(super) struct Folded {
    chars: Vec<char>,
    pair: Option<Pair>,
    automaton: OnceLock<meta::Regex>,
}

/// Two bytes of a needle, both letters or other characters of ASCII that only ASCII folds to.
#[derive(Clone, Copy)]
struct Pair {
    /// How many characters of the needle come before the first of the two.
    before: usize,
    bytes: [u8; 2],
    /// What makes them lower-case: 0x20 for letters.
    masks: [u8; 2],
    /// How many bytes after the first the second is.
    distance: usize,
}

/// Bytes of text and code, the most frequent first. Those that aren't here are rarer.
const FREQUENT: &[u8] = b" etaoinsrlcdup\"m.hf/,_g-b0y1v:2w(k)3=4598xj67'qz{}[]";

impl Folded {
    fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().map(|char| tables().fold(char)).collect();
        let pair = Pair::of(&chars);
        Self { chars, pair, automaton: OnceLock::new() }
    }

    fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        let Some(pair) = self.pair else { return self.find_slowly(text, from) };
        let (mut at, mut work) = (from, 0);
        while let Some(found) = pair.find(text, at) {
            let (place, compared) = self.compare(text, from, found, pair.before);
            if place.is_some() {
                return place;
            }
            at = found + 1;
            work += compared;
            if work > 4096 + 16 * (at - from) {
                return self.find_slowly(text, from);
            }
        }
        None
    }

    /// Compares the needle with the text in which its character `before` begins at `at`, and says
    /// how many characters that took.
    fn compare(
        &self,
        text: &[u8],
        from: usize,
        at: usize,
        before: usize,
    ) -> (Option<Range<usize>>, usize) {
        let tables = tables();
        let (head, tail) = self.chars.split_at(before);
        let (mut start, mut end, mut compared) = (at, at, 0);
        for expected in tail {
            compared += 1;
            match char_at(text, end) {
                Some((char, length)) if tables.fold(char) == *expected => end += length,
                _ => return (None, compared),
            }
        }
        for expected in head.iter().rev() {
            compared += 1;
            match char_before(text, start) {
                Some((char, length)) if tables.fold(char) == *expected => start -= length,
                _ => return (None, compared),
            }
        }
        ((start >= from).then_some(start..end), compared)
    }

    fn find_slowly(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        let automaton = self.automaton.get_or_init(|| {
            let literal: String = self.chars.iter().collect();
            meta::Regex::builder()
                .configure(meta::Config::new().utf8_empty(false).nfa_size_limit(None))
                .syntax(
                    regex_automata::util::syntax::Config::new().case_insensitive(true).utf8(false),
                )
                .build(&regex_syntax::escape(&literal))
                .expect("a literal is an expression")
        });
        automaton.find(Input::new(text).range(from..)).map(|found| found.range())
    }
}

impl Pair {
    /// The two rarest bytes of a stretch of ASCII that nothing but ASCII folds to.
    fn of(chars: &[char]) -> Option<Self> {
        // The Kelvin sign and the long s fold to these.
        let plain = |char: &char| char.is_ascii() && !matches!(char, 'k' | 's');
        let frequency = |char: char| {
            let rank = FREQUENT.iter().position(|byte| char::from(*byte) == char);
            rank.map_or(0, |rank| FREQUENT.len() - rank)
        };
        let mut best: Option<(usize, usize, usize)> = None;
        let mut start = 0;
        while start < chars.len() {
            let length = chars[start..].iter().take_while(|char| plain(char)).count();
            let mut order: Vec<usize> = (start..start + length).collect();
            order.sort_by_key(|at| frequency(chars[*at]));
            if let [first, rest @ ..] = order.as_slice() {
                let second = *rest.first().unwrap_or(first);
                // One byte alone is as good as the same byte and the most frequent one.
                let other = rest.first().map_or(FREQUENT.len(), |at| frequency(chars[*at]));
                let cost = frequency(chars[*first]) + other;
                if best.is_none_or(|(known, ..)| cost < known) {
                    best = Some((cost, *first.min(&second), *first.max(&second)));
                }
            }
            start += length.max(1);
        }
        let (_, first, second) = best?;
        let bytes = [first, second].map(|at| chars[at] as u8);
        let masks = bytes.map(|byte| if byte.is_ascii_lowercase() { 0x20 } else { 0 });
        Some(Self { before: first, bytes, masks, distance: second - first })
    }

    /// Where the first of the two stands, from the byte `from` on.
    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let [first, second] = self.bytes.map(u8x16::splat);
        let [first_mask, second_mask] = self.masks.map(u8x16::splat);
        let mut at = from;
        let last = text.len().checked_sub(self.distance)?;
        while at + 16 <= last {
            let sixteen = |at: usize| {
                u8x16::from(<[u8; 16]>::try_from(&text[at..at + 16]).expect("sixteen bytes"))
            };
            let both = (sixteen(at) | first_mask).simd_eq(first)
                & (sixteen(at + self.distance) | second_mask).simd_eq(second);
            let found = both.to_bitmask();
            if found != 0 {
                return Some(at + found.trailing_zeros() as usize);
            }
            at += 16;
        }
        (at..last).find(|at| {
            text[*at] | self.masks[0] == self.bytes[0]
                && text[at + self.distance] | self.masks[1] == self.bytes[1]
        })
    }
}
