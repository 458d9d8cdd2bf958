//! A question in plain words, as what an index is asked for: no query, no term must be there, each
//! adds to the score of what holds it.
//!
//! A word counts as it is written, and a little by its stem. What is written as one (`foo_bar`,
//! `src/x.py`, `crate::path`) counts as one: its parts say less, each alone stands in many texts.

use std::collections::{HashMap, HashSet};

use crate::{
    analyse::{Scratch, Stems, joins, words},
    index::{Lane, Wanted},
    touched,
};

/// What a part of an identifier, or of words that are joined, counts beside a word. Judgement.
const PART: f32 = 0.3;

/// What two words with what joins them count. Judgement: as rare as the two, and said just so.
const JOIN: f32 = 1.5;

/// What a stem counts. Judgement: enough to find other forms, too little to outweigh the words.
const STEM: f32 = 0.3;

/// The most terms of a question. Judgement: whoever pastes a page asks with its beginning.
const MOST: usize = 256;

/// The terms of a question, each with what it counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Question {
    terms: Vec<(Lane, String, f32)>,
}

impl Question {
    /// What is asked of texts.
    #[must_use]
    pub fn of_texts(question: &str) -> Self {
        let mut terms = Terms::default();
        let mut scratch = Scratch::default();
        for word in question.split_whitespace() {
            terms.add_written(word, &mut scratch);
        }
        Self { terms: terms.in_order() }
    }

    /// What is asked of the files and symbols that tool calls touched: nothing, if it names none.
    #[must_use]
    pub fn of_touched(question: &str) -> Self {
        let asked = touched::asked(question).into_iter().take(MOST);
        Self { terms: asked.map(|asked| (Lane::Touched, asked.term, asked.weight)).collect() }
    }

    /// Whether it asks for nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// What to ask an index for.
    #[must_use]
    pub fn wanted(&self) -> Vec<Wanted<'_>> {
        let terms = self.terms.iter();
        terms.map(|(lane, term, weight)| Wanted { lane: *lane, term, weight: *weight }).collect()
    }

    /// How much of the question's words a text holds, from 0 to 1: each word weighs as much as
    /// `rarity` says, which is 0 or more.
    pub fn covered(&self, text: &[u8], rarity: impl Fn(&str) -> f32) -> f32 {
        let asked: HashMap<&str, f32> = self
            .terms
            .iter()
            .filter(|(lane, ..)| *lane == Lane::Words)
            .map(|(_, term, weight)| (term.as_str(), weight * rarity(term)))
            .collect();
        let all: f32 = asked.values().sum();
        if all <= 0.0 {
            return 0.0;
        }
        let mut held = HashSet::new();
        words(text, &mut Scratch::default(), |token| {
            if let Some((term, _)) = asked.get_key_value(token.term) {
                held.insert(*term);
            }
        });
        held.iter().map(|term| asked[term]).sum::<f32>() / all
    }

    /// The words that are asked for as they are written, for showing where a text holds them.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter(|(lane, ..)| *lane == Lane::Words).map(|(_, term, _)| &**term)
    }
}

/// Terms on the way, each once with the most that it counts.
#[derive(Default)]
struct Terms {
    order: Vec<(Lane, String)>,
    weights: HashMap<(Lane, String), f32>,
    stems: Stems,
}

impl Terms {
    /// Adds what stands between two spaces.
    fn add_written(&mut self, written: &str, scratch: &mut Scratch) {
        let mut joined = Vec::new();
        joins(written.as_bytes(), scratch, |token| joined.push(token.term.to_owned()));
        let found = found_in(written, scratch);
        for (at, word) in found.iter().enumerate() {
            let whole = at == 0 || found[at - 1].position != word.position;
            let has_parts = found.get(at + 1).is_some_and(|next| next.position == word.position);
            let weight = if whole && (joined.is_empty() || has_parts) { 1.0 } else { PART };
            self.add(Lane::Words, &word.term, weight);
            let stem = self.stems.stem(&word.term).to_owned();
            self.add(Lane::Stems, &stem, weight * STEM);
        }
        for join in &joined {
            self.add(Lane::Joins, join, JOIN);
        }
    }

