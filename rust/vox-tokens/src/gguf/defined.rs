//! User-defined tokens: they are cut out of a text before anything else looks at it.
//!
//! llama.cpp goes through them from the longest to the shortest and takes each wherever it stands
//! in what is left of the text.

use std::collections::{HashMap, HashSet};

use aho_corasick::{
    Anchored, MatchKind,
    automaton::Automaton,
    nfa::contiguous::{self, NFA},
};
use memchr::memmem;
use serde::{Deserialize, Serialize};
use vox_types::{Code, Error, Result};

use super::vocab::{Vocab, kind};
use crate::text::shown;

/// Judgement. With more tokens than this, one pass first finds out which of them are there at all.
const MANY: usize = 24;

/// A part of a text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fragment {
    /// A user-defined token.
    Token(u32),
    /// Text between them: where it begins and ends.
    Text(usize, usize),
}

/// A user-defined token.
#[derive(Serialize, Deserialize)]
pub struct Token {
    pub id: u32,
    pub text: String,
    /// Which space it swallows: see [`kind`].
    strips: u8,
}

/// The user-defined tokens of `vocab`, longest first.
///
/// # Errors
///
/// `unsupported` if it isn't defined which of them llama.cpp takes, or one is no text.
pub fn find(vocab: &Vocab) -> Result<Vec<Token>> {
    let matched = |&id: &u32| {
        vocab.is(id, kind::USER_DEFINED) && !vocab.is(id, kind::CONTROL | kind::UNKNOWN)
    };
    let mut ids: Vec<u32> = (0..vocab.tokens.len() as u32).filter(matched).collect();
    ids.sort_by_key(|&id| std::cmp::Reverse(vocab.tokens[id as usize].len()));
    let texts: Vec<&[u8]> = ids.iter().map(|&id| &*vocab.tokens[id as usize]).collect();
    if let Some(both) = ambiguous(&texts) {
        let [first, second] = [both.0, both.1].map(|text| shown(&String::from_utf8_lossy(text)));
        return Err(unsupported(format!(
            "the tokens \"{first}\" and \"{second}\" can overlap and are of one length, and which of them llama.cpp \
             takes then is not defined"
        )));
    }
    let token = |(id, text): (u32, &[u8])| {
        let strips = vocab.kinds[id as usize];
        let text = std::str::from_utf8(text).map_err(|_| {
            let text = shown(&String::from_utf8_lossy(text));
            unsupported(format!("the user-defined token \"{text}\" is no UTF-8"))
        })?;
        Ok(Token { id, text: text.to_owned(), strips })
    };
    ids.into_iter().zip(texts).map(token).collect()
}

/// The user-defined tokens of a vocabulary, to be found.
pub struct Defined {
    tokens: Vec<Finder>,
    filter: Option<NFA>,
}

struct Finder {
    id: u32,
    length: usize,
    find: memmem::Finder<'static>,
    strips: u8,
}

impl Defined {
    /// Finds `tokens`, which are those that [`find`] gave.
    ///
    /// # Errors
    ///
    /// `too_large` if there are too many.
    pub fn new(tokens: &[Token]) -> Result<Self> {
        let filter = (tokens.len() > MANY).then(|| {
            let texts = tokens.iter().map(|token| &token.text);
            contiguous::Builder::new().match_kind(MatchKind::Standard).build(texts).map_err(
                |error| {
                    Error::new(
                        Code::TooLarge,
                        format!("The user-defined tokens of this GGUF are too many: {error}."),
                    )
                },
            )
        });
        let finder = |token: &Token| {
            let find = memmem::Finder::new(&token.text).into_owned();
            Finder { id: token.id, length: token.text.len(), find, strips: token.strips }
        };
        Ok(Self { tokens: tokens.iter().map(finder).collect(), filter: filter.transpose()? })
    }

    /// Whether a token begins before `place` and ends there or after it, and so could swallow what
    /// is there. Also if one could be made of what is no UTF-8.
    pub fn touch(&self, bytes: &[u8], place: usize) -> bool {
        self.tokens.iter().any(|token| {
            let text = token.find.needle();
            let there = |before| bytes[place - before..].starts_with(text);
            (1..=text.len().min(place)).any(there)
                || memmem::find(text, "\u{fffd}".as_bytes()).is_some()
        })
    }

    /// `text` in parts, in order; none of them is empty.
    pub fn fragments(&self, text: &str) -> Vec<Fragment> {
        let mut parts =
            if text.is_empty() { Vec::new() } else { vec![Fragment::Text(0, text.len())] };
        match self.filter.as_ref().map(|filter| occurring(filter, text.as_bytes())) {
            None => self.tokens.iter().for_each(|token| token.cut(text.as_bytes(), &mut parts)),
            Some(there) => {
                there.into_iter().for_each(|at| self.tokens[at].cut(text.as_bytes(), &mut parts));
            }
        }
        parts
    }
}

