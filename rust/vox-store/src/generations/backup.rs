//! A copy of an archive while it is in use.

use std::{
    ffi::OsString,
    fs::{self, File, TryLockError},
    io::{ErrorKind, Seek},
    path::{Path, PathBuf},
};

use vox_types::{Code, Error, Result};

use crate::{
    Store,
    env::{Current, look, make_folder, sync_folder},
};

/// What a backup came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackedUp {
    /// Where the copy is.
    pub path: PathBuf,
    /// Bytes of its data file.
    pub bytes: u64,
}

/// Copies the archive as its last commit left it to the folder `to`, which must be missing or
/// empty; all of it is on disk on return. The copy is an archive; caches aren't copied.
///
/// Writers go on meanwhile. Their file can grow: the pages that the copy reads aren't reused.
/// After an error nothing is left of the copy. One that is killed leaves a draft beside `to`, which
/// the next one to there writes over.
pub fn backup(store: &Store, to: &Path) -> Result<BackedUp> {
    let to = std::path::absolute(to).map_err(|error| Error::io(&error, to))?;
    check_free(&to)?;
    let (Some(parent), Some(name)) = (to.parent(), to.file_name()) else {
        let message = format!("{} can't be made a folder of a backup", to.display());
        return Err(Error::new(Code::InvalidArgument, message));
    };
    make_folder(parent).map_err(|error| Error::io(&error, parent))?;
    let mut draft_name = OsString::from(".");
    draft_name.push(name);
    draft_name.push(".draft");
    let draft = parent.join(draft_name);
    let folder = Current::of(1).folder(&draft);
    let data = folder.join("data.mdb");
    let mut file = lock(&folder, &data)?;
    let done = fill(store, &mut file, &draft, &to);
    if done.is_err() {
        // Still locked: nobody else writes it.
        let _ = fs::remove_dir_all(&draft);
    }
    done
}

/// Copies the archive to `file`, the data file of the archive `draft`, and moves that to `to`.
fn fill(store: &Store, file: &mut File, draft: &Path, to: &Path) -> Result<BackedUp> {
    let current = Current::of(1);
    let folder = current.folder(draft);
    let data = folder.join("data.mdb");
    let fail = |error| Error::io(&error, &data);
    loop {
        file.set_len(0).and_then(|()| file.rewind()).map_err(fail)?;
        store.current()?.copy_to(file, &data)?;
        // What was compacted between the two steps says so in the copy too.
        if look(&data)?.superseded_by.is_none() {
            break;
        }
    }
    file.sync_all().map_err(fail)?;
    for made in [&folder, &draft.join("db")] {
        sync_folder(made).map_err(|error| Error::io(&error, made))?;
    }
    current.write(draft)?;
    check_free(to)?;
    let parent = to.parent().unwrap_or(to);
    fs::rename(draft, to).and_then(|()| sync_folder(parent)).map_err(|e| Error::io(&e, to))?;
    let bytes = file.metadata().map_err(fail)?.len();
    Ok(BackedUp { path: to.to_path_buf(), bytes })
}

/// An error unless `to` is missing or an empty folder.
fn check_free(to: &Path) -> Result<()> {
    match fs::read_dir(to).map(|mut entries| entries.next().is_some()) {
        Ok(false) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Ok(true) => Err(taken(to)),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Err(taken(to)),
        Err(error) => Err(Error::io(&error, to)),
    }
}

fn taken(to: &Path) -> Error {
    let message = format!("{} holds something; name a folder that isn't there yet", to.display());
    Error::new(Code::InvalidArgument, message)
}

/// The file of the draft, locked: two backups to one place must not write the same draft.
fn lock(folder: &Path, data: &Path) -> Result<File> {
    let fail = |error| Error::io(&error, data);
    loop {
        make_folder(folder).map_err(|error| Error::io(&error, folder))?;
        let options =
            File::options().read(true).write(true).create(true).truncate(false).open(data);
        let file = match options {
            // Another backup was completed at this moment.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened.map_err(fail)?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another backup is writing {}", data.display());
                return Err(Error::new(Code::Busy, message));
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        // What was locked may have become a backup meanwhile.
        if is_at(&file, data) {
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |data: fs::Metadata| (data.dev(), data.ino());
    let (here, there) = (file.metadata().map(id), fs::metadata(path).map(id));
    here.is_ok_and(|here| there.is_ok_and(|there| here == there))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
