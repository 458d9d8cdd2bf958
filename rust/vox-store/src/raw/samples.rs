//! Finding a run that is equal to another one, or like it: `raw_samples`.
//!
//! A fork repeats most of its parent's items in records of its own, which differ in ids and times.
//! So the run whose cuts name the same contents is the one to compress against. Of each run a few
//! contents are remembered, those with the least hashes, which runs with the same contents share.

use std::collections::{HashMap, HashSet};

use heed::{RoTxn, RwTxn};
use vox_format::raw::RawRun;
use vox_types::{ContentHash, CutForm, Error};

use super::run;
use crate::{blobs, fault::Fallible, tables::Tables};

/// Contents of a run that are remembered. Judgement.
const MOST: usize = 8;
/// Shorter contents stand in many conversations. Judgement.
const SHORTEST_CONTENT: u32 = 32;
/// A run with a shorter rest isn't compressed against another one, nor another one against it.
/// Judgement.
pub const SHORTEST_REST: u32 = 4 << 10;

/// The contents by which a run is found, given those of its cuts: their prefixes.
pub fn choose(contents: impl Iterator<Item = (u64, u32)>) -> Vec<u64> {
    let long = contents.filter(|(_, len)| *len >= SHORTEST_CONTENT);
    let mut prefixes: Vec<u64> = long.map(|(prefix, _)| prefix).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    prefixes.truncate(MOST);
    prefixes
}

/// The run to compress one with these `samples` against: one that shares half of them.
pub fn base_for(tables: &Tables, txn: &RoTxn<'_>, samples: &[u64]) -> Fallible<Option<u64>> {
    let mut votes: HashMap<u64, usize> = HashMap::new();
    for prefix in samples {
        if let Some(run) = lookup(tables, txn, *prefix)? {
            *votes.entry(run).or_default() += 1;
        }
    }
    let best = votes.into_iter().max_by_key(|(run, votes)| (*votes, std::cmp::Reverse(*run)));
    let Some((number, _)) = best.filter(|(_, votes)| votes * 2 >= samples.len()) else {
        return Ok(None);
    };
    let usable = match tables.raw_runs.get(txn, &number.to_be_bytes())? {
        Some(value) => {
            let head = RawRun::parse(value)?.head;
            head.base.is_none() && head.rest_len >= SHORTEST_REST
        }
        None => false,
    };
    Ok(usable.then_some(number))
}

/// A run with the hash `hash` of its source bytes, if it can be found.
pub fn equal_to(tables: &Tables, txn: &RoTxn<'_>, hash: &ContentHash) -> Fallible<Option<u64>> {
    let Some(number) = lookup(tables, txn, hash.prefix())? else { return Ok(None) };
    let Some(value) = tables.raw_runs.get(txn, &number.to_be_bytes())? else { return Ok(None) };
    Ok((RawRun::parse(value)?.head.hash == *hash).then_some(number))
}

fn lookup(tables: &Tables, txn: &RoTxn<'_>, prefix: u64) -> Fallible<Option<u64>> {
    match tables.raw_samples.get(txn, &prefix.to_be_bytes())? {
        Some(value) => Ok(Some(decode(value)?)),
        None => Ok(None),
    }
}

/// Reads a value of `raw_samples`.
pub fn decode(value: &[u8]) -> Fallible<u64> {
    let short = |_| Error::damaged("a row of raw_samples isn't 8 bytes long");
    Ok(value.try_into().map(u64::from_le_bytes).map_err(short)?)
}

/// Remembers a run by its hash and, if it may be a base, by `samples`. What stands for another run
/// already stays.
pub fn remember(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    number: u64,
    hash: &ContentHash,
    samples: &[u64],
) -> Fallible<()> {
    for prefix in samples.iter().copied().chain([hash.prefix()]) {
        let key = prefix.to_be_bytes();
        if tables.raw_samples.get(txn, &key)?.is_none() {
            tables.raw_samples.put(txn, &key, &number.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Makes the table anew. A torn tail isn't found: it goes as a whole when its file is read on.
pub fn rebuild(tables: &Tables, txn: &mut RwTxn<'_>) -> Fallible<()> {
    tables.raw_samples.clear(txn)?;
    let torn = super::all(tables, txn)?.into_iter().filter(|stretch| stretch.row.torn);
    let torn: HashSet<u64> = torn.map(|stretch| stretch.row.run).collect();
    let mut next = 0u64;
    while let Some((key, value)) =
        tables.raw_runs.get_greater_than_or_equal_to(txn, &next.to_be_bytes())?
    {
        let number = super::number_of(key)?;
        next = number + 1;
        if torn.contains(&number) {
            continue;
        }
        let run = RawRun::parse(value)?;
        let mut contents = Vec::new();
        if run.head.base.is_none() && run.head.rest_len >= SHORTEST_REST {
            for blob in run.references()? {
                let (group, slot) = blobs::group_at(tables, txn, blob)?;
                contents.push((group.hash(slot)?.prefix(), group.raw_len(slot)));
            }
        }
        let hash = run.head.hash;
        remember(tables, txn, number, &hash, &choose(contents.into_iter()))?;
    }
    Ok(())
}

/// Drops the rows that stand for a run.
pub fn forget(tables: &Tables, txn: &mut RwTxn<'_>, number: u64) -> Fallible<()> {
    let of = run(tables, txn, number)?;
    let mut prefixes = vec![of.head.hash.prefix()];
    for cut in of.cuts()?.iter().filter(|cut| cut.form != CutForm::Hole) {
        prefixes.push(blobs::hash_of(tables, txn, cut.blob)?.prefix());
    }
    for prefix in prefixes {
        if lookup(tables, txn, prefix)? == Some(number) {
            tables.raw_samples.delete(txn, &prefix.to_be_bytes())?;
        }
    }
    Ok(())
}
