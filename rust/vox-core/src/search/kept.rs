//! What an open archive keeps between searches: it would be the same again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roaring::RoaringTreemap;
use vox_format::rows::RunRow;
use vox_search::{
    index::{Index, Opened},
    query::{FieldFilter, Query},
};
use vox_store::Snapshot;
use vox_types::{Result, RunNo};

use super::{
    LONGEST_INDEXED, SearchRequest,
    follow::{self, Since},
    indexed::of_index,
    scan,
    scope::Scope,
};
use crate::archive::Archive;

/// What is kept.
#[derive(Default)]
pub(crate) struct Kept {
    index: Mutex<Option<Arc<Index>>>,
    scopes: Mutex<Vec<(Question, Arc<Scope>)>>,
    long: Mutex<Option<Long>>,
}

/// The items that are too long for an index, of all that there were up to an event.
struct Long {
    event: Option<u64>,
    items: Arc<RoaringTreemap>,
}

/// Scopes that are kept. Judgement.
const SCOPES: usize = 4;

/// What a scope depends on.
#[derive(PartialEq)]
struct Question {
    version: (u64, u64),
    filters: Vec<FieldFilter>,
    times: (Option<i64>, Option<i64>),
    repos: Vec<String>,
    sub_agents: bool,
    as_of: Option<u64>,
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Kept {
    /// The index as it is now, or why there is none that can be used.
    pub(super) fn index(&self, archive: &Archive) -> Result<Result<Arc<Index>, String>> {
        let mut kept = lock(&self.index);
        if let Some(index) = kept.as_ref().filter(|index| index.is_current()) {
            return Ok(Ok(index.clone()));
        }
        *kept = None;
        let opened = match follow::open(archive.store().path()) {
            // Searching needs no index.
            Err(error) if of_index(error.code) => return Ok(Err(error.message)),
            opened => opened?,
        };
        Ok(match opened {
            Opened::Ready(index) => Ok(kept.insert(Arc::new(*index)).clone()),
            Opened::Missing => Err("there is no search index".into()),
            Opened::Older => Err("the search index was made by an older vox".into()),
            Opened::Newer => Err("the search index was made by a newer vox".into()),
            Opened::Damaged(why) => Err(format!("the search index is damaged: {why}")),
        })
    }

    /// Lets go of an index that turned out to be of no use.
    pub(super) fn forget_index(&self) {
        lock(&self.index).take();
    }

    /// What `query` and `request` are about in `snapshot`.
    pub(super) fn scope(
        &self,
        query: &Query,
        request: &SearchRequest,
        snapshot: &Snapshot<'_>,
    ) -> Result<Arc<Scope>> {
        let question = Question {
            version: snapshot.version(),
            filters: query.filters.clone(),
            times: (query.since, query.before),
            repos: request.repos.clone(),
            sub_agents: request.sub_agents,
            as_of: request.as_of,
        };
        let known = lock(&self.scopes)
            .iter()
            .find(|(asked, _)| *asked == question)
            .map(|(_, scope)| scope.clone());
        if let Some(scope) = known {
            return Ok(scope);
        }
        let scope = Arc::new(Scope::of(query, request, snapshot)?);
        let mut scopes = lock(&self.scopes);
        scopes.retain(|(asked, _)| asked.version == question.version);
        scopes.truncate(SCOPES - 1);
        scopes.insert(0, (question, scope.clone()));
        Ok(scope)
    }

    /// The items that are too long for an index, of all that there are.
    pub(super) fn long(&self, archive: &Archive) -> Result<Arc<RoaringTreemap>> {
        let mut kept = lock(&self.long);
        let (last, new) = archive.store().snapshot(|snapshot| {
            let last = snapshot.last_event()?;
            let new = match &*kept {
                Some(long) if long.event == last => Vec::new(),
                Some(Long { event: Some(event), .. }) => {
                    Since::event(snapshot, *event, u64::MAX)?.came
                }
                _ => {
                    let whole = |(run, row): (RunNo, RunRow)| (run, 0, row.len);
                    snapshot.runs()?.into_iter().map(whole).collect()
                }
            };
            Ok((last, new))
        })?;
        let found = scan::longer_than(archive, &new, LONGEST_INDEXED)?;
        let items = match &*kept {
            Some(long) if found.is_empty() => long.items.clone(),
            Some(long) => Arc::new(&*long.items | &found),
            None => Arc::new(found),
        };
        *kept = Some(Long { event: last, items: items.clone() });
        Ok(items)
    }
}
