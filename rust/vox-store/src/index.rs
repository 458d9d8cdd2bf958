//! The hash indexes: from the first eight bytes of a hash to what has that hash.
//!
//! A tree keyed by random hashes touches a page for almost every insert. So changes first go to a
//! small tree (`recent`), which is merged in bulk into sorted leaves on levels of growing size.
//! What is known of an entry is the sum over all of them; references are kept as changes and
//! never need the old value.

use std::ops::{Bound, ControlFlow};

use heed::{RoTxn, RwTxn};
use vox_format::{
    cursor, keys,
    leaf::{self, Entry, Leaf},
    rows,
};
use vox_types::{Code, Error};

use crate::{
    fault::{Fallible, Fault},
    tables::{Table, Tables},
};

/// Entries in `recent` that start a merge.
const RECENT_ENTRIES: u64 = 1 << 16;
/// How many times more entries each level holds than the one before.
const GROWTH: u64 = 16;
/// A leaf is split when it passes this many entries, unless they have one prefix. Judgement: about
/// 50 KB.
pub(crate) const LEAF_ENTRIES: usize = 4096;
/// The most entries that a leaf can count. What one prefix has beyond them goes to the next level.
pub(crate) const MOST_OF_A_LEAF: usize = u16::MAX as usize;

/// The most entries of level `level`, counted from 1.
fn level_entries(level: u8) -> u64 {
    RECENT_ENTRIES.saturating_mul(GROWTH.saturating_pow(level.into()))
}

/// The first level that takes `entries` entries.
pub(crate) fn level_for(entries: u64) -> u8 {
    (1..u8::MAX).find(|level| entries <= level_entries(*level)).unwrap_or(1)
}

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
    pub(crate) fn merges(&self, txn: &RoTxn<'_>) -> Fallible<u64> {
        match self.meta.get(txn, self.merges)? {
            Some(value) => Ok(rows::decode(value, "the count of merges")?),
            None => Ok(0),
        }
    }

    /// Adds `references` and `holds` to what is known of (prefix, payload).
    pub(crate) fn add(&self, txn: &mut RwTxn<'_>, change: Entry) -> Fallible<()> {
        let key = keys::wide_pair(change.prefix, change.payload);
        let (references, holds) = match self.recent.get(txn, &key)? {
            Some(value) => counts(value)?,
            None => (0, 0),
        };
        let narrow = |count: i64| {
            let too_many = "a blob was used more than 2³¹ times since the index was merged";
            i32::try_from(count).map_err(|_| Error::new(Code::TooLarge, too_many))
        };
        let mut value = [0; 8];
        value[..4].copy_from_slice(&narrow(references + change.references)?.to_le_bytes());
        value[4..].copy_from_slice(&narrow(holds + change.holds)?.to_le_bytes());
        self.recent.put(txn, &key, &value)?;
        Ok(())
    }

    /// Merges `recent` into the levels if it has grown large.
    pub(crate) fn settle(&self, txn: &mut RwTxn<'_>) -> Fallible<()> {
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
        self.count_merge(txn)?;
        let mut level = 1;
        while self.level_len(txn, level)? > level_entries(level) {
            self.spill(txn, level)?;
            level += 1;
        }
        Ok(())
    }

    /// Removes the entries of payloads that are `gone` from so many leaves, from key `from` on,
    /// and with the first of them from `recent`. Gives the key to go on from; none at the end.
    pub(crate) fn forget(
        &self,
        txn: &mut RwTxn<'_>,
        from: &[u8],
        leaves: usize,
        gone: &dyn Fn(u64) -> bool,
    ) -> Fallible<Option<Vec<u8>>> {
        if from.is_empty() {
            let mut keys = Vec::new();
            for row in self.recent.iter(txn)? {
                let (key, value) = row?;
                if gone(recent_entry(key, value)?.payload) {
                    keys.push(key.to_vec());
                }
            }
            for key in keys {
                self.recent.delete(txn, &key)?;
            }
        }
        let mut changed: Vec<(Vec<u8>, Vec<Entry>)> = Vec::new();
        let mut next = None;
        let start = match from {
            [] => Bound::Unbounded,
            from => Bound::Included(from),
        };
        for row in self.levels.range(txn, &(start, Bound::Unbounded))? {
            let (key, value) = row?;
            if changed.len() == leaves {
                next = Some(key.to_vec());
                break;
            }
            let leaf = Leaf::parse(value)?;
            if leaf.payloads().any(gone) {
                let kept = leaf.entries().filter(|entry| !gone(entry.payload));
                changed.push((key.to_vec(), kept.collect()));
            }
        }
        for (key, kept) in &changed {
            self.levels.delete(txn, key)?;
            if let (Some(first), Some(level)) = (kept.first(), key.first()) {
                self.levels.put(txn, &keys::leaf(*level, first.prefix), &leaf::encode(kept))?;
            }
        }
        if !changed.is_empty() {
            self.count_merge(txn)?;
        }
        Ok(next)
    }

    /// Puts sorted `entries` in place of all there are.
    pub(crate) fn replace(&self, txn: &mut RwTxn<'_>, entries: &[Entry]) -> Fallible<()> {
        self.recent.clear(txn)?;
        self.levels.clear(txn)?;
        self.put_leaves(txn, level_for(entries.len() as u64), entries)?;
        self.count_merge(txn)
    }

    /// Tells whoever looked something up before to look it up again.
    fn count_merge(&self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        let merges = self.merges(txn)? + 1;
        self.meta.put(txn, self.merges, &rows::encode(&merges)?)?;
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

    /// Every entry of the index, each (prefix, payload) summed up, sorted by them.
    pub(crate) fn for_each_in_order(
        &self,
        txn: &RoTxn<'_>,
        mut visit: impl FnMut(Entry) -> Fallible<()>,
    ) -> Fallible<()> {
        let mut sources: Vec<Box<dyn Iterator<Item = Fallible<Entry>> + '_>> = Vec::new();
        let recent = self.recent.iter(txn)?;
        sources.push(Box::new(recent.map(|row| {
            let (key, value) = row?;
            recent_entry(key, value)
        })));
        let depth = self.finder(txn)?.depth;
        for level in 1..=depth {
            let leaves = self.levels.prefix_iter(txn, &[level])?;
            sources.push(Box::new(leaves.flat_map(|row| {
                let leaf = row.map_err(Fault::from).and_then(|row| Ok(Leaf::parse(row.1)?));
                let (entries, fault) = match leaf {
                    Ok(leaf) => (Some(leaf.entries()), None),
                    Err(fault) => (None, Some(Err(fault))),
                };
                entries.into_iter().flatten().map(Ok).chain(fault)
            })));
        }
        let place = |entry: &Entry| (entry.prefix, entry.payload);
        let mut heads: Vec<Option<Entry>> = Vec::with_capacity(sources.len());
        for source in &mut sources {
            heads.push(source.next().transpose()?);
        }
        // A handful of sources: the least head is found by looking at all.
        while let Some(least) = heads.iter().flatten().map(place).min() {
            let mut sum = Entry { prefix: least.0, payload: least.1, references: 0, holds: 0 };
            for (head, source) in heads.iter_mut().zip(&mut sources) {
                while let Some(entry) = head.filter(|entry| place(entry) == least) {
                    sum.references += entry.references;
                    sum.holds += entry.holds;
                    *head = source.next().transpose()?;
                }
            }
            visit(sum)?;
        }
        Ok(())
    }

    /// How many entries there are, or more: what changed of one since is counted again.
    pub(crate) fn len_at_most(&self, txn: &RoTxn<'_>) -> Fallible<u64> {
        let depth = self.finder(txn)?.depth;
        let levels = (1..=depth).map(|level| self.level_len(txn, level));
        Ok(levels.sum::<Fallible<u64>>()? + self.recent.len(txn)?)
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
            let (part, beyond) = part.split_at(part.len().min(MOST_OF_A_LEAF));
            self.levels.put(txn, &keys::leaf(level, part[0].prefix), &leaf::encode(part))?;
            if !beyond.is_empty() {
                self.merge_into(txn, level + 1, beyond)?;
            }
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
                found.extend(Leaf::parse(value)?.find(prefix));
            }
        }
        sum_up(&mut found);
        Ok(found)
    }

    /// Payloads of `prefix` as they come up, until `wanted` answers something: for those who need
    /// no counts. Where most entries are is looked into first.
    pub(crate) fn any<T>(
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
    pub(crate) fn find_recent(
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
            found.push(recent_entry(key, value)?);
        }
        Ok(())
    }
}

