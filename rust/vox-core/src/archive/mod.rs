//! An open archive: store, views and imports in one place.

mod apart;
mod append;
mod count;
mod custody;
mod import;
mod pairs;
mod raw;
mod read;
mod snapshot;
mod standing;
mod window_ops;
mod windows;

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use arrow_array::RecordBatch;
use vox_store::{Snapshot, Store, gc, purge};
use vox_tokens::kept::{self, Cache};
use vox_types::{Code, Error, Result, WindowNo};

pub use append::OwnItem;
pub use count::{CountTexts, ItemTokens, Measure};
pub use import::{Body, DraftItem, SourceBatch};
pub use pairs::Unpaired;
pub use raw::{Piece, RawFile};
pub use snapshot::Scope;
pub use standing::{FileState, SourceFile, Standing, path_of};
pub use window_ops::{MarkedWindow, Selection, Within};
pub use windows::{WindowFilter, window_columns};

use crate::{
    filter::Filter,
    search,
    timeline::{Building, Timeline},
    view::{self, Columns, View},
};

/// An open archive.
pub struct Archive {
    store: Store,
    counts: Cache,
    timeline: Mutex<Option<CachedTimeline>>,
    searching: search::Kept,
}

/// A timeline of the state it was made from.
struct CachedTimeline {
    version: (u64, u64),
    filter: Filter,
    scope: Scope,
    timeline: Timeline,
}

/// A filtered view of a window; see [`Archive::view`].
pub struct WindowView {
    /// The window.
    pub window: WindowNo,
    view: View,
}

impl Archive {
    /// Opens the archive at `path`, or makes one there if the folder is missing or empty.
    pub fn create(path: &Path) -> Result<Self> {
        Store::create(path).map(Self::over)
    }

