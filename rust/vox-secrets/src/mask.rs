//! A text with its secrets replaced.

use std::{borrow::Cow, ops::Range};

use crate::{rules::Rules, scanner::Span};

/// A text in which each span is replaced by `[secret:<rule>]`. It has no bytes of the spans, and
/// none that end a JSON string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Masked<'t> {
    /// The text.
    pub text: Cow<'t, [u8]>,
    /// Each span of the source and where what stands for it is in the text, in order.
    replaced: Vec<(Range<usize>, Range<usize>)>,
}

impl<'t> Masked<'t> {
    /// Masks the `spans` of `text`, which are in order and don't overlap, as those of
    /// [`crate::Scanner::spans`].
    pub fn new(text: &'t [u8], spans: &[Span], rules: &Rules) -> Self {
        if spans.is_empty() {
            return Self { text: Cow::Borrowed(text), replaced: Vec::new() };
        }
        let mut out = Vec::with_capacity(text.len());
        let mut replaced = Vec::with_capacity(spans.len());
        let mut done = 0;
        for span in spans {
            let (start, end) = (span.start.clamp(done, text.len()), span.end.min(text.len()));
            if start >= end {
                continue;
            }
            out.extend_from_slice(&text[done..start]);
            let from = out.len();
            out.extend_from_slice(b"[secret:");
            out.extend_from_slice(rules.id(span.rule).as_bytes());
            out.push(b']');
            replaced.push((start..end, from..out.len()));
            done = end;
        }
        out.extend_from_slice(&text[done..]);
        Self { text: Cow::Owned(out), replaced }
    }

    /// Where the stretch `range` of the source is in the masked text. What was replaced is taken
    /// as a whole, so that nothing shows which part of it was meant.
    pub fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start, |whole| whole.start);
        let end = self.place(range.end, |whole| whole.end);
        start..end.max(start)
    }

    /// The same of several that are in order and don't overlap; those that come to touch one mask
    /// are one.
    pub fn ranges(&self, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges.iter().map(|range| self.range(range)) {
            match out.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => out.push(range),
            }
        }
        out
    }

    /// The place of the source's byte `at`; of one within what was replaced the `side` of what
    /// stands for it.
    fn place(&self, at: usize, side: impl Fn(&Range<usize>) -> usize) -> usize {
        let before = self.replaced.partition_point(|(source, _)| source.end <= at);
        if let Some((source, whole)) = self.replaced.get(before)
            && source.start < at
        {
            return side(whole);
        }
        match before.checked_sub(1).and_then(|last| self.replaced.get(last)) {
            Some((source, whole)) => whole.end + (at - source.end),
            None => at,
        }
    }
}
