//! Documents of certain items, found by reading the numbers of all: for deleting, which is rare.

use std::{collections::HashSet, sync::Arc};

use tantivy::{
    BitSet, DocId, Score, SegmentReader,
    query::{BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight},
};

/// Matches documents of certain items.
#[derive(Clone, Debug)]
pub(super) struct OneOf {
    items: Arc<HashSet<u64>>,
}

impl OneOf {
    /// Matches documents of `items`.
    pub(super) fn new(items: impl Iterator<Item = u64>) -> Self {
        Self { items: Arc::new(items.collect()) }
    }
}

impl Query for OneOf {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for OneOf {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let items = reader.fast_fields().column_first_or_default::<u64>("item")?;
        let range = items.min_value()..=items.max_value();
        let mut found = BitSet::with_max_value(reader.max_doc());
        if self.items.iter().any(|item| range.contains(item)) {
            let held = |doc: &DocId| self.items.contains(&items.get_val(*doc));
            for doc in (0..reader.max_doc()).filter(held) {
                found.insert(doc);
            }
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(found), boost)))
    }

    fn explain(&self, _: &SegmentReader, _: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("one of certain items", 1.0))
    }
}
