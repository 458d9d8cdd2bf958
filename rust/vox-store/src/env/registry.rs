//! One open archive per process and file: LMDB forbids to map a file twice.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use vox_types::{Code, Error, Result};

use super::{Current, Generation, read_current};

/// What identifies a data file: device and inode, or the path where there are none.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FileId(String, u32);

static OPEN: Mutex<Option<HashMap<FileId, Weak<Generation>>>> = Mutex::new(None);

/// Opens the generation of `archive` that is in use, or shares it if this process has it open.
/// With `create` a missing archive is made.
pub fn shared(archive: &Path, create: bool) -> Result<Arc<Generation>> {
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
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    open.retain(|_, generation| generation.strong_count() > 0);
    let data = current.folder(archive).join("data.mdb");
    if let Some(generation) = file_id(&data).and_then(|id| open.get(&id)?.upgrade()) {
        return Ok(generation);
    }
    let generation = Arc::new(Generation::open(archive, current, false)?);
    if let Some(id) = file_id(&data) {
        open.insert(id, Arc::downgrade(&generation));
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
    Some(FileId(format!("{}:{}", data.dev(), data.ino()), std::process::id()))
}

#[cfg(not(unix))]
fn file_id(data: &Path) -> Option<FileId> {
    Some(FileId(std::fs::canonicalize(data).ok()?.display().to_string(), std::process::id()))
}
