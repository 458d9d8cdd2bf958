//! How an answer comes about.

use std::{sync::Arc, time::Instant};

use roaring::RoaringTreemap;
use vox_search::{
    index::{Facts, Index, Watermark},
    matcher::Matcher,
    query::{self, Node, Query},
};
use vox_types::{Code, Result};

use super::{
    Answer, SearchRequest, State,
    answer::Ranking,
    follow::Since,
    indexed::{self, Indexed},
    scan::{self, Only, Places, Scanned},
    scope::Scope,
};
use crate::archive::Archive;

/// An index with what came since it was made, or why there is none to use.
pub(super) type Usable = Result<(Arc<Index>, Since), String>;

/// How often a search begins again because the archive was compacted meanwhile. Judgement.
const ATTEMPTS: u32 = 3;
/// Items that came since, from which on a search lets the index catch up. Judgement: reading their
/// texts takes some ten milliseconds.
const CATCH_UP: u64 = 4096;

impl Archive {
    /// Searches. Reading texts, where that is needed, happens here; all else when it is asked for.
    ///
    /// Errors: `invalid_argument` with the position for a query that isn't one; `not_found` for
    /// `in:` a window that there isn't; `conflict` if the archive is compacted again and again
    /// meanwhile.
    pub fn search(&self, request: &SearchRequest) -> Result<Answer> {
        let query = query::parse(&request.query, request.now)?;
        let mut attempt = 1;
        loop {
            match self.find(&query, request) {
                Err(error) if error.code == Code::Conflict && attempt < ATTEMPTS => attempt += 1,
                answer => return answer,
            }
        }
    }

    fn find(&self, query: &Query, request: &SearchRequest) -> Result<Answer> {
        let Some(node) = &query.text else {
            let scope = self.store().snapshot(|now| self.kept().scope(query, request, now))?;
            let places = Places::of_stretches(self, &scope, scope.shown.named(), Only::All)?;
            return Ok(Answer::new(
                State::Complete,
                scope,
                None,
                None,
                Some(places.items()),
                Ranking::default(),
            ));
        };
        let matcher = Matcher::new(node)?;
        let (scope, index) = self.scope_and_index(query, request)?;
        match index {
            Ok((index, since)) => {
                match self.with_index(&index, &since, node, &matcher, &scope, request) {
                    Err(error) if indexed::of_index(error.code) => {
                        self.kept().forget_index();
                        self.without_index(matcher, scope, request.deadline, error.message)
                    }
                    Ok(found) => Ok(found.answer(scope, matcher)),
                    Err(error) => Err(error),
                }
            }
            Err(why) => self.without_index(matcher, scope, request.deadline, why),
        }
    }

    /// What is searched, and the index with what came since, or why there is none to use.
    pub(super) fn scope_and_index(
        &self,
        query: &Query,
        request: &SearchRequest,
    ) -> Result<(Arc<Scope>, Usable)> {
        // Opened before the state that is searched is taken, the index can't be ahead of it.
        let index = match request.scan {
            true => Err("it wasn't to be used".to_owned()),
            false => self.index_for(request)?,
        };
        self.store().snapshot(|snapshot| {
            let scope = self.kept().scope(query, request, snapshot)?;
            let index = match index {
                Ok(index) => match indexed::fault(snapshot, &index.watermark())? {
                    None => {
                        let since = Since::event(snapshot, index.watermark().event, u64::MAX)?;
                        Ok((index, since))
                    }
                    Some(fault) => Err(fault.to_owned()),
                },
                Err(why) => Err(why),
            };
            Ok((scope, index))
        })
    }

    /// The index to search, or why there is none. If much came since and nobody asked for haste,
    /// it catches up first: that is done once, reading texts would be done by each search.
    fn index_for(&self, request: &SearchRequest) -> Result<Result<Arc<Index>, String>> {
        let index = self.kept().index(self)?;
        let Ok(found) = &index else { return Ok(index) };
        if request.deadline.is_some() || !self.store().writable() {
            return Ok(index);
        }
        let Watermark { event, .. } = found.watermark();
        let since = self.store().snapshot(|now| Since::event(now, event, u64::MAX))?;
        if since.items() < CATCH_UP {
            return Ok(index);
        }
        match self.follow() {
            // What can't be written now is read: the answer is the same.
            Err(_) => Ok(index),
            Ok(_) => self.kept().index(self),
        }
    }

    fn without_index(
        &self,
        matcher: Matcher,
        scope: Arc<Scope>,
        deadline: Option<Instant>,
        why: String,
    ) -> Result<Answer> {
        let places = Places::of_stretches(self, &scope, scope.shown.named(), Only::All)?;
        let Scanned { hits, searched, of } = scan::search(self, &places, &matcher, deadline)?;
        let state = match of {
            0 => State::Complete,
            _ if searched < of => State::Partial { searched, of },
            _ => State::NotIndexed { why },
        };
        Ok(Answer::new(state, scope, Some(matcher), None, Some(hits), Ranking::default()))
    }

    fn with_index(
        &self,
        index: &Index,
        since: &Since,
        node: &Node,
        matcher: &Matcher,
        scope: &Scope,
        request: &SearchRequest,
    ) -> Result<Found> {
        let searcher = index.searcher();
        let tail = since.shown(scope);
        let long = self.kept().long(self)?;
        let unindexed = Places::of_stretches(self, scope, &tail, Only::All)?
            .and(Places::of_stretches(self, scope, scope.shown.named(), Only::Records)?)?
            .and(Places::of_items(self, scope, &long)?)?;
        let scanned = scan::search(self, &unindexed, matcher, request.deadline)?;
        let mut found = Found {
            state: match scanned.of - scanned.searched {
                0 => State::Complete,
                behind => State::Stale { behind },
            },
            items: None,
            ranking: Ranking::default(),
            indexed: Indexed { searcher, node: node.clone(), unindexed: scanned.hits, tail },
        };
        let exact = found.indexed.searcher.is_exact(node)?;
        if exact && !since.purged {
            found.ranking = Ranking::first(&found.indexed, scope, None, 0)?;
            return Ok(found);
        }
        let admit = |facts: &Facts| indexed::admits(scope, facts);
        let matched = found.indexed.searcher.matching(node, &admit)?;
        // What was purged since is no hit, whatever the index says.
        let places = Places::of_items(self, scope, &matched.items)?;
        let hits = if matched.exact {
            places.items()
        } else {
            let Scanned { hits, searched, of } =
                scan::search(self, &places, matcher, request.deadline)?;
            if searched < of {
                let (searched, of) = (searched + scanned.searched, of + scanned.of);
                found.state = State::Partial { searched, of };
            }
            hits
        };
        let items = hits | &found.indexed.unindexed;
        found.ranking = Ranking::first(&found.indexed, scope, Some(&items), 0)?;
        found.items = Some(items);
        Ok(found)
    }
}

/// What was found with an index.
struct Found {
    state: State,
    items: Option<RoaringTreemap>,
    ranking: Ranking,
    indexed: Indexed,
}

impl Found {
    fn answer(self, scope: Arc<Scope>, matcher: Matcher) -> Answer {
        let Self { state, items, ranking, indexed } = self;
        Answer::new(state, scope, Some(matcher), Some(indexed), items, ranking)
    }
}
