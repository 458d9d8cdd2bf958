//! Taking records out of raw runs.

use std::collections::{BTreeMap, BTreeSet};

use heed::{RoTxn, RwTxn};
use vox_format::{
    keys::{self, Domain},
    leaf::Entry,
    raw::RawRun,
};
use vox_types::{BlobRef, CutForm, Error, RecordRef, Result};

use super::{FileStretch, Parts, all, delete_runs, rest, run};
use crate::{blobs, fault::Fallible, index::HashIndex, tables::Tables};

/// Runs that are taken apart at once: each may be 1 MiB. Judgement.
pub const AT_ONCE: usize = 64;

/// Makes holes of `records`: their bytes go, their places and lengths stay. Gives the blobs that
/// they referred to, as often as they did; those references are given back already.
pub fn remove_records(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    records: &[RecordRef],
) -> Fallible<Vec<BlobRef>> {
    let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for record in records {
        places.entry(record.run()).or_default().push(record.index().into());
    }
    let runs: Vec<u64> = places.keys().copied().collect();
    drop_stored(tables, txn, |stretch| runs.binary_search(&stretch.row.run).is_ok())?;
    change(tables, txn, &runs, |number, parts| {
        let mut places = places.get(&number).cloned().unwrap_or_default();
        places.sort_unstable();
        places.dedup();
        parts.remove(&places)
    })
}

/// Makes holes of all bytes of the file with this cursor, in all its readings; but not of runs that
/// another file names. Gives what [`remove_records`] does.
pub fn remove_source(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    cursor: &[u8; 16],
) -> Fallible<Vec<BlobRef>> {
    drop_stored(tables, txn, |stretch| stretch.cursor == *cursor)?;
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for stretch in all(tables, txn)? {
        if stretch.cursor == *cursor { &mut own } else { &mut others }.insert(stretch.row.run);
    }
    let runs: Vec<u64> = own.difference(&others).copied().collect();
    change(tables, txn, &runs, |_, parts| Ok(parts.hollow()))
}

/// Lets `with` take something out of each of `runs`, which ascend, and gives back the references
/// that it gives.
fn change(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    runs: &[u64],
    mut with: impl FnMut(u64, &mut Parts) -> Result<Vec<BlobRef>>,
) -> Fallible<Vec<BlobRef>> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let based = based_on(tables, txn, runs)?;
    let mut removed = Vec::new();
    for part in runs.chunks(AT_ONCE) {
        let mut changed = apart(tables, txn, part)?;
        let others = based.iter().filter(|(base, _)| part.binary_search(base).is_ok());
        for (_, number) in others {
            if !changed.contains_key(number) {
                changed.extend(apart(tables, txn, &[*number])?);
            }
        }
        for number in part {
            if let Some(parts) = changed.get_mut(number) {
                removed.append(&mut with(*number, parts)?);
            }
        }
        put_together(tables, txn, changed)?;
    }
    give_back(tables, txn, &removed)?;
    Ok(removed)
}

/// Lets go of the bytes that compressed files have themselves, of those readings of which `wanted`
/// wants a stretch: they hold what is to be removed too, and can't have holes.
fn drop_stored(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    wanted: impl Fn(&FileStretch) -> bool,
) -> Fallible<()> {
    let stretches = all(tables, txn)?;
    let touched: BTreeSet<([u8; 16], u32)> = stretches
        .iter()
        .filter(|stretch| wanted(stretch))
        .map(|stretch| (stretch.cursor, stretch.reading))
        .collect();
    let (mut runs, mut named) = (BTreeSet::new(), BTreeSet::new());
    for FileStretch { cursor, reading, domain, offset, row } in stretches {
        if domain == Domain::Stored && touched.contains(&(cursor, reading)) {
            let key = keys::raw_file(&cursor, reading, domain, offset);
            tables.raw_files.delete(txn, &key)?;
            runs.insert(row.run);
        } else {
            named.insert(row.run);
        }
    }
    let unnamed: Vec<u64> = runs.difference(&named).copied().collect();
    if !unnamed.is_empty() {
        delete_runs(tables, txn, &unnamed)?;
    }
    Ok(())
}

