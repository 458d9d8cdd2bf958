//! Creating windows, and writing down what became known of them.

use std::collections::HashSet;

use heed::RwTxn;
use vox_format::{
    keys,
    rows::{Event, WindowRow},
};
use vox_types::{
    ChainHash, Code, Error, Fidelity, LinkKind, SymbolNo, WindowId, WindowKind, WindowNo,
};

use super::{Applying, batch::WindowChange, items};
use crate::{
    events,
    fault::Fallible,
    spine::{
        chains, cursors, extents, lineage, runs,
        windows::{self, short_hash},
    },
};

impl Applying<'_> {
    /// Creates or changes a window. A window that shares items of another of this batch waits
    /// for those.
    pub(super) fn window(
        &mut self,
        txn: &mut RwTxn<'_>,
        change: &WindowChange,
        written: &mut HashSet<usize>,
    ) -> Fallible<()> {
        if let Some(no) = self.window_of(txn, &change.key)? {
            let old = windows::expect(self.tables, txn, no)?;
            let mut row = old.clone();
            let mut set = Vec::new();
            if row.purged_at.is_some() && self.prepared.batch.restore_purged {
                row.purged_at = None;
                set.push("purged_at".to_owned());
            }
            // What a purged window was called and where it worked stays purged with it.
            if row.purged_at.is_none() {
                set.append(&mut self.set_fields(txn, &mut row, change)?);
            }
            if !set.is_empty() {
                self.done.changed += set.len() as u64;
                windows::put(self.tables, txn, no, Some(&old), &row)?;
                let what = Event::WindowChanged { set };
                events::append(self.tables, txn, self.now, Some(no), what)?;
            }
            return self.below_parent(txn, no, change);
        }
        if change.shares > 0
            && let Some(parent) = &change.parent
        {
            self.items_of(txn, parent, written)?;
        }
        let no = self.create(txn, &change.key, 0, |applying, txn, row| {
            applying.set_fields(txn, row, change).map(drop)
        })?;
        self.below_parent(txn, no, change)?;
        if change.shares > 0 {
            self.share_beginning(txn, no, change)?;
        }
        lineage::adopt_awaiting(self.tables, txn, self.now, no, &change.key)
    }

    /// The window with this key: the newest revision that this batch's source has written, for
    /// several files may hold a conversation and go on differently; else the newest of all.
    pub(super) fn window_of(&self, txn: &RwTxn<'_>, key: &str) -> Fallible<Option<WindowNo>> {
        let Some(newest) = windows::by_key(self.tables, txn, key)? else { return Ok(None) };
        let Some(source) = self.source() else { return Ok(Some(newest)) };
        let row = windows::expect(self.tables, txn, newest)?;
        if row.source == Some(source) {
            return Ok(Some(newest));
        }
        for revision in (0..row.revision).rev() {
            let id = WindowId::derive(key, revision).0;
            if let Some(no) = windows::by_id(self.tables, txn, &id)?
                && windows::expect(self.tables, txn, no)?.source == Some(source)
            {
                return Ok(Some(no));
            }
        }
        Ok(Some(newest))
    }

    fn source(&self) -> Option<[u8; 16]> {
        self.prepared.batch.cursor.as_ref().map(|cursor| cursors::key(&cursor.path))
    }

    /// Makes a window's row; `fill` says more about it.
    pub(super) fn create(
        &mut self,
        txn: &mut RwTxn<'_>,
        key: &str,
        revision: u32,
        fill: impl FnOnce(&mut Self, &mut RwTxn<'_>, &mut WindowRow) -> Fallible<()>,
    ) -> Fallible<WindowNo> {
        let no = windows::next_no(self.tables, txn)?;
        let at = self.prepared.batch.fallback_time;
        let mut row = WindowRow {
            id: WindowId::derive(key, revision).0,
            key: key.to_owned(),
            revision,
            kind: WindowKind::Archived as u8,
            fidelity: Fidelity::Unknown as u8,
            root: no,
            source: self.source(),
            created_at: at,
            updated_at: at,
            ..WindowRow::default()
        };
        fill(self, txn, &mut row)?;
        row.updated_at = row.updated_at.max(row.created_at);
        windows::put(self.tables, txn, no, None, &row)?;
        events::append(self.tables, txn, self.now, Some(no), Event::WindowCreated {})?;
        self.done.windows += 1;
        Ok(no)
    }

    /// Takes over what `change` says; gives the names of the fields that are new.
    fn set_fields(
        &mut self,
        txn: &mut RwTxn<'_>,
        row: &mut WindowRow,
        change: &WindowChange,
    ) -> Fallible<Vec<String>> {
        let mut set = Vec::new();
        let mut texts = |name: &str, field: &mut Option<String>, new: &Option<String>| {
            if new.is_some() && field != new {
                field.clone_from(new);
                set.push(name.to_owned());
            }
        };
        if row.renamed {
            texts("source_title", &mut row.source_title, &change.title);
        } else {
            texts("title", &mut row.title, &change.title);
        }
        texts("workspace", &mut row.workspace, &change.workspace);
        texts("thread_id", &mut row.thread_id, &change.thread_id);
        texts("trace_id", &mut row.trace_id, &change.trace_id);
        texts("git_sha_at_open", &mut row.git_sha_at_open, &change.git_sha_at_open);
        texts("git_sha_at_close", &mut row.git_sha_at_close, &change.git_sha_at_close);
        texts("git_branch", &mut row.git_branch, &change.git_branch);
        let route = match row.routed {
            true => ("source_route", &mut row.source_route, &change.model_route),
            false => ("model_route", &mut row.model_route, &change.model_route),
        };
        let symbols: [(&str, &mut SymbolNo, &Option<String>); 3] = [
            ("repo", &mut row.repo, &change.repo),
            ("agent", &mut row.agent, &change.agent),
            route,
        ];
        for (name, field, new) in symbols {
            if new.is_some() {
                let symbol = self.interner.intern(self.tables, txn, new.as_deref())?;
                if *field != symbol {
                    *field = symbol;
                    set.push(name.to_owned());
                }
            }
        }
        let numbers = [
            ("kind", &mut row.kind, change.kind.map(|kind| kind as u8)),
            ("fidelity", &mut row.fidelity, change.fidelity.map(|fidelity| fidelity as u8)),
            ("tier", &mut row.tier, change.tier.map(|tier| tier as u8)),
        ];
        for (name, field, new) in numbers {
            if let Some(new) = new.filter(|new| field != new) {
                *field = new;
                set.push(name.to_owned());
            }
        }
        let before = row.tags.len();
        for tag in &change.tags {
            let symbol = self.interner.intern(self.tables, txn, Some(tag))?;
            if symbol != 0
                && let Err(place) = row.tags.binary_search(&symbol)
            {
                row.tags.insert(place, symbol);
            }
        }
        if row.tags.len() > before {
            set.push("tags".to_owned());
        }
        if let Some(at) = change.created_at.filter(|at| *at != row.created_at && row.items == 0) {
            row.created_at = at;
            row.updated_at = at;
            set.push("created_at".to_owned());
        }
        Ok(set)
    }

    /// Puts a root below the parent that `change` names, or lets it wait for that parent.
    fn below_parent(
        &mut self,
        txn: &mut RwTxn<'_>,
        no: WindowNo,
        change: &WindowChange,
    ) -> Fallible<()> {
        let Some(parent_key) = &change.parent else { return Ok(()) };
        let row = windows::expect(self.tables, txn, no)?;
        if row.parent.is_some() {
            return Ok(());
        }
        let link = change.link.unwrap_or(LinkKind::DerivedFrom);
        match self.window_of(txn, parent_key)? {
            Some(parent) => self.link(txn, no, parent, link),
            None => {
                let key = keys::awaited(&short_hash(parent_key), no);
                self.tables.awaited.put(txn, &key, &[link as u8])?;
                Ok(())
            }
        }
    }

    pub(super) fn link(
        &mut self,
        txn: &mut RwTxn<'_>,
        child: WindowNo,
        parent: WindowNo,
        link: LinkKind,
    ) -> Fallible<()> {
        lineage::put_below(self.tables, txn, self.now, child, parent, link)
    }

    fn share_beginning(
        &mut self,
        txn: &mut RwTxn<'_>,
        no: WindowNo,
        change: &WindowChange,
    ) -> Fallible<()> {
        let parent_key = change.parent.as_deref().unwrap_or_default();
        let Some(parent) = self.window_of(txn, parent_key)? else {
            return Err(super::no_window(parent_key).into());
        };
        let has = windows::expect(self.tables, txn, parent)?.items;
        if has < change.shares {
            return Err(Error::new(
                Code::Conflict,
                format!(
                    "{} shares {} items of {parent_key}, which has {has}; read its source again from the start",
                    change.key, change.shares
                ),
            )
            .into());
        }
        self.copy_beginning(txn, parent, no, change.shares)?;
        self.done.shared += change.shares;
        Ok(())
    }

    /// Lets the empty window `to` begin with the first `count` items of `from`.
    pub(super) fn copy_beginning(
        &mut self,
        txn: &mut RwTxn<'_>,
        from: WindowNo,
        to: WindowNo,
        count: u64,
    ) -> Fallible<()> {
        extents::share(self.tables, txn, from, to, count)?;
        let old = windows::expect(self.tables, txn, to)?;
        let mut row = old.clone();
        row.chain = match chains::last_on_path(self.tables, txn, to, count)? {
            Some(item) => {
                let hash_of = |blob| self.writer.hash_of(txn, blob);
                chains::of_item_with(self.tables, txn, item, &hash_of)?.0
            }
            None => ChainHash::ROOT.0,
        };
        for extent in extents::all(self.tables, txn, to)? {
            let mut position = extent.first;
            while position < extent.end_position() {
                let item = vox_types::ItemId::new(extent.run, position);
                let (chunk, place) = runs::chunk_of(self.tables, txn, item)?;
                let end = chunk.len().min(place + (extent.end_position() - position) as usize);
                for i in place..end {
                    let (bytes, tokens) = (chunk.byte_len().get(i), chunk.token_estimate().get(i));
                    let kind = chunk.attributes_at(i).kind()?;
                    items::count(&mut row, kind, bytes, tokens, chunk.created_at().get(i) as i64);
                }
                position += (end - place) as u32;
            }
        }
        windows::put(self.tables, txn, to, Some(&old), &row)
    }
}
