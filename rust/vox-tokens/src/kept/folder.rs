//! The folder of kept counts: one folder for each tokenizer, named by its fingerprint.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::file;
use crate::Fingerprint;

/// Tokenizers whose counts are kept in one place; those that were used last. Judgement.
pub const TOKENIZERS: usize = 8;

const TABLES: [&str; 2] = ["contents", "items"];
const DRAFTS: [&str; 2] = ["contents.draft", "items.draft"];

/// Where the counts of a tokenizer stand below `root`.
pub(super) fn of(root: &Path, fingerprint: Fingerprint) -> PathBuf {
    root.join(fingerprint.to_string())
}

/// Removes the counts of all tokenizers but the `most` that were used last, and drafts that nobody
/// writes any more. Gives how many bytes went. Nothing but what vox has made there is touched.
pub fn tidy(root: &Path, most: usize) -> io::Result<u64> {
    let entries = match fs::read_dir(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let is_one = name.to_str().is_some_and(|name| {
            name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        if is_one && entry.file_type()?.is_dir() {
            folders.push((used(&entry.path()), entry.path()));
        }
    }
    folders.sort();
    let too_many = folders.len().saturating_sub(most);
    let mut bytes = 0;
    for (_, folder) in folders.drain(..too_many) {
        for file in TABLES.into_iter().chain(DRAFTS) {
            bytes += remove(&folder.join(file))?;
        }
        // Stays if anything else is in it.
        let _ = fs::remove_dir(&folder);
    }
    for (_, folder) in folders {
        for draft in DRAFTS.map(|draft| folder.join(draft)) {
            if fs::symlink_metadata(&draft).is_ok_and(|about| about.is_file())
                && file::lock(&draft)?.is_some()
            {
                bytes += remove(&draft)?;
            }
        }
    }
    Ok(bytes)
}

/// Removes a file if it is there; gives its bytes.
fn remove(file: &Path) -> io::Result<u64> {
    let bytes = fs::symlink_metadata(file).map_or(0, |about| about.len());
    match fs::remove_file(file) {
        Ok(()) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// When the counts in `folder` were last used, to the day.
fn used(folder: &Path) -> SystemTime {
    let files = TABLES.map(|file| fs::metadata(folder.join(file)));
    let times = files.into_iter().flatten().filter_map(|about| about.modified().ok());
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}
