//! The file: positioned reads, the choice of the meta page, and a cache of tree pages.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use vox_types::{Code, Error};

use crate::{
    Database, Databases, Finding, FindingKind, Meta,
    meta::{META_LEN, MetaFault, PAGE_SIZES},
    node::{Value, leaf},
    page::{HEADER, Page, overflow_pages},
};

const CACHE_BYTES: usize = 4 << 20;

/// How often meta pages that change while they are read are read again.
const META_TRIES: usize = 4;

/// A data file of LMDB, opened for reading, as one transaction left it.
///
/// May be used from several threads.
#[derive(Debug)]
pub struct PageFile {
    file: File,
    path: PathBuf,
    length: u64,
    meta: Meta,
    older: Option<Meta>,
    broken_meta: Option<Finding>,
    cache: Mutex<Vec<Option<Page>>>,
}

impl PageFile {
    /// Opens the data file at `path` and takes the newer of its sound meta pages.
    ///
    /// Errors: `not_found`, `permission_denied`, `io`; `not_an_archive` for a file of something
    /// else; `wrong_version` for another format of LMDB; `damaged` if both meta pages are.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| Error::io(&error, path))?;
        let metadata = file.metadata().map_err(|error| Error::io(&error, path))?;
        if !metadata.is_file() {
            let message = format!("{}: not a file", path.display());
            return Err(Error::new(Code::NotAnArchive, message));
        }
        let metas = read_metas(&file).map_err(|error| Error::io(&error, path))?;
        let (meta, older, broken_meta) = choose(metas).map_err(|fault| {
            let code = match fault {
                MetaFault::Foreign(_) => Code::NotAnArchive,
                MetaFault::OtherFormat(_) => Code::WrongVersion,
                MetaFault::Broken(_) => Code::Damaged,
            };
            Error::new(code, format!("{}: {}", path.display(), fault.message()))
        })?;
        // Taken after the meta pages: a writer extends the file before it commits.
        let length = file.metadata().map_err(|error| Error::io(&error, path))?.len();
        let path = path.to_path_buf();
        Ok(Self { file, path, length, meta, older, broken_meta, cache: Mutex::default() })
    }

    /// The same file as the transaction before left it, if its meta page is sound.
    ///
    /// Of use when the newer snapshot is damaged. Pages of it may have been written over since.
    pub fn older(self) -> Option<Self> {
        let meta = self.older?;
        Some(Self { meta, older: None, cache: Mutex::default(), ..self })
    }

    /// The path it was opened at.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The snapshot that is read.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// What is wrong with the meta page that isn't used, if anything.
    pub fn broken_meta(&self) -> Option<&Finding> {
        self.broken_meta.as_ref()
    }

    pub(crate) fn older_meta(&self) -> Option<&Meta> {
        self.older.as_ref()
    }

    /// The database called `name`, none if there is no such.
    ///
    /// Errors: the first damage on the way to it.
    pub fn database(&self, name: &str) -> Result<Option<Database>, Finding> {
        let main = self.main();
        let Some((page, index)) = crate::cursor::find(self, &main, name.as_bytes())? else {
            return Ok(None);
        };
        let node = leaf(&page, index)?;
        match node.value {
            Value::Record(record) => {
                Database::named(self, page.number(), node.key, record).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The named databases, in the order of their names; damage on the way is an item of its own.
    pub fn databases(&self) -> Databases<'_> {
        Databases::new(self)
    }

    /// The main database, whose entries are the named ones and the unnamed values.
    pub fn main(&self) -> Database {
        Database::main(self)
    }

    pub(crate) fn free_list(&self) -> Database {
        Database::free_list(self)
    }

    /// Pages that lie whole within the file and the snapshot.
    pub(crate) fn whole_pages(&self) -> u64 {
        (self.length / self.page_bytes()).min(self.meta.last_page.saturating_add(1))
    }

    fn page_bytes(&self) -> u64 {
        u64::from(self.meta.page_size)
    }

    /// Checks that `count` pages from `number` on can be tree or overflow pages and lie within the
    /// file, and gives the offset of the first.
    pub(crate) fn locate(&self, number: u64, count: u64) -> Result<u64, Finding> {
        let end = number.checked_add(count);
        let Some(end) = end.filter(|end| number >= 2 && *end - 1 <= self.meta.last_page) else {
            let message =
                format!("it can't be used by a tree; pages end at {}", self.meta.last_page);
            return Err(Finding::at(FindingKind::PageRange, number, message));
        };
        if end > self.whole_pages() {
            let message = format!("it lies beyond the end of the file ({} bytes)", self.length);
            return Err(Finding::at(FindingKind::Truncated, number, message));
        }
        Ok(number * self.page_bytes())
    }

    /// The tree page `number`, from the cache or the file.
    pub(crate) fn page(&self, number: u64) -> Result<Page, Finding> {
        let offset = self.locate(number, 1)?;
        let slots = CACHE_BYTES / self.meta.page_size as usize;
        let slot = (number % slots as u64) as usize;
        {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Some(page)) = cache.get(slot)
                && page.number() == number
            {
                return Ok(page.clone());
            }
        }
        let page = Page::parse(Arc::from(self.read(number, offset, self.page_bytes())?), number)?;
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.is_empty() {
            cache.resize(slots, None);
        }
        if let Some(slot) = cache.get_mut(slot) {
            *slot = Some(page.clone());
        }
        Ok(page)
    }

    /// Checks that the overflow run at page `number` holds `length` bytes, and gives its pages.
    pub(crate) fn overflow_run(&self, number: u64, length: u32) -> Result<u64, Finding> {
        let offset = self.locate(number, 1)?;
        let pages = overflow_pages(&self.read(number, offset, HEADER as u64)?, number)?;
        let needed = (u64::from(length) + HEADER as u64).div_ceil(self.page_bytes());
        if pages < needed {
            let message = format!("{length} bytes can't stand on {pages} overflow pages");
            return Err(Finding::at(FindingKind::Overflow, number, message));
        }
        self.locate(number, pages)?;
        Ok(pages)
    }

    /// The value of `length` bytes on the overflow run at page `number`.
    pub(crate) fn overflow_value(&self, number: u64, length: u32) -> Result<Vec<u8>, Finding> {
        self.overflow_run(number, length)?;
        let offset = self.locate(number, 1)? + HEADER as u64;
        self.read(number, offset, u64::from(length))
    }

    /// Reads `length` bytes, which the caller has checked to lie within the file.
    fn read(&self, page: u64, offset: u64, length: u64) -> Result<Vec<u8>, Finding> {
        let failed = |error: io::Error| {
            let (kind, message) = match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    (FindingKind::Truncated, "the file was cut off while it was read".to_owned())
                }
                _ => (FindingKind::Io, format!("{}: {error}", self.path.display())),
            };
            Finding::at(kind, page, message)
        };
        let length =
            usize::try_from(length).map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
        let mut bytes = vec![0; length];
        let read = read_at(&self.file, &mut bytes, offset).map_err(failed)?;
        if read < length {
            return Err(failed(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(bytes)
    }
}

type Metas = [Result<Meta, MetaFault>; 2];

/// Reads both meta pages, again if a writer changed one of them meanwhile.
fn read_metas(file: &File) -> io::Result<Metas> {
    let mut last = read_metas_once(file)?;
    for _ in 1..META_TRIES {
        let again = read_metas_once(file)?;
        let same = last.iter().zip(&again).all(|(a, b)| match (a, b) {
            (Ok(a), Ok(b)) => a == b,
            (a, b) => a.is_ok() == b.is_ok(),
        });
        last = again;
        if same {
            break;
        }
    }
    Ok(last)
}

fn read_metas_once(file: &File) -> io::Result<Metas> {
    let mut first = read_meta(file, 0, 0)?;
    let expected = first.as_ref().ok().map(|meta| meta.page_size);
    let mut second = Err(MetaFault::Broken("meta page 1 can't be found".into()));
    for size in expected.into_iter().chain(PAGE_SIZES) {
        let found = read_meta(file, 1, size)?;
        let here = found.as_ref().is_ok_and(|meta| meta.page_size == size);
        if here || expected == Some(size) {
            second = found;
        }
        if here {
            // Its place confirms its page size, so the other one must be wrong.
            if expected.is_some_and(|expected| expected != size) {
                first = Err(MetaFault::Broken("it gives a wrong page size".into()));
            }
            break;
        }
    }
    if let (Ok(one), Ok(two)) = (&first, &second)
        && one.page_size != two.page_size
    {
        second = Err(MetaFault::Broken("it gives a wrong page size".into()));
    }
    Ok([first, second])
}

fn read_meta(file: &File, number: u64, page_size: u32) -> io::Result<Result<Meta, MetaFault>> {
    let mut bytes = [0; META_LEN];
    let read = read_at(file, &mut bytes, number * u64::from(page_size))?;
    Ok(Meta::parse(bytes.get(..read).unwrap_or_default(), number))
}

type Choice = (Meta, Option<Meta>, Option<Finding>);

fn choose(metas: Metas) -> Result<Choice, MetaFault> {
    let broken = |number, fault: MetaFault| {
        let message = format!("this meta page can't be used: {}", fault.message());
        Some(Finding::at(FindingKind::Meta, number, message))
    };
    match metas {
        [Ok(one), Ok(two)] if one.txnid < two.txnid => Ok((two, Some(one), None)),
        [Ok(one), Ok(two)] => Ok((one, Some(two), None)),
        [Ok(one), Err(fault)] => Ok((one, None, broken(1, fault))),
        [Err(fault), Ok(two)] => Ok((two, None, broken(0, fault))),
        [Err(first), Err(second)] => Err(match (first, second) {
            (MetaFault::Broken(one), other) => MetaFault::Broken(format!(
                "both meta pages are damaged: page 0: {one}; page 1: {}",
                other.message()
            )),
            (other, _) => other,
        }),
    }
}

/// Fills `bytes` from `offset` on; the result is less than its length at the end of the file.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match read_some(file, rest, offset.saturating_add(done as u64)) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

#[cfg(unix)]
fn read_some(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_some(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, offset)
}