/// Makes holes of every record that holds one of `blobs`, which ascend, where nothing but records
/// holds it. Gives what [`remove_records`] does.
pub fn remove_contents(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    blobs: &[BlobRef],
) -> Fallible<Vec<BlobRef>> {
    let mut holders: BTreeMap<BlobRef, Vec<RecordRef>> = BTreeMap::new();
    let mut counts: BTreeMap<BlobRef, i64> = BTreeMap::new();
    for row in tables.raw_runs.iter(txn)? {
        let (key, value) = row?;
        let run = RawRun::parse(value)?;
        let number = number_of(key)?;
        let mut at = 0;
        for cut in run.cuts()? {
            at += cut.gap;
            if cut.form != CutForm::Hole && blobs.binary_search(&cut.blob).is_ok() {
                *counts.entry(cut.blob).or_default() += 1;
                if let Some(place) = run.record_around(at) {
                    let record = RecordRef::new(number, place as u16);
                    holders.entry(cut.blob).or_default().push(record);
                }
            }
            at += cut.len;
        }
    }
    let finder = HashIndex::of_blobs(tables).finder(txn)?;
    let mut records = Vec::new();
    for (blob, holders) in holders {
        let prefix = blobs::hash_of(tables, txn, blob)?.prefix();
        let entries = finder.find(txn, prefix)?;
        let entry = entries.iter().find(|entry| entry.payload == blob.0);
        if entry
            .is_some_and(|entry| entry.holds == 0 && Some(&entry.references) == counts.get(&blob))
        {
            records.extend(holders);
        }
    }
    if records.is_empty() {
        return Ok(Vec::new());
    }
    remove_records(tables, txn, &records)
}

/// The runs `numbers` apart.
pub fn apart(tables: &Tables, txn: &RoTxn<'_>, numbers: &[u64]) -> Fallible<BTreeMap<u64, Parts>> {
    let parts = numbers.iter().map(|number| {
        let run = run(tables, txn, *number)?;
        Ok((*number, Parts::of(&run, rest(tables, txn, &run)?)?))
    });
    parts.collect()
}

/// The runs that are compressed against one of `bases`, which ascend: base and run.
pub fn based_on(tables: &Tables, txn: &RoTxn<'_>, bases: &[u64]) -> Fallible<Vec<(u64, u64)>> {
    let mut found = Vec::new();
    for row in tables.raw_runs.iter(txn)? {
        let (key, value) = row?;
        if let Some(base) = RawRun::parse(value)?.head.base
            && bases.binary_search(&base).is_ok()
        {
            found.push((base, number_of(key)?));
        }
    }
    Ok(found)
}

/// The number of a run in a key.
pub fn number_of(key: &[u8]) -> Fallible<u64> {
    let short = |_| Error::damaged("the key of a raw run isn't 8 bytes long");
    Ok(key.try_into().map(u64::from_be_bytes).map_err(short)?)
}

/// Writes runs again, each against the base that its head names as that is then.
pub fn put_together(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    mut changed: BTreeMap<u64, Parts>,
) -> Fallible<()> {
    let numbers: Vec<u64> = changed.keys().copied().collect();
    // Those without a base come first: they may be the bases of others.
    let (based, alone): (Vec<u64>, Vec<u64>) =
        numbers.iter().partition(|number| changed[number].head.base.is_some());
    for number in alone.into_iter().chain(based) {
        let Some(mut parts) = changed.remove(&number) else { continue };
        let base = match parts.head.base {
            Some(base) => Some(rest(tables, txn, &run(tables, txn, base)?)?),
            None => None,
        };
        let value = parts.encode(base.as_deref())?;
        tables.raw_runs.put(txn, &number.to_be_bytes(), &value)?;
    }
    Ok(())
}

/// Takes one reference for each of `references` from its blob.
pub fn give_back(tables: &Tables, txn: &mut RwTxn<'_>, references: &[BlobRef]) -> Fallible<()> {
    if references.is_empty() {
        return Ok(());
    }
    let index = HashIndex::of_blobs(tables);
    for blob in references {
        let prefix = blobs::hash_of(tables, txn, *blob)?.prefix();
        index.add(txn, Entry { prefix, payload: blob.0, references: -1, holds: 0 })?;
    }
    index.settle(txn)
}
