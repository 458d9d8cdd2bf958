//! What to show of a text: the stretch in which most of what was asked for stands.

mod lines;
mod showing;
mod stretch;

use std::ops::Range;

pub use lines::{Line, lines};

use self::{
    showing::on_one_line,
    stretch::{around, densest, forward, trimmed, whole_words},
};

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
