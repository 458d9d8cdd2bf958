//! Marking items that are chosen by place, id or filter.

use vox_store::window_ops::{Mark, Marked, Places};
use vox_types::{ItemId, Result, WindowId, WindowNo};

use super::{Archive, WindowFilter};
use crate::{filter::Filter, view::View};

/// Where items are looked for.
#[derive(Clone, Debug)]
pub enum Within {
    /// At these places.
    Places(Vec<Places>),
    /// These items, in these windows or in all live ones that show them.
    Items(Vec<ItemId>, Option<Vec<WindowNo>>),
    /// In these windows.
    Windows(Vec<WindowNo>),
    /// In all windows of a list.
    List(WindowFilter),
}

/// Items of windows.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Where they are.
    pub within: Within,
    /// What they are like; none: all there are.
    pub filter: Option<Filter>,
}

/// What became, or would become, of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkedWindow {
    /// Which.
    pub id: WindowId,
    /// What of it.
    pub marked: Marked,
}

impl Archive {
    /// The places of what is selected, window by window.
    pub fn select(&self, selection: Selection) -> Result<Vec<Places>> {
        let Selection { within, filter } = selection;
        let windows = match within {
            Within::Places(places) => return self.filtered(places, filter.as_ref()),
            Within::Items(items, windows) => {
                let places = self
                    .store
                    .snapshot(|snapshot| snapshot.places_of(&items, windows.as_deref()))?;
                return self.filtered(places, filter.as_ref());
            }
            Within::Windows(windows) => windows,
            Within::List(list) => self.window_list(&list)?,
        };
        // A snapshot for each window: pages aren't held while all are looked through.
        let all = windows.into_iter().map(|window| self.matching(window, filter.as_ref()));
        all.filter(|places| !matches!(places, Ok(places) if places.ordinals.is_empty())).collect()
    }

    fn filtered(&self, places: Vec<Places>, filter: Option<&Filter>) -> Result<Vec<Places>> {
        if filter.is_none() {
            return Ok(places);
        }
        let cut = |places: Places| {
            let matching = self.matching(places.window, filter)?;
            Ok(places.within(&matching.ordinals))
        };
        places.into_iter().map(cut).collect()
    }

    /// The items of a window that a filter shows.
    fn matching(&self, window: WindowNo, filter: Option<&Filter>) -> Result<Places> {
        self.store.snapshot(|snapshot| {
            let row = snapshot.window(window)?;
            let ordinals = match filter {
                Some(filter) => View::open(snapshot, window, row.items, row.records, filter)?
                    .ranges(snapshot)?,
                None => std::iter::once(0..row.items).collect(),
            };
            Ok(Places { window, ordinals })
        })
    }

    /// Marks what is selected, or only says what that would change. Windows of which nothing
    /// changes and nothing is kept are left out of the answer.
    pub fn mark(
        &self,
        mark: Mark,
        selection: Selection,
        dry_run: bool,
    ) -> Result<Vec<MarkedWindow>> {
        let places = self.select(selection)?;
        let marked: Vec<Marked> = if dry_run {
            let look = |places| self.store.snapshot(|snapshot| snapshot.would_mark(mark, places));
            places.iter().map(look).collect::<Result<_>>()?
        } else {
            self.store.mark(mark, places)?
        };
        let told = marked.into_iter().filter(|done| done.changed.items > 0 || done.kept > 0);
        told.map(|marked| {
            let row = self.store.snapshot(|snapshot| snapshot.window(marked.window))?;
            Ok(MarkedWindow { id: WindowId(row.id), marked })
        })
        .collect()
    }
}
