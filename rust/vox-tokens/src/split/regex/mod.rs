//! Patterns that no splitter is written for: as automata, which never backtrack.
//!
//! Automata can't look ahead. What published patterns look for ahead is one character, at the end
//! of an alternative and after a repeated class, as in `\s+(?!\S)`. Such an alternative becomes
//! two: one that takes the character as well and gives it back, and one that ends with the text.

mod alternatives;
mod oniguruma;
#[cfg(test)]
mod tests;

use std::ops::{ControlFlow, Range};

use alternatives::Alternative;
use regex_automata::{Input, meta};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};
use vox_types::{Code, Error, Result};

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Regex {
    meta: meta::Regex,
    /// Of each alternative of `meta`: whether its last character only had to be there.
    gives_back: Vec<bool>,
}

impl Regex {
    /// `pattern` as Oniguruma reads it.
    ///
    /// # Errors
    ///
    /// `unsupported` if there is no automaton for it that surely finds the same.
    pub fn new(pattern: &str) -> Result<Self> {
        Self::built(pattern).map_err(|reason| {
            let message = format!(
                "the pattern {pattern:?} can't be matched exactly: {reason}; count with a bound"
            );
            Error::new(Code::Unsupported, message)
        })
    }

    fn built(pattern: &str) -> std::result::Result<Self, String> {
        let (mut all, mut gives_back) = (Vec::new(), Vec::new());
        // Alternatives without a look ahead that follow each other: building an automaton of n
        // patterns takes n² steps, of one with n alternatives far less.
        let mut plain: Vec<Hir> = Vec::new();
        for Alternative { taken, ahead } in alternatives::of(pattern)? {
            let taken = oniguruma::parse(&taken)?;
            let Some((ahead, wanted)) = ahead else {
                if taken.properties().minimum_len() == Some(0) {
                    return Err("it matches the empty text".to_owned());
                }
                plain.push(taken);
                continue;
            };
            if !plain.is_empty() {
                all.push(Hir::alternation(std::mem::take(&mut plain)));
                gives_back.push(false);
            }
            if !is_repeated_class(&taken) {
                return Err("it looks ahead after more than one repeated class".to_owned());
            }
            let mut next = one_character(oniguruma::parse(&ahead)?)?;
            if !wanted {
                next.negate();
                let end = Hir::look(Look::End);
                all.push(Hir::concat(vec![taken.clone(), end]));
                gives_back.push(false);
            }
            all.push(Hir::concat(vec![taken, Hir::class(next)]));
            gives_back.push(true);
        }
        if !plain.is_empty() {
            all.push(Hir::alternation(plain));
            gives_back.push(false);
        }
        let meta = meta::Builder::new().build_many_from_hir(&all).map_err(|e| e.to_string())?;
        Ok(Self { meta, gives_back })
    }

    /// Calls `found` with every match in `text`, from the left, until it breaks.
    pub fn each_match<B>(
        &self,
        text: &str,
        mut found: impl FnMut(Range<usize>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut input = Input::new(text);
        while let Some(matched) = self.meta.search(&input) {
            let mut range = matched.range();
            if self.gives_back[matched.pattern()] {
                let last = text[range.clone()].chars().next_back().map_or(0, char::len_utf8);
                range.end -= last;
            }
            input.set_start(range.end);
            found(range)?;
        }
        ControlFlow::Continue(())
    }
}

/// Whether `hir` is one class, repeated at least once and as often as it can be.
fn is_repeated_class(hir: &Hir) -> bool {
    matches!(
        hir.kind(),
        HirKind::Repetition(repeated)
            if repeated.greedy && repeated.min > 0 && one_character((*repeated.sub).clone()).is_ok()
    )
}

/// The class that `hir` is.
fn one_character(hir: Hir) -> std::result::Result<Class, String> {
    match hir.into_kind() {
        HirKind::Class(class @ Class::Unicode(_)) => Ok(class),
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).map_err(|e| e.to_string())?.chars();
            match (chars.next(), chars.next()) {
                (Some(one), None) => {
                    Ok(Class::Unicode(ClassUnicode::new([ClassUnicodeRange::new(one, one)])))
                }
                _ => Err("it looks ahead at more than one character".to_owned()),
            }
        }
        _ => Err("it looks ahead at more than one character".to_owned()),
    }
}
