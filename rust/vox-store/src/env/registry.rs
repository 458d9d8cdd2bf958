//! One open archive per process and file: LMDB forbids to map a file twice.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use vox_types::{Code, Error, Result};

use super::{Current, Generation, read_current};

/// What identifies a data file: device and inode, or the path where there are none.
type FileId = String;

/// What was opened, and by which process: a child of fork() inherits the list.
type Open = HashMap<FileId, (u32, Weak<Generation>)>;

static OPEN: Mutex<Option<Open>> = Mutex::new(None);

/// Opens the generation of `archive` that is in use, or shares it if this process has it open.
/// With `create` a missing archive is made.
pub fn shared(archive: &Path, create: bool) -> Result<Arc<Generation>> {
    // Held to the end: two threads that open one archive must not both map its file.
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    open.retain(|_, (_, generation)| generation.strong_count() > 0);
    let current = match read_current(archive)? {
        Some(current) => current,
        None if create => make(archive)?,
        None => {
            let code = if archive.exists() { Code::NotAnArchive } else { Code::NotFound };
            return Err(Error::new(
                code,
                format!("{} holds no archive; `vox import` makes one", archive.display()),
            ));
        }
    };
    let data = current.folder(archive).join("data.mdb");
    if let Some((process, generation)) = file_id(&data).and_then(|id| open.get(&id))
        && let Some(generation) = generation.upgrade()
    {
        if *process != std::process::id() {
            return Err(Error::new(
                Code::Forked,
                format!(
                    "{} was opened before fork(); close it in the child before it is opened there",
                    archive.display()
                ),
            ));
        }
        return Ok(generation);
    }
    let generation = Arc::new(Generation::open(archive, current, false)?);
    if let Some(id) = file_id(&data) {
        open.insert(id, (std::process::id(), Arc::downgrade(&generation)));
    }
    Ok(generation)
}

fn make(archive: &Path) -> Result<Current> {
    std::fs::create_dir_all(archive).map_err(|error| Error::io(&error, archive))?;
    let current = Current { generation: 1 };
    // The tables come first: whoever finds CURRENT finds an archive.
    drop(Generation::open(archive, current, true)?);
    current.write(archive)?;
    Ok(current)
}

#[cfg(unix)]
fn file_id(data: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let data = std::fs::metadata(data).ok()?;
    Some(format!("{}:{}", data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn file_id(data: &Path) -> Option<FileId> {
    Some(std::fs::canonicalize(data).ok()?.display().to_string())
}
