//! What a search found, asked for part by part.

mod facets;
mod ranking;
mod rows;
mod times;
mod walk;

pub(super) use ranking::Ranking;
pub(super) use rows::holders;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use roaring::RoaringTreemap;
use vox_search::{
    matcher::{Matcher, Scratch},
    snippet::{self, Line, Snippet},
};
use vox_types::{BlobRef, Code, ContentHash, ItemId, ItemKind, Result, WindowNo};

use self::times::ByTime;
use super::{
    Facets, Hit, State, TimeOrder, WindowLabel,
    indexed::{Indexed, of_index},
    scan::{self, Only, Places},
    scope::Scope,
};
use crate::{archive::Archive, chunks::Chunks, secrets};

/// The most hits that are put in the order of relevance.
pub const MOST_RANKED: u64 = 10_000;

/// Places of each term, literal or expression that a snippet is chosen by. Judgement.
const MOST_MARKS: usize = 1000;

/// The answer to a search. It stays at the state of the archive that it was made from and keeps no
/// transaction; what its methods need beyond that they read from the archive it is of.
pub struct Answer {
    pub(super) state: State,
    pub(super) scope: Arc<Scope>,
    pub(super) matcher: Option<Matcher>,
    /// Gives the hits that it holds, unless `items` has all.
    pub(super) indexed: Option<Indexed>,
    /// What was found so far, each when it was first asked for.
    pub(super) items: Once<RoaringTreemap>,
    ranking: Mutex<Ranking>,
    by_time: Once<ByTime>,
    facets: Once<Facets>,
    /// Where all contents in scope stand, if no index says so: 16 bytes for each item.
    places: Once<Places>,
    /// How many windows hold the contents of hits that were listed.
    holders: Mutex<HashMap<ContentHash, u64>>,
}

