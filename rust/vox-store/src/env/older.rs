//! Holding an archive of an older format, which isn't opened for anything but migrating it.

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use heed::RwTxn;
use vox_types::{Code, Error, Result};

use super::{
    Current,
    faults::{commit_error, store_error},
    generation::{Files, Make, open_files},
};
use crate::{
    fault::{Fallible, Fault},
    tables::Tables,
};

/// LMDB forbids to map a file twice in one process, and these files aren't shared.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `work` while nobody can write to the generation `current`, which may be of an older format;
/// what it wrote itself is committed if it succeeds. Tables that the format didn't have are empty.
pub fn hold_older<T>(
    archive: &Path,
    current: Current,
    work: impl FnOnce(&Tables, &mut RwTxn<'_>) -> Fallible<T>,
) -> Result<T> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = current.folder(archive);
    let Files { env, writable, .. } = open_files(archive, &folder, Make::Nothing)?;
    if !writable {
        let message = format!("{} can't be written", archive.display());
        return Err(Error::new(Code::ReadOnly, message));
    }
    let fail = |error: &heed::Error| store_error(error, archive);
    let mut txn = env.write_txn().map_err(|error| fail(&error))?;
    let tables = Tables::create(&env, &mut txn).map_err(|error| fail(&error))?;
    let done = work(&tables, &mut txn).map_err(|fault| match fault {
        Fault::Lmdb(error) => fail(&error),
        Fault::Vox(error) => error,
    })?;
    let data = folder.join("data.mdb");
    txn.commit().map_err(|error| commit_error(&error, archive, &data))?;
    Ok(done)
}
