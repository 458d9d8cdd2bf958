//! The hash indexes: from the first eight bytes of a hash to what has that hash.
//!
//! A tree keyed by random hashes touches a page for almost every insert. So changes first go to a
//! small tree (`recent`), which is merged in bulk into sorted leaves on levels of growing size.
//! What is known of an entry is the sum over all of them; references are kept as changes and
//! never need the old value.

use std::ops::ControlFlow;

use heed::{PutFlags, RoTxn, RwTxn};
use vox_format::{
    keys,
    leaf::{self, Entry, Leaf},
    rows,
};
use vox_types::Error;

use crate::{
    fault::Fallible,
    tables::{Table, Tables},
};

/// Entries in `recent` that start a merge.
pub const RECENT_ENTRIES: u64 = 1 << 16;
/// Level k holds at most `RECENT_ENTRIES * GROWTH^k` entries.
const GROWTH: u64 = 16;
/// A leaf is split when it passes this many entries. Judgement: about 50 KB.
const LEAF_ENTRIES: usize = 4096;

/// One of the two indexes.
#[derive(Clone, Copy)]
pub struct HashIndex {
    recent: Table,
    levels: Table,
    meta: Table,
    merges: &'static [u8],
}

impl HashIndex {
    /// The index of blobs by content hash.
    pub fn of_blobs(tables: &Tables) -> Self {
        Self {
            recent: tables.blob_recent,
            levels: tables.blob_levels,
            meta: tables.meta,
            merges: b"blob_merges",
        }
    }

    /// The index of items by chain hash.
    pub fn of_chains(tables: &Tables) -> Self {
        Self {
            recent: tables.chain_recent,
            levels: tables.chain_levels,
            meta: tables.meta,
            merges: b"chain_merges",
        }
    }

    /// A finder for as long as `txn` sees one state, or only `recent` changes.
    pub fn finder(&self, txn: &RoTxn<'_>) -> heed::Result<Finder> {
        let depth = match self.levels.last(txn)? {
            Some((key, _)) => key.first().copied().unwrap_or(0),
            None => 0,
        };
        Ok(Finder { index: *self, depth })
    }

    /// How often it was merged: while this stays the same only `recent` changes.
    pub fn merges(&self, txn: &RoTxn<'_>) -> Fallible<u64> {
        match self.meta.get(txn, self.merges)? {
            Some(value) => Ok(rows::decode(value, "the count of merges")?),
            None => Ok(0),
        }
    }

    /// Adds `references` and `holds` to what is known of (prefix, payload).
    pub fn add(&self, txn: &mut RwTxn<'_>, change: Entry) -> heed::Result<()> {
        let key = keys::wide_pair(change.prefix, change.payload);
        let (references, holds) = match self.recent.get(txn, &key)? {
            Some(value) => counts(value),
            None => (0, 0),
        };
        let mut value = [0; 8];
        value[..4].copy_from_slice(&((references + change.references) as i32).to_le_bytes());
        value[4..].copy_from_slice(&((holds + change.holds) as i32).to_le_bytes());
        self.recent.put(txn, &key, &value)
    }

    /// Merges `recent` into the levels if it has grown large.
    pub fn settle(&self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        if self.recent.len(txn)? < RECENT_ENTRIES {
            return Ok(());
        }
        let mut entries = Vec::with_capacity(self.recent.len(txn)? as usize);
        for row in self.recent.iter(txn)? {
            let (key, value) = row?;
            entries.push(recent_entry(key, value)?);
        }
        self.merge_into(txn, 1, &entries)?;
        self.recent.clear(txn)?;
        let merges = self.merges(txn)? + 1;
        self.meta.put(txn, self.merges, &rows::encode(&merges)?)?;
        let mut level = 1;
        while self.level_len(txn, level)? > RECENT_ENTRIES * GROWTH.pow(u32::from(level)) {
            self.spill(txn, level)?;
            level += 1;
        }
        Ok(())
    }