impl Finder {
    fn cut(&self, text: &[u8], parts: &mut Vec<Fragment>) {
        let there = |part: &Fragment| matches!(*part, Fragment::Text(start, end) if self.find.find(&text[start..end]).is_some());
        let Some(first) = parts.iter().position(there) else { return };
        let rest = parts.split_off(first);
        for part in rest {
            let Fragment::Text(mut start, end) = part else {
                parts.push(part);
                continue;
            };
            while let Some(found) = self.find.find(&text[start..end]) {
                let (mut left, mut right) = (start + found, start + found + self.length);
                if self.strips & kind::STRIPS_LEFT != 0 {
                    left = start + text[start..left].trim_ascii_end_c().len();
                }
                if self.strips & kind::STRIPS_RIGHT != 0 {
                    right = end - text[right..end].trim_ascii_start_c().len();
                }
                if left > start {
                    parts.push(Fragment::Text(start, left));
                }
                parts.push(Fragment::Token(self.id));
                start = right;
            }
            if start < end {
                parts.push(Fragment::Text(start, end));
            }
        }
    }
}

/// Trimming what C's `isspace` calls space: with the vertical tab, unlike Rust's.
trait TrimC {
    fn trim_ascii_end_c(&self) -> &[u8];
    fn trim_ascii_start_c(&self) -> &[u8];
}

impl TrimC for [u8] {
    fn trim_ascii_end_c(&self) -> &[u8] {
        let kept =
            self.iter().rposition(|byte| !matches!(byte, 9..=13 | b' ')).map_or(0, |at| at + 1);
        &self[..kept]
    }

    fn trim_ascii_start_c(&self) -> &[u8] {
        let from =
            self.iter().position(|byte| !matches!(byte, 9..=13 | b' ')).unwrap_or(self.len());
        &self[from..]
    }
}

/// Which patterns stand anywhere in `text`, in their order.
fn occurring(filter: &NFA, text: &[u8]) -> Vec<usize> {
    let Ok(start) = filter.start_state(Anchored::No) else { return Vec::new() };
    let mut state = start;
    let mut seen = HashSet::new();
    let mut patterns = vec![false; filter.patterns_len()];
    let mut last = start;
    for &byte in text {
        state = filter.next_state(Anchored::No, state, byte);
        if state != last && filter.is_match(state) && seen.insert(state) {
            for at in 0..filter.match_len(state) {
                patterns[filter.match_pattern(state, at).as_usize()] = true;
            }
        }
        last = state;
    }
    patterns.iter().enumerate().filter(|(_, there)| **there).map(|(at, _)| at).collect()
}

/// Two different texts of one length of which one can begin where the other hasn't ended.
fn ambiguous<'t>(texts: &[&'t [u8]]) -> Option<(&'t [u8], &'t [u8])> {
    let mut beginnings: HashMap<(usize, &[u8]), Vec<&'t [u8]>> = HashMap::new();
    for text in texts {
        for end in 1..text.len() {
            // Two are enough: one of them is another text than the one that asks.
            let same = beginnings.entry((text.len(), &text[..end])).or_default();
            if same.len() < 2 {
                same.push(text);
            }
        }
    }
    texts.iter().find_map(|text| {
        (1..text.len()).find_map(|from| {
            let same = beginnings.get(&(text.len(), &text[from..]))?;
            same.iter().find(|other| *other != text).map(|other| (*text, *other))
        })
    })
}

fn unsupported(why: String) -> Error {
    Error::new(Code::Unsupported, format!("This GGUF has no exact count: {why}. Use a bound."))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Defined, Fragment, MANY, find};
    use crate::gguf::vocab::{Vocab, kind};

    fn defined(texts: &[&str]) -> Defined {
        let vocab = Vocab::of(texts.iter().map(|text| (*text, kind::USER_DEFINED)));
        let tokens = find(&vocab).expect("no two are ambiguous");
        Defined::new(&tokens).expect("they are few")
    }

    /// Token after token, longest first, over whatever is no token yet.
    fn expected(texts: &[&str], text: &str) -> Vec<Fragment> {
        let mut taken = vec![None; text.len()];
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&id| std::cmp::Reverse(texts[id].len()));
        for id in order {
            let mut at = 0;
            while at + texts[id].len() <= text.len() {
                let place = at..at + texts[id].len();
                if text.as_bytes()[place.clone()] == *texts[id].as_bytes()
                    && taken[place.clone()].iter().all(Option::is_none)
                {
                    taken[place.clone()].fill(Some((id, at)));
                    at = place.end;
                } else {
                    at += 1;
                }
            }
        }
        let same = taken.chunk_by(|before, after| before == after);
        let mut at = 0;
        same.map(|part| {
            at += part.len();
            match part[0] {
                Some((id, _)) => Fragment::Token(id as u32),
                None => Fragment::Text(at - part.len(), at),
            }
        })
        .collect()
    }

    const FEW: [&str; 7] = ["a", "aaa", "ab", "bab", "    ", "  ", "<x>"];

    proptest! {
        #[test]
        fn few_are_found_longest_first(text in "[ab <x>é]{0,40}") {
            prop_assert_eq!(defined(&FEW).fragments(&text), expected(&FEW, &text));
        }

        #[test]
        fn many_are_found_as_few_are(text in "[ab <x>0-9é]{0,40}") {
            let numbered: Vec<String> = (0..MANY).map(|at| format!("<{at}>")).collect();
            let all: Vec<&str> = FEW.into_iter().chain(numbered.iter().map(|each| &**each)).collect();
            prop_assert_eq!(defined(&all).fragments(&text), expected(&all, &text));
        }
    }

    #[test]
    fn two_that_can_overlap_and_are_of_one_length_are_refused() {
        let vocab = Vocab::of(["xyz", "zyx"].map(|text| (text, kind::USER_DEFINED)));
        assert!(find(&vocab).is_err());
    }
}
