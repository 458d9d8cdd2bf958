//! Appending items to a window: compare what it has, share what stands elsewhere, add the rest.

use heed::RwTxn;
use vox_format::{
    chunk::ItemRow,
    leaf::Entry,
    rows::{Event, Extent, WindowRow},
};
use vox_types::{ChainHash, Code, ContentHash, Error, ItemId, ItemKind, LinkKind, Rest, WindowNo};

use super::{
    Applying,
    batch::{NewItem, NewRest, WindowItems},
};
use crate::{
    events,
    fault::Fallible,
    index::{Finder, HashIndex},
    spine::{
        chains::{self, Wanted},
        extents, overlays, runs, windows,
    },
};

impl Applying<'_> {
    pub(super) fn items(&mut self, txn: &mut RwTxn<'_>, new: &WindowItems) -> Fallible<()> {
        let Some(mut no) = self.window_of(txn, &new.window)? else {
            return Err(super::no_window(&new.window).into());
        };
        let has = windows::expect(self.tables, txn, no)?.items;
        let at = if new.at == WindowItems::END { has } else { new.at };
        if at > has {
            return Err(Error::new(
                Code::Conflict,
                format!(
                    "items for place {} of {} came, but it has {has}; read its source again from the start",
                    new.at, new.window
                ),
            )
            .into());
        }
        let mut fresh = 0;
        for (item, ordinal) in new.items.iter().zip(at..has) {
            let Some(stored) = self.has_item(txn, no, ordinal, item)? else {
                no = self.diverge(txn, no, ordinal)?;
                break;
            };
            self.restore(txn, stored, item)?;
            fresh += 1;
        }
        self.done.known += fresh as u64;
        self.append_items(txn, no, &new.items[fresh..])
    }

    pub(super) fn hash(&self, item: &NewItem) -> ContentHash {
        self.prepared.blobs.hash(item.content)
    }

    /// Stores what is left of an item's record.
    pub(super) fn rest(&mut self, txn: &mut RwTxn<'_>, item: &NewItem) -> Fallible<Option<Rest>> {
        Ok(match item.rest {
            Some(NewRest::Extra(extra)) => Some(Rest::Extra(self.writer.refer(txn, extra)?)),
            Some(NewRest::Record(offset)) => self.record_at(txn, offset)?.map(Rest::Record),
            None => None,
        })
    }

    /// The stored item at `ordinal`, if it is the same.
    fn has_item(
        &self,
        txn: &RwTxn<'_>,
        window: WindowNo,
        ordinal: u64,
        item: &NewItem,
    ) -> Fallible<Option<ItemId>> {
        let Some(stored) = extents::item(self.tables, txn, window, ordinal)? else {
            return Err(Error::damaged(format!("window {window} lacks its item {ordinal}")).into());
        };
        let (chunk, place) = runs::chunk_of(self.tables, txn, stored)?;
        let attributes = chunk.attributes_at(place);
        let same = attributes.role() == item.role
            && attributes.kind()? == item.kind
            && attributes.side() == item.side
            && self.writer.hash_of(txn, chunk.content_at(place))? == self.hash(item);
        Ok(same.then_some(stored))
    }

    /// Starts a new revision of a window that its producer rewrote from `ordinal` on.
    fn diverge(
        &mut self,
        txn: &mut RwTxn<'_>,
        old_no: WindowNo,
        ordinal: u64,
    ) -> Fallible<WindowNo> {
        let old = windows::expect(self.tables, txn, old_no)?;
        let newest = match windows::by_key(self.tables, txn, &old.key)? {
            Some(newest) => windows::expect(self.tables, txn, newest)?.revision,
            None => old.revision,
        };
        // What its user decided on a conversation (title, tags, pin, deletion) holds for all of it.
        let now = self.now;
        let no = self.create(txn, &old.key, newest + 1, |_, _, row| {
            *row = WindowRow {
                id: row.id,
                revision: row.revision,
                root: row.root,
                source: row.source,
                run: None,
                parent: None,
                deleted_at: old.deleted_at.map(|_| now),
                purged_at: None,
                updated_at: old.created_at,
                chain: ChainHash::ROOT.0,
                items: 0,
                bytes: 0,
                tokens: 0,
                records: 0,
                trimmed: 0,
                ..old.clone()
            };
            Ok(())
        })?;
        self.link(txn, no, old_no, LinkKind::ForkedFrom)?;
        self.copy_beginning(txn, old_no, no, ordinal)?;
        let copied = windows::expect(self.tables, txn, no)?;
        let mut row = copied.clone();
        row.trimmed = overlays::copy_beginning(self.tables, txn, old_no, no, ordinal)?;
        windows::put(self.tables, txn, no, Some(&copied), &row)?;
        self.done.diverged += 1;
        Ok(no)
    }

    fn append_items(
        &mut self,
        txn: &mut RwTxn<'_>,
        no: WindowNo,
        items: &[NewItem],
    ) -> Fallible<()> {
        if items.is_empty() {
            return Ok(());
        }
        let old = windows::expect(self.tables, txn, no)?;
        let mut path = Path::of(self, txn, no, &old, items)?;
        let mut row = old.clone();
        for item in items {
            path.place(self, txn, &mut row, item)?;
        }
        path.write_own(self, txn, &mut row)?;
        windows::put(self.tables, txn, no, Some(&old), &row)?;
        let what = Event::ItemsAppended { first: old.items, count: row.items - old.items };
        events::append(self.tables, txn, self.now, Some(no), what)
    }
}

