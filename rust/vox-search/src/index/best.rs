//! The best documents of several segments. What can't be among them any more isn't scored: the
//! worst score that still counts goes down into the reading of postings, which skips blocks of
//! documents whose best possible score is less.

use std::{cmp::Ordering, collections::BinaryHeap};

use tantivy::{Score, query::Weight};

use super::{Admit, Ranked, columns::Part};

/// The best so far.
pub(super) struct Best {
    count: usize,
    /// The worst is at the top.
    kept: BinaryHeap<Worst>,
}

/// A document; the greatest is the one that goes first.
#[derive(PartialEq)]
struct Worst(Ranked);

impl Eq for Worst {}

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.0.score.total_cmp(&self.0.score);
        by_score.then(self.0.facts.item.cmp(&other.0.facts.item))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Best {
    /// Will keep `count` documents, at least one.
    pub(super) fn new(count: usize) -> Self {
        Self { count, kept: BinaryHeap::new() }
    }

    /// Looks at the documents of a segment.
    pub(super) fn add(
        &mut self,
        weight: &dyn Weight,
        part: &Part<'_>,
        admit: &impl Admit,
    ) -> tantivy::Result<()> {
        let all = admit.all();
        weight.for_each_pruning(self.threshold(), part.reader, &mut |doc, score| {
            if !part.reader.is_deleted(doc) {
                let facts = part.columns.facts(doc);
                if all || admit.admits(&facts) {
                    self.push(Ranked { score, facts });
                }
            }
            self.threshold()
        })
    }

    /// The documents, the best first.
    pub(super) fn ranked(self) -> Vec<Ranked> {
        let mut ranked: Vec<_> = self.kept.into_vec();
        ranked.sort_unstable();
        ranked.into_iter().map(|worst| worst.0).collect()
    }

    fn threshold(&self) -> Score {
        match self.kept.peek() {
            Some(worst) if self.kept.len() >= self.count => worst.0.score,
            _ => Score::MIN,
        }
    }

    fn push(&mut self, ranked: Ranked) {
        if self.kept.len() >= self.count {
            self.kept.pop();
        }
        self.kept.push(Worst(ranked));
    }
}
