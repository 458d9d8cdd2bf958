//! Documents with any of the terms of a field that look so: found by reading the dictionary, or
//! the part of it that begins so.

use std::sync::Arc;

use memchr::memmem::Finder;
use tantivy::{
    BitSet, DocId, Score, SegmentReader,
    index::InvertedIndexReader,
    postings::TermInfo,
    query::{BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight},
    schema::{Field, IndexRecordOption},
};

use crate::analyse::CUT;

/// Which terms.
#[derive(Clone, Debug)]
pub(super) enum Which {
    /// Those that begin so.
    Starting(Box<[u8]>),
    /// Those of words that end so; a term that was cut stands for any end.
    Ending(Box<[u8]>),
    /// Those of words that hold this; a term that was cut stands for anything.
    Holding(Box<Finder<'static>>),
}

/// Matches documents with any of the terms.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    field: Field,
    which: Arc<Which>,
}

impl Dictionary {
    pub(super) fn new(field: Field, which: Which) -> Self {
        Self { field, which: Arc::new(which) }
    }
}

impl Query for Dictionary {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for Dictionary {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let index = reader.inverted_index(self.field)?;
        let mut found = BitSet::with_max_value(reader.max_doc());
        let mut terms = match &*self.which {
            Which::Starting(start) => index.terms().range().ge(start).into_stream()?,
            _ => index.terms().stream()?,
        };
        while terms.advance() {
            let term = terms.key();
            let wanted = match &*self.which {
                Which::Starting(start) => match term.starts_with(start) {
                    true => true,
                    false => break,
                },
                Which::Ending(end) => term.ends_with(end) || was_cut(term),
                Which::Holding(part) => part.find(term).is_some() || was_cut(term),
            };
            if wanted {
                add(&index, terms.value(), &mut found)?;
            }
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(found), boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("any of the terms that look so", 1.0))
    }
}

fn was_cut(term: &[u8]) -> bool {
    memchr::memchr(CUT as u8, term).is_some()
}

fn add(index: &InvertedIndexReader, term: &TermInfo, found: &mut BitSet) -> tantivy::Result<()> {
    let mut postings = index.read_block_postings_from_terminfo(term, IndexRecordOption::Basic)?;
    while !postings.docs().is_empty() {
        for doc in postings.docs() {
            found.insert(*doc);
        }
        postings.advance();
    }
    Ok(())
}
