//! What `Store::append` should do, said with plain vectors and maps.

mod kept;
pub mod scripts;

use std::collections::{BTreeMap, HashMap, HashSet};

use vox_format::rows::{CursorRow, UsageRow};
use vox_store::append::{Appended, Batch, NewItem, NewRest, WindowChange};
use vox_types::{ChainHash, Code, ItemId, ItemKind, LinkKind, Role};

use crate::recount::{self, Recount};

/// What makes an item the same item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    pub role: Role,
    pub kind: ItemKind,
    pub side: bool,
    pub content: Vec<u8>,
}

/// The call that an item with this content has: of the same content always the same, or none.
pub fn call_of(content: &[u8]) -> u32 {
    content.first().map_or(0, |letter| u32::from(letter % 3) << 31)
}

/// An item that a window stored itself.
#[derive(Clone, Debug)]
pub struct Own {
    pub window: usize,
    pub identity: Identity,
    pub chain: ChainHash,
    pub created_at: i64,
    pub extra: Option<Vec<u8>>,
    pub name: Option<String>,
    pub tokens: u32,
    pub id: Option<ItemId>,
}

/// What stands at one place of a window.
#[derive(Clone, Debug)]
pub enum Place {
    /// An item of its own: a place in [`Model::own`].
    Own(usize),
    /// An item of another window, equal to this; with a time if that has to agree.
    Shared { identity: Identity, chain: ChainHash, created_at: Option<i64> },
    /// The item that another window has at the same ordinal.
    Same(usize),
}

#[derive(Clone, Debug, Default)]
pub struct Window {
    pub key: String,
    pub revision: u32,
    /// The file it came from.
    pub source: Option<Vec<u8>>,
    pub title: Option<String>,
    pub repo: Option<String>,
    pub parent: Option<usize>,
    pub created_at: i64,
    pub updated_at: i64,
    pub places: Vec<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub length: u64,
    pub reason: &'static str,
}

/// Path and offset of a stretch, and its bytes.
pub type StretchPlace = (Vec<u8>, u64, Option<Vec<u8>>);

#[derive(Clone, Default)]
pub struct Model {
    pub windows: Vec<Window>,
    pub own: Vec<Own>,
    /// References by content.
    pub blobs: HashMap<Vec<u8>, i64>,
    pub awaited: BTreeMap<(String, usize), LinkKind>,
    pub links: BTreeMap<(usize, u8, usize), u64>,
    pub usage: BTreeMap<String, (usize, UsageRow)>,
    pub quarantine: BTreeMap<StretchPlace, Stretch>,
    pub cursors: BTreeMap<Vec<u8>, CursorRow>,
}

/// A batch being applied.
struct Applying<'b> {
    model: Model,
    batch: &'b Batch,
    written: HashSet<usize>,
    done: Appended,
}

impl Model {
    /// Applies `batch`: all of it, or with an error nothing.
    pub fn append(&mut self, batch: &Batch) -> Result<Appended, Code> {
        let mut applying = Applying {
            model: self.clone(),
            batch,
            written: HashSet::new(),
            done: Appended::default(),
        };
        applying.all()?;
        *self = applying.model;
        Ok(Appended { stored_bytes: 0, ..applying.done })
    }

    pub fn newest(&self, key: &str) -> Option<usize> {
        self.windows.iter().rposition(|window| window.key == key)
    }

    pub fn identity(&self, window: usize, ordinal: usize) -> &Identity {
        match &self.windows[window].places[ordinal] {
            Place::Own(own) => &self.own[*own].identity,
            Place::Shared { identity, .. } => identity,
            Place::Same(other) => self.identity(*other, ordinal),
        }
    }

    fn chain_at(&self, window: usize, ordinal: usize) -> ChainHash {
        match &self.windows[window].places[ordinal] {
            Place::Own(own) => self.own[*own].chain,
            Place::Shared { chain, .. } => *chain,
            Place::Same(other) => self.chain_at(*other, ordinal),
        }
    }

    /// The time of an item; none if it depends on which of several equal items is shared.
    pub fn time(&self, window: usize, ordinal: usize) -> Option<i64> {
        match &self.windows[window].places[ordinal] {
            Place::Own(own) => Some(self.own[*own].created_at),
            Place::Shared { created_at, .. } => *created_at,
            Place::Same(other) => self.time(*other, ordinal),
        }
    }

