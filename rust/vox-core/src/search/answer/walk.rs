//! Looking at the rows of very many items.

use rayon::prelude::*;
use roaring::RoaringTreemap;
use vox_format::chunk::Chunk;
use vox_store::{Snapshot, cores};
use vox_types::{ItemId, Result};

use crate::{archive::Archive, chunks::Chunks};

/// Items that are looked at in one read transaction. Judgement: about a millisecond.
const ITEMS_AT_ONCE: usize = 1 << 14;

/// What `look` says of each of `items`, in their order.
pub(super) fn each<T: Send>(
    archive: &Archive,
    items: &RoaringTreemap,
    look: impl Fn(&Chunk<'_>, usize, ItemId) -> T + Sync,
) -> Result<Vec<T>> {
    let items: Vec<u64> = items.iter().collect();
    in_parts(archive, &items, ITEMS_AT_ONCE, |snapshot, part| {
        let mut chunks = Chunks::of(snapshot);
        let rows = part.iter().map(|&item| {
            let (chunk, index) = chunks.at(ItemId(item))?;
            Ok(look(chunk, index, ItemId(item)))
        });
        rows.collect()
    })
}

/// What `work` gives for `values`, of which it sees up to `at_once` in one read transaction.
pub(super) fn in_parts<V: Sync, T: Send>(
    archive: &Archive,
    values: &[V],
    at_once: usize,
    work: impl Fn(&Snapshot<'_>, &[V]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let read = |part: &[V]| archive.store().snapshot(|snapshot| work(snapshot, part));
    if values.len() <= at_once {
        return read(values);
    }
    let parts: Vec<Vec<T>> =
        cores::on_all(|| values.par_chunks(at_once).map(read).collect::<Result<_>>())??;
    Ok(parts.into_iter().flatten().collect())
}