    /// Opens the archive at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        Store::open(path).map(Self::over)
    }

    /// Opens the archive at `path`; every write is refused.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        Store::open_read_only(path).map(Self::over)
    }

    fn over(store: Store) -> Self {
        let counts = store.path().join("counts");
        let counts = Cache::at(&counts, kept::MOST_BYTES, store.writable());
        Self { store, counts, timeline: Mutex::new(None), searching: search::Kept::default() }
    }

    /// The same, with at most about `most_bytes` for each table of kept counts.
    pub fn with_counts_of(mut self, most_bytes: u64) -> Self {
        self.counts = Cache::at(self.counts.root(), most_bytes, self.store.writable());
        self
    }

    /// Removes the content of blobs that nothing has used for longer than the grace period, and
    /// the counts of tokenizers that weren't used for long; see [`Store::collect`].
    pub fn collect(&self, options: &gc::Options) -> Result<gc::Collected> {
        let done = self.store.collect(options)?;
        if !options.dry_run {
            // What can't be removed now takes some room until the next time.
            let _ = kept::tidy(self.counts.root(), kept::TOKENIZERS);
            self.tidy_relations();
        }
        Ok(done)
    }

    /// Purges what `options` name and what may be purged, and what was kept of its names; see
    /// [`Store::purge`].
    pub fn purge(&self, options: &purge::Options) -> Result<purge::Purged> {
        let done = self.store.purge(options)?;
        if !options.dry_run {
            self.forget_relations()?;
        }
        Ok(done)
    }

    /// The store below.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What is kept between searches.
    pub(crate) fn kept(&self) -> &search::Kept {
        &self.searching
    }

    /// The window that `text` names: an id or its start (at least four characters), a number, or
    /// a key.
    pub fn find_window(&self, text: &str) -> Result<WindowNo> {
        self.store.snapshot(|snapshot| find_window(snapshot, text))
    }

    /// A view of what `filter` shows of the first `items` items of a window.
    pub fn view(&self, window: WindowNo, items: u64, filter: &Filter) -> Result<WindowView> {
        self.store.snapshot(|snapshot| {
            let row = snapshot.window(window)?;
            let items = row.items.min(items);
            let view = View::open(snapshot, window, items, row.records, filter)?;
            Ok(WindowView { window, view })
        })
    }

    /// How many items a view shows.
    pub fn view_len(&self, view: &mut WindowView) -> Result<u64> {
        self.store.snapshot(|snapshot| view.view.len(snapshot))
    }

    /// `count` items of a view from position `start` on.
    pub fn view_items(
        &self,
        view: &mut WindowView,
        start: u64,
        count: u64,
        want: Columns,
    ) -> Result<RecordBatch> {
        self.store.snapshot(|snapshot| {
            let ordinals = view.view.ordinals(snapshot, start, count)?;
            view::items(snapshot, view.window, &ordinals, want)
        })
    }

    /// Items of all windows in the order of their times, `count` of them from position `start`
    /// on, of the windows in `scope`.
    pub fn timeline(
        &self,
        filter: &Filter,
        scope: &Scope,
        start: u64,
        count: u64,
        want: Columns,
    ) -> Result<RecordBatch> {
        self.with_timeline(filter, scope, |snapshot, timeline| {
            timeline.batch(snapshot, start, count, want)
        })
    }

    /// How many items the timeline has, and at which position `time` stands.
    pub fn timeline_position(
        &self,
        filter: &Filter,
        scope: &Scope,
        time: Option<i64>,
    ) -> Result<(u64, u64)> {
        self.with_timeline(filter, scope, |snapshot, timeline| {
            let position = match time {
                Some(time) => timeline.position(snapshot, time)?,
                None => 0,
            };
            Ok((timeline.len(), position))
        })
    }

    fn with_timeline<T>(
        &self,
        filter: &Filter,
        scope: &Scope,
        work: impl FnOnce(&Snapshot<'_>, &mut Timeline) -> Result<T>,
    ) -> Result<T> {
        let mut cached = self.timeline.lock().unwrap_or_else(PoisonError::into_inner);
        let (version, runs) = self.store.snapshot(|snapshot| {
            let version = snapshot.version();
            let fits = cached.as_ref().is_some_and(|cached| {
                cached.version == version && cached.filter == *filter && cached.scope == *scope
            });
            let runs = (!fits).then(|| snapshot::runs_in(snapshot, scope)).transpose()?;
            Ok((version, runs))
        })?;
        if let Some(runs) = runs {
            let mut building = Building::new(filter);
            let mut rest = &runs[..];
            while !rest.is_empty() {
                let done = self.store.snapshot(|snapshot| building.read(snapshot, rest))?;
                rest = &rest[done..];
            }
            let (filter, scope) = (filter.clone(), scope.clone());
            *cached = Some(CachedTimeline { version, filter, scope, timeline: building.finish() });
        }
        self.store.snapshot(|snapshot| match cached.as_mut() {
            Some(cached) => work(snapshot, &mut cached.timeline),
            None => Err(Error::new(Code::Internal, "the timeline was lost")),
        })
    }
}

/// The window that `text` names; see [`Archive::find_window`].
pub(crate) fn find_window(snapshot: &Snapshot<'_>, text: &str) -> Result<WindowNo> {
    if let Some(no) = snapshot.window_by_key(text)? {
        return Ok(no);
    }
    if let Ok(no) = text.parse()
        && text.len() < 8
        && u64::from(no) < snapshot.window_count()?
    {
        return Ok(no);
    }
    by_id_start(snapshot, text)
}

/// The one window whose id starts with the hex digits of `text`.
fn by_id_start(snapshot: &Snapshot<'_>, text: &str) -> Result<WindowNo> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let usable =
        digits.len() >= 4 && digits.len() <= 32 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let no_window =
        || Error::new(Code::NotFound, format!("there is no window {text:?}; `vox ls` lists all"));
    if !usable {
        return Err(no_window());
    }
    let even = digits.len() & !1;
    let prefix: Vec<u8> = (0..even)
        .step_by(2)
        .filter_map(|i| u8::from_str_radix(&digits[i..i + 2], 16).ok())
        .collect();
    let half = digits[even..].chars().next().and_then(|c| c.to_digit(16));
    let mut found = Vec::new();
    for no in snapshot.windows_by_id(&prefix, 1000)? {
        let id = snapshot.window(no)?.id;
        if half.is_none_or(|half| id.get(even / 2).is_some_and(|byte| u32::from(byte >> 4) == half))
        {
            found.push(no);
        }
    }
    match found[..] {
        [no] => Ok(no),
        [] => Err(no_window()),
        _ => Err(Error::new(
            Code::InvalidArgument,
            format!("{} windows have ids that start with {text}; give more of it", found.len()),
        )),
    }
}
