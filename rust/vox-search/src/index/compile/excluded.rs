//! What a query excludes.

use tantivy::{
    DocId, DocSet, Score, SegmentReader,
    query::{EnableScoring, Explanation, Query, Scorer, Weight},
};

/// Matches what another query does, and may be asked of documents before the one it is at.
///
/// tantivy asks what is excluded of each document that is found (`seek_danger`), also of those
/// before its first one. Phrases take that for a mistake, at least in builds with assertions. Here
/// it is asked only what `seek` allows.
#[derive(Debug)]
pub(super) struct Excluded(pub(super) Box<dyn Query>);

impl Clone for Excluded {
    fn clone(&self) -> Self {
        Self(self.0.box_clone())
    }
}

impl Query for Excluded {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(ExcludedWeight(self.0.weight(scoring)?)))
    }
}

struct ExcludedWeight(Box<dyn Weight>);

impl Weight for ExcludedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(ExcludedScorer(self.0.scorer(reader, boost)?)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, doc)
    }
}

struct ExcludedScorer(Box<dyn Scorer>);

/// `seek_danger` isn't passed on: as the trait has it, it looks where the scorer is before it
/// seeks.
impl DocSet for ExcludedScorer {
    fn advance(&mut self) -> DocId {
        self.0.advance()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.0.seek(target)
    }

    fn doc(&self) -> DocId {
        self.0.doc()
    }

    fn size_hint(&self) -> u32 {
        self.0.size_hint()
    }

    fn cost(&self) -> u64 {
        self.0.cost()
    }
}

impl Scorer for ExcludedScorer {
    fn score(&mut self) -> Score {
        self.0.score()
    }
}
