//! What an archive says about itself.

use std::time::{SystemTime, UNIX_EPOCH};

use vox_format::rows;
use vox_types::Result;

use crate::env::FORMAT;

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
        ("archive_id", rows::encode(&seed.finalize().as_bytes()[..16].to_vec())?),
        ("created_at", rows::encode(&created)?),
        ("vox", rows::encode(&env!("CARGO_PKG_VERSION"))?),
    ])
}
