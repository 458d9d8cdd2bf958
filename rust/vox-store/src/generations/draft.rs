//! Writing the next generation beside the one in use.

use std::{fs, path::Path, sync::Arc};

use heed::{RoTxn, RwTxn};
use serde_bytes::ByteBuf;
use vox_format::rows;
use vox_types::{Error, Result};

use super::{copy::copy_tables, flip};
use crate::{
    env::{Current, FORMAT, Generation, Make, sync_folder},
    fault::Fallible,
    tables::Tables,
};

/// What a draft is written from.
pub struct Source<'t> {
    /// The tables of the generation in use.
    pub tables: &'t Tables,
    /// Its format.
    pub format: u32,
}

/// Writes generation `to`, complete and on disk. `last` runs in the transaction that completes it.
/// After an error nothing of it is left.
pub fn write_draft(
    archive: &Path,
    source: &Source<'_>,
    txn: &RoTxn<'_>,
    to: u64,
    last: impl FnMut(&Generation, &mut RwTxn<'_>) -> Fallible<()>,
) -> Fallible<Arc<Generation>> {
    let written = write(archive, source, txn, to, last);
    if written.is_err() {
        // What can't be removed now is replaced by the next draft.
        let _ = flip::remove(archive, to);
    }
    written
}

fn write(
    archive: &Path,
    source: &Source<'_>,
    txn: &RoTxn<'_>,
    to: u64,
    mut last: impl FnMut(&Generation, &mut RwTxn<'_>) -> Fallible<()>,
) -> Fallible<Arc<Generation>> {
    let draft = Generation::open(archive, Current::of(to), Make::Draft)?;
    copy_tables(source.tables, source.format, txn, &draft)?;
    let about = about(source.tables, txn)?;
    draft.write(|txn| {
        for (key, value) in &about {
            draft.tables.meta.put(txn, key, value)?;
        }
        last(&draft, txn)?;
        // From here on it is an archive.
        draft.tables.meta.put(txn, b"format", &rows::encode(&FORMAT)?)?;
        Ok(())
    })?;
    let folder = Current::of(to).folder(archive);
    for folder in [&folder, &archive.join("db")] {
        sync_folder(folder).map_err(|error| Error::io(&error, folder))?;
    }
    Ok(Arc::new(draft))
}

/// The rows of `meta` that a new generation takes over.
fn about(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut about = Vec::new();
    for row in tables.meta.iter(txn)? {
        let (key, value) = row?;
        let value = match key {
            // Format 1 kept it as an array of numbers.
            b"archive_id" => rows::encode(&rows::decode::<ByteBuf>(value, "meta/archive_id")?)?,
            _ => value.to_vec(),
        };
        about.push((key.to_vec(), value));
    }
    Ok(about)
}

/// Bytes of the data file of `generation`.
pub fn size(generation: &Generation) -> Result<u64> {
    size_of(&generation.data_file())
}

/// Bytes of a data file.
pub fn size_of(data: &Path) -> Result<u64> {
    Ok(fs::metadata(data).map_err(|error| Error::io(&error, data))?.len())
}
