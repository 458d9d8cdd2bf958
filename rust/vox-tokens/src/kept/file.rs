//! A table in a file: looked up through a mapping, written with plain writes.
//!
//! Nothing is written through the mapping, and no file has holes: on a full disk either would end
//! the process (a tmpfs takes room for a hole that is only read), while a write that finds no room
//! is an error. Nothing is synced: whatever a power cut leaves, an entry that fails its check
//! says nothing.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, SystemTime},
};

use memmap2::Mmap;

use super::header::{HEADER, Header};

/// How long a file that is used may look unused: what was used last stays when others go.
const TOUCHED_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// A table that may not be there yet, or be replaced by another process at any moment.
pub(super) struct TableFile {
    path: PathBuf,
    header: Header,
    /// Bytes behind the header for a capacity.
    body: fn(u64) -> u64,
    writable: bool,
    mapped: RwLock<Option<Arc<Mapped>>>,
}

/// A whole table, as it was opened. One that was replaced stays as it is.
pub(super) struct Mapped {
    map: Mmap,
    file: File,
    id: Id,
    /// How much it has room for, in the unit of its kind.
    pub capacity: u64,
}

impl TableFile {
    /// The table at `path` if it is what `header` says; `body` gives its bytes for a capacity.
    pub fn at(path: PathBuf, header: Header, body: fn(u64) -> u64, writable: bool) -> Self {
        Self { path, header, body, writable, mapped: RwLock::new(None) }
    }

    /// Whether anything is ever written.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// The table that stands there now; none if there is none, or what is there isn't one.
    pub fn current(&self) -> Option<Arc<Mapped>> {
        let there = fs::metadata(&self.path).ok().filter(Metadata::is_file)?;
        let known = self.mapped.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known
            && known.id == id_of(&there)
        {
            return Some(known);
        }
        let new = Arc::new(self.open()?);
        *self.mapped.write().unwrap_or_else(PoisonError::into_inner) = Some(new.clone());
        Some(new)
    }

    fn open(&self) -> Option<Mapped> {
        let writing =
            self.writable.then(|| OpenOptions::new().read(true).write(true).open(&self.path));
        let file = match writing {
            Some(Ok(file)) => file,
            _ => File::open(&self.path).ok()?,
        };
        let there = file.metadata().ok()?;
        let id = id_of(&there);
        if self.writable
            && let Ok(used) = there.modified()
            && used.elapsed().is_ok_and(|since| since > TOUCHED_EVERY)
        {
            let _ = file.set_modified(SystemTime::now());
        }
        self.map(file, id, there.len())
    }

    #[expect(unsafe_code, reason = "mapping a file; see below")]
    fn map(&self, file: File, id: Id, len: u64) -> Option<Mapped> {
        // SAFETY: the bytes change while others write, so they are only looked at through atomics.
        // Nobody of vox makes a file shorter that has its name: it is replaced.
        let map = unsafe { Mmap::map(&file) }.ok()?;
        let capacity = self.header.capacity(&map).filter(|capacity| *capacity > 0)?;
        let right = (self.body)(capacity).checked_add(HEADER as u64) == Some(len)
            && map.len() as u64 == len;
        right.then_some(Mapped { map, file, id, capacity })
    }

    /// Puts a table with room for `capacity` in place of what is there, its body written by
    /// `fill`; what `fill` leaves out is zeros. None if another process is at it.
    pub fn replace(
        &self,
        capacity: u64,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Option<Arc<Mapped>>> {
        if !self.writable {
            return Ok(None);
        }
        let draft = self.path.with_extension("draft");
        let Some(mut file) = lock(&draft)? else { return Ok(None) };
        let written = (|| {
            file.set_len(0)?;
            let mut out = io::BufWriter::with_capacity(1 << 18, &mut file);
            out.write_all(&self.header.encode(capacity))?;
            fill(&mut out)?;
            let len = HEADER as u64 + (self.body)(capacity);
            let rest = len.saturating_sub(out.stream_position()?);
            io::copy(&mut io::repeat(0).take(rest), &mut out)?;
            out.flush()
        })();
        if let Err(error) = written {
            // Its name goes while it is locked.
            let _ = fs::remove_file(&draft);
            return Err(error);
        }
        fs::rename(&draft, &self.path)?;
        drop(file);
        Ok(self.current())
    }
}

impl Mapped {
    /// The words behind the header. Others may write them at any moment.
    pub fn words(&self) -> &[AtomicU64] {
        &self.all_words()[HEADER / 8..]
    }

    #[expect(unsafe_code, reason = "a mapping as words; see below")]
    fn all_words(&self) -> &[AtomicU64] {
        // SAFETY: any eight bytes are an AtomicU64, and loads of aligned words of a mapping that
        // can't be written are plain loads. A mapping begins at a page, so nothing is cut off.
        let (_, words, _) = unsafe { self.map.align_to::<AtomicU64>() };
        words
    }

    /// Writes `words` from word `at` on.
    pub fn write(&self, at: usize, words: &[u64]) -> io::Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        write_at(&self.file, &bytes, (HEADER + at * 8) as u64)
    }

    /// So many words of the header from word `at` on, behind what the table is.
    pub fn note(&self, at: usize, len: usize) -> Vec<u8> {
        let words = self.all_words()[at..at + len].iter();
        words.flat_map(|word| word.load(Relaxed).to_ne_bytes()).collect()
    }

    /// Writes bytes into the header.
    pub fn write_note(&self, at: usize, bytes: &[u8]) -> io::Result<()> {
        write_at(&self.file, bytes, at as u64)
    }
}

/// What tells a file from the one that takes its name after it.
#[cfg(unix)]
type Id = (u64, u64, u64);
#[cfg(not(unix))]
type Id = (Option<SystemTime>, u64);

#[cfg(unix)]
fn id_of(there: &Metadata) -> Id {
    use std::os::unix::fs::MetadataExt;
    (there.dev(), there.ino(), there.len())
}

#[cfg(not(unix))]
fn id_of(there: &Metadata) -> Id {
    (there.created().ok(), there.len())
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        bytes = &bytes[written..];
        at += written as u64;
    }
    Ok(())
}

/// The draft at `path`, empty or left by one who was killed, so that no other process writes it;
/// none if one does, or if something else stands there.
pub(super) fn lock(path: &Path) -> io::Result<Option<File>> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    loop {
        match fs::symlink_metadata(path) {
            Ok(there) if !there.is_file() => return Ok(None),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
        // What was locked may have become a table meanwhile.
        if is_at(&file, path) {
            return Ok(Some(file));
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    let (here, there) = (file.metadata(), fs::symlink_metadata(path));
    here.is_ok_and(|here| there.is_ok_and(|there| id_of(&here) == id_of(&there)))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Makes `folder` for this user alone.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