/// Takes the next item of a window into its roll-ups.
pub(super) fn count(row: &mut WindowRow, kind: ItemKind, bytes: u64, tokens: u64, at: i64) {
    if row.items == 0 {
        row.created_at = row.created_at.min(at);
        row.updated_at = at;
    }
    row.items += 1;
    row.bytes += bytes;
    row.tokens += tokens;
    row.records += u64::from(kind == ItemKind::Record);
    row.updated_at = row.updated_at.max(at);
}

/// The end of a window's path while items are put to it.
struct Path {
    window: WindowNo,
    /// Chain hash of the last item that isn't a side item, and that item if it is stored.
    chain: ChainHash,
    last: Option<ItemId>,
    /// The last item of whatever kind, if it is stored, and its time.
    previous: Option<ItemId>,
    time: i64,
    /// While all items of the path are shared, the next may be too.
    sharing: Option<Finder>,
    replays: bool,
    /// Items of the window's own that aren't in a run yet, their chains, and the chain before
    /// them.
    own: Vec<ItemRow>,
    own_chains: Vec<ChainHash>,
    before_own: ChainHash,
}

impl Path {
    fn of(
        applying: &Applying<'_>,
        txn: &RwTxn<'_>,
        window: WindowNo,
        row: &WindowRow,
        items: &[NewItem],
    ) -> Fallible<Self> {
        let tables = applying.tables;
        let last = chains::last_on_path(tables, txn, window, row.items)?;
        let shared = match last {
            Some(last) => runs::get(tables, txn, last.run())?.window != window,
            None => true,
        };
        let batch = &applying.prepared.batch;
        let change = batch.windows.iter().find(|change| change.key == row.key);
        let previous = match row.items.checked_sub(1) {
            Some(last) => extents::item(tables, txn, window, last)?,
            None => None,
        };
        let time = match previous {
            Some(previous) => {
                let (chunk, place) = runs::chunk_of(tables, txn, previous)?;
                chunk.created_at().get(place) as i64
            }
            // What stands before the first recorded time is as old as that.
            None => items.iter().find_map(|item| item.created_at).unwrap_or(batch.fallback_time),
        };
        let chain = ChainHash(row.chain);
        Ok(Self {
            window,
            chain,
            last,
            previous,
            time,
            sharing: if shared { Some(HashIndex::of_chains(tables).finder(txn)?) } else { None },
            replays: change.is_some_and(|change| change.replays),
            own: Vec::new(),
            own_chains: Vec::new(),
            before_own: chain,
        })
    }

