//! History: clips, commands and prompts, with caps.

use std::collections::BTreeMap;

use heed::{RoTxn, RwTxn};
use vox_format::{
    leaf::Entry,
    producers::{
        Given, Kept,
        history::{HistoryGroupRow, HistoryKind, HistoryRow},
        numbered,
    },
    rows,
};
use vox_types::{Code, Error, Fidelity, ItemKind, OverlayKind, Result, Role, WindowKind};

use super::{
    contents::{Contents, Gathering},
    fold::FoldedItem,
    heads,
};
use crate::{
    Store,
    append::{self, Batch, NewOverlay, WindowChange, WindowItems},
    blobs,
    env::Generation,
    fault::Fallible,
    index::HashIndex,
    meta::now,
    spine::windows::short_hash,
    tables::Tables,
};

/// How much of one kind and repository is kept; the oldest unpinned entries go first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryCaps {
    /// Entries.
    pub entries: u64,
    /// Sum of their lengths.
    pub bytes: u64,
}

/// An entry as a caller gives it.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// UTC ms; none: now.
    pub at: Option<i64>,
    /// Its bytes.
    pub content: Given,
    /// Where it came from, such as a shell or a program.
    pub name: Option<String>,
}

/// What became of entries.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Added {
    /// Their numbers.
    pub numbers: Vec<u64>,
    /// How many older ones went because of the caps.
    pub evicted: u64,
}

/// An entry with what it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are fields of HistoryGroupRow and HistoryRow")]
pub struct ShownEntry {
    pub number: u64,
    pub kind: HistoryKind,
    pub repo: String,
    pub row: HistoryRow<Kept>,
}

/// The key of the window of a kind and repository.
pub(crate) fn history_key(kind: HistoryKind, repo: &str) -> String {
    format!("vox-history:{}:{repo}", kind.name())
}

impl Store {
    /// Adds entries of one kind and repository (empty: none), in one transaction; durable on
    /// return. What passes the caps goes, the oldest unpinned first, but never the last one added.
    ///
    /// `too_large` for an entry that alone passes the cap.
    pub fn add_history(
        &self,
        kind: HistoryKind,
        repo: &str,
        entries: Vec<NewEntry>,
        caps: HistoryCaps,
    ) -> Result<Added> {
        let mut gathering = Gathering::of(self);
        let mut all = Vec::with_capacity(entries.len());
        for new in entries {
            all.push((new.at.unwrap_or_else(now), gathering.take(new.content)?, new.name));
        }
        let contents = gathering.finish()?;
        for (place, (_, kept, _)) in all.iter().enumerate() {
            let length = contents.length(&kept.hash)?;
            if length > caps.bytes {
                let cap = caps.bytes;
                let says = format!("entry {place} has {length} bytes; history keeps {cap} at most");
                return Err(Error::new(Code::TooLarge, says));
            }
        }
        let repo = repo.to_owned();
        self.write(move |generation, txn| add(generation, txn, kind, &repo, &all, caps, &contents))
    }

