//! Finds terms that stand one after the other.

use std::ops::{ControlFlow, Range};

use super::Scratch;
use super::needle::Needle;
use crate::analyse::{Source, Step, Stream, Token, WORD, char_before, scan, tables, visible};

/// Terms that stand one after the other.
///
/// The first one is looked for as a stretch of text. Only from the word on in which it stands is
/// the text analysed, until no row of terms that has begun can go on.
pub(super) struct Terms {
    steps: Vec<Step>,
    /// The first step, as a stretch of text.
    first: Needle,
    /// The longest of the others.
    needed: Option<Needle>,
    joins: bool,
}

/// A row of terms that has begun.
#[derive(Clone, Copy, Default)]
pub(super) struct Begun {
    /// At which position; of others that are as far from it as this array is long, one.
    position: u32,
    /// How many steps it has made.
    steps: usize,
    /// Where it begins in the text.
    start: usize,
}

impl Terms {
    pub(super) fn new(steps: Vec<Step>) -> Self {
        let needle = |step: &Step| Needle::new(visible(&step.term), false);
        let first = needle(&steps[0]);
        let needed = steps[1..].iter().max_by_key(|step| visible(&step.term).len()).map(needle);
        let joins = steps.iter().any(|step| step.stream == Stream::Joins);
        Self { steps, first, needed, joins }
    }

    /// How much work a match is, against other terms.
    pub(super) fn cost(&self) -> usize {
        self.steps.len()
    }

    /// Calls `visit` with where the terms stand, until it breaks.
    pub(super) fn each(
        &self,
        text: &[u8],
        scratch: &mut Scratch,
        visit: &mut impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) {
        if self.needed.as_ref().is_some_and(|needed| needed.find(text, 0).is_none()) {
            return;
        }
        let mut at = 0;
        while let Some(found) = self.first.find(text, at) {
            let from = run_start(text, found.start, at);
            let next = match self.joins {
                true => self.follow::<true>(text, from, found.start, scratch, visit),
                false => self.follow::<false>(text, from, found.start, scratch, visit),
            };
            match next {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Analyses the text from a word on, past the first step that was found at `found`, until no
    /// row that has begun can go on; then gives the place of the word it has come to.
    fn follow<const JOINS: bool>(
        &self,
        text: &[u8],
        from: usize,
        found: usize,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Option<usize> {
        let span = self.steps.last().map_or(0, |step| step.offset);
        let Scratch { analysis, begun } = scratch;
        begun.clear();
        begun.resize(span as usize + 1, Begun::default());
        let mut latest = None;
        let mut next = None;
        let _: ControlFlow<()> =
            scan::<true, JOINS>(Source::parts(text), from, analysis, &mut |stream, token| {
                let live = latest.is_some_and(|latest| token.position - latest <= span);
                if stream == Stream::Words && token.start > found && !live {
                    next = Some(token.start);
                    return ControlFlow::Break(());
                }
                self.step(stream, token, begun, &mut latest, visit)
            });
        next
    }

    /// Takes all rows of terms further that `token` takes further.
    fn step(
        &self,
        stream: Stream,
        token: Token<'_>,
        begun: &mut [Begun],
        latest: &mut Option<u32>,
        visit: &mut impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (made, step) in self.steps.iter().enumerate() {
            if step.stream != stream || !step.fits(token.term) || step.offset > token.position {
                continue;
            }
            let position = token.position - step.offset;
            let row = &mut begun[position as usize % self.length()];
            if made == 0 {
                *row = Begun { position, steps: 0, start: token.start };
                *latest = Some(position);
            }
            if row.position != position || row.steps != made {
                continue;
            }
            row.steps += 1;
            if row.steps == self.steps.len() {
                visit(row.start..token.end)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn length(&self) -> usize {
        self.steps.last().map_or(1, |step| step.offset as usize + 1)
    }
}

impl Step {
    /// Whether `term` is what is looked for.
    fn fits(&self, term: &str) -> bool {
        if self.prefix { term.starts_with(&*self.term) } else { term == self.term }
    }
}

/// Where the run of word characters begins that `at` is in, but not before `from`.
fn run_start(text: &[u8], mut at: usize, from: usize) -> usize {
    while at > from
        && let Some((char, length)) = char_before(text, at)
        && tables().kind(char) & WORD != 0
    {
        at -= length;
    }
    at
}
