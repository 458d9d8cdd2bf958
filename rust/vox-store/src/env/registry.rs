//! One open archive per process and file: LMDB forbids to map a file twice.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use vox_types::{Code, Error, Result};

use super::{
    Current, Generation,
    current::{read_current, sync_folder},
};

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

/// Makes an archive. Its first generation is made as a draft, so that a folder with a generation's
/// number holds a whole one, even after a power cut; `CURRENT` comes last.
fn make(archive: &Path) -> Result<Current> {
    let current = Current { generation: 1 };
    let folder = current.folder(archive);
    let generations = archive.join("db");
    make_folder(&generations).map_err(|error| Error::io(&error, archive))?;
    let draft = generations.join(format!("{DRAFT}{}", std::process::id()));
    if !folder.exists() {
        let made = make_first(&draft, current, &folder);
        // Another process may have been quicker, and have removed this draft.
        if !folder.exists() {
            made?;
        }
    }
    sync_folder(&generations).map_err(|error| Error::io(&error, archive))?;
    current.write(archive)?;
    remove_drafts(&generations);
    Ok(current)
}

/// How the names of drafts begin.
const DRAFT: &str = "draft-";

/// Makes the generation `current` within `draft`, and moves it to `folder`.
fn make_first(draft: &Path, current: Current, folder: &Path) -> Result<()> {
    drop(Generation::open(draft, current, true)?);
    let made = current.folder(draft);
    let moved = sync_folder(&made).and_then(|()| std::fs::rename(&made, folder));
    moved.map_err(|error| Error::io(&error, folder))
}

/// Makes a folder and those above it that are missing, on disk when it returns.
fn make_folder(folder: &Path) -> std::io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.exists()).collect();
    std::fs::create_dir_all(folder)?;
    for made in missing {
        match made.parent() {
            Some(above) if !above.as_os_str().is_empty() => sync_folder(above)?,
            _ => sync_folder(Path::new("."))?,
        }
    }
    Ok(())
}

/// Removes what unfinished makings left. Whatever stays is in nobody's way.
fn remove_drafts(generations: &Path) {
    let Ok(entries) = std::fs::read_dir(generations) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(DRAFT) {
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
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
