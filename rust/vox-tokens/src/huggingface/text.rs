//! A text on its way through a tokenizer.

use std::str::Chars;

/// A stretch of text between added tokens, as far as it is normalised.
///
/// The prefix of `Metaspace` with the scheme `first` goes before pieces that stem from the very
/// first character of the original, so that place is followed through all changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Normal {
    pub text: String,
    /// So many bytes of `text` stem from the first character of the original. None do if the
    /// stretch begins later, or if that character was dropped.
    pub origin: usize,
}

impl Normal {
    /// A stretch of the original, at its beginning or not.
    pub fn new(text: &str, at_start: bool) -> Self {
        Self { text: text.to_owned(), origin: Self::origin_of(text, at_start) }
    }

    /// The bytes of the first character, if it is that of the original.
    pub fn origin_of(text: &str, at_start: bool) -> usize {
        text.chars().next().filter(|_| at_start).map_or(0, char::len_utf8)
    }

    /// Writes the text anew. `skipped` characters are left out before the first one.
    pub fn rewrite(&mut self, skipped: usize, write: impl FnOnce(&str, &mut Rewriting)) {
        let old = std::mem::take(&mut self.text);
        let mut rewriting = Rewriting::new(&old, self.origin, skipped);
        write(&old, &mut rewriting);
        self.origin = rewriting.origin;
        self.text = rewriting.new;
    }

    /// Keeps the characters that `keep` says yes to.
    pub fn filter(&mut self, keep: impl Fn(char) -> bool) {
        if self.text.chars().all(&keep) {
            return;
        }
        let skipped = self.text.chars().take_while(|&c| !keep(c)).count();
        self.rewrite(skipped, |old, new| {
            let mut kept: Option<(char, isize)> = None;
            for c in old.chars().skip(skipped) {
                if keep(c) {
                    if let Some((before, dropped)) = kept.replace((c, 0)) {
                        new.push(before, -dropped);
                    }
                } else if let Some((_, dropped)) = &mut kept {
                    *dropped += 1;
                }
            }
            if let Some((last, dropped)) = kept {
                new.push(last, -dropped);
            }
        });
    }

    /// Replaces each character by another.
    pub fn map(&mut self, map: impl Fn(char) -> char) {
        if self.text.chars().any(|c| map(c) != c) {
            self.rewrite(0, |old, new| old.chars().for_each(|c| new.push(map(c), 0)));
        }
    }

    /// Puts `prefix` before the text; it stems from where the first character does.
    pub fn prepend(&mut self, prefix: &str) {
        self.text.insert_str(0, prefix);
        if self.origin > 0 {
            self.origin += prefix.len();
        }
    }
}

/// A text that is written anew, character by character.
pub struct Rewriting<'t> {
    new: String,
    origin: usize,
    old: Chars<'t>,
    /// The byte of the old text that the next character stems from.
    place: usize,
    old_origin: usize,
    /// Whether all so far stems from the first character.
    tracking: bool,
}

impl<'t> Rewriting<'t> {
    fn new(old: &'t str, old_origin: usize, skipped: usize) -> Self {
        let mut new = Self {
            new: String::with_capacity(old.len()),
            origin: 0,
            old: old.chars(),
            place: 0,
            old_origin,
            tracking: old_origin > 0,
        };
        new.pass(skipped);
        new
    }

    /// Writes `c`. `change` is 0 if it stands for the next old character, 1 if it is one more
    /// beside the one before, and −n if n old characters after its own are dropped.
    pub fn push(&mut self, c: char, change: isize) {
        self.new.push(c);
        if !self.tracking {
            return;
        }
        let stems_from = if change > 0 { self.place.saturating_sub(1) } else { self.place };
        if stems_from >= self.old_origin {
            self.tracking = false;
            return;
        }
        self.origin = self.new.len();
        if change <= 0 {
            self.pass(1 + change.unsigned_abs());
        }
    }

    /// Writes what stays as it is.
    pub fn push_str(&mut self, text: &str) {
        if self.tracking {
            text.chars().for_each(|c| self.push(c, 0));
        } else {
            self.new.push_str(text);
        }
    }

    fn pass(&mut self, characters: usize) {
        self.place += self.old.by_ref().take(characters).map(char::len_utf8).sum::<usize>();
    }
}