/// A value that is made when it is first asked for.
pub(super) struct Once<T>(Mutex<Option<Arc<T>>>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> From<T> for Once<T> {
    fn from(value: T) -> Self {
        Self(Mutex::new(Some(Arc::new(value))))
    }
}

impl<T> Once<T> {
    /// The value, if it was made.
    pub(super) fn now(&self) -> Option<Arc<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn get_or(&self, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = &*kept {
            return Ok(value.clone());
        }
        Ok(kept.insert(Arc::new(make()?)).clone())
    }
}

impl Answer {
    pub(super) fn new(
        state: State,
        scope: Arc<Scope>,
        matcher: Option<Matcher>,
        indexed: Option<Indexed>,
        items: Option<RoaringTreemap>,
        ranking: Ranking,
    ) -> Self {
        Self {
            state,
            scope,
            matcher,
            indexed,
            items: items.map(Once::from).unwrap_or_default(),
            ranking: Mutex::new(ranking),
            by_time: Once::default(),
            facets: Once::default(),
            places: Once::default(),
            holders: Mutex::default(),
        }
    }

    /// How far it covers what was asked.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The last event of the state it was made from; see [`super::SearchRequest::as_of`].
    pub fn as_of(&self) -> Option<u64> {
        self.scope.as_of
    }

    /// Whether it is confined to the repositories of the request: not if there were none, or the
    /// query says itself where to look.
    pub fn of_repos(&self) -> bool {
        self.scope.of_repos
    }

    /// How many hits.
    pub fn len(&self, archive: &Archive) -> Result<u64> {
        Ok(self.items(archive)?.len())
    }

    /// All hits.
    pub fn items(&self, archive: &Archive) -> Result<Arc<RoaringTreemap>> {
        self.items.get_or(|| {
            let (Some(indexed), Some(matcher)) = (&self.indexed, &self.matcher) else {
                return Ok(RoaringTreemap::new());
            };
            match indexed.all(&self.scope) {
                Err(error) if of_index(error.code) => {
                    archive.kept().forget_index();
                    let all = self.scope.shown.named();
                    let places = Places::of_stretches(archive, &self.scope, all, Only::All)?;
                    Ok(scan::search(archive, &places, matcher, None)?.hits)
                }
                found => found,
            }
        })
    }

    /// `count` hits from place `start` on by relevance: at most [`MOST_RANKED`], the best first,
    /// then those without a score, the newest first.
    pub fn ranked(&self, archive: &Archive, start: u64, count: u64) -> Result<Vec<Hit>> {
        let page = {
            let mut ranking = self.ranking.lock().unwrap_or_else(PoisonError::into_inner);
            ranking.page(self, archive, start, count)?
        };
        self.hits(archive, &page)
    }

    /// `count` hits from place `start` on in the order of their times.
    pub fn by_time(
        &self,
        archive: &Archive,
        start: u64,
        count: u64,
        order: TimeOrder,
    ) -> Result<Vec<Hit>> {
        let items = self.by_time_items(archive, start, count, order)?;
        let items: Vec<_> = items.into_iter().map(|item| (item, None)).collect();
        self.hits(archive, &items)
    }

    /// The same without what is said of them.
    pub fn by_time_items(
        &self,
        archive: &Archive,
        start: u64,
        count: u64,
        order: TimeOrder,
    ) -> Result<Vec<ItemId>> {
        let all = self.items(archive)?;
        let by_time = self.by_time.get_or(|| ByTime::of(archive, &all))?;
        Ok(by_time.page(start, count, order))
    }

    /// How many hits there are of each repository, agent, role, kind and month.
    pub fn facets(&self, archive: &Archive) -> Result<Arc<Facets>> {
        let items = self.items(archive)?;
        self.facets.get_or(|| facets::count(archive, &self.scope.shown, &items))
    }

    /// What the windows of hits are called, in the order asked for. Secrets in titles are masked
    /// unless `reveal` says not to.
    pub fn labels(
        &self,
        archive: &Archive,
        windows: &[WindowNo],
        reveal: bool,
    ) -> Result<Vec<WindowLabel>> {
        let mut labels = archive.store().snapshot(|snapshot| rows::labels(snapshot, windows))?;
        if !reveal {
            for title in labels.iter_mut().filter_map(|label| label.title.as_mut()) {
                *title = secrets::masked_line(title)?;
            }
        }
        Ok(labels)
    }

    /// What of the text of each item shows that it is a hit, about `width` characters of it; none for
    /// one that has no text, or was purged since. Secrets are masked unless `reveal` says not to: a
    /// mark that touches one is all of what stands for it.
    ///
    /// Errors: `damaged` for a text that doesn't have its hash.
    pub fn snippets(
        &self,
        archive: &Archive,
        items: &[ItemId],
        width: usize,
        reveal: bool,
    ) -> Result<Vec<Option<Snippet>>> {
        self.shown(archive, items, reveal, |text, marks| snippet::cut(text, marks, width))
    }

    /// The same as lines of the text: the one in which most of what was asked for stands, and up to
    /// `count` at either side, each of about `width` characters.
    ///
    /// Errors: `damaged` for a text that doesn't have its hash.
    pub fn lines(
        &self,
        archive: &Archive,
        items: &[ItemId],
        count: usize,
        width: usize,
        reveal: bool,
    ) -> Result<Vec<Option<Vec<Line>>>> {
        self.shown(archive, items, reveal, |text, marks| snippet::lines(text, marks, count, width))
    }

    /// What `cut` makes of the text of each item, and of what is to be highlighted in it.
    fn shown<T>(
        &self,
        archive: &Archive,
        items: &[ItemId],
        reveal: bool,
        cut: impl Fn(&[u8], &[Range<usize>]) -> T,
    ) -> Result<Vec<Option<T>>> {
        let mut scratch = Scratch::default();
        archive.store().snapshot(|snapshot| {
            let mut chunks = Chunks::of(snapshot);
            let mut texts = snapshot.blobs();
            let shown = |&item: &ItemId| {
                let (chunk, index) = chunks.at(item)?;
                let attributes = chunk.attributes_at(index);
                let blob = chunk.content_at(index);
                let text = match texts.read(blob) {
                    Ok(text) => text,
                    Err(error) if error.code == Code::Purged => return Ok(None),
                    Err(error) => return Err(error),
                };
                let is_text =
                    attributes.kind()? != ItemKind::Attachment || str::from_utf8(text).is_ok();
                if attributes.purged() || !is_text {
                    return Ok(None);
                }
                let marks = match &self.matcher {
                    Some(matcher) => matcher.marks(text, MOST_MARKS, &mut scratch),
                    None => Vec::new(),
                };
                if reveal {
                    return Ok(Some(cut(text, &marks)));
                }
                let masked = secrets::masked_text(snapshot, blob, text)?;
                let marks = masked.ranges(&marks);
                Ok(Some(cut(&masked.text, &marks)))
            };
            items.iter().map(shown).collect()
        })
    }

    /// The windows in scope that hold each of `blobs`, where no index says so.
    fn all_holders(
        &self,
        archive: &Archive,
        blobs: &[BlobRef],
    ) -> Result<BTreeMap<BlobRef, BTreeSet<WindowNo>>> {
        let shown = &self.scope.shown;
        let places = self
            .places
            .get_or(|| Places::of_stretches(archive, &self.scope, shown.named(), Only::Holders))?;
        let windows = |blob: &BlobRef| {
            let items = places.of_blob(*blob).iter();
            items.flat_map(|place| shown.windows_of(place.item)).collect()
        };
        Ok(blobs.iter().map(|blob| (*blob, windows(blob))).collect())
    }

    fn hits(&self, archive: &Archive, items: &[(ItemId, Option<f32>)]) -> Result<Vec<Hit>> {
        let shown = &self.scope.shown;
        let mut rows =
            archive.store().snapshot(|snapshot| rows::of_items(snapshot, shown, items))?;
        let mut known = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown: Vec<_> = rows
            .iter()
            .filter(|(hit, _)| !known.contains_key(&hit.content))
            .map(|(hit, blob)| (hit.content, *blob, hit.bytes))
            .collect();
        if !unknown.is_empty() {
            let blobs: Vec<_> = unknown.iter().map(|(_, blob, _)| *blob).collect();
            let of_indexed = self
                .indexed
                .as_ref()
                .map(|indexed| indexed.holders(archive, &self.scope, &unknown));
            let holders = match of_indexed {
                None => self.all_holders(archive, &blobs)?,
                Some(Err(error)) if of_index(error.code) => {
                    archive.kept().forget_index();
                    self.all_holders(archive, &blobs)?
                }
                Some(holders) => holders?,
            };
            for (content, blob, _) in unknown {
                known.insert(content, holders.get(&blob).map_or(1, |all| all.len().max(1) as u64));
            }
        }
        for (hit, _) in &mut rows {
            hit.windows = known.get(&hit.content).copied().unwrap_or(1);
        }
        Ok(rows.into_iter().map(|(hit, _)| hit).collect())
    }
}
