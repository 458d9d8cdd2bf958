//! Where what is kept of windows stands: `relations/` in the archive's folder, a file for each
//! window, named by its id. A file takes its name when it is whole. Nothing is synced, as a file
//! that isn't whole says nothing.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Bytes that all files may take; those that were written longest ago go. Judgement.
const MOST_BYTES: u64 = 256 << 20;
/// What the name of a file ends with that isn't whole yet.
const DRAFT: &str = ".draft";

/// The folder of an archive.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// That of the archive in `archive`.
    pub fn of(archive: &Path) -> Self {
        Self(archive.join("relations"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The bytes of a window's file, if there is one with at most `most` of them.
    pub fn read(&self, window: &[u8; 16], most: u64) -> Option<Vec<u8>> {
        let path = self.file(window);
        // Opening a pipe would wait for somebody who writes.
        let there = fs::metadata(&path).ok()?;
        if !there.is_file() || there.len() > most {
            return None;
        }
        let mut bytes = Vec::with_capacity(there.len() as usize);
        File::open(&path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Puts a window's file in place of the one before. False if another process is at it.
    pub fn write(&self, window: &[u8; 16], bytes: &[u8]) -> io::Result<bool> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let path = self.file(window);
        if !path.exists() {
            self.tidy()?;
        }
        let draft = path.with_extension(&DRAFT[1..]);
        let Some(mut file) = lock(&draft)? else { return Ok(false) };
        let written = file.set_len(0).and_then(|()| file.write_all(bytes));
        if let Err(error) = written.and_then(|()| fs::rename(&draft, &path)) {
            // Its name goes while it is locked.
            let _ = fs::remove_file(&draft);
            return Err(error);
        }
        Ok(true)
    }

    /// Removes a window's file.
    pub fn remove(&self, window: &[u8; 16]) -> io::Result<()> {
        gone(fs::remove_file(self.file(window)))
    }

    /// Removes all files, and drafts of whoever was killed or is at it.
    pub fn clear(&self) -> io::Result<()> {
        for file in self.files()? {
            gone(fs::remove_file(file.path))?;
        }
        Ok(())
    }

    /// Removes drafts that nobody writes any more, and the oldest files while all take too much.
    pub fn tidy(&self) -> io::Result<()> {
        let mut files = self.files()?;
        for draft in files.extract_if(.., |file| file.draft) {
            if lock(&draft.path)?.is_some() {
                gone(fs::remove_file(&draft.path))?;
            }
        }
        files.sort_by_key(|file| file.written);
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        for file in files {
            if bytes <= MOST_BYTES {
                break;
            }
            gone(fs::remove_file(&file.path))?;
            bytes -= file.bytes;
        }
        Ok(())
    }

    fn file(&self, window: &[u8; 16]) -> PathBuf {
        let name: String = window.iter().map(|byte| format!("{byte:02x}")).collect();
        self.0.join(name)
    }

    /// The files that vox has made there; anything else is left alone.
    fn files(&self) -> io::Result<Vec<Entry>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let id = name.strip_suffix(DRAFT).unwrap_or(name);
            if id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let about = match entry.metadata() {
                    // Another process removed it meanwhile.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    about => about?,
                };
                if about.is_file() {
                    let written = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    let draft = name.ends_with(DRAFT);
                    files.push(Entry { path: entry.path(), draft, bytes: about.len(), written });
                }
            }
        }
        Ok(files)
    }
}

/// A file in the folder.
struct Entry {
    path: PathBuf,
    draft: bool,
    bytes: u64,
    written: SystemTime,
}

/// The draft at `path`, so that no other process writes it; none if one does, or if something else
/// stands there.
fn lock(path: &Path) -> io::Result<Option<File>> {
    loop {
        match fs::symlink_metadata(path) {
            Ok(there) if !there.is_file() => return Ok(None),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
        // Whoever held it before may have given it its name.
        let (here, there) = (file.metadata()?, fs::symlink_metadata(path));
        if there.is_ok_and(|there| (there.dev(), there.ino()) == (here.dev(), here.ino())) {
            return Ok(Some(file));
        }
    }
}

/// Removing what isn't there is no error.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: [u8; 16] = [0xab; 16];

    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().expect("a folder");
        let folder = Folder::of(place.path());
        (place, folder)
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_replaced_as_a_whole() {
        let (_place, folder) = folder();
        assert_eq!(folder.read(&WINDOW, 100), None);
        assert!(folder.write(&WINDOW, b"longer than the next").expect("room"));
        assert!(folder.write(&WINDOW, b"next").expect("room"));
        assert_eq!(folder.read(&WINDOW, 100).as_deref(), Some(&b"next"[..]));
        assert_eq!(folder.read(&WINDOW, 3), None);
        folder.remove(&WINDOW).expect("it can be removed");
        folder.remove(&WINDOW).expect("it is gone");
        assert_eq!(folder.read(&WINDOW, 100), None);
    }

    #[test]
    fn a_draft_of_another_is_left_to_it_and_one_that_was_left_is_written_over() {
        let (_place, folder) = folder();
        folder.write(&WINDOW, b"first").expect("room");
        let draft = folder.file(&WINDOW).with_extension("draft");
        let held = lock(&draft).expect("a file").expect("nobody has it");
        assert!(!folder.write(&WINDOW, b"second").expect("no error"));
        folder.tidy().expect("no error");
        assert!(draft.exists());
        drop(held);
        assert!(folder.write(&WINDOW, b"third").expect("room"));
        fs::write(&draft, "left").expect("room");
        folder.tidy().expect("no error");
        assert!(!draft.exists());
        assert_eq!(folder.read(&WINDOW, 100).as_deref(), Some(&b"third"[..]));
    }

    #[test]
    fn clearing_removes_what_vox_has_made_and_nothing_else() {
        let (_place, folder) = folder();
        folder.clear().expect("there is nothing");
        folder.write(&WINDOW, b"first").expect("room");
        fs::write(folder.file(&WINDOW).with_extension("draft"), "left").expect("room");
        fs::write(folder.path().join("notes"), "mine").expect("room");
        folder.clear().expect("it can be removed");
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn what_is_no_file_is_in_nobodys_way() {
        let (_place, folder) = folder();
        fs::create_dir_all(folder.file(&WINDOW)).expect("room");
        assert_eq!(folder.read(&WINDOW, 100), None);
        assert!(folder.write(&WINDOW, b"first").is_err());
        folder.clear().expect("no error");
        folder.tidy().expect("no error");
    }
}
