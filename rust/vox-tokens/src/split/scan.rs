//! One pass over a text by the rules of a pattern.

use std::ops::ControlFlow;

use super::{
    block,
    rules::{Contractions, Lead, Rules, Space, Tail, Word, apart, word_set},
    text::Text,
};
use crate::unicode::class::{self, BLANK, HAN, LETTER, MARK, NEWLINE, NUMBER, PUNCTUATION, SYMBOL};

/// Gives `part` every match of the pattern, and what lies between two matches: `false` with it.
pub fn parts<'t, R: Rules, B>(
    text: Text<'t>,
    part: &mut impl FnMut(&'t [u8], bool) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut scan = Scan { text, blank_until: 0 };
    let (mut start, mut at) = (0, 0);
    while at < text.bytes.len() {
        if const { block::has_blocks::<R>() } {
            let mut starts = block::starts::<R>(&text, at);
            if starts != 0 {
                while starts != 0 {
                    let end = at + starts.trailing_zeros() as usize;
                    part(&text.bytes[start..end], true)?;
                    start = end;
                    starts &= starts - 1;
                }
                at = start;
                continue;
            }
        }
        let end = scan.matched::<R>(at);
        if !R::COMPLETE {
            if end == at {
                at += text.class(at).1;
                continue;
            }
            if start < at {
                part(&text.bytes[start..at], false)?;
            }
        }
        part(&text.bytes[at..end], true)?;
        (start, at) = (end, end);
    }
    if start < at { part(&text.bytes[start..], false) } else { ControlFlow::Continue(()) }
}

struct Scan<'t> {
    text: Text<'t>,
    /// Up to here there is white space without CR and LF; or an end behind it is passed.
    blank_until: usize,
}

