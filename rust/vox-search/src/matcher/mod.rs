//! Says whether a text holds what a query asks for, and where, without an index.
//!
//! It reads texts through the same analyser as the index, so both give the same hits. Most texts
//! are never analysed: first a stretch of text is looked for without which nothing matches.

mod needle;
mod pattern;
mod terms;

use std::ops::{ControlFlow, Range};

use regex_automata::Input;
use vox_types::{Code, Error, Result};

use crate::analyse::{self, Sought, sought};
use crate::query::{Atom, Node};
use needle::Needle;
use pattern::Pattern;
use terms::{Begun, Terms};

/// A condition on a text, ready to be asked of many. Threads share one; each has its [`Scratch`].
pub struct Matcher(Test);

/// Buffers of a matcher, to be used again for the next text.
#[derive(Default)]
pub struct Scratch {
    analysis: analyse::Scratch,
    begun: Vec<Begun>,
}

enum Test {
    Literal(Needle),
    Terms(Terms),
    Pattern(Pattern),
    /// The cheapest first, as in the next.
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
}

impl Matcher {
    /// Makes one of a condition.
    ///
    /// # Errors
    ///
    /// `invalid_argument`: an expression is none or is too large, or an atom is empty.
    pub fn new(node: &Node) -> Result<Self> {
        Test::new(node).map(Self)
    }

    /// Whether `text` fulfils the condition.
    pub fn matches(&self, text: &[u8], scratch: &mut Scratch) -> bool {
        self.0.matches(text, scratch)
    }

    /// What to highlight: where the terms, literals and expressions stand that aren't excluded, in
    /// order, without overlaps, up to `most` of each.
    pub fn marks(&self, text: &[u8], most: usize, scratch: &mut Scratch) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.0.marks(text, most, scratch, &mut found);
        found.sort_unstable_by_key(|mark| (mark.start, mark.end));
        let mut marks: Vec<Range<usize>> = Vec::new();
        for mark in found {
            match marks.last_mut() {
                Some(last) if mark.start < last.end => last.end = last.end.max(mark.end),
                _ => marks.push(mark),
            }
        }
        marks
    }
}

impl Test {
    fn new(node: &Node) -> Result<Self> {
        let all = |nodes: &[Node]| {
            let mut tests = nodes.iter().map(Self::new).collect::<Result<Vec<_>>>()?;
            tests.sort_by_key(Self::cost);
            Ok(tests)
        };
        Ok(match node {
            Node::Atom(atom) => Self::of(atom)?,
            Node::And(nodes) => Self::All(all(nodes)?),
            Node::Or(nodes) => Self::Any(all(nodes)?),
            Node::Not(node) => Self::Not(Box::new(Self::new(node)?)),
        })
    }

    fn of(atom: &Atom) -> Result<Self> {
        Ok(match sought(atom) {
            Sought::Terms(steps) => Self::Terms(Terms::new(steps)),
            Sought::Literal { text, .. } if text.is_empty() => {
                let column = atom.at.start + 1;
                let message = format!(
                    "nothing to look for at column {column} of the query: give it some text"
                );
                return Err(Error::new(Code::InvalidArgument, message));
            }
            Sought::Literal { text, case } => Self::Literal(Needle::new(&text, case)),
            Sought::Regex { pattern, case } => Self::Pattern(Pattern::new(&pattern, case, atom)?),
        })
    }

    /// What is asked first: what is quick to answer, and likely to be no.
    fn cost(&self) -> (u8, usize) {
        match self {
            Self::Literal(_) => (0, 0),
            Self::Terms(terms) => (1, terms.cost()),
            Self::Pattern(_) => (2, 0),
            Self::All(tests) | Self::Any(tests) => (3, tests.len()),
            Self::Not(test) => (4, test.cost().0.into()),
        }
    }

    fn matches(&self, text: &[u8], scratch: &mut Scratch) -> bool {
        match self {
            Self::Literal(needle) => needle.find(text, 0).is_some(),
            Self::Terms(terms) => {
                let mut found = false;
                terms.each(text, scratch, &mut |_| {
                    found = true;
                    ControlFlow::Break(())
                });
                found
            }
            Self::Pattern(pattern) => {
                pattern.may_match(text) && pattern.regex.is_match(Input::new(text))
            }
            Self::All(tests) => tests.iter().all(|test| test.matches(text, scratch)),
            Self::Any(tests) => tests.iter().any(|test| test.matches(text, scratch)),
            Self::Not(test) => !test.matches(text, scratch),
        }
    }

    fn marks(
        &self,
        text: &[u8],
        most: usize,
        scratch: &mut Scratch,
        found: &mut Vec<Range<usize>>,
    ) {
        let enough = found.len() + most;
        match self {
            Self::Literal(needle) => {
                let mut at = 0;
                while found.len() < enough
                    && let Some(mark) = needle.find(text, at)
                {
                    at = mark.end;
                    found.push(mark);
                }
            }
            Self::Terms(terms) => terms.each(text, scratch, &mut |mark| {
                found.push(mark);
                if found.len() < enough {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            }),
            Self::Pattern(pattern) if !pattern.may_match(text) => {}
            Self::Pattern(pattern) => {
                let marks = pattern.regex.find_iter(text).map(|mark| mark.range());
                found.extend(marks.filter(|mark| !mark.is_empty()).take(most));
            }
            Self::All(tests) | Self::Any(tests) => {
                tests.iter().for_each(|test| test.marks(text, most, scratch, found));
            }
            Self::Not(_) => {}
        }
    }
}