    fn tip(&self, window: usize) -> (ChainHash, bool) {
        let places = &self.windows[window].places;
        match (0..places.len()).rfind(|i| !self.identity(window, *i).side) {
            Some(last) => (self.chain_at(window, last), matches!(places[last], Place::Own(_))),
            None => (ChainHash::ROOT, false),
        }
    }

    fn root(&self, mut window: usize) -> usize {
        while let Some(parent) = self.windows[window].parent {
            window = parent;
        }
        window
    }

    /// Asserts that the store has just this, and notes which item ids the items got.
    pub fn compare(&mut self, stored: &Recount) {
        assert_eq!(stored.windows.len(), self.windows.len());
        for (no, window) in self.windows.iter().enumerate() {
            let row = &stored.windows[no];
            let kept = (&row.key, row.revision, &row.title, row.parent, row.root);
            let parent = window.parent.map(|parent| parent as u32);
            let root = self.root(no) as u32;
            assert_eq!(kept, (&window.key, window.revision, &window.title, parent, root));
            assert_eq!((row.created_at, row.updated_at), (window.created_at, window.updated_at));
            assert_eq!(stored.paths[no].len(), window.places.len(), "items of window {no}");
            for (ordinal, place) in window.places.iter().enumerate() {
                if let Place::Own(own) = place {
                    let id = stored.paths[no][ordinal];
                    assert_eq!(self.own[*own].id.get_or_insert(id), &id, "an item changed its id");
                }
            }
        }
        for own in &self.own {
            let item = &stored.items[&own.id.expect("an item stands in its window")];
            assert_eq!(item.owner as usize, own.window);
            assert_eq!(Identity::of(item), own.identity);
            assert_eq!(item.chain, own.chain);
            assert_eq!(item.row.call, call_of(&own.identity.content));
            let kept = (item.row.created_at, item.row.token_estimate, &item.extra);
            assert_eq!(kept, (own.created_at, own.tokens, &own.extra));
        }
        assert_eq!(stored.items.len(), self.own.len(), "items that nobody stored");
        for (no, window) in self.windows.iter_mut().enumerate() {
            for (ordinal, place) in window.places.iter_mut().enumerate() {
                let id = stored.paths[no][ordinal];
                match place {
                    Place::Own(_) => (),
                    Place::Same(other) => assert_eq!(id, stored.paths[*other][ordinal]),
                    Place::Shared { identity, chain, created_at } => {
                        let item = &stored.items[&id];
                        assert_ne!(item.owner as usize, no, "a window shares an item with itself");
                        assert_eq!((&Identity::of(item), &item.chain), (&*identity, &*chain));
                        let at = item.row.created_at;
                        assert_eq!(created_at.get_or_insert(at), &at);
                    }
                }
            }
        }
        assert_eq!(stored.references, self.blobs);
    }
}

impl Identity {
    fn of(item: &recount::StoredItem) -> Self {
        let (role, kind, side) = (item.row.role, item.row.kind, item.row.side);
        Self { role, kind, side, content: item.content.clone() }
    }
}

