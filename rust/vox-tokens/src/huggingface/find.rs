//! Patterns that `Split` and `Replace` look for.

use std::ops::ControlFlow;

use memchr::memmem;
use vox_types::Result;

use crate::split::Finder;

/// What is looked for.
#[derive(Debug)]
pub enum Pattern {
    /// Exactly this, which isn't empty.
    Literal(Box<memmem::Finder<'static>>),
    /// A pattern as Oniguruma reads it, which matches nothing that is empty.
    Regex(Box<Finder>),
}

impl Pattern {
    pub fn literal(text: &str) -> Self {
        Self::Literal(Box::new(memmem::Finder::new(text).into_owned()))
    }

    /// A pattern as Oniguruma reads it.
    ///
    /// # Errors
    ///
    /// `unsupported` if vox can't reproduce it.
    pub fn regex(pattern: &str) -> Result<Self> {
        Ok(Self::Regex(Box::new(Finder::new(pattern)?)))
    }

    /// Every match from the left, where it starts and ends. They don't overlap, none is empty.
    pub fn each_match(&self, text: &str, mut each: impl FnMut(usize, usize)) {
        match self {
            Self::Literal(finder) => {
                let length = finder.needle().len();
                finder.find_iter(text.as_bytes()).for_each(|at| each(at, at + length));
            }
            Self::Regex(finder) => {
                let _ = finder.each_match(text, |found| {
                    each(found.start, found.end);
                    ControlFlow::<()>::Continue(())
                });
            }
        }
    }
}
