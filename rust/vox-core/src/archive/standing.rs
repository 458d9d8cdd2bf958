//! How a source file stands to what was read of it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use vox_format::{
    keys::Domain,
    rows::{Block, CursorRow},
};
use vox_frame::{block_hashes, is_compressed_file, read_again, read_stored, unchanged_prefix};
use vox_store::raw::FileStretch;
use vox_types::{ContentHash, Error, Result};

use super::Archive;

/// What the system says of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    mtime_ns: i64,
}

/// How a source file stands to what was read of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It was never read.
    New,
    /// It is as it was; nothing of it is read.
    Unchanged,
    /// It grew: reading goes on where it ended, with the adapter's state.
    Appended {
        /// Where reading goes on.
        offset: u64,
        /// The adapter's own bytes.
        state: Vec<u8>,
    },
    /// What was read of it is no longer there: it is read from its start.
    Rewritten,
}

/// A source file as it is being read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// The adapter's name.
    pub source: String,
    /// What it was when reading began.
    pub state: FileState,
    /// Whether all that was read of it before is still there, byte for byte: reading it from its
    /// start is no other reading.
    pub unchanged: bool,
}

impl FileState {
    /// Asks the system.
    pub fn of(path: &Path) -> Result<Self> {
        let data = fs::metadata(path).map_err(|error| Error::io(&error, path))?;
        let modified = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let (device, inode) = identity(&data);
        Ok(Self {
            device,
            inode,
            size: data.len(),
            mtime_ns: modified.map_or(0, |since| since.as_nanos() as i64),
        })
    }
}

#[cfg(unix)]
fn identity(data: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (data.dev(), data.ino())
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> (u64, u64) {
    (0, 0)
}

impl SourceFile {
    /// Its size when reading began.
    pub(super) fn size(&self) -> u64 {
        self.state.size
    }

    /// Its time when reading began, in nanoseconds.
    pub(super) fn mtime_ns(&self) -> i64 {
        self.state.mtime_ns
    }

    /// What a cursor says of the file itself. Until the `last` batch it counts as changed, so that
    /// reading goes on.
    pub(super) fn cursor(&self, last: bool) -> CursorRow {
        CursorRow {
            path: path_bytes(&self.path).to_vec(),
            source: self.source.clone(),
            device: self.state.device,
            inode: self.state.inode,
            size: if last { self.state.size } else { u64::MAX },
            mtime_ns: self.state.mtime_ns,
            ..CursorRow::default()
        }
    }
}

impl Archive {
    /// How the file at `path` stands to what `source` has read of it. With `whole` it is going to
    /// be read from its start in any case, so all of its bytes are compared.
    pub fn standing(
        &self,
        path: &Path,
        source: &str,
        whole: bool,
    ) -> Result<(SourceFile, Standing)> {
        let state = FileState::of(path)?;
        let file = |unchanged| SourceFile {
            path: path.to_owned(),
            source: source.to_owned(),
            state,
            unchanged,
        };
        let cursor = self.store.snapshot(|snapshot| snapshot.cursor(path_bytes(path)))?;
        let Some(cursor) = cursor.filter(|cursor| cursor.source == source) else {
            return Ok((file(false), Standing::New));
        };
        let known = FileState {
            device: cursor.device,
            inode: cursor.inode,
            size: cursor.size,
            mtime_ns: cursor.mtime_ns,
        };
        if known == state && !whole {
            return Ok((file(false), Standing::Unchanged));
        }
        let blocks: Vec<_> = cursor.blocks.iter().map(|b| (b.start, b.end, b.hash)).collect();
        if !unchanged_prefix(path, &blocks)? {
            return Ok((file(false), Standing::Rewritten));
        }
        let unchanged = if whole { self.is_all_there(path, &cursor)? } else { cursor.offset == 0 };
        let standing = match known == state {
            true => Standing::Unchanged,
            false => Standing::Appended { offset: cursor.offset, state: cursor.state },
        };
        Ok((file(unchanged), standing))
    }

    /// Whether a file has all the bytes that its last reading kept, where they were.
    fn is_all_there(&self, path: &Path, cursor: &CursorRow) -> Result<bool> {
        let compressed = is_compressed_file(path)?;
        let domain = if compressed { Domain::Stored } else { Domain::Content };
        let stretches: Vec<FileStretch> = self
            .store
            .snapshot(|snapshot| snapshot.raw_stretches(&cursor.path, cursor.reading, domain))?;
        let mut same = true;
        for stretch in stretches.iter().filter(|stretch| !stretch.row.torn) {
            let (hash, len) = self.store.snapshot(|snapshot| snapshot.raw_hash(stretch.row.run))?;
            let (range, mut found) = (stretch.offset..stretch.end(), false);
            let compare = |_, bytes: Vec<u8>| {
                found = bytes.len() == len as usize && ContentHash::of(&bytes) == hash;
                Ok(())
            };
            match compressed {
                true => read_stored(path, range, len as usize, compare)?,
                false => read_again(path, range, len as usize, compare)?,
            }
            same &= found;
        }
        Ok(same)
    }

    /// What was set aside of a source file: offset, length and reason.
    pub fn quarantine(&self, path: &Path) -> Result<Vec<(u64, u64, String)>> {
        let rows = self.store.snapshot(|snapshot| snapshot.quarantine(path_bytes(path)))?;
        Ok(rows.into_iter().map(|(offset, row)| (offset, row.length, row.reason)).collect())
    }

    /// Writes down that these source files are gone. Nothing that was read of them goes.
    pub fn mark_gone(&self, paths: &[PathBuf]) -> Result<()> {
        let paths = paths.iter().map(|path| path_bytes(path).to_vec()).collect();
        self.store.mark_gone(paths)
    }
}

/// The blocks by which a later import knows what was read. A file that was exchanged or cut off
/// meanwhile gets one that matches nothing: it will be read anew.
pub(super) fn blocks_before(file: &SourceFile, end: u64) -> Result<Vec<Block>> {
    let hashes = block_hashes(&file.path, end)?;
    let now = FileState::of(&file.path)?;
    let exchanged = (now.device, now.inode) != (file.state.device, file.state.inode);
    if exchanged || now.size < file.state.size {
        return Ok(vec![Block { start: 0, end: 1, hash: [0; 32] }]);
    }
    Ok(hashes.into_iter().map(|(start, end, hash)| Block { start, end, hash }).collect())
}

#[cfg(unix)]
pub(super) fn path_bytes(path: &Path) -> &[u8] {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes()
}

#[cfg(not(unix))]
pub(super) fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The path that a cursor names.
#[cfg(unix)]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The path that a cursor names.
#[cfg(not(unix))]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