    /// Puts one item to the end.
    fn place(
        &mut self,
        applying: &mut Applying<'_>,
        txn: &mut RwTxn<'_>,
        row: &mut WindowRow,
        item: &NewItem,
    ) -> Fallible<()> {
        let content = applying.hash(item);
        let chain = self.chain.child(item.role, item.kind, &content);
        let at = item.created_at.unwrap_or(self.time);
        if let Some(finder) = &self.sharing {
            let wanted = Wanted {
                chain,
                parent: self.chain,
                parent_item: self.last,
                role: item.role,
                kind: item.kind,
                content,
                side: item.side,
                created_at: (!self.replays).then_some(at),
                call: item.call,
                window: self.window,
                previous: self.previous,
            };
            let hash_of = |blob| applying.writer.hash_of(txn, blob);
            if let Some(found) = chains::find(applying.tables, finder, txn, &wanted, &hash_of)? {
                applying.restore(txn, found, item)?;
                self.write_own(applying, txn, row)?;
                let ordinal = row.items;
                let extent =
                    Extent { ordinal, run: found.run(), first: found.position(), count: 1 };
                extents::push(applying.tables, txn, self.window, extent)?;
                applying.done.shared += 1;
                if !item.side {
                    (self.chain, self.last) = (chain, Some(found));
                }
                self.before_own = self.chain;
                self.previous = Some(found);
                let (chunk, place) = runs::chunk_of(applying.tables, txn, found)?;
                self.time = chunk.created_at().get(place) as i64;
                let (bytes, tokens) =
                    (chunk.byte_len().get(place), chunk.token_estimate().get(place));
                count(row, item.kind, bytes, tokens, at);
                row.chain = self.chain.0;
                return Ok(());
            }
            if !item.side {
                self.sharing = None;
            }
        }
        let (buried, content, rest) = match applying.buried(txn, item)? {
            Some(blob) => (true, blob, None),
            None => {
                let content = applying.writer.refer(txn, item.content)?;
                (false, content, applying.rest(txn, item)?)
            }
        };
        let stored = ItemRow {
            content,
            rest,
            created_at: at,
            byte_len: applying.prepared.lengths[item.content],
            role: item.role,
            kind: item.kind,
            fidelity: item.fidelity,
            redacted: item.redacted,
            side: item.side,
            purged: buried,
            name: applying.interner.intern(applying.tables, txn, item.name.as_deref())?,
            token_estimate: item.token_estimate,
            call: item.call,
            preview: if buried { String::new() } else { item.preview.clone() },
        };
        count(row, stored.kind, stored.byte_len, u64::from(stored.token_estimate), at);
        self.own.push(stored);
        self.own_chains.push(chain);
        if !item.side {
            (self.chain, self.last) = (chain, None);
        }
        (self.previous, self.time) = (None, at);
        row.chain = self.chain.0;
        applying.done.added += 1;
        Ok(())
    }

    /// Writes the window's own items that are pending to a run of its own.
    fn write_own(
        &mut self,
        applying: &mut Applying<'_>,
        txn: &mut RwTxn<'_>,
        row: &mut WindowRow,
    ) -> Fallible<()> {
        if self.own.is_empty() {
            return Ok(());
        }
        let tables = applying.tables;
        let open = match row.run {
            Some(run) if runs::get(tables, txn, run)?.chain == self.before_own.0 => Some(run),
            _ => None,
        };
        let run = match open {
            Some(run) => run,
            None => runs::start(tables, txn, self.window, self.before_own)?,
        };
        let first = runs::append(tables, txn, run, &self.own, &self.own_chains)?;
        let index = HashIndex::of_chains(tables);
        for (position, chain) in (first..).zip(&self.own_chains) {
            let payload = ItemId::new(run, position).0;
            index.add(txn, Entry { prefix: chain.prefix(), payload, references: 0, holds: 0 })?;
        }
        let count = self.own.len() as u32;
        let ordinal = row.items - u64::from(count);
        extents::push(tables, txn, self.window, Extent { ordinal, run, first, count })?;
        row.run = Some(run);
        self.own.clear();
        self.own_chains.clear();
        self.before_own = self.chain;
        Ok(())
    }
}