    /// Entries, the newest first, at most `count`: of one kind or repository, and before a number,
    /// if these are given.
    pub fn history(
        &self,
        kind: Option<HistoryKind>,
        repo: Option<&str>,
        before: Option<u64>,
        count: usize,
    ) -> Result<Vec<ShownEntry>> {
        self.read(|tables, txn| {
            let mut shown = Vec::new();
            for (key, group) in groups(tables, txn)? {
                if kind.is_some_and(|kind| kind != group.kind)
                    || repo.is_some_and(|repo| repo != group.repo)
                {
                    continue;
                }
                let end = before.unwrap_or(u64::MAX);
                for (number, row) in heads::before(tables.history_entries, txn, &key, end, count)? {
                    let repo = group.repo.clone();
                    shown.push(ShownEntry { number, kind: group.kind, repo, row });
                }
            }
            shown.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.number));
            shown.truncate(count);
            Ok(shown)
        })
    }

    /// Pins or unpins entries: no cap removes a pinned one. All or, on an error, none. Gives how
    /// many were not so before. `not_found` for a number that there isn't.
    pub fn pin_history(&self, numbers: &[u64], pinned: bool) -> Result<u64> {
        let numbers = numbers.to_vec();
        let contents = Gathering::of(self).finish()?;
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let groups = groups(tables, txn)?;
            let mut batch = Batch::default();
            let mut changed = 0;
            for number in &numbers {
                let (key, group, mut row) = entry(tables, txn, &groups, *number)?;
                if row.pinned_at.is_some() == pinned {
                    continue;
                }
                row.pinned_at = pinned.then(now);
                let place = numbered(key, *number);
                tables.history_entries.put(txn, &place, &rows::encode(&row)?)?;
                batch.overlays.push(said(group, OverlayKind::Pinned, row.ordinal, row.pinned_at));
                changed += 1;
            }
            append::apply(generation, txn, &contents.prepared(batch))?;
            Ok(changed)
        })
    }

    /// Removes entries, pinned or not: their rows go with their references, and their items are
    /// trimmed. All or, on an error, none. `not_found` for a number that there isn't.
    pub fn remove_history(&self, numbers: &[u64]) -> Result<()> {
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        let contents = Gathering::of(self).finish()?;
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let mut removing = Removing::default();
            for (key, group) in groups(tables, txn)? {
                removing.groups.insert(key, group);
            }
            for number in &numbers {
                let groups: Vec<_> =
                    removing.groups.iter().map(|(key, group)| (*key, group.clone())).collect();
                let (key, _, row) = entry(tables, txn, &groups, *number)?;
                removing.remove(tables, txn, *key, *number, &row)?;
            }
            let batch = removing.finish(tables, txn)?;
            append::apply(generation, txn, &contents.prepared(batch)).map(drop)
        })
    }
}

type Groups = Vec<([u8; 16], HistoryGroupRow)>;

fn groups(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Groups> {
    heads::heads(tables.history_entries, txn)
}

/// The entry with this number, and what it belongs to.
fn entry<'g>(
    tables: &Tables,
    txn: &RoTxn<'_>,
    groups: &'g Groups,
    number: u64,
) -> Fallible<(&'g [u8; 16], &'g HistoryGroupRow, HistoryRow<Kept>)> {
    for (key, group) in groups {
        if let Some(row) = tables.history_entries.get(txn, &numbered(key, number))? {
            return Ok((key, group, rows::decode(row, "a history entry")?));
        }
    }
    let says = format!("there is no history entry {number}; `vox history ls` lists them");
    Err(Error::new(Code::NotFound, says).into())
}

fn said(group: &HistoryGroupRow, kind: OverlayKind, at: u64, value: Option<i64>) -> NewOverlay {
    NewOverlay {
        window: history_key(group.kind, &group.repo),
        kind,
        ordinals: at..at + 1,
        value,
        only_new: kind == OverlayKind::Trimmed,
    }
}

