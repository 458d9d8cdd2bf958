//! What a text that holds a stretch of text must have in the index.
//!
//! Words that end within the stretch on both sides are words of the text. Those at its edges may
//! go on in the text: it has a word that begins, ends, or goes on both ways with them.

use memchr::memmem::Finder;
use tantivy::{
    Term,
    query::{AllQuery, PhraseQuery, Query, TermQuery},
    schema::IndexRecordOption,
};

use super::{
    super::fields::Fields,
    all,
    dictionary::{Dictionary, Which},
};
use crate::analyse::{CUT, Scratch, cut_prefix, is_dense, is_mark, words};

/// A query for every text that can hold `text`, in any case.
pub(super) fn compile(text: &str, fields: &Fields) -> Box<dyn Query> {
    // A mark belongs to whatever stands before it.
    let text = text.trim_start_matches(is_mark);
    let mut edges: Vec<Box<dyn Query>> = Vec::new();
    let mut inner: Vec<(usize, Term)> = Vec::new();
    let (mut last, mut pair_ends) = (None, 0);
    words(text.as_bytes(), &mut Scratch::default(), |token| {
        if last.replace(token.position) == Some(token.position) {
            return; // a part of an identifier
        }
        let mut chars = text[token.start..token.end].chars();
        let dense = chars.next().is_some_and(is_dense);
        let alone = chars.next().is_none();
        let (open, ends) = (token.start == 0, token.end == text.len());
        let edge = match (dense, alone) {
            // Two neighbours are a term wherever they stand.
            (true, false) => {
                pair_ends = token.end;
                None
            }
            // The last one of several: the pair before says it all.
            (true, true) if token.end == pair_ends => return,
            (true, true) => {
                Some(Which::Holding(Box::new(Finder::new(token.term.as_bytes()).into_owned())))
            }
            (false, _) => edge(token.term, open, ends),
        };
        match edge {
            Some(which) => edges.push(Box::new(Dictionary::new(fields.words, which))),
            None => {
                let term = Term::from_field_text(fields.words, token.term);
                inner.push((token.position as usize, term));
            }
        }
    });
    let inner: Option<Box<dyn Query>> = match inner.len() {
        0 => None,
        1 => {
            let term = inner.swap_remove(0).1;
            Some(Box::new(TermQuery::new(term, IndexRecordOption::Basic)))
        }
        _ => Some(Box::new(PhraseQuery::new_with_offset(inner))),
    };
    if inner.is_none() && edges.is_empty() {
        return Box::new(AllQuery);
    }
    all(inner.into_iter().chain(edges).collect())
}

/// Which terms a text has if its word goes on before (`open`) or after (`ends`) `term`; none: it
/// is the term of the word.
fn edge(term: &str, open: bool, ends: bool) -> Option<Which> {
    // The end of a word whose term was cut isn't known: any cut term will do.
    let known = if term.contains(CUT) { &[CUT as u8] } else { term.as_bytes() };
    match (open, ends) {
        (false, false) => None,
        (false, true) => Some(Which::Starting(cut_prefix(term).as_bytes().into())),
        (true, false) => Some(Which::Ending(known.into())),
        (true, true) => Some(Which::Holding(Box::new(Finder::new(known).into_owned()))),
    }
}
