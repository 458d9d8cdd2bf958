//! Where indexes stand: `search/words-<number>` in the archive's folder, and `search/CURRENT`, which
//! names the one in use. A new one is built beside it; the name changes at once.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use vox_search::index::{self, Opened};
use vox_types::{Error, Result};

/// What the names of all indexes begin with.
const NAME: &str = "words-";
/// Names the one in use.
const CURRENT: &str = "CURRENT";
/// Attempts to open one while others take its place. Judgement: building one takes much longer.
const ATTEMPTS: u32 = 8;

/// The folder that holds all about searching an archive.
pub(super) fn root(archive: &Path) -> PathBuf {
    archive.join("search")
}

/// Opens the index in use below `root`.
///
/// Errors: those of the system, such as a folder that may not be read.
pub(crate) fn open(root: &Path) -> Result<Opened> {
    let mut name = current(root)?;
    for _ in 0..ATTEMPTS {
        let Some(number) = name else { return Ok(Opened::Missing) };
        let opened = index::open(&folder(root, number))?;
        if matches!(opened, Opened::Ready(_)) {
            return Ok(opened);
        }
        name = current(root)?;
        if name == Some(number) {
            return Ok(opened);
        }
    }
    Ok(Opened::Missing)
}

/// A new index in the making. Dropped before it is finished, it is removed.
pub(super) struct Build {
    root: PathBuf,
    number: u64,
    finished: bool,
    /// Held while it is built: the system lets go of it when a process ends, however it ends.
    _lock: File,
}

impl Build {
    /// Begins to build; none: another process does. Removes what others left unfinished.
    pub(super) fn begin(root: &Path) -> Result<Option<Self>> {
        fs::create_dir_all(root).map_err(|error| Error::io(&error, root))?;
        let path = root.join("build.lock");
        let options = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = options.map_err(|error| Error::io(&error, &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(Error::io(&error, &path)),
        }
        let current = current(root)?;
        remove_others(root, current)?;
        let number = current.map_or(1, |current| current + 1);
        Ok(Some(Self { root: root.to_owned(), number, finished: false, _lock: lock }))
    }

    /// Where it is built.
    pub(super) fn folder(&self) -> PathBuf {
        folder(&self.root, self.number)
    }

    /// From now on it is the one in use; others are removed.
    pub(super) fn finish(mut self) -> Result<()> {
        let name = format!("{NAME}{}\n", self.number);
        replace(&self.root, &name).map_err(|error| Error::io(&error, &self.root))?;
        self.finished = true;
        // What others still write to is removed when the next one is built.
        let _ = remove_others(&self.root, Some(self.number));
        Ok(())
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        if !self.finished {
            // What can't be removed now is when the next one is built.
            let _ = fs::remove_dir_all(self.folder());
        }
    }
}

fn folder(root: &Path, number: u64) -> PathBuf {
    root.join(format!("{NAME}{number}"))
}

/// The number of the index in use.
fn current(root: &Path) -> Result<Option<u64>> {
    let path = root.join(CURRENT);
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        // Reading a pipe would wait for ever.
        return Ok(None);
    }
    match fs::read_to_string(&path) {
        Ok(name) => Ok(number_of(name.trim_end())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
        Err(error) => Err(Error::io(&error, &path)),
    }
}

fn number_of(name: &str) -> Option<u64> {
    name.strip_prefix(NAME)?.parse().ok()
}

fn replace(root: &Path, name: &str) -> io::Result<()> {
    let draft = root.join("CURRENT.new");
    let mut file = File::create(&draft)?;
    file.write_all(name.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, root.join(CURRENT))?;
    File::open(root)?.sync_all()
}

/// Removes all indexes but `kept`. Those that processes still read stay theirs until they let go.
fn remove_others(root: &Path, kept: Option<u64>) -> Result<()> {
    let remove = || {
        for entry in fs::read_dir(root)? {
            let entry = entry?;
            let number = entry.file_name().to_str().and_then(number_of);
            if number.is_some() && number != kept {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    };
    remove().map_err(|error| Error::io(&error, root))
}
