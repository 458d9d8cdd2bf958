//! Raw runs that nothing names any more.
//!
//! A batch writes a run together with the rows that name it, and whoever takes the last of those
//! deletes it; what is left over are runs of which a salvage lost the rows. No grace period: nothing
//! leads to them.

use std::collections::HashSet;

use heed::RwTxn;
use vox_format::rows::Event;
use vox_types::Result;

use super::mark::Marks;
use crate::{
    Store,
    env::Generation,
    events,
    fault::Fallible,
    leases::{self, LeaseRow},
    meta::now,
    raw,
    tables::Tables,
};

/// Runs that one transaction deletes, of at most 1 MiB each. Judgement.
const BATCH: usize = 64;

/// Deletes the runs that nothing named during the walk, unless a file names them since. Gives how
/// many went, and the imports that kept the others from it.
pub(crate) fn delete(
    store: &Store,
    generation: &Generation,
    marks: &Marks,
) -> Result<(u64, Vec<LeaseRow>)> {
    let mut unnamed: Vec<u64> = marks.unnamed_runs.iter().copied().collect();
    unnamed.sort_unstable();
    let mut deleted = 0;
    for numbers in unnamed.chunks(BATCH) {
        let done = super::write_to(store, generation, |txn| {
            let tables = &generation.tables;
            let imports = leases::alive(tables, txn)?;
            if !imports.is_empty() {
                return Ok(Err(imports));
            }
            delete_unnamed(tables, txn, numbers).map(Ok)
        })?;
        match done {
            Ok(count) => deleted += count,
            Err(imports) => return Ok((deleted, imports)),
        }
    }
    Ok((deleted, Vec::new()))
}

/// Items that came after the walk have their run from a file, or from items that the walk saw.
fn delete_unnamed(tables: &Tables, txn: &mut RwTxn<'_>, numbers: &[u64]) -> Fallible<u64> {
    let stretches = raw::all(tables, txn)?;
    let named: HashSet<u64> = stretches.iter().map(|stretch| stretch.row.run).collect();
    let mut unnamed = Vec::new();
    for number in numbers.iter().filter(|number| !named.contains(number)) {
        if tables.raw_runs.get(txn, &number.to_be_bytes())?.is_some() {
            unnamed.push(*number);
        }
    }
    if unnamed.is_empty() {
        return Ok(0);
    }
    raw::delete_runs(tables, txn, &unnamed)?;
    let raw_runs = unnamed.len() as u64;
    events::append(tables, txn, now(), None, Event::Collected { blobs: 0, raw_runs })?;
    Ok(raw_runs)
}
