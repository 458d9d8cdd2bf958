//! Hits in the order of their scores.

use std::sync::Arc;

use roaring::RoaringTreemap;
use vox_types::{ItemId, Result};

use super::{
    Answer, MOST_RANKED,
    times::{ByTime, clamp},
};
use crate::{
    archive::Archive,
    search::{
        TimeOrder,
        indexed::{Indexed, of_index},
        scope::Scope,
    },
};

/// Hits that are ranked at first; then ten times as many. Judgement.
const AT_FIRST: u64 = 100;

/// The best hits so far.
#[derive(Default)]
pub(crate) struct Ranking {
    scored: Vec<(ItemId, f32)>,
    /// Whether there are no more with a score.
    complete: bool,
    /// Those without a score, when they were needed.
    rest: Option<Arc<ByTime>>,
}

impl Ranking {
    /// Just these, the best first.
    pub(crate) fn of(scored: Vec<(ItemId, f32)>) -> Self {
        Self { scored, complete: true, rest: None }
    }

    /// `count` hits of `answer` from place `start` on, with their scores.
    pub(super) fn page(
        &mut self,
        answer: &Answer,
        archive: &Archive,
        start: u64,
        count: u64,
    ) -> Result<Vec<(ItemId, Option<f32>)>> {
        let count = count.min(MOST_RANKED.saturating_sub(start));
        let end = start + count;
        if !self.complete && (self.scored.len() as u64) < end {
            match self.score(answer, end) {
                Err(error) if of_index(error.code) => self.give_up(answer, archive)?,
                scored => scored?,
            }
        }
        let places = clamp(start, count, self.scored.len());
        let scored = self.scored[places].iter().map(|(item, score)| (*item, Some(*score)));
        let mut page: Vec<_> = scored.collect();
        let left = count - page.len() as u64;
        if left > 0 && self.complete {
            let rest = match &self.rest {
                Some(rest) => rest.clone(),
                None => {
                    let rest = match &answer.indexed {
                        Some(indexed) => ByTime::of(archive, &indexed.unindexed)?,
                        None => ByTime::of(archive, &*answer.items(archive)?)?,
                    };
                    self.rest.insert(Arc::new(rest)).clone()
                }
            };
            let from = start.saturating_sub(self.scored.len() as u64);
            let items = rest.page(from, left, TimeOrder::NewestFirst);
            page.extend(items.into_iter().map(|item| (item, None)));
        }
        Ok(page)
    }

    /// Puts what has no place yet in the order of time: the index that gave scores fails.
    fn give_up(&mut self, answer: &Answer, archive: &Archive) -> Result<()> {
        archive.kept().forget_index();
        let mut rest = (*answer.items(archive)?).clone();
        for (item, _) in &self.scored {
            rest.remove(item.0);
        }
        self.rest = Some(Arc::new(ByTime::of(archive, &rest)?));
        self.complete = true;
        Ok(())
    }

    /// Scores at least the first `wanted` hits, if there are so many.
    fn score(&mut self, answer: &Answer, wanted: u64) -> Result<()> {
        if let Some(indexed) = &answer.indexed {
            let items = answer.items.now();
            *self = Self::first(indexed, &answer.scope, items.as_deref(), wanted)?;
        }
        self.complete |= answer.indexed.is_none();
        Ok(())
    }

    /// The first hits, at least `wanted` if there are so many; `items` are all if these are known.
    pub(crate) fn first(
        indexed: &Indexed,
        scope: &Scope,
        items: Option<&RoaringTreemap>,
        wanted: u64,
    ) -> Result<Self> {
        let mut count = AT_FIRST;
        while count < wanted {
            count = (count * 10).min(MOST_RANKED);
        }
        let scored = indexed.top(scope, items, count as usize)?;
        let complete = (scored.len() as u64) < count;
        Ok(Self { scored, complete, rest: None })
    }
}
