//! A stretch of a text as it is shown.

use std::ops::Range;

use crate::analyse::char_at;

/// The text of `range` with single spaces, and the marks in it.
pub(super) fn on_one_line(
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

/// The text of `range` with its white space, and the marks in it.
pub(super) fn as_it_stands(
    text: &[u8],
    range: Range<usize>,
    marks: &[Range<usize>],
) -> (String, Vec<Range<usize>>) {
    let mut shown = String::with_capacity(range.len());
    let mut at = range.start;
    let mut show_until = |end: usize| {
        while at < end {
            let (char, length) = char_at(&text[..range.end], at).unwrap_or(('\u{fffd}', 1));
            shown.push(char);
            at += length;
        }
        shown.len()
    };
    let found = marks
        .iter()
        .filter(|mark| mark.end > range.start && mark.start < range.end)
        .map(|mark| {
            let start = show_until(mark.start);
            start..show_until(mark.end.min(range.end))
        })
        .filter(|mark| !mark.is_empty())
        .collect();
    show_until(range.end);
    (shown, found)
}
