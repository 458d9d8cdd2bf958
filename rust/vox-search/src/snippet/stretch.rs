//! Which stretch of a text to show.

use std::ops::Range;

use crate::analyse::{WORD, char_at, char_before, is_mark, tables};

/// To end between words, so many characters are given up at each end. Judgement.
const GIVEN_UP: usize = 16;

/// From the first to the last of most marks that fit together.
pub(super) fn densest(marks: &[Range<usize>], width: usize) -> Option<Range<usize>> {
    let (mut best, mut most, mut last) = (None, 0, 0);
    for (first, mark) in marks.iter().enumerate() {
        while last < marks.len() && (last <= first || marks[last].end - mark.start <= width) {
            last += 1;
        }
        if last - first > most {
            most = last - first;
            best = Some(mark.start..marks[last - 1].end);
        }
    }
    best
}

/// `width` characters with `core` in them, a third of the rest before it.
pub(super) fn around(text: &[u8], core: Range<usize>, width: usize) -> Range<usize> {
    let end = forward(text, core.start, width).min(core.end);
    let room = width.saturating_sub(characters(text, core.start..end));
    let start = backward(text, core.start, room / 3);
    let end = forward(text, start, width);
    // What isn't used after it is used before it.
    let left = width - characters(text, start..end);
    backward(text, start, left)..end
}

/// Leaves out words that are cut at the ends, if little is lost, and nothing of the mark.
pub(super) fn whole_words(
    text: &[u8],
    range: Range<usize>,
    mark: Option<Range<usize>>,
) -> Range<usize> {
    let word = |char| tables().kind(char) & WORD != 0;
    let joined = |at| {
        char_before(text, at).is_some_and(|(char, _)| word(char))
            && char_at(text, at).is_some_and(|(char, _)| word(char))
    };
    let (first, last) = match &mark {
        Some(mark) => (mark.start, mark.end.min(range.end)),
        None => (range.end, range.start),
    };
    let Range { start, end } = range;

    let mut cut = start;
    for _ in 0..GIVEN_UP {
        if !joined(cut) || cut >= first {
            break;
        }
        cut = forward(text, cut, 1);
    }
    let mut start = if joined(cut) || cut > first { start } else { cut };
    while start < first.min(end) && char_at(text, start).is_some_and(|(char, _)| stays(char)) {
        start = forward(text, start, 1);
    }

    let mut cut = end;
    for _ in 0..GIVEN_UP {
        if !joined(cut) || cut <= last || cut <= start {
            break;
        }
        cut = backward(text, cut, 1);
    }
    let end = if joined(cut) || cut <= start { end } else { cut };
    let splits = |at| char_at(text, at).is_some_and(|(char, _)| stays(char));
    cut = end;
    while cut > start.max(last) && splits(cut) {
        cut = backward(text, cut, 1);
    }
    start..if cut == start || splits(cut) { end } else { cut }
}

/// Whether `char` belongs to what stands before it: a combining mark, a joiner, a variation.
fn stays(char: char) -> bool {
    is_mark(char) || char == '\u{200d}'
}

/// The place `count` characters after `at`, or the end. A byte that isn't UTF-8 is a character.
pub(super) fn forward(text: &[u8], mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        if at == text.len() {
            break;
        }
        at += char_at(text, at).map_or(1, |(_, length)| length);
    }
    at
}

/// The place `count` characters before `at`, or the start.
fn backward(text: &[u8], mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        if at == 0 {
            break;
        }
        at -= char_before(text, at).map_or(1, |(_, length)| length);
    }
    at
}

pub(super) fn characters(text: &[u8], range: Range<usize>) -> usize {
    let (mut at, mut count) = (range.start, 0);
    while at < range.end {
        at = forward(text, at, 1);
        count += 1;
    }
    count
}

/// The range without white space at its ends.
pub(super) fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = range;
    let space = |(char, length): (char, usize)| char.is_whitespace().then_some(length);
    while start < end
        && let Some(length) = char_at(text, start).and_then(space)
    {
        start += length;
    }
    while start < end
        && let Some(length) = char_before(text, end).and_then(space)
    {
        end -= length;
    }
    start..end
}
