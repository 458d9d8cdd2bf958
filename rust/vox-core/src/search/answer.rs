//! What a search found, asked for part by part.

use roaring::RoaringTreemap;
use vox_types::{Code, Error, ItemId, Result, WindowNo};

use super::{Facets, Hit, SearchRequest, State, TimeOrder, WindowLabel};
use crate::archive::Archive;

/// The most hits that are put in the order of relevance.
pub const MOST_RANKED: u64 = 10_000;

/// The answer to a search. It stays at the state of the archive that it was made from and keeps no
/// transaction; what its methods need beyond that they read from the archive it is of.
pub struct Answer {
    state: State,
    as_of: Option<u64>,
}

impl Archive {
    /// Searches. Reading texts, where that is needed, happens here; all else when it is asked for.
    ///
    /// Errors: `invalid_argument` with the position for a query that isn't one; `not_found` for
    /// `in:` a window that there isn't.
    pub fn search(&self, request: &SearchRequest) -> Result<Answer> {
        let _ = request;
        Err(not_yet())
    }
}

fn not_yet() -> Error {
    Error::new(Code::Unsupported, "search isn't there yet")
}

impl Answer {
    /// How far it covers what was asked.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The last event of the state it was made from; see [`SearchRequest::as_of`].
    pub fn as_of(&self) -> Option<u64> {
        self.as_of
    }

    /// How many hits.
    pub fn len(&self, archive: &Archive) -> Result<u64> {
        Ok(self.items(archive)?.len())
    }

    /// All hits.
    pub fn items(&self, _archive: &Archive) -> Result<&RoaringTreemap> {
        Err(not_yet())
    }

    /// `count` hits from place `start` on by relevance: at most [`MOST_RANKED`], the best first,
    /// then those without a score, the newest first.
    pub fn ranked(&self, _archive: &Archive, _start: u64, _count: u64) -> Result<Vec<Hit>> {
        Err(not_yet())
    }

    /// `count` hits from place `start` on in the order of their times.
    pub fn by_time(
        &self,
        _archive: &Archive,
        _start: u64,
        _count: u64,
        _order: TimeOrder,
    ) -> Result<Vec<Hit>> {
        Err(not_yet())
    }

    /// How many hits there are of each repository, agent, role, kind and month.
    pub fn facets(&self, _archive: &Archive) -> Result<Facets> {
        Err(not_yet())
    }

    /// What the windows of hits are called, in the order asked for.
    pub fn labels(&self, _archive: &Archive, _windows: &[WindowNo]) -> Result<Vec<WindowLabel>> {
        Err(not_yet())
    }

    /// What of the text of each item shows that it is a hit, about `width` bytes of it; none for
    /// one without a text, or purged since.
    pub fn snippets(
        &self,
        _archive: &Archive,
        _items: &[ItemId],
        _width: usize,
    ) -> Result<Vec<Option<String>>> {
        Err(not_yet())
    }
}
