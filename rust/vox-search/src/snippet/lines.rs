//! What to show of a text as lines: the one in which most of what was asked for stands, and those
//! around it.

use std::ops::Range;

use super::{
    showing::as_it_stands,
    stretch::{around, characters, densest, forward, trimmed, whole_words},
};

/// A line of a text, its white space as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Its text without what ends it, and U+FFFD in place of bytes that aren't UTF-8.
    pub text: String,
    /// What to highlight in `text`, in bytes, in order, without overlaps.
    pub marks: Vec<Range<usize>>,
    /// Whether something of the line stands before `text`.
    pub before: bool,
    /// Whether something of it stands after `text`.
    pub after: bool,
}

/// The line of `text` in which most of `marks` begin, of several the first, and without marks the
/// first with something in it; and up to `count` lines at either side of it. Of a line longer than
/// `width` characters the part with most marks is shown, or its start.
///
/// `marks` are in order and don't overlap, as [`crate::matcher::Matcher::marks`] gives them.
pub fn lines(text: &[u8], marks: &[Range<usize>], count: usize, width: usize) -> Vec<Line> {
    let best = fullest(text, marks);
    let first = (0..count).fold(best.start, |start, _| match start {
        0 => 0,
        start => line_at(text, start - 1).start,
    });
    let mut shown = Vec::new();
    let mut number = 1 + memchr::memchr_iter(b'\n', &text[..first]).count();
    let mut at = line_at(text, first);
    let mut after = 0;
    loop {
        shown.push(line(text, at.clone(), marks, number, width));
        after += usize::from(at.start > best.start);
        // What ends the last line begins no other.
        if (at.start >= best.start && after == count) || at.end + 1 >= text.len() {
            return shown;
        }
        at = line_at(text, at.end + 1);
        number += 1;
    }
}

/// The line in which most marks begin.
fn fullest(text: &[u8], marks: &[Range<usize>]) -> Range<usize> {
    let Some(first) = marks.first() else {
        let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        return line_at(text, if blank == text.len() { 0 } else { blank });
    };
    let (mut best, mut most) = (line_at(text, first.start), 0);
    let mut at = 0;
    while at < marks.len() {
        let line = line_at(text, marks[at].start);
        let here = marks[at..].iter().take_while(|mark| mark.start <= line.end).count();
        at += here;
        if here > most {
            (best, most) = (line, here);
        }
    }
    best
}

/// The line that holds the byte at `at`, without the line feed that ends it.
fn line_at(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |before| before + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |after| at + after);
    start..end
}

fn line(
    text: &[u8],
    range: Range<usize>,
    marks: &[Range<usize>],
    number: usize,
    width: usize,
) -> Line {
    let Range { start, end } = range;
    let whole = text[start..end].strip_suffix(b"\r").unwrap_or(&text[start..end]);
    let from = marks.partition_point(|mark| mark.end <= start);
    let marks: Vec<Range<usize>> = marks[from..]
        .iter()
        .take_while(|mark| mark.start < start + whole.len())
        .map(|mark| mark.start.saturating_sub(start)..(mark.end - start).min(whole.len()))
        .collect();
    let width = width.max(1);
    let range = match densest(&marks, width) {
        _ if forward(whole, 0, width) == whole.len() => 0..whole.len(),
        Some(core) if characters(whole, 0..core.end) > width => {
            let range = around(whole, core, width);
            let mark = marks.iter().find(|mark| mark.end > range.start && mark.start < range.end);
            whole_words(whole, range.clone(), mark.cloned())
        }
        _ => whole_words(whole, 0..forward(whole, 0, width), marks.first().cloned()),
    };
    let inner = trimmed(whole, range.clone());
    // What a line begins with is shown, what a cut leaves at its ends isn't.
    let start = if range.start > 0 { inner.start } else { 0 };
    let range = start..if range.end < whole.len() { inner.end.max(start) } else { range.end };
    let (shown, marks) = as_it_stands(whole, range.clone(), &marks);
    Line { number, text: shown, marks, before: range.start > 0, after: range.end < whole.len() }
}
