//! One pass over a text that finds its words and joins.

use std::ops::ControlFlow;

use super::parts::{has_parts, parts};
use super::term::{Source, push, term};
use super::unicode::{DENSE, Kind, MARK, Tables, VISIBLE, WORD, char_at, tables};
use super::{Scratch, Stream, Token};

/// Two words are joined by so many characters at most.
pub(crate) const LONGEST_GAP: usize = 3;

/// Calls `visit` with the words of `text` from the byte `from` on, where a word or another
/// character begins, and with its joins; positions count from there. In order of positions, and
/// of one position the word, its parts, and then its join. Ends when `visit` breaks.
pub(crate) fn scan<const WORDS: bool, const JOINS: bool>(
    source: Source<'_>,
    from: usize,
    scratch: &mut Scratch,
    visit: &mut impl FnMut(Stream, Token<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let tables = tables();
    let text = source.bytes;
    let Scratch { term: buffer, join } = scratch;
    let (mut at, mut position) = (from, 0_u32);
    // Where the left word of a join begins whose right one comes next; `join` holds it.
    let mut left = None;
    loop {
        while let Some(byte) = text.get(at)
            && tables.ascii[*byte as usize] & (WORD | DENSE) == 0
        {
            at += 1;
        }
        if at == text.len() {
            return ControlFlow::Continue(());
        }
        let Some(segment) = Segment::at(tables, text, at) else {
            at += char_at(text, at).map_or(1, |(_, length)| length);
            continue;
        };

        if JOINS && let Some(start) = left.take() {
            let first = if segment.dense() { at..segment.first } else { at..segment.end };
            push(tables, source.chars(first.clone()), join);
            let token = Token { term: join, position: position - 1, start, end: first.end };
            visit(Stream::Joins, token)?;
        }

        let mut last = at;
        if !segment.dense() {
            if WORDS {
                let token = Token {
                    term: term(tables, source, at..segment.end, segment.seen, buffer),
                    position,
                    start: at,
                    end: segment.end,
                };
                visit(Stream::Words, token)?;
                if has_parts(segment.end - at, segment.seen, segment.inner) {
                    let word = source.chars(at..segment.end);
                    visit_parts(tables, word, at, position, buffer, visit)?;
                }
            }
        } else if WORDS {
            let mut after = segment.first;
            while after < segment.end {
                let end = after + char_at(text, after).map_or(1, |(_, length)| length);
                let pair = term(tables, source, last..end, segment.seen, buffer);
                visit(Stream::Words, Token { term: pair, position, start: last, end })?;
                (last, after) = (after, end);
                position = position.saturating_add(1);
            }
            let alone = term(tables, source, last..after, segment.seen, buffer);
            visit(Stream::Words, Token { term: alone, position, start: last, end: after })?;
        } else {
            let mut after = segment.first;
            while after < segment.end {
                last = after;
                after += char_at(text, after).map_or(1, |(_, length)| length);
                position = position.saturating_add(1);
            }
        }
        position = position.saturating_add(1);

        at = segment.end;
        if JOINS && let Some(end) = gap(tables, text, segment.end) {
            join.clear();
            push(tables, source.chars(last..segment.end), join);
            join.push_str(source.chars(segment.end..end));
            left = Some(last);
            at = end;
        }
    }
}

/// The parts of `word`, which begins at `start`.
fn visit_parts(
    tables: &Tables,
    word: &str,
    start: usize,
    position: u32,
    buffer: &mut String,
    visit: &mut impl FnMut(Stream, Token<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    parts(tables, word, |range| {
        if flow.is_continue() {
            buffer.clear();
            push(tables, &word[range.clone()], buffer);
            let (start, end) = (start + range.start, start + range.end);
            flow = visit(Stream::Words, Token { term: buffer, position, start, end });
        }
    });
    flow
}

/// A stretch of word characters, either all of scripts without spaces or none of them.
struct Segment {
    /// Where its first character ends.
    first: usize,
    end: usize,
    /// What its characters are.
    seen: Kind,
    /// What all but the first are.
    inner: Kind,
}

impl Segment {
    /// The one that begins at `start`, if a word character stands there.
    #[inline]
    fn at(tables: &Tables, text: &[u8], start: usize) -> Option<Self> {
        let (first, kind) = match tables.ascii[text[start] as usize] {
            DENSE => {
                let (char, length) = char_at(text, start)?;
                (start + length, tables.kind(char))
            }
            kind => (start + 1, kind),
        };
        if kind & WORD == 0 {
            return None;
        }
        let (mut end, mut inner) = (first, 0);
        loop {
            if kind & DENSE == 0 {
                while let Some(byte) = text.get(end)
                    && tables.ascii[*byte as usize] & WORD != 0
                {
                    inner |= tables.ascii[*byte as usize];
                    end += 1;
                }
            }
            // In most texts an ASCII character ends the word.
            if text.get(end).is_none_or(u8::is_ascii) {
                break;
            }
            let Some((char, length)) = char_at(text, end) else { break };
            let next = tables.kind(char);
            let same = next & MARK != 0 || (next ^ kind) & DENSE == 0;
            if next & WORD == 0 || !same {
                break;
            }
            inner |= next;
            end += length;
        }
        Some(Self { first, end, seen: kind | inner, inner })
    }

    fn dense(&self) -> bool {
        self.seen & DENSE != 0
    }
}

/// Where the word begins that follows the word ending at `end` after one to three visible
/// characters, if one does.
#[inline]
fn gap(tables: &Tables, text: &[u8], end: usize) -> Option<usize> {
    let mut at = end;
    for characters in 0..=LONGEST_GAP {
        let (char, length) = char_at(text, at)?;
        let kind = tables.kind(char);
        if kind & WORD != 0 {
            return (characters > 0).then_some(at);
        }
        if kind & VISIBLE == 0 {
            return None;
        }
        at += length;
    }
    None
}
