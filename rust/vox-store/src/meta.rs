//! What an archive says about itself.

use std::time::{SystemTime, UNIX_EPOCH};

use heed::RoTxn;
use serde_bytes::{ByteBuf, Bytes};
use vox_format::rows;
use vox_types::{Error, Result};

use crate::{env::FORMAT, fault::Fallible, tables::Tables};

/// UTC milliseconds.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// The rows of `meta` in a new archive.
pub fn of_a_new_archive() -> Result<[(&'static str, Vec<u8>); 4]> {
    let created = now();
    let mut seed = blake3::Hasher::new();
    seed.update(&created.to_le_bytes());
    seed.update(&std::process::id().to_le_bytes());
    seed.update(
        format!("{:?}{:?}", std::time::Instant::now(), std::thread::current().id()).as_bytes(),
    );
    Ok([
        ("format", rows::encode(&FORMAT)?),
        ("archive_id", rows::encode(&Bytes::new(&seed.finalize().as_bytes()[..16]))?),
        ("created_at", rows::encode(&created)?),
        ("vox", rows::encode(&env!("CARGO_PKG_VERSION"))?),
    ])
}

/// What tells the archive from all others; backups and exports share it.
pub fn archive_id(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<[u8; 16]> {
    let wrong = || Error::damaged("meta/archive_id isn't 16 bytes");
    let row = tables.meta.get(txn, b"archive_id")?.ok_or_else(wrong)?;
    let id: ByteBuf = rows::decode(row, "meta/archive_id")?;
    Ok(id.as_slice().try_into().map_err(|_| wrong())?)
}

/// The generation that took the place of this one, if there is one.
pub fn superseded_by(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Option<u64>> {
    match tables.meta.get(txn, b"superseded_by")? {
        Some(number) => Ok(Some(rows::decode(number, "meta/superseded_by")?)),
        None => Ok(None),
    }
}

/// Whether another generation took the place of this one.
pub fn is_superseded(tables: &Tables, txn: &RoTxn<'_>) -> heed::Result<bool> {
    Ok(tables.meta.get(txn, b"superseded_by")?.is_some())
}
