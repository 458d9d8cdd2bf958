//! Whether the data file is as long as it must be. LMDB maps what its meta page claims; past the
//! end of the file that is a bus error.

use std::{
    fs::{self, File},
    path::Path,
};

use heed::WithoutTls;
use vox_pages::PageFile;
use vox_types::{Error, Result};

use super::faults::store_error;

/// An error if `data` lacks its meta pages: LMDB would make a new environment of an empty file.
pub fn check_not_empty(data: &Path) -> Result<()> {
    // Two pages of the smallest size that LMDB uses here.
    match length_of(data)? {
        length if length < 2 * 4096 => Err(cut_off(data, length, 2 * 4096)),
        _ => Ok(()),
    }
}

/// An error if pages in use lie beyond the end of `data`. Pages that a write took there and gave
/// back were never written; with `extend` the file is made as long as it claims to be.
pub fn check_length(
    env: &heed::Env<WithoutTls>,
    archive: &Path,
    data: &Path,
    extend: bool,
) -> Result<()> {
    let page = u64::from(env.stat().page_size);
    let claimed = || (env.info().last_page_number as u64 + 1) * page;
    // The claim first: a writer extends the file before it commits.
    if claimed() <= length_of(data)? {
        return Ok(());
    }
    let fail = |error: heed::Error| store_error(&error, archive);
    // While it lasts, no page of the snapshot that is looked at is used for another.
    let txn = env.read_txn().map_err(fail)?;
    let file = PageFile::open(data)?;
    if !file.ends_in_free_pages().is_ok_and(|sound| sound) {
        return Err(cut_off(data, length_of(data)?, claimed()));
    }
    drop(txn);
    if extend {
        // Nobody else writes meanwhile.
        let txn = env.write_txn().map_err(fail)?;
        if length_of(data)? < claimed() {
            File::options()
                .write(true)
                .open(data)
                .and_then(|file| file.set_len(claimed()))
                .map_err(|error| Error::io(&error, data))?;
        }
        txn.abort();
    }
    Ok(())
}

fn length_of(data: &Path) -> Result<u64> {
    Ok(fs::metadata(data).map_err(|error| Error::io(&error, data))?.len())
}

fn cut_off(data: &Path, length: u64, claimed: u64) -> Error {
    Error::damaged(format!(
        "{} is cut off: {length} of {claimed} bytes; run `vox archive verify` to see what is left",
        data.display()
    ))
}