/// Makes one entry of those with the same payload; in the order of payloads.
fn sum_up(entries: &mut Vec<Entry>) {
    entries.sort_unstable_by_key(|entry| entry.payload);
    entries.dedup_by(|other, kept| {
        let same = other.payload == kept.payload;
        if same {
            kept.references += other.references;
            kept.holds += other.holds;
        }
        same
    });
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
    let (references, holds) = counts(value)?;
    Ok(Entry { prefix, payload, references, holds })
}

fn counts(value: &[u8]) -> Fallible<(i64, i64)> {
    if value.len() != 8 {
        return Err(Error::damaged("an entry of the recent index isn't 8 bytes long").into());
    }
    let word = |i| i64::from(cursor::u32_at(value, i) as i32);
    Ok((word(0), word(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn more_entries_of_one_prefix_than_a_leaf_counts_are_all_found() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let generation = store.generation();
        let index = HashIndex::of_chains(&generation.tables);
        let most = MOST_OF_A_LEAF as u64;
        let same = |payload| Entry { prefix: 7, payload, references: 1, holds: 0 };
        for first in [0, most + 1] {
            let add = |txn: &mut RwTxn<'_>| {
                (first..=first + most).try_for_each(|payload| index.add(txn, same(payload)))?;
                index.settle(txn)
            };
            generation.write(add).unwrap();
        }
        let expected: Vec<Entry> = (0..2 * (most + 1)).map(same).collect();
        let found = |txn: &RwTxn<'_>| index.finder(txn)?.find(txn, 7);
        assert!(generation.write(|txn| found(txn)).unwrap() == expected);
        let replaced = generation.write(|txn| {
            index.replace(txn, &expected)?;
            found(txn)
        });
        assert!(replaced.unwrap() == expected);
    }
}
