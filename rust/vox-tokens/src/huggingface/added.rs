//! Added tokens: strings that are found in a text before it goes to the model.

use aho_corasick::{AhoCorasick, MatchKind};
use serde::{Deserialize, Serialize};
use vox_types::Result;

use super::parse::malformed;
use crate::text::shown;

/// One added token, as it is looked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Added {
    pub id: u32,
    /// What is looked for; normalised if the token is looked for in normalised text.
    pub text: String,
    /// Found only where no word goes on at either side.
    pub single_word: bool,
    /// Takes white space before it along.
    pub strips_left: bool,
    /// Takes white space after it along.
    pub strips_right: bool,
    /// A control token: where it stands in a text it is text, but nothing else is found within it.
    pub special: bool,
}

/// What a text is cut into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// From one byte to another.
    Text(usize, usize),
    Token(u32),
}

/// Finds added tokens in a text.
#[derive(Debug)]
pub struct Finder {
    tokens: Vec<Added>,
    automaton: Option<AhoCorasick>,
}

impl Finder {
    /// Finds these.
    ///
    /// # Errors
    ///
    /// `malformed` if two of them are the same text, or one is empty, or they are too many.
    pub fn new(tokens: Vec<Added>) -> Result<Self> {
        let mut texts: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
        texts.sort_unstable();
        if texts.first().is_some_and(|text| text.is_empty()) {
            return Err(malformed("an added token is empty after normalising"));
        }
        if let Some(twice) = texts.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(malformed(format!(
                "two added tokens are \"{}\" after normalising",
                shown(twice[0])
            )));
        }
        // Control tokens alone leave every text as it is.
        let automaton = if tokens.iter().all(|token| token.special) {
            None
        } else {
            let built = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(tokens.iter().map(|token| &token.text))
                .map_err(|error| malformed(format!("its added tokens: {error}")))?;
            Some(built)
        };
        Ok(Self { tokens, automaton })
    }

    /// Whether there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.automaton.is_none()
    }

    /// Whether more than a token's own text decides whether and where it is found.
    pub fn looks_around(&self) -> bool {
        let looks = |token: &Added| token.single_word || token.strips_left || token.strips_right;
        !self.is_empty() && self.tokens.iter().any(looks)
    }

    /// Whether some token's text begins before `place` and ends after it.
    pub fn spans(&self, bytes: &[u8], place: usize) -> bool {
        let spans = |text: &[u8]| {
            (1..text.len().min(place + 1)).any(|before| bytes[place - before..].starts_with(text))
        };
        !self.is_empty() && self.tokens.iter().any(|token| spans(token.text.as_bytes()))
    }

    /// The tokens that are looked for.
    pub fn tokens(&self) -> &[Added] {
        &self.tokens
    }

    /// Every part of a text from the left, until `each` says to stop. Parts may be empty.
    pub fn each_part(&self, text: &str, mut each: impl FnMut(Part) -> bool) -> bool {
        let Some(automaton) = &self.automaton else { return each(Part::Text(0, text.len())) };
        let mut done = 0;
        for found in automaton.find_iter(text) {
            let token = &self.tokens[found.pattern().as_usize()];
            let (mut start, mut end) = (found.start(), found.end());
            let (before, after) = (&text[..start], &text[end..]);
            if token.special {
                continue;
            }
            if token.single_word
                && (before.chars().next_back().is_some_and(regex_syntax::is_word_character)
                    || after.chars().next().is_some_and(regex_syntax::is_word_character))
            {
                continue;
            }
            if token.strips_left {
                // White space that the token before it took stays with that.
                start = before.trim_end().len().max(done);
            }
            if token.strips_right {
                end += after.len() - after.trim_start().len();
            }
            if done < start && !each(Part::Text(done, start)) {
                return false;
            }
            // What is found next may lie in white space that this one took along. Then it may be
            // found without a place, which the library drops.
            if start < end && !each(Part::Token(token.id)) {
                return false;
            }
            done = end;
        }
        done >= text.len() || each(Part::Text(done, text.len()))
    }
}
