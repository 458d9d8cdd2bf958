//! One open archive per process and file: LMDB forbids to map a file twice.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use vox_types::{Code, Error, Result};

use super::{
    Current, FORMAT, Generation,
    current::{other_format, read_any_current, sync_folder},
    generation::Make,
    lost::{find_lost, look},
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
    loop {
        let current = match in_use(archive)? {
            Some(Current { format, .. }) if format != FORMAT => {
                return Err(other_format(archive, format));
            }
            Some(current) => current,
            None if create => make(archive)?,
            None => return Err(no_archive(archive)),
        };
        match open_last(open, archive, current) {
            Ok(generation) => return Ok(generation),
            // The generation may have been replaced, and its files removed, just now.
            Err(error) => match in_use(archive)? {
                Some(now) if now != current => {}
                _ => return Err(error),
            },
        }
    }
}

/// The generation in use of an archive of any format; none if there is no archive.
pub fn in_use(archive: &Path) -> Result<Option<Current>> {
    let current = match read_any_current(archive)? {
        Some(current) => current,
        None => return find_lost(archive),
    };
    if current.format == FORMAT {
        return Ok(Some(current));
    }
    // It may have been migrated before CURRENT could say so.
    let successor = look(&current.folder(archive).join("data.mdb"))?.superseded_by;
    Ok(Some(successor.map_or(current, Current::of)))
}

/// Lets others of this process share `generation`, which is opened and not shared yet.
pub fn share(generation: &Arc<Generation>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(id) = file_id(&generation.data_file()) {
        let entry = (std::process::id(), Arc::downgrade(generation));
        open.get_or_insert_default().insert(id, entry);
    }
}

/// Opens `current`, or the generation that took its place before `CURRENT` could say so.
fn open_last(open: &mut Open, archive: &Path, mut current: Current) -> Result<Arc<Generation>> {
    loop {
        let generation = open_one(open, archive, current)?;
        match generation.successor()? {
            None => return Ok(generation),
            Some(next) if next > current.generation => current = Current::of(next),
            Some(next) => {
                let (archive, number) = (archive.display(), current.generation);
                return Err(Error::damaged(format!(
                    "{archive}: generation {number} claims to be replaced by generation {next}"
                )));
            }
        }
    }
}

fn open_one(open: &mut Open, archive: &Path, current: Current) -> Result<Arc<Generation>> {
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
    let generation = Arc::new(Generation::open(archive, current, Make::Nothing)?);
    if let Some(id) = file_id(&data) {
        open.insert(id, (std::process::id(), Arc::downgrade(&generation)));
    }
    Ok(generation)
}

/// Makes an archive. Its first generation is made as a draft, so that a folder with a generation's
/// number holds a whole one, even after a power cut; `CURRENT` comes last.
fn make(archive: &Path) -> Result<Current> {
    let current = Current::of(1);
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
    drop(Generation::open(draft, current, Make::Archive)?);
    let made = current.folder(draft);
    let moved = sync_folder(&made).and_then(|()| std::fs::rename(&made, folder));
    moved.map_err(|error| Error::io(&error, folder))
}

/// Makes a folder and those above it that are missing, on disk when it returns.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
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

fn no_archive(archive: &Path) -> Error {
    let code = if archive.exists() { Code::NotAnArchive } else { Code::NotFound };
    Error::new(code, format!("{} holds no archive; `vox import` makes one", archive.display()))
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