    /// Every entry of the index, each (prefix, payload) summed up, in no order.
    pub fn for_each(
        &self,
        txn: &RoTxn<'_>,
        mut visit: impl FnMut(Entry) -> ControlFlow<()>,
    ) -> Fallible<()> {
        for row in self.recent.iter(txn)? {
            let (key, value) = row?;
            if visit(recent_entry(key, value)?).is_break() {
                return Ok(());
            }
        }
        for row in self.levels.iter(txn)? {
            for entry in Leaf::parse(row?.1)?.entries() {
                if visit(entry).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn level_len(&self, txn: &RoTxn<'_>, level: u8) -> Fallible<u64> {
        let mut len = 0;
        for row in self.levels.prefix_iter(txn, &[level])? {
            len += Leaf::parse(row?.1)?.len() as u64;
        }
        Ok(len)
    }

    /// Moves a whole level into the next one, leaf by leaf.
    fn spill(&self, txn: &mut RwTxn<'_>, level: u8) -> Fallible<()> {
        while let Some((key, value)) = self.levels.get_greater_than_or_equal_to(txn, &[level])? {
            if key.first() != Some(&level) {
                break;
            }
            let key = key.to_vec();
            let entries: Vec<Entry> = Leaf::parse(value)?.entries().collect();
            self.levels.delete(txn, &key)?;
            self.merge_into(txn, level + 1, &entries)?;
        }
        Ok(())
    }

    /// Merges sorted `entries` into the leaves of `level` that they fall into.
    fn merge_into(&self, txn: &mut RwTxn<'_>, level: u8, entries: &[Entry]) -> Fallible<()> {
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let home = self.leaf_for(txn, level, first.prefix)?;
            let next = {
                let after = home.as_ref().map_or(first.prefix, |(start, _)| *start);
                match self.levels.get_greater_than(txn, &keys::leaf(level, after))? {
                    Some((key, _)) => match keys::split_leaf(key) {
                        Some((l, start)) if l == level => Some(start),
                        _ => None,
                    },
                    None => None,
                }
            };
            let here = match next {
                Some(next) => rest.partition_point(|entry| entry.prefix < next),
                None => rest.len(),
            };
            // Without a leaf before it, an entry below the first leaf's start joins that leaf's
            // left side as a leaf of its own; such leaves are few and fill up.
            let (mine, others) = rest.split_at(here.max(1));
            let merged = match home {
                Some((start, old)) => {
                    self.levels.delete(txn, &keys::leaf(level, start))?;
                    merge(&old, mine)
                }
                None => mine.to_vec(),
            };
            self.put_leaves(txn, level, &merged)?;
            rest = others;
        }
        Ok(())
    }

    fn leaf_for(
        &self,
        txn: &RoTxn<'_>,
        level: u8,
        prefix: u64,
    ) -> Fallible<Option<(u64, Vec<Entry>)>> {
        let found = self.levels.get_lower_than_or_equal_to(txn, &keys::leaf(level, prefix))?;
        let Some((key, value)) = found else { return Ok(None) };
        match keys::split_leaf(key) {
            Some((l, start)) if l == level => {
                Ok(Some((start, Leaf::parse(value)?.entries().collect())))
            }
            _ => Ok(None),
        }
    }

    fn put_leaves(&self, txn: &mut RwTxn<'_>, level: u8, entries: &[Entry]) -> Fallible<()> {
        let parts = entries.len().div_ceil(LEAF_ENTRIES).max(1);
        let size = entries.len().div_ceil(parts);
        let mut rest = entries;
        while !rest.is_empty() {
            let mut end = size.min(rest.len());
            // One prefix stands in one leaf.
            while end < rest.len() && rest[end].prefix == rest[end - 1].prefix {
                end += 1;
            }
            let (part, others) = rest.split_at(end);
            let key = keys::leaf(level, part[0].prefix);
            self.levels.put_with_flags(txn, PutFlags::empty(), &key, &leaf::encode(part))?;
            rest = others;
        }
        Ok(())
    }
}

/// Finds entries by prefix.
#[derive(Clone, Copy)]
pub struct Finder {
    index: HashIndex,
    depth: u8,
}

impl Finder {
    /// What is known of each payload of `prefix`.
    pub fn find(&self, txn: &RoTxn<'_>, prefix: u64) -> Fallible<Vec<Entry>> {
        let mut found = Vec::new();
        self.find_recent(txn, prefix, &mut found)?;
        for level in 1..=self.depth {
            let key = keys::leaf(level, prefix);
            if let Some((key, value)) = self.index.levels.get_lower_than_or_equal_to(txn, &key)?
                && key.first() == Some(&level)
            {
                Leaf::parse(value)?.find(prefix).for_each(|entry| add_to(&mut found, entry));
            }
        }
        Ok(found)
    }

    /// Payloads of `prefix` as they come up, until `wanted` answers something: for those who need
    /// no counts. Where most entries are is looked into first.
    pub fn any<T>(
        &self,
        txn: &RoTxn<'_>,
        prefix: u64,
        mut wanted: impl FnMut(u64) -> Fallible<Option<T>>,
    ) -> Fallible<Option<T>> {
        for level in (1..=self.depth).rev() {
            let key = keys::leaf(level, prefix);
            if let Some((key, value)) = self.index.levels.get_lower_than_or_equal_to(txn, &key)?
                && key.first() == Some(&level)
            {
                for entry in Leaf::parse(value)?.find(prefix) {
                    if let Some(found) = wanted(entry.payload)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        let mut recent = Vec::new();
        self.find_recent(txn, prefix, &mut recent)?;
        for entry in recent {
            if let Some(found) = wanted(entry.payload)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// What changed of `prefix` since the last merge.
    pub fn find_recent(
        &self,
        txn: &RoTxn<'_>,
        prefix: u64,
        found: &mut Vec<Entry>,
    ) -> Fallible<()> {
        let from = keys::wide_pair(prefix, 0);
        // Most prefixes aren't here: one step tells, without an iterator.
        let Some((key, _)) = self.index.recent.get_greater_than_or_equal_to(txn, &from)? else {
            return Ok(());
        };
        if key.get(..8) != Some(&prefix.to_be_bytes()) {
            return Ok(());
        }
        for row in self.index.recent.prefix_iter(txn, &prefix.to_be_bytes())? {
            let (key, value) = row?;
            add_to(found, recent_entry(key, value)?);
        }
        Ok(())
    }
}

fn add_to(found: &mut Vec<Entry>, entry: Entry) {
    match found.iter_mut().find(|known| known.payload == entry.payload) {
        Some(known) => {
            known.references += entry.references;
            known.holds += entry.holds;
        }
        None => found.push(entry),
    }
}

/// Merges two sorted lists; entries of the same (prefix, payload) are summed up.
fn merge(old: &[Entry], new: &[Entry]) -> Vec<Entry> {
    let mut merged = Vec::with_capacity(old.len() + new.len());
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    let place = |entry: &Entry| (entry.prefix, entry.payload);
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(a), Some(b)) => place(a).cmp(&place(b)),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return merged,
        };
        merged.extend(match order {
            std::cmp::Ordering::Less => old.next().copied(),
            std::cmp::Ordering::Greater => new.next().copied(),
            std::cmp::Ordering::Equal => old.next().zip(new.next()).map(|(a, b)| Entry {
                references: a.references + b.references,
                holds: a.holds + b.holds,
                ..*a
            }),
        });
    }
}

fn recent_entry(key: &[u8], value: &[u8]) -> Fallible<Entry> {
    let Some((prefix, payload)) = keys::split_wide_pair(key) else {
        return Err(Error::damaged("a key of the recent index isn't 16 bytes long").into());
    };
    let (references, holds) = counts(value);
    Ok(Entry { prefix, payload, references, holds })
}

fn counts(value: &[u8]) -> (i64, i64) {
    let word = |i| i64::from(vox_format::cursor::u32_at(value, i) as i32);
    (word(0), word(1))
}
