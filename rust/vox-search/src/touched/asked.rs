//! The files and symbols that a question names.

use super::{Terms, paths, symbols};

/// A term that a question asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// The term, as [`super::terms`] gives them.
    pub term: String,
    /// What a hit of it is worth, at most 1: an end of the path that was asked for is worth less
    /// the less of it is left.
    pub weight: f32,
}

/// What a question in plain words names of files and symbols; none: the lane has nothing to say.
#[must_use]
pub fn asked(question: &str) -> Vec<Asked> {
    let mut found: Vec<Asked> = Vec::new();
    for word in question.split_whitespace() {
        let mut terms = Terms::default();
        let bare = word.trim_matches(|c: char| {
            matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '?' | '!' | '<' | '>')
        });
        let name = bare.trim_end_matches(['.', ':']);
        if paths::looks_like_one(name) {
            paths::add(name, &mut terms);
        }
        // `Module.function` and `module.py` look alike; a wrong guess finds nothing.
        let symbol = name.trim_end_matches("()");
        let symbol = symbol.split(['(', '/']).next().unwrap_or(symbol);
        if symbols::looks_like_one(symbol) {
            symbols::add_name(symbol, &mut terms);
        }
        let longest = terms.order.iter().map(String::len).max().unwrap_or(1);
        for term in terms.order {
            #[expect(clippy::cast_precision_loss, reason = "lengths of a few hundred")]
            let weight = term.len() as f32 / longest as f32;
            match found.iter_mut().find(|known| known.term == term) {
                Some(known) => known.weight = known.weight.max(weight),
                None => found.push(Asked { term, weight }),
            }
        }
    }
    found
}
