//! Which items may be hits: by what they are, and by the windows that show them now.

mod items;
mod names;
mod shown;
mod windows;

use std::collections::HashMap;

use vox_format::{attributes::Attributes, rows::Event};
use vox_search::query::Query;
use vox_store::Snapshot;
use vox_types::{ItemId, LinkKind, Result, SymbolNo, WindowNo};

use self::windows::WindowFilter;
pub(crate) use self::{
    items::ItemFilter,
    shown::{Shown, Stretch},
};
use super::SearchRequest;

/// What a search is about, at one state of the archive.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The items themselves.
    pub items: ItemFilter,
    /// What windows in scope show.
    pub shown: Shown,
    /// The last event of what it is about.
    pub as_of: Option<u64>,
    /// Whether it is confined to the repositories of the request.
    pub of_repos: bool,
}

impl Scope {
    /// What `query` and `request` are about in `snapshot`.
    pub(crate) fn of(
        query: &Query,
        request: &SearchRequest,
        snapshot: &Snapshot<'_>,
    ) -> Result<Self> {
        let filter = WindowFilter::of(query, request, snapshot)?;
        let last = snapshot.last_event()?;
        let as_of = match request.as_of {
            Some(event) => last.map(|last| last.min(event)),
            None => last,
        };
        let bounds = match as_of {
            Some(event) if as_of != last => grown_since(snapshot, event)?,
            _ => HashMap::new(),
        };
        let mut families = Families::new(snapshot);
        let mut all = Vec::new();
        let mut look = |no: WindowNo| -> Result<()> {
            let row = snapshot.window(no)?;
            let items = bounds.get(&no).map_or(row.items, |bound| row.items.min(*bound));
            if items > 0 && filter.admits(no, &row, || families.of_sub_agent(no))? {
                let ordinals = filter.ordinals(no, &row, items, snapshot)?;
                stretches(snapshot, no, &ordinals, &mut all)?;
            }
            Ok(())
        };
        match filter.only() {
            Some(only) => only.iter().try_for_each(|no| look(*no))?,
            None => (0..snapshot.window_count()? as WindowNo).try_for_each(&mut look)?,
        }
        all.sort_unstable();
        all.dedup();
        Ok(Self {
            items: ItemFilter::of(query, snapshot)?,
            shown: Shown::new(all, |run| snapshot.run(run).map(|row| row.window))?,
            as_of,
            of_repos: filter.scoped(),
        })
    }

    /// Whether an item may be a hit, purged since or not.
    pub(crate) fn admits(
        &self,
        item: ItemId,
        attributes: Attributes,
        at: i64,
        name: SymbolNo,
    ) -> bool {
        self.items.admits(attributes, at, name) && self.shown.window_of(item).is_some()
    }
}

/// Appends the stretches of runs at `ordinals` of a window, which ascend.
fn stretches(
    snapshot: &Snapshot<'_>,
    window: WindowNo,
    ordinals: &[std::ops::Range<u64>],
    all: &mut Vec<Stretch>,
) -> Result<()> {
    let mut parts = ordinals.iter().peekable();
    for extent in snapshot.extents(window)? {
        while parts.next_if(|part| part.end <= extent.ordinal).is_some() {}
        let mut here = parts.clone();
        while let Some(part) = here.next_if(|part| part.start < extent.end()) {
            let from = part.start.max(extent.ordinal) - extent.ordinal;
            let to = part.end.min(extent.end()) - extent.ordinal;
            let (first, end) = (extent.first + from as u32, extent.first + to as u32);
            all.push(Stretch { run: extent.run, first, end, window });
        }
    }
    Ok(())
}

/// Events that are read at once. Judgement.
const EVENTS: usize = 4096;

/// The windows that items came to after `event`, and how many each had then.
fn grown_since(snapshot: &Snapshot<'_>, event: u64) -> Result<HashMap<WindowNo, u64>> {
    let mut bounds: HashMap<WindowNo, u64> = HashMap::new();
    let mut next = event + 1;
    loop {
        let events = snapshot.events(next, EVENTS)?;
        let Some((last, _)) = events.last() else { return Ok(bounds) };
        next = last + 1;
        for (_, row) in &events {
            let had = match &row.what {
                Event::ItemsAppended { first, .. } => *first,
                Event::WindowCreated {} | Event::Forked { .. } | Event::Merged { .. } => 0,
                _ => continue,
            };
            if let Some(window) = row.window {
                let bound = bounds.entry(window).or_insert(had);
                *bound = had.min(*bound);
            }
        }
    }
}

/// Which windows are of sub-agents: those that were spawned, and those that came of them in
/// another way.
pub(crate) struct Families<'s, 't> {
    snapshot: &'s Snapshot<'t>,
    known: HashMap<WindowNo, bool>,
}

impl<'s, 't> Families<'s, 't> {
    /// Asks `snapshot`.
    pub(crate) fn new(snapshot: &'s Snapshot<'t>) -> Self {
        Self { snapshot, known: HashMap::new() }
    }

    /// Whether `window` is one.
    pub(crate) fn of_sub_agent(&mut self, window: WindowNo) -> Result<bool> {
        let mut path = Vec::new();
        let mut at = window;
        let found = loop {
            if let Some(known) = self.known.get(&at) {
                break *known;
            }
            // Damage may have made a circle of parents.
            self.known.insert(at, false);
            path.push(at);
            let Some(parent) = self.snapshot.window(at)?.parent else { break false };
            if self.snapshot.link(at, parent)? == Some(LinkKind::SpawnedBy) {
                break true;
            }
            at = parent;
        };
        self.known.extend(path.into_iter().map(|no| (no, found)));
        Ok(found)
    }
}
