//! Where a published pattern matches.

use std::ops::{ControlFlow, Range};

use vox_types::Result;

use super::{Engine, Pattern, Splitter, regex::Regex};

/// A pattern as Oniguruma reads it: by hand where it is known, else a regular expression.
#[derive(Clone, Debug)]
pub struct Finder(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Known(Splitter),
    Other(Regex),
}

impl Finder {
    /// Finds what `pattern` matches.
    ///
    /// # Errors
    ///
    /// `unsupported` if its matches can't be found exactly and without backtracking, or if it
    /// matches the empty text.
    pub fn new(pattern: &str) -> Result<Self> {
        Ok(Self(match Pattern::of(&[pattern]) {
            Some(known) => Kind::Known(Splitter::new(known, Engine::Unicode16)),
            None => Kind::Other(Regex::new(pattern)?),
        }))
    }

    /// Calls `found` with every match in `text`, from the left, until it breaks. Matches don't
    /// overlap, and none is empty.
    pub fn each_match<B>(
        &self,
        text: &str,
        mut found: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let splitter = match &self.0 {
            Kind::Known(splitter) => splitter,
            Kind::Other(regex) => return regex.each_match(text, found),
        };
        let mut start = 0;
        splitter.parts(text, &mut |part, matched| {
            let range = start..start + part.len();
            start = range.end;
            if matched { found(range) } else { ControlFlow::Continue(()) }
        })
    }
}