fn add(
    generation: &Generation,
    txn: &mut RwTxn<'_>,
    kind: HistoryKind,
    repo: &str,
    all: &[(i64, Kept, Option<String>)],
    caps: HistoryCaps,
    contents: &Contents,
) -> Fallible<Added> {
    let tables = &generation.tables;
    let window = history_key(kind, repo);
    let key = short_hash(&window);
    // Numbers ascend over all groups, so that one alone names an entry.
    let mut next = groups(tables, txn)?.iter().map(|(_, group)| group.next).max().unwrap_or(0);
    let group = heads::head(tables.history_entries, txn, &key)?;
    let mut group = group.unwrap_or_else(|| HistoryGroupRow {
        kind,
        repo: repo.to_owned(),
        next: 0,
        entries: 0,
        bytes: 0,
        items: 0,
    });
    let (first, mut items, mut added) = (group.items, Vec::new(), Added::default());
    let mut batch = Batch { fallback_time: now(), ..Batch::default() };
    for (at, content, name) in all {
        let bytes = contents.length(&content.hash)?;
        let row = HistoryRow {
            at: *at,
            content: *content,
            bytes,
            ordinal: group.items,
            name: name.clone(),
            pinned_at: None,
        };
        tables.history_entries.put(txn, &numbered(&key, next), &rows::encode(&row)?)?;
        batch.owned.push(contents.place(&content.hash)?);
        items.push(contents.item(FoldedItem {
            role: Role::User,
            kind: ItemKind::Message,
            content: content.hash,
            created_at: *at,
            name: name.clone(),
            side: false,
            redacted: false,
            token_estimate: None,
            call: 0,
        })?);
        added.numbers.push(next);
        next += 1;
        group.next = next;
        group.entries += 1;
        group.bytes += bytes;
        group.items += 1;
    }
    if !items.is_empty() {
        batch.windows.push(WindowChange {
            key: window.clone(),
            kind: Some(WindowKind::Chat),
            title: Some(format!("History: {}", kind.name())),
            repo: Some(repo.to_owned()).filter(|repo| !repo.is_empty()),
            fidelity: Some(Fidelity::Recorded),
            created_at: all.first().map(|(at, ..)| *at),
            ..WindowChange::default()
        });
        batch.items.push(WindowItems { window, at: first, items });
        tables.history_entries.put(txn, &key, &rows::encode(&group)?)?;
    }
    // First what is new: what goes may have the same content, and its item must stand already.
    append::apply(generation, txn, &contents.prepared(batch))?;
    let mut removing = Removing::default();
    let over = |group: &HistoryGroupRow| group.entries > caps.entries || group.bytes > caps.bytes;
    if over(&group) {
        let rows: Vec<(u64, HistoryRow<Kept>)> =
            heads::below(tables.history_entries, txn, &key, 0, usize::MAX)?;
        removing.groups.insert(key, group);
        for (number, row) in rows {
            let within = removing.groups.get(&key).is_none_or(|group| !over(group));
            if within || number + 1 == next {
                break;
            }
            if row.pinned_at.is_none() {
                removing.remove(tables, txn, key, number, &row)?;
                added.evicted += 1;
            }
        }
    }
    let batch = removing.finish(tables, txn)?;
    append::apply(generation, txn, &contents.prepared(batch))?;
    Ok(added)
}

/// Entries that go.
#[derive(Default)]
struct Removing {
    groups: BTreeMap<[u8; 16], HistoryGroupRow>,
    batch: Batch,
}

impl Removing {
    fn remove(
        &mut self,
        tables: &Tables,
        txn: &mut RwTxn<'_>,
        key: [u8; 16],
        number: u64,
        row: &HistoryRow<Kept>,
    ) -> Fallible<()> {
        tables.history_entries.delete(txn, &numbered(&key, number))?;
        if !row.content.purged {
            let index = HashIndex::of_blobs(tables);
            let found = blobs::find(tables, &index.finder(txn)?, txn, &row.content.hash)?;
            let lost = || Error::damaged(format!("history entry {number} names no blob"));
            let found = found.ok_or_else(lost)?;
            index.add(txn, Entry { references: -1, holds: 0, ..found })?;
        }
        if let Some(group) = self.groups.get_mut(&key) {
            group.entries = group.entries.saturating_sub(1);
            group.bytes = group.bytes.saturating_sub(row.bytes);
            let trimmed = said(group, OverlayKind::Trimmed, row.ordinal, Some(now()));
            self.batch.overlays.push(trimmed);
        }
        Ok(())
    }

    fn finish(self, tables: &Tables, txn: &mut RwTxn<'_>) -> Fallible<Batch> {
        for (key, group) in &self.groups {
            tables.history_entries.put(txn, key, &rows::encode(group)?)?;
        }
        HashIndex::of_blobs(tables).settle(txn)?;
        Ok(self.batch)
    }
}
