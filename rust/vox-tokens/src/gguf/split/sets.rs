//! Sets of characters, and stretches of them that stand alone.

use std::ops::ControlFlow;

use super::{
    Each,
    look::{Look, look},
};
use crate::unicode::class::{Class, SPACE};

/// A set of characters.
#[derive(Clone, Copy, PartialEq)]
pub enum Set {
    /// Those of these classes, and these of ASCII.
    Classes(Class, &'static str),
    /// Those of these ranges but space, which llama.cpp replaces before it looks.
    Ranges(&'static [(u32, u32)]),
    /// All but space and these.
    Not(&'static str),
}

impl Set {
    /// Whether `here` is in it.
    pub fn has(self, here: Look) -> bool {
        let listed = |list: &str| list.chars().any(|listed| u32::from(listed) == here.code);
        match self {
            Self::Classes(mask, ascii) => {
                here.is(mask) || (here.class != 0 && here.code < 128 && listed(ascii))
            }
            Self::Ranges(ranges) => {
                let space = here.is(SPACE) && here.code > 0x7f;
                let at = ranges.partition_point(|&(_, last)| last < here.code);
                here.class != 0
                    && !space
                    && ranges.get(at).is_some_and(|&(first, _)| first <= here.code)
            }
            Self::Not(list) => here.class != 0 && !here.is(SPACE) && !listed(list),
        }
    }

    /// Where the run of it ends that begins at `at`.
    pub fn run(self, text: &str, mut at: usize) -> usize {
        loop {
            let here = look(text, at);
            if !self.has(here) {
                return at;
            }
            at = here.end;
        }
    }
}

/// What may precede a run.
#[derive(Clone, Copy, PartialEq)]
pub enum Before {
    /// Nothing.
    Nothing,
    /// A space of ASCII.
    Blank,
    /// Any space.
    Space,
}

/// Hands over the pieces between matches of `matched`, and the matches: `matched` says where the
/// match ends that begins at a place, if one does.
pub fn isolate<'t>(
    text: &'t str,
    mut matched: impl FnMut(usize, Look) -> Option<usize>,
    each: &mut Each<'_, 't>,
) -> ControlFlow<()> {
    let (mut gap, mut at) = (0, 0);
    while at < text.len() {
        let here = look(text, at);
        match matched(at, here) {
            None => at = here.end,
            Some(end) => {
                if gap < at {
                    each(&text[gap..at])?;
                }
                each(&text[at..end])?;
                (gap, at) = (end, end);
            }
        }
    }
    if gap < text.len() { each(&text[gap..]) } else { ControlFlow::Continue(()) }
}