impl Applying<'_> {
    fn all(&mut self) -> Result<(), Code> {
        for change in &self.batch.windows {
            self.window(change)?;
        }
        for i in 0..self.batch.items.len() {
            self.items_once(i)?;
        }
        for new in &self.batch.usage {
            let window = self.window_of(&new.window).ok_or(Code::InvalidArgument)?;
            match self.model.usage.get_mut(&new.row.key) {
                Some((_, known)) => {
                    if (new.row.output, new.row.input) > (known.output, known.input) {
                        *known = new.row.clone();
                        self.done.usage += 1;
                    }
                }
                None => {
                    self.model.usage.insert(new.row.key.clone(), (window, new.row.clone()));
                    self.done.usage += 1;
                }
            }
        }
        self.quarantine()
    }

    fn quarantine(&mut self) -> Result<(), Code> {
        let Some(cursor) = &self.batch.cursor else {
            return if self.batch.quarantine.is_empty() {
                Ok(())
            } else {
                Err(Code::InvalidArgument)
            };
        };
        for new in &self.batch.quarantine {
            let bytes = new.blob.map(|blob| self.batch.blobs[blob].bytes.clone());
            let place = (cursor.path.clone(), new.offset, bytes);
            if !self.model.quarantine.contains_key(&place) {
                place.2.iter().for_each(|bytes| self.refer(bytes));
                let stretch = Stretch { length: new.length, reason: new.reason.name() };
                self.model.quarantine.insert(place, stretch);
            }
        }
        let stands = self.model.cursors.get(&cursor.path).map_or(0, |before| before.offset);
        if !self.batch.restart && stands != self.batch.start {
            return Err(Code::Conflict);
        }
        let mut row = cursor.clone();
        if let Some(before) = self.model.cursors.get(&cursor.path) {
            row.reading = before.reading + u32::from(self.batch.restart);
        }
        if let Some(before) = self.model.cursors.get(&cursor.path)
            && !self.batch.restart
        {
            row.records += before.records;
            row.items += before.items;
            row.quarantined += before.quarantined;
        }
        self.model.cursors.insert(cursor.path.clone(), row);
        Ok(())
    }

    fn refer(&mut self, bytes: &[u8]) {
        let references = self.model.blobs.entry(bytes.to_vec()).or_insert_with(|| {
            self.done.blobs += 1;
            self.done.raw_bytes += bytes.len() as u64;
            0
        });
        *references += 1;
    }

    fn window(&mut self, change: &WindowChange) -> Result<(), Code> {
        if let Some(no) = self.window_of(&change.key) {
            let said =
                |window: &Window| (window.title.clone(), window.repo.clone(), window.created_at);
            let (title, repo, at) = said(&self.model.windows[no]);
            self.set(no, change);
            let now = said(&self.model.windows[no]);
            let changed = [title != now.0, repo != now.1, at != now.2];
            self.done.changed += changed.into_iter().filter(|changed| *changed).count() as u64;
            self.below_parent(no, change);
            return Ok(());
        }
        if change.shares > 0
            && let Some(parent) = &change.parent
        {
            for i in 0..self.batch.items.len() {
                if self.batch.items[i].window == *parent {
                    self.items_once(i)?;
                }
            }
        }
        let no = self.create(&change.key, 0);
        self.set(no, change);
        self.below_parent(no, change);
        if change.shares > 0 {
            let parent = change.parent.as_deref().unwrap_or_default();
            let parent = self.window_of(parent).ok_or(Code::InvalidArgument)?;
            if (self.model.windows[parent].places.len() as u64) < change.shares {
                return Err(Code::Conflict);
            }
            self.copy(parent, no, change.shares as usize);
            self.done.shared += change.shares;
        }
        let waiting: Vec<_> = self.model.awaited.keys().cloned().collect();
        for place in waiting.into_iter().filter(|(key, _)| *key == change.key) {
            let link = self.model.awaited.remove(&place).unwrap();
            if self.model.windows[place.1].parent.is_none() {
                self.link(place.1, no, link);
            }
        }
        Ok(())
    }

    /// The newest window of that key from this batch's file, else the newest of all.
    fn window_of(&self, key: &str) -> Option<usize> {
        let windows = &self.model.windows;
        let source = self.source();
        let own = |window: &Window| window.key == key && window.source == source;
        let own = source.is_some().then(|| windows.iter().rposition(own)).flatten();
        own.or_else(|| self.model.newest(key))
    }

    fn source(&self) -> Option<Vec<u8>> {
        self.batch.cursor.as_ref().map(|cursor| cursor.path.clone())
    }

    fn create(&mut self, key: &str, revision: u32) -> usize {
        let at = self.batch.fallback_time;
        let (key, source) = (key.to_owned(), self.source());
        let window = Window { key, revision, source, ..Window::default() };
        self.model.windows.push(Window { created_at: at, updated_at: at, ..window });
        self.done.windows += 1;
        self.model.windows.len() - 1
    }

    fn set(&mut self, no: usize, change: &WindowChange) {
        let window = &mut self.model.windows[no];
        window.title = change.title.clone().or(window.title.take());
        window.repo = change.repo.clone().or(window.repo.take());
        if let Some(at) = change.created_at.filter(|_| window.places.is_empty()) {
            (window.created_at, window.updated_at) = (at, at);
        }
    }

    fn below_parent(&mut self, no: usize, change: &WindowChange) {
        let Some(key) = &change.parent else { return };
        if self.model.windows[no].parent.is_some() {
            return;
        }
        let link = change.link.unwrap_or(LinkKind::DerivedFrom);
        match self.window_of(key) {
            Some(parent) => self.link(no, parent, link),
            None => drop(self.model.awaited.insert((key.clone(), no), link)),
        }
    }

    fn link(&mut self, child: usize, parent: usize, link: LinkKind) {
        if self.model.root(parent) != child {
            self.model.windows[child].parent = Some(parent);
            let ordinal = self.model.windows[parent].places.len() as u64;
            self.model.links.insert((child, link as u8, parent), ordinal);
        }
    }

    fn copy(&mut self, from: usize, to: usize, count: usize) {
        for ordinal in 0..count {
            let at =
                self.model.time(from, ordinal).expect("only windows with known times are copied");
            self.model.windows[to].count(at);
            self.model.windows[to].places.push(Place::Same(from));
        }
    }

    fn items_once(&mut self, i: usize) -> Result<(), Code> {
        if !self.written.insert(i) {
            return Ok(());
        }
        let new = &self.batch.items[i];
        let mut no = self.window_of(&new.window).ok_or(Code::InvalidArgument)?;
        let has = self.model.windows[no].places.len();
        if new.at as usize > has {
            return Err(Code::Conflict);
        }
        let mut known = 0;
        for (item, ordinal) in new.items.iter().zip(new.at as usize..has) {
            if *self.model.identity(no, ordinal) != self.identity(item) {
                no = self.diverge(no, ordinal);
                break;
            }
            known += 1;
        }
        self.done.known += known as u64;
        self.add(no, &new.items[known..]);
        Ok(())
    }

    fn identity(&self, item: &NewItem) -> Identity {
        let content = self.batch.blobs[item.content].bytes.clone();
        Identity { role: item.role, kind: item.kind, side: item.side, content }
    }

    fn diverge(&mut self, old: usize, ordinal: usize) -> usize {
        let before = self.model.windows[old].clone();
        let newest = self.model.newest(&before.key).unwrap_or(old);
        let revision = self.model.windows[newest].revision + 1;
        let no = self.create(&before.key, revision);
        let (parent, places, source) = (None, Vec::new(), self.source());
        let updated_at = before.created_at;
        self.model.windows[no] = Window { parent, places, revision, source, updated_at, ..before };
        self.link(no, old, LinkKind::ForkedFrom);
        self.copy(old, no, ordinal);
        self.done.diverged += 1;
        no
    }

    fn add(&mut self, no: usize, items: &[NewItem]) {
        let window = &self.model.windows[no];
        let change = self.batch.windows.iter().find(|change| change.key == window.key);
        let replays = change.is_some_and(|change| change.replays);
        let first = items.iter().find_map(|item| item.created_at);
        let mut time = match window.places.len() {
            0 => Some(first.unwrap_or(self.batch.fallback_time)),
            n => self.model.time(no, n - 1),
        };
        let (mut chain, own_tip) = self.model.tip(no);
        let mut sharing = !own_tip;
        for item in items {
            let identity = self.identity(item);
            let at = item.created_at.or(time).expect("after an unknown time comes a known one");
            let row = recount::child_of(&chain, identity.role, identity.kind, &identity.content);
            let found = sharing
                && self.model.own.iter().any(|own| {
                    own.window != no
                        && own.chain == row
                        && own.identity == identity
                        && (replays || own.created_at == at)
                });
            let side = identity.side;
            if found {
                self.done.shared += 1;
                let created_at = (!replays).then_some(at);
                self.model.windows[no].places.push(Place::Shared {
                    identity,
                    chain: row,
                    created_at,
                });
                time = created_at;
            } else {
                sharing &= side;
                self.done.added += 1;
                self.own(no, item, identity, row, at);
                time = Some(at);
            }
            chain = if side { chain } else { row };
            self.model.windows[no].count_before_last(at);
        }
    }

    fn own(
        &mut self,
        window: usize,
        item: &NewItem,
        identity: Identity,
        chain: ChainHash,
        at: i64,
    ) {
        let extra = match item.rest {
            Some(NewRest::Extra(extra)) => Some(self.batch.blobs[extra].bytes.clone()),
            _ => None,
        };
        self.refer(&identity.content);
        extra.iter().for_each(|extra| self.refer(extra));
        let place = Place::Own(self.model.own.len());
        self.model.windows[window].places.push(place);
        let (name, tokens, id) = (item.name.clone(), item.token_estimate, None);
        self.model.own.push(Own {
            window,
            identity,
            chain,
            created_at: at,
            extra,
            name,
            tokens,
            id,
        });
    }
}

impl Window {
    /// Takes the time of the next item into account.
    fn count(&mut self, at: i64) {
        if self.places.is_empty() {
            self.created_at = self.created_at.min(at);
            self.updated_at = at;
        }
        self.updated_at = self.updated_at.max(at);
    }

    /// The same once the item is in its place.
    fn count_before_last(&mut self, at: i64) {
        let last = self.places.pop().expect("an item was placed");
        self.count(at);
        self.places.push(last);
    }
}
