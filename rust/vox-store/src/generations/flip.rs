//! Letting `CURRENT` name a generation, and removing those that nobody needs any more.

use std::{fs, io::ErrorKind, path::Path};

use vox_types::{Error, Result};

use crate::{
    env::{Current, Generation, folders, read_any_current, sync_folder},
    meta,
};

/// What is left to do for the generation in use: `CURRENT` names it, and older ones go.
///
/// Whoever comes next does what can't be done here, where a disk is full or a folder may not be
/// written: the old generation says which took its place.
pub fn settle(archive: &Path, generation: &Generation) {
    if generation.writable() {
        let _ = flip(archive, generation)
            .and_then(|()| remove_all(archive, |number| number < generation.number));
    }
}

/// Lets `CURRENT` name `generation`, unless that is superseded or `CURRENT` names a newer one.
///
/// All who write `CURRENT` hold the write lock of the generation that they name: a slow one can't
/// put it back to a generation that was replaced meanwhile.
pub fn flip(archive: &Path, generation: &Generation) -> Result<()> {
    let wanted = Current::of(generation.number);
    let done = || {
        let current = read_any_current(archive)?;
        Ok::<_, Error>(current.is_some_and(|current| current.generation >= wanted.generation))
    };
    if done()? {
        return Ok(());
    }
    generation.hold(|txn| {
        if !meta::is_superseded(&generation.tables, txn)? && !done()? {
            wanted.write(archive)?;
        }
        Ok(())
    })
}

/// Removes the generations whose number is `unwanted`, and what is left of those that were being
/// removed before.
pub fn remove_all(archive: &Path, unwanted: impl Fn(u64) -> bool) -> Result<()> {
    for number in folders(archive)?.into_iter().filter(|number| unwanted(*number)) {
        remove(archive, number)?;
    }
    let db = archive.join("db");
    let fail = |error| Error::io(&error, &db);
    for entry in fs::read_dir(&db).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == GONE) {
            remove_folder(&path)?;
        }
    }
    Ok(())
}

/// The end of the name of a folder that is being removed.
const GONE: &str = "gone";

/// Removes a generation. Transactions of its readers go on: its files lose only their names.
pub fn remove(archive: &Path, number: u64) -> Result<()> {
    let folder = Current::of(number).folder(archive);
    // Renamed first: whoever opens it at this moment finds all of it or nothing, and LMDB can't
    // make an empty file in its place.
    let aside = folder.with_extension(GONE);
    match fs::rename(&folder, &aside) {
        Ok(()) => remove_folder(&aside),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io(&error, &folder)),
    }
}

fn remove_folder(folder: &Path) -> Result<()> {
    let removed = match fs::remove_dir_all(folder) {
        // Another process was faster.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    removed
        .and_then(|()| folder.parent().map_or(Ok(()), sync_folder))
        .map_err(|error| Error::io(&error, folder))
}