impl Scan<'_> {
    /// The end of the match at `at`; `at` if there is none.
    #[inline(always)]
    fn matched<R: Rules>(&mut self, at: usize) -> usize {
        let text = self.text;
        let (first, width) = text.class(at);
        if first & LETTER != 0 && first & apart::<R>() == 0 {
            return self.word::<R>(at);
        }
        match R::CONTRACTIONS {
            Contractions::First | Contractions::FirstAnyCase => {
                let any_case = R::CONTRACTIONS == Contractions::FirstAnyCase;
                let length = text.contraction(at, any_case);
                if length > 0 {
                    return at + length;
                }
            }
            Contractions::None | Contractions::AfterWord => {}
        }
        if R::HAN_APART && first & HAN != 0 {
            return text.run(at, HAN, 0);
        }
        let next = at + width;
        if R::CODE_WORDS && width == 1 && first & (PUNCTUATION | SYMBOL) != 0 {
            let end = text.ascii_letters(next);
            if end > next {
                return end;
            }
        }
        let joiner = R::WORD == Word::Joined && text.joiner(at) > at;
        if joiner || first & MARK & word_set::<R>() != 0 {
            // The pattern tries the mark or joiner as a lead first, but the end is the same.
            return self.word::<R>(at);
        }
        let space = text.bytes[at] == b' ';
        let leads = match R::LEAD {
            Lead::Space => space,
            Lead::Of(set) => first & set != 0,
        };
        if leads {
            let end = self.word::<R>(next);
            if end > next {
                return end;
            }
        }
        if R::NUMBER > 0 {
            let from = if R::LEAD == Lead::Space && space { next } else { at };
            let end = self.number::<R>(from);
            if end > from {
                return end;
            }
        }
        let from = if space { next } else { at };
        let end = text.run(from, R::PUNCTUATION, 0);
        if end > from {
            return self.tail::<R>(end);
        }
        if first & class::SPACE != 0 { self.space::<R>(at) } else { at }
    }

    /// The end of the word at `at`; `at` if there is none.
    #[inline(always)]
    fn word<R: Rules>(&self, at: usize) -> usize {
        let end = match R::WORD {
            Word::Run(set) => self.text.letters(at, set, apart::<R>()),
            Word::Cased(..) => self.cased::<R>(at),
            Word::Phrase => self.phrase(at),
            Word::Joined => self.joined(at),
        };
        if R::CONTRACTIONS == Contractions::AfterWord && end > at {
            end + self.text.contraction(end, true)
        } else {
            end
        }
    }

    /// `[upper]*[lower]+`, else `[upper]+`, for sets that share characters.
    #[inline(always)]
    fn cased<R: Rules>(&self, at: usize) -> usize {
        let Word::Cased(upper, lower) = R::WORD else { return at };
        let text = self.text;
        let mut end = at + usize::from(text.byte(at).is_ascii_uppercase());
        if !text.byte(end).is_ascii_lowercase() {
            // The end of the last character that is in both sets.
            let mut shared = at;
            loop {
                if text.byte(end) < 0x80 {
                    end = text.ascii_upper(end);
                }
                let (class, width) = text.class(end);
                if class & (upper | lower) == 0 || class & apart::<R>() != 0 {
                    return if shared > at { shared } else { end };
                }
                if class & upper == 0 {
                    break;
                }
                end += width;
                if class & lower != 0 {
                    shared = end;
                }
            }
        }
        loop {
            end = text.ascii_lower(end);
            if text.byte(end) < 0x80 {
                return end;
            }
            // What isn't ASCII seldom stands alone.
            while text.byte(end) >= 0x80 {
                let (class, width) = text.class(end);
                if class & lower == 0 || class & apart::<R>() != 0 {
                    return end;
                }
                end += width;
            }
        }
    }

    /// See [`Word::Phrase`].
    fn phrase(&self, at: usize) -> usize {
        let text = self.text;
        let mut end = at;
        loop {
            let from = if end > at && text.byte(end) == b' ' { end + 1 } else { end };
            let (class, width) = text.class(from);
            if class & LETTER == 0 {
                return end;
            }
            end = text.run(from + width, MARK, 0);
        }
    }

    /// See [`Word::Joined`].
    fn joined(&self, mut at: usize) -> usize {
        loop {
            let end = self.text.joiner(self.text.letters(at, LETTER | MARK, 0));
            if end == at {
                return at;
            }
            at = end;
        }
    }

    /// The end of the number at `at`; `at` if there is none.
    #[inline(always)]
    fn number<R: Rules>(&self, at: usize) -> usize {
        if R::NUMBER == usize::MAX {
            return self.text.run(at, NUMBER, 0);
        }
        let mut end = at;
        for _ in 0..R::NUMBER {
            let (class, width) = self.text.class(end);
            if class & NUMBER == 0 {
                break;
            }
            end += width;
        }
        end
    }

    /// The end of what belongs to the punctuation before `at`.
    #[inline(always)]
    fn tail<R: Rules>(&self, mut at: usize) -> usize {
        let slashes = matches!(R::TAIL, Tail::NewlinesAndSlashes | Tail::OneNewlineOrSlash);
        if R::TAIL == Tail::None {
            return at;
        }
        loop {
            match self.text.byte(at) {
                b'\r' | b'\n' => at += 1,
                b'/' if slashes => at += 1,
                _ => return at,
            }
            if R::TAIL == Tail::OneNewlineOrSlash {
                return at;
            }
        }
    }

    /// The end of the piece of white space at `at`, where there is some.
    #[inline(always)]
    fn space<R: Rules>(&mut self, at: usize) -> usize {
        let text = self.text;
        if R::SPACE == Space::PowersOfTwo && at < self.blank_until {
            return self.power(at);
        }
        if R::SPACE == Space::SingleNewlines && matches!(text.bytes[at], b'\r' | b'\n') {
            return at + 1;
        }
        let (mut end, mut last, mut newline) = (at, at, at);
        loop {
            let spaces = text.same(end, b' ');
            if spaces > end {
                (end, last) = (spaces, spaces - 1);
            }
            let newlines = text.same(end, b'\n');
            if newlines > end {
                (end, last, newline) = (newlines, newlines - 1, newlines);
            }
            let (class, width) = text.class(end);
            if class & class::SPACE == 0 {
                break;
            }
            last = end;
            end += width;
            if class & NEWLINE != 0 {
                newline = end;
            }
        }
        if R::SPACE == Space::LinesButLast && end == text.bytes.len() {
            return end;
        }
        let lines = matches!(R::SPACE, Space::Lines | Space::LinesButLast | Space::PowersOfTwo);
        if lines && newline > at {
            return newline;
        }
        if R::SPACE == Space::PowersOfTwo {
            self.blank_until = end;
            return self.power(at);
        }
        if end == text.bytes.len() || last == at { end } else { last }
    }

    /// See [`Space::PowersOfTwo`], at white space without newlines.
    fn power(&self, at: usize) -> usize {
        // Ends of the first 1, 2, 4, … characters with white space or the end after them.
        let (mut end, mut found) = (at, at + self.text.class(at).1);
        for count in 1..=512_usize {
            let (class, width) = self.text.class(end);
            if class & (BLANK | NEWLINE) == 0 {
                break;
            }
            end += width;
            let followed = self.text.class(end).0 & class::SPACE != 0;
            if count.is_power_of_two() && (followed || end == self.text.bytes.len()) {
                found = end;
            }
        }
        found
    }
}
