//! An archive's tables written anew, in the order of their keys.

use heed::RoTxn;

use super::{blobs, indexes, loader::Loader, references};
use crate::{env::Generation, fault::Fallible, tables::Tables};

/// What isn't copied row by row: blobs and indexes are made anew, and `meta` comes last.
const MADE_ANEW: [&str; 7] =
    ["meta", "segments", "tails", "blob_recent", "blob_levels", "chain_recent", "chain_levels"];

/// Writes all that `tables` hold to the tables of `draft`, which are empty; only `meta` isn't
/// written. Blobs move to full segments, and what refers to them goes with them; all else stays
/// as it is.
///
/// `tables` may be of an older format; what is written is of this build's.
///
/// Memory: 8 bytes for each blob, 9 for each that is gone, and a few times what one transaction
/// takes.
pub fn copy_tables(
    tables: &Tables,
    format: u32,
    txn: &RoTxn<'_>,
    draft: &Generation,
) -> Fallible<()> {
    let mut loader = Loader::new(draft);
    let places = blobs::copy(tables, format, txn, &mut loader, &draft.tables)?;
    indexes::copy_of_blobs(tables, txn, &mut loader, &draft.tables, &places)?;
    indexes::copy_of_chains(tables, txn, &mut loader, &draft.tables)?;
    let pairs = tables.all().into_iter().zip(draft.tables.all());
    for (name, (from, to)) in Tables::NAMES.iter().zip(pairs) {
        if MADE_ANEW.contains(name) {
            continue;
        }
        let rewrite = references::rewrite(name, format);
        for row in from.iter(txn)? {
            let (key, value) = row?;
            match rewrite {
                Some(rewrite) => {
                    let (key, value) = rewrite(key, value, &mut |blob| places.expect(blob))?;
                    loader.put(to, &key, &value)?;
                }
                None => loader.put(to, key, value)?,
            }
        }
    }
    Ok(loader.flush()?)
}
