//! Removing the content of blobs that nothing uses.
//!
//! A slot keeps its hash and its place, so that references stay what they are; its group is
//! written anew without the body. Entries of the index go afterwards, in the order of the index:
//! until then they name blobs that are gone, which nobody finds.

use std::collections::HashSet;

use heed::RwTxn;
use vox_format::{
    keys,
    name::Target,
    rows::Event,
    segment::{GONE, Group, Slot},
};
use vox_types::{BlobRef, Result};

use super::{mark::Marks, places::Bits};
use crate::{
    Store, blobs,
    env::Generation,
    events,
    fault::Fallible,
    index::{Finder, HashIndex},
    leases::{self, LeaseRow},
    meta::now,
    secrets,
    tables::{Table, Tables},
};

/// Blobs that one transaction removes. Judgement.
const BATCH: usize = 20_000;
/// Segments that one transaction writes anew: 32 MB. Judgement.
const SEGMENTS: usize = 512;
/// Leaves of the index that one transaction writes anew: 12 MB. Judgement.
const LEAVES: usize = 256;

/// What went.
#[derive(Default)]
pub(crate) struct Swept {
    pub blobs: u64,
    pub raw_bytes: u64,
    pub stored_bytes: u64,
    /// Imports that began meanwhile: the rest stays for another time.
    pub held_back_by: Vec<LeaseRow>,
}

/// Removes what is `doomed`, unless it is used again.
pub(crate) fn sweep(
    store: &Store,
    generation: &Generation,
    marks: &mut Marks,
    doomed: &Bits,
) -> Result<Swept> {
    let mut swept = Swept::default();
    let mut segments = marks
        .places
        .segments()
        .filter(|segment| marks.places.of_segment(*segment).any(|place| doomed.has(place)));
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut blobs = 0;
    for segment in segments.by_ref() {
        blobs += marks.places.of_segment(segment).filter(|place| doomed.has(*place)).count();
        batch.push(segment);
        if blobs >= BATCH || batch.len() >= SEGMENTS {
            batches.push(std::mem::take(&mut batch));
            blobs = 0;
        }
    }
    batches.push(batch);
    for batch in batches.iter().filter(|batch| !batch.is_empty()) {
        let done = super::write_to(store, generation, |txn| {
            let imports = leases::alive(&generation.tables, txn)?;
            if !imports.is_empty() {
                return Ok(Err(imports));
            }
            let removed = remove(&generation.tables, txn, marks, doomed, batch)?;
            let gone = removed.places.iter().map(|place| marks.places.blob(*place));
            secrets::forget(generation, txn, gone)?;
            Ok(Ok(removed))
        })?;
        match done {
            Ok(part) => {
                swept.blobs += part.places.len() as u64;
                swept.raw_bytes += part.raw_bytes;
                swept.stored_bytes += part.stored_bytes;
                part.places.iter().for_each(|place| marks.places.gone.set(*place));
            }
            Err(imports) => {
                swept.held_back_by = imports;
                break;
            }
        }
    }
    if swept.blobs + marks.leftovers > 0 {
        forget(store, generation, marks)?;
    }
    Ok(swept)
}

/// What one transaction removed.
#[derive(Default)]
struct Removed {
    places: Vec<usize>,
    raw_bytes: u64,
    stored_bytes: u64,
}

fn remove(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    marks: &Marks,
    doomed: &Bits,
    segments: &[u64],
) -> Fallible<Removed> {
    let named = named(tables, txn)?;
    let index = HashIndex::of_blobs(tables);
    let check = Check { finder: index.finder(txn)?, named, marks, doomed };
    let mut removed = Removed::default();
    for segment in segments {
        let key = segment.to_be_bytes();
        if let Some(value) =
            check.thin_out(txn, tables.segments, &key, *segment, 0, &mut removed)?
        {
            tables.segments.put(txn, &key, &value)?;
            continue;
        }
        let mut tails = Vec::new();
        for row in tables.tails.prefix_iter(txn, &key)? {
            tails.extend(keys::split_tail(row?.0));
        }
        for (segment, first) in tails {
            let key = keys::tail(segment, first);
            let thin = check.thin_out(txn, tables.tails, &key, segment, first, &mut removed)?;
            if let Some(value) = thin {
                tables.tails.put(txn, &key, &value)?;
            }
        }
    }
    for place in &removed.places {
        tables.condemned.delete(txn, &marks.places.blob(*place).0.to_be_bytes())?;
    }
    if !removed.places.is_empty() {
        blobs::count_sweep(tables, txn)?;
        let blobs = removed.places.len() as u64;
        events::append(tables, txn, now(), None, Event::Collected { blobs, raw_runs: 0 })?;
    }
    Ok(removed)
}

/// Looks at each blob again in the transaction that removes it.
struct Check<'a> {
    finder: Finder,
    named: HashSet<u64>,
    marks: &'a Marks,
    doomed: &'a Bits,
}

impl Check<'_> {
    /// The group at `key` without the bodies of what is doomed; none if nothing of it goes.
    fn thin_out(
        &self,
        txn: &RwTxn<'_>,
        table: Table,
        key: &[u8],
        segment: u64,
        first: u16,
        removed: &mut Removed,
    ) -> Fallible<Option<Vec<u8>>> {
        let Some(value) = table.get(txn, key)? else { return Ok(None) };
        let group = Group::parse(value)?;
        let mut goes = vec![false; group.len()];
        for (i, goes) in goes.iter_mut().enumerate() {
            let slot = group.slot(i)?;
            let blob = BlobRef::new(segment, first + i as u16);
            if let Some(place) = self.goes(txn, blob, &slot)? {
                removed.places.push(place);
                removed.raw_bytes += u64::from(slot.raw_len);
                *goes = true;
            }
        }
        if !goes.contains(&true) {
            return Ok(None);
        }
        let left = blobs::without(value, |i| goes[i])?;
        removed.stored_bytes += value.len().saturating_sub(left.len()) as u64;
        Ok(Some(left))
    }

    /// The place of `blob` if it is doomed and still nobody uses it.
    fn goes(&self, txn: &RwTxn<'_>, blob: BlobRef, slot: &Slot<'_>) -> Fallible<Option<usize>> {
        let Some(place) = self.marks.places.find(blob).filter(|place| self.doomed.has(*place))
        else {
            return Ok(None);
        };
        if slot.codec == GONE || self.named.contains(&blob.0) {
            return Ok(None);
        }
        let entries = self.finder.find(txn, slot.hash.prefix())?;
        let entry = entries.iter().find(|entry| entry.payload == blob.0);
        let unused = entry.is_none_or(|entry| (entry.references, entry.holds) == (0, 0));
        Ok(unused.then_some(place))
    }
}

/// Every blob that has a name.
fn named(tables: &Tables, txn: &RwTxn<'_>) -> Fallible<HashSet<u64>> {
    let mut named = HashSet::new();
    for row in tables.names.iter(txn)? {
        if let Target::Blob(blob) = Target::decode(row?.1)? {
            named.insert(blob.0);
        }
    }
    Ok(named)
}

/// Removes the entries of blobs that are gone from the index.
fn forget(store: &Store, generation: &Generation, marks: &Marks) -> Result<()> {
    let is_gone = |payload: u64| {
        marks.places.find(BlobRef(payload)).is_some_and(|place| marks.places.gone.has(place))
    };
    let mut from = Some(Vec::new());
    while let Some(key) = from {
        from = super::write_to(store, generation, |txn| {
            HashIndex::of_blobs(&generation.tables).forget(txn, &key, LEAVES, &is_gone)
        })?;
    }
    Ok(())
}
