//! Deleting raw runs that nothing names any more.

use heed::RwTxn;
use vox_types::BlobRef;

use super::{
    remove::{AT_ONCE, apart, based_on, give_back, put_together},
    run, samples,
};
use crate::{fault::Fallible, tables::Tables};

/// Deletes the runs `numbers`, which no item and no file names. Gives the blobs that they referred
/// to, as often as they did; those references are given back already.
pub fn delete_runs(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    numbers: &[u64],
) -> Fallible<Vec<BlobRef>> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    // Only one with cuts is found as a base.
    let mut bases = Vec::new();
    for number in &numbers {
        if run(tables, txn, *number)?.cut_count() > 0 {
            bases.push(*number);
        }
    }
    let mut others: Vec<u64> = match bases.is_empty() {
        true => Vec::new(),
        false => based_on(tables, txn, &bases)?.into_iter().map(|(_, number)| number).collect(),
    };
    others.retain(|other| numbers.binary_search(other).is_err());
    for others in others.chunks(AT_ONCE) {
        let mut alone = apart(tables, txn, others)?;
        for parts in alone.values_mut() {
            parts.head.base = None;
        }
        put_together(tables, txn, alone)?;
    }
    let mut references = Vec::new();
    for number in &numbers {
        samples::forget(tables, txn, *number)?;
        references.append(&mut run(tables, txn, *number)?.references()?);
        tables.raw_runs.delete(txn, &number.to_be_bytes())?;
    }
    give_back(tables, txn, &references)?;
    Ok(references)
}
