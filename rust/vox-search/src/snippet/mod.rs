//! What to show of a text: the stretch in which most of what was asked for stands.

use std::ops::Range;

use crate::analyse::{WORD, char_at, char_before, is_mark, tables};

/// To end between words, so many characters are given up at each end. Judgement.
const GIVEN_UP: usize = 16;

/// A stretch of a text, on one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snippet {
    /// The text, whitespace made single spaces, and U+FFFD in place of bytes that aren't UTF-8.
    pub text: String,
    /// What to highlight in `text`, in bytes, in order, without overlaps.
    pub marks: Vec<Range<usize>>,
    /// Which bytes of the whole it shows.
    pub range: Range<usize>,
    /// The line in which the first mark stands, or without marks the start, from 1.
    pub line: usize,
    /// Whether something stands before it.
    pub before: bool,
    /// Whether something stands after it.
    pub after: bool,
}

/// Cuts the stretch of about `width` characters with most of `marks` out of `text`; of several the
/// first, and without marks the start. Cuts are between words if one ends near, and never within a
/// character or before a combining mark.
///
/// `marks` are in order and don't overlap, as [`crate::matcher::Matcher::marks`] gives them.
pub fn cut(text: &[u8], marks: &[Range<usize>], width: usize) -> Snippet {
    let width = width.max(1);
    let range = match densest(marks, width) {
        Some(core) => around(text, core, width),
        None => {
            let start = trimmed(text, 0..text.len()).start;
            start..forward(text, start, width)
        }
    };
    let first = marks.iter().find(|mark| mark.end > range.start && mark.start < range.end);
    let range = trimmed(text, whole_words(text, range, first.cloned()));
    let line_of = first.map_or(range.start, |mark| mark.start.max(range.start));
    let (shown, marks) = on_one_line(text, range.clone(), marks);
    Snippet {
        text: shown,
        marks,
        line: 1 + memchr::memchr_iter(b'\n', &text[..line_of]).count(),
        before: !trimmed(text, 0..range.start).is_empty(),
        after: !trimmed(text, range.end..text.len()).is_empty(),
        range,
    }
}

/// From the first to the last of most marks that fit together.
fn densest(marks: &[Range<usize>], width: usize) -> Option<Range<usize>> {
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
fn around(text: &[u8], core: Range<usize>, width: usize) -> Range<usize> {
    let end = forward(text, core.start, width).min(core.end);
    let room = width.saturating_sub(characters(text, core.start..end));
    let start = backward(text, core.start, room / 3);
    let end = forward(text, start, width);
    // What isn't used after it is used before it.
    let left = width - characters(text, start..end);
    backward(text, start, left)..end
}

/// Leaves out words that are cut at the ends, if little is lost, and nothing of the mark.
fn whole_words(text: &[u8], range: Range<usize>, mark: Option<Range<usize>>) -> Range<usize> {
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

/// The text of `range` with single spaces, and the marks in it.
fn on_one_line(
    text: &[u8],
    range: Range<usize>,
    marks: &[Range<usize>],
) -> (String, Vec<Range<usize>>) {
    let mut shown = String::with_capacity(range.len());
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut marks = marks.iter().filter(|mark| mark.end > range.start && mark.start < range.end);
    let mut mark = marks.next();
    let mut open = None;
    let mut at = range.start;
    while at <= range.end {
        if let (Some(from), Some(known)) = (open, mark)
            && (at >= known.end || at == range.end)
        {
            let end = shown.trim_end_matches(' ').len().max(from);
            if end > from {
                found.push(from..end);
            }
            (open, mark) = (None, marks.next());
        }
        if at == range.end {
            break;
        }
        let (char, length) = char_at(&text[..range.end], at).unwrap_or(('\u{fffd}', 1));
        let space = char.is_whitespace();
        if open.is_none() && mark.is_some_and(|mark| at >= mark.start) {
            open = Some(shown.len());
        }
        match space {
            false => shown.push(char),
            true if shown.is_empty() || shown.ends_with(' ') => {}
            true => shown.push(' '),
        }
        at += length;
    }
    shown.truncate(shown.trim_end_matches(' ').len());
    (shown, found)
}

/// The place `count` characters after `at`, or the end. A byte that isn't UTF-8 is a character.
fn forward(text: &[u8], mut at: usize, count: usize) -> usize {
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

fn characters(text: &[u8], range: Range<usize>) -> usize {
    let (mut at, mut count) = (range.start, 0);
    while at < range.end {
        at = forward(text, at, 1);
        count += 1;
    }
    count
}

/// The range without white space at its ends.
fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
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