    fn add(&mut self, lane: Lane, term: &str, weight: f32) {
        let key = (lane, term.to_owned());
        if let Some(known) = self.weights.get_mut(&key) {
            *known = known.max(weight);
        } else if self.order.len() < MOST {
            self.order.push(key.clone());
            self.weights.insert(key, weight);
        }
    }

    fn in_order(self) -> Vec<(Lane, String, f32)> {
        let Self { order, weights, .. } = self;
        let with_weight = |key: (Lane, String)| {
            let weight = weights[&key];
            (key.0, key.1, weight)
        };
        order.into_iter().map(with_weight).collect()
    }
}

/// A word of a question.
struct Found {
    term: String,
    position: u32,
}

/// The words and parts of what stands between two spaces. Of scripts without spaces the last
/// character alone is left out where it stands in a pair.
fn found_in(written: &str, scratch: &mut Scratch) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut pair_ends = None;
    words(written.as_bytes(), scratch, |token| {
        let characters = written[token.start..token.end].chars().count();
        if characters == 1 && pair_ends == Some(token.end) {
            return;
        }
        pair_ends = (characters == 2).then_some(token.end);
        found.push(Found { term: token.term.to_owned(), position: token.position });
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> Vec<(Lane, String, f32)> {
        Question::of_texts(question).terms
    }

    fn weight(question: &str, lane: Lane, term: &str) -> Option<f32> {
        of(question).into_iter().find(|(l, t, _)| *l == lane && t == term).map(|(.., w)| w)
    }

    #[test]
    fn a_word_counts_as_written_and_a_little_by_its_stem() {
        assert_eq!(weight("Rendering fails", Lane::Words, "rendering"), Some(1.0));
        assert_eq!(weight("Rendering fails", Lane::Stems, "render"), Some(STEM));
        assert_eq!(weight("Rendering fails", Lane::Words, "render"), None);
    }

    #[test]
    fn the_parts_of_an_identifier_say_less_than_the_whole() {
        assert_eq!(weight("foo_bar", Lane::Words, "foo_bar"), Some(1.0));
        assert_eq!(weight("foo_bar", Lane::Words, "foo"), Some(PART));
        assert_eq!(weight("foo_bar foo", Lane::Words, "foo"), Some(1.0));
    }

    #[test]
    fn what_is_joined_counts_as_joined() {
        assert_eq!(weight("src/x.py", Lane::Joins, "src/x"), Some(JOIN));
        assert_eq!(weight("src/x.py", Lane::Joins, "x.py"), Some(JOIN));
        assert_eq!(weight("src/x.py", Lane::Words, "src"), Some(PART));
        assert_eq!(weight("src, x", Lane::Words, "src"), Some(1.0));
    }

    #[test]
    fn pairs_say_it_all_where_there_are_no_spaces() {
        let terms: Vec<_> = Question::of_texts("地址查找").words().map(str::to_owned).collect();
        assert_eq!(terms, ["地址", "址查", "查找"]);
        let terms: Vec<_> = Question::of_texts("文").words().map(str::to_owned).collect();
        assert_eq!(terms, ["文"]);
    }

    #[test]
    fn a_text_covers_what_it_holds_by_rarity() {
        let question = Question::of_texts("the scheduler");
        let rarity = |word: &str| if word == "the" { 1.0 } else { 3.0 };
        assert!((question.covered(b"A scheduler.", rarity) - 0.75).abs() < 1e-6);
        assert!((question.covered(b"THE SCHEDULER", rarity) - 1.0).abs() < 1e-6);
        assert!(question.covered(b"", rarity).abs() < 1e-6);
        assert!(Question::of_texts("?!").covered(b"a", rarity).abs() < 1e-6);
    }

    #[test]
    fn a_page_asks_with_its_beginning() {
        let page: String = (0..10_000).map(|n| format!("word{n}x ")).collect();
        let question = Question::of_texts(&page);
        assert_eq!(question.wanted().len(), MOST);
        assert!(question.words().any(|word| word == "word0x"));
    }

    #[test]
    fn only_names_are_asked_of_what_was_touched() {
        assert!(Question::of_touched("why does it fail").is_empty());
        let question = Question::of_touched("why does src/x.py fail");
        assert!(question.wanted().iter().any(|wanted| wanted.term == "src/x.py"));
    }
}
