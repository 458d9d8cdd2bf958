//! One generation's LMDB environment, and the doors to its transactions.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use heed::{CompactionOption, EnvFlags, EnvOpenOptions, MdbError, RoTxn, RwTxn, WithoutTls};
use vox_types::{Code, Error, Result};

use super::{
    current::{Current, FORMAT, other_format},
    faults::{commit_error, store_error},
    gate::Gate,
    length::{check_length, check_not_empty},
    lock_file::{self, ReaderSlot},
    room::reserve_lock,
    surroundings::{Warning, on_network},
};
use crate::{
    commit::Committer,
    fault::{Fallible, Fault},
    readers::Watch,
    tables::{Table, Tables},
};

/// What the map reserves first; halved while the system refuses. Judgement: far above any archive.
const WISHED_MAP: usize = 1 << 40;
/// Below this there is no use in trying. Judgement.
const SMALLEST_MAP: usize = 1 << 24;
/// The map grows by at least this much. Judgement.
const SMALLEST_GROWTH: usize = 1 << 20;
/// Address space that growing leaves; more than an allocator keeps at hand. Judgement.
const SPARE: usize = 64 << 20;
/// Reader slots in the lock file. Judgement.
pub(super) const READERS: u32 = 1024;
/// How long the closing of a file may take. Judgement.
const CLOSING: Duration = Duration::from_secs(5);

/// What opening makes of files that are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Make {
    /// Nothing: it is damage.
    Nothing,
    /// An empty archive.
    Archive,
    /// Tables without a row; until `meta/format` is there it is no archive.
    Draft,
}

/// An open generation.
pub struct Generation {
    env: heed::Env<WithoutTls>,
    /// Its named databases.
    pub tables: Tables,
    /// Spans of secrets, if some were kept; see [`crate::secrets`].
    spans: OnceLock<Table>,
    /// Its number.
    pub number: u64,
    archive: PathBuf,
    /// Where its writers wait.
    pub(crate) committer: Committer,
    /// The last read transaction that was found not to be superseded: others of the same number
    /// see the same state.
    current_at: AtomicUsize,
    gate: Gate,
    /// How far readers of other processes let the file grow.
    pub(crate) watch: Watch,
    locked: bool,
    process: u32,
    writable: bool,
    lost: AtomicBool,
    warnings: Vec<Warning>,
}

impl Generation {
    /// Opens the generation that `current` names for reading and, where the system allows it,
    /// for writing.
    pub(crate) fn open(archive: &Path, current: Current, make: Make) -> Result<Self> {
        let folder = current.folder(archive);
        let Files { env, writable, locked, warnings } = open_files(archive, &folder, make)?;
        let tables = open_tables(&env, archive, make)?;
        let spans = open_spans(&env, archive)?;
        Ok(Self {
            env,
            tables,
            spans,
            number: current.generation,
            archive: archive.to_path_buf(),
            committer: Committer::default(),
            current_at: AtomicUsize::new(0),
            gate: Gate::default(),
            watch: Watch::default(),
            locked,
            process: std::process::id(),
            writable,
            lost: AtomicBool::new(false),
            warnings,
        })
    }

    /// The table of [`crate::secrets`], if there is one.
    pub(crate) fn spans_table(&self) -> Option<Table> {
        self.spans.get().copied()
    }

    /// The same; it is made if there is none, and counts from [`Generation::has_spans_table`] on.
    pub(crate) fn make_spans_table(&self, txn: &mut RwTxn<'_>) -> heed::Result<Table> {
        match self.spans.get() {
            Some(table) => Ok(*table),
            None => self.env.create_database(txn, Some(crate::secrets::TABLE)),
        }
    }

    /// Says that the transaction in which `table` was made is committed.
    pub(crate) fn has_spans_table(&self, table: Table) {
        self.spans.get_or_init(|| table);
    }

    /// What its user should know about the archive's place.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The archive that it belongs to.
    pub fn archive(&self) -> &Path {
        &self.archive
    }

    /// Whether it can be written.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// The LMDB file.
    pub fn data_file(&self) -> PathBuf {
        Current::of(self.number).folder(&self.archive).join("data.mdb")
    }

    /// Maps an error of heed.
    pub(crate) fn error(&self, error: &heed::Error) -> Error {
        store_error(error, &self.archive)
    }

    fn enter(&self) -> Result<()> {
        if std::process::id() != self.process {
            return Err(Error::new(
                Code::Forked,
                format!(
                    "{} was opened before fork() and is used after it; in the child close it, then \
                     open it again",
                    self.archive.display()
                ),
            ));
        }
        if self.is_lost() {
            return Err(Error::new(
                Code::MapFull,
                format!(
                    "{}: the memory map was lost; close it and open it again",
                    self.archive.display()
                ),
            ));
        }
        self.gate.enter();
        Ok(())
    }

    /// Whether a failed resize left no map.
    fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// Begins reading the last committed state. End it soon: pages aren't reused meanwhile.
    pub fn read(&self) -> Result<Reading<'_>> {
        self.enter()?;
        let inside = Inside(&self.gate);
        match self.env.read_txn() {
            Ok(txn) => Ok(Reading { txn, _inside: inside }),
            Err(heed::Error::Mdb(MdbError::MapResized)) => {
                drop(inside);
                self.resize(self.mapped())?;
                self.enter()?;
                let inside = Inside(&self.gate);
                let txn = self.env.read_txn().map_err(|error| self.error(&error))?;
                Ok(Reading { txn, _inside: inside })
            }
            Err(heed::Error::Mdb(MdbError::ReadersFull)) => {
                self.env.clear_stale_readers().map_err(|error| self.error(&error))?;
                let txn = self.env.read_txn().map_err(|error| self.error(&error))?;
                Ok(Reading { txn, _inside: inside })
            }
            Err(error) => Err(self.error(&error)),
        }
    }

    /// Whether another generation has taken the place of this one, as a read transaction sees it.
    pub(crate) fn superseded(&self, txn: &Reading<'_>) -> heed::Result<bool> {
        let seen = txn.id();
        if self.current_at.load(Ordering::Relaxed) == seen {
            return Ok(false);
        }
        let superseded = crate::meta::is_superseded(&self.tables, txn)?;
        if !superseded {
            self.current_at.store(seen, Ordering::Relaxed);
        }
        Ok(superseded)
    }

    /// The generation that took the place of this one, if there is one.
    pub(crate) fn successor(&self) -> Result<Option<u64>> {
        self.reading(|txn| crate::meta::superseded_by(&self.tables, txn))
    }

    /// Runs `work` on the last committed state.
    pub(crate) fn reading<T>(&self, work: impl FnOnce(&RoTxn<'_>) -> Fallible<T>) -> Result<T> {
        let txn = self.read()?;
        work(&txn).map_err(|fault| self.fault(fault))
    }

    /// The error of a fault inside the store.
    pub(crate) fn fault(&self, fault: Fault) -> Error {
        match fault {
            Fault::Lmdb(error) => self.error(&error),
            Fault::Vox(error) => error,
        }
    }

    /// Waits for its turn, runs `work` in one write transaction and commits it durably. If `work`
    /// fails nothing is written; if the map is full it grows, and `work` runs again.
    pub fn write<T>(&self, mut work: impl FnMut(&mut RwTxn<'_>) -> Fallible<T>) -> Result<T> {
        self.check_writable()?;
        self.watch.hold_back(self)?;
        loop {
            match self.try_write(&mut work) {
                Err(error) if error.code == Code::MapFull && !self.is_lost() => self.grow()?,
                done => return done,
            }
        }
    }

    fn check_writable(&self) -> Result<()> {
        if self.writable {
            return Ok(());
        }
        let message = format!("{} is open for reading only", self.archive.display());
        Err(Error::new(Code::ReadOnly, message))
    }

    fn try_write<T>(&self, work: &mut impl FnMut(&mut RwTxn<'_>) -> Fallible<T>) -> Result<T> {
        self.enter()?;
        let inside = Inside(&self.gate);
        let mut txn = match self.env.write_txn() {
            Err(heed::Error::Mdb(MdbError::MapResized)) => {
                drop(inside);
                self.resize(self.mapped())?;
                return self.try_write(work);
            }
            begun => begun.map_err(|error| self.error(&error))?,
        };
        let done = work(&mut txn).map_err(|fault| self.fault(fault))?;
        txn.commit().map_err(|error| commit_error(&error, &self.archive, &self.data_file()))?;
        drop(inside);
        Ok(done)
    }

    /// Waits for its turn, and runs `work` once while nobody else can write; what it wrote itself
    /// is committed if it succeeds.
    pub(crate) fn hold<T>(&self, work: impl FnOnce(&mut RwTxn<'_>) -> Fallible<T>) -> Result<T> {
        self.check_writable()?;
        // A little room in the map, since `work` can't be run again in a larger one.
        let used = || (self.env.info().last_page_number + 1) * self.env.stat().page_size as usize;
        while self.mapped().saturating_sub(used()) < SMALLEST_GROWTH {
            self.grow()?;
        }
        let mut work = Some(work);
        self.try_write(&mut |txn| match work.take() {
            Some(work) => work(txn),
            None => Err(Error::new(Code::Internal, "work under the lock ran twice").into()),
        })
    }

    /// Copies the last committed state to `file`, which is empty and stands at `path`.
    pub(crate) fn copy_to(&self, file: &mut File, path: &Path) -> Result<()> {
        loop {
            // Before LMDB begins one of its own for the copy, the map has to be as large as the
            // data.
            let reading = self.read()?;
            let copied = self.env.copy_to_file(file, CompactionOption::Enabled);
            drop(reading);
            return match copied {
                // Another process wrote more at this moment.
                Err(heed::Error::Mdb(MdbError::MapResized)) => continue,
                Err(heed::Error::Io(error)) => Err(Error::io(&error, path)),
                copied => copied.map_err(|error| self.error(&error)),
            };
        }
    }

    /// A transaction within `parent`, which can be given up alone.
    pub(crate) fn nested<'p>(&'p self, parent: &'p mut RwTxn<'_>) -> Fallible<RwTxn<'p>> {
        Ok(self.env.nested_write_txn(parent)?)
    }

    /// Bytes of the data file that were ever used.
    pub(crate) fn bytes_in_use(&self) -> u64 {
        (self.env.info().last_page_number as u64 + 1) * u64::from(self.env.stat().page_size)
    }

    /// The last transaction that was committed.
    pub(crate) fn last_transaction(&self) -> u64 {
        self.env.info().last_txn_id as u64
    }

    /// The read transactions of all processes that live, the oldest first.
    pub(crate) fn reader_slots(&self) -> Result<Vec<ReaderSlot>> {
        if !self.locked {
            return Ok(Vec::new());
        }
        self.env.clear_stale_readers().map_err(|error| self.error(&error))?;
        let lock = self.env.path().join("lock.mdb");
        match lock_file::active(&lock, self.env.max_readers() as usize) {
            // The folder was removed: nobody writes here any more.
            Err(error) if error.code == Code::NotFound => Ok(Vec::new()),
            slots => slots,
        }
    }

    fn mapped(&self) -> usize {
        self.env.info().map_size
    }

    /// Makes the map twice as large, or larger by what there is address space for.
    fn grow(&self) -> Result<()> {
        let mapped = self.mapped();
        let mut more = mapped;
        while more > SMALLEST_GROWTH && !can_map(more) {
            more = (more / 2).next_multiple_of(SMALLEST_GROWTH);
        }
        self.resize(mapped + more)
    }

    /// Makes the map `bytes` large, or larger if the data demands it.
    #[expect(
        unsafe_code,
        reason = "LMDB demands that no transaction is active; the gate sees to it"
    )]
    fn resize(&self, bytes: usize) -> Result<()> {
        let no_room = |bytes| {
            let archive = self.archive.display();
            Error::new(
                Code::MapFull,
                format!(
                    "{archive}: the memory map can't grow to {bytes} bytes; raise the process's \
                     address-space limit (ulimit -v)"
                ),
            )
        };
        self.gate.alone(|| {
            let claimed =
                (self.env.info().last_page_number + 1) * self.env.stat().page_size as usize;
            let bytes = bytes.max(claimed.next_multiple_of(SMALLEST_GROWTH));
            let more = bytes.saturating_sub(self.mapped());
            // LMDB unmaps before it maps, and has no map at all when that fails.
            if more > 0 && !can_map(more) {
                return Err(no_room(bytes));
            }
            unsafe { self.env.resize(bytes) }.map_err(|error| {
                self.lost.store(true, Ordering::SeqCst);
                match error {
                    heed::Error::Io(_) => no_room(bytes),
                    error => self.error(&error),
                }
            })
        })
    }
}

/// Whether there is address space for `bytes` more, and some for the rest of the process. They are
/// asked for and not touched.
fn can_map(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes.saturating_add(SPARE)).is_ok()
}

/// The opened files of a generation.
pub(super) struct Files {
    pub env: heed::Env<WithoutTls>,
    pub writable: bool,
    locked: bool,
    warnings: Vec<Warning>,
}

/// Opens the files in `folder`, of whatever format, for reading and, where the system allows it,
/// for writing.
pub(super) fn open_files(archive: &Path, folder: &Path, make: Make) -> Result<Files> {
    let create = make != Make::Nothing;
    if create {
        fs::create_dir_all(folder).map_err(|error| Error::io(&error, folder))?;
    }
    let data = folder.join("data.mdb");
    let lock = folder.join("lock.mdb");
    let mut warnings = Vec::new();
    let may_write = can_write(&data, folder)? && can_write(&lock, folder)?;
    if create && !may_write && !data.exists() {
        return Err(Error::new(
            Code::PermissionDenied,
            format!("{} can't be written, and holds no archive to read", archive.display()),
        ));
    }
    let locked = may_write || can_write(&lock, folder)?;
    let mut flags = EnvFlags::empty();
    if !create && !data.exists() {
        return Err(Error::damaged(format!("{} is missing", data.display())));
    }
    if !may_write {
        flags |= EnvFlags::READ_ONLY;
    }
    if !locked {
        flags |= EnvFlags::NO_LOCK;
        warnings.push(Warning::UnlockedSnapshot);
    } else {
        reserve_lock(&lock)?;
    }
    if on_network(archive) {
        warnings.push(Warning::NetworkFileSystem);
    }
    if !create {
        check_not_empty(&data)?;
    }
    let (env, mapped) = open_env(archive, folder, flags)?;
    if mapped < WISHED_MAP {
        warnings.push(Warning::SmallMap { bytes: mapped });
    }
    check_length(&env, archive, &data, may_write)?;
    if locked {
        env.clear_stale_readers().map_err(|error| store_error(&error, archive))?;
    }
    Ok(Files { env, writable: may_write, locked, warnings })
}

struct Inside<'g>(&'g Gate);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// A read transaction that is counted at the gate.
pub struct Reading<'g> {
    txn: RoTxn<'g, WithoutTls>,
    // After `txn`, so that it ends first.
    _inside: Inside<'g>,
}

impl<'g> std::ops::Deref for Reading<'g> {
    type Target = RoTxn<'g, WithoutTls>;

    fn deref(&self) -> &Self::Target {
        &self.txn
    }
}

/// Whether `file`, or if it is missing a new one in `folder`, can be written.
fn can_write(file: &Path, folder: &Path) -> Result<bool> {
    use std::io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem};
    match File::options().write(true).open(file) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == NotFound => Ok(folder_writable(folder)),
        Err(error) if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => Ok(false),
        Err(error) => Err(Error::io(&error, file)),
    }
}

#[cfg(unix)]
fn folder_writable(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn folder_writable(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|folder| !folder.permissions().readonly())
}

#[expect(unsafe_code, reason = "mapping a file is unsafe by nature: nobody but LMDB may change it")]
fn open_env(
    archive: &Path,
    folder: &Path,
    flags: EnvFlags,
) -> Result<(heed::Env<WithoutTls>, usize)> {
    let data = folder.join("data.mdb");
    let needed = fs::metadata(&data).map_or(0, |data| data.len() as usize);
    let mut map = if cfg!(windows) { needed.max(1 << 30) * 2 } else { WISHED_MAP };
    loop {
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(map).max_readers(READERS).max_dbs(Tables::NAMES.len() as u32 + 16);
        let opened = unsafe { options.flags(flags).open(folder) };
        match opened {
            Ok(env) => return Ok((env, map)),
            // Another thread has let go of it and is just closing it.
            Err(heed::Error::EnvAlreadyOpened) if closes(folder) => {}
            Err(heed::Error::Io(error)) if error.kind() == std::io::ErrorKind::OutOfMemory => {
                map /= 2;
                if map < SMALLEST_MAP || map < needed {
                    return Err(Error::new(
                        Code::AddressSpace,
                        format!(
                            "{}: the process may not map the {} bytes that the archive needs; raise \
                             its address-space limit (ulimit -v)",
                            archive.display(),
                            needed.max(SMALLEST_MAP)
                        ),
                    ));
                }
            }
            Err(error) => return Err(store_error(&error, archive)),
        }
    }
}

/// Waits until `folder`, which this process had open, is closed; false if it stays open.
fn closes(folder: &Path) -> bool {
    let closing = fs::canonicalize(folder).ok().and_then(heed::env_closing_event);
    closing.is_none_or(|closing| closing.wait_timeout(CLOSING))
}

fn open_tables(env: &heed::Env<WithoutTls>, archive: &Path, make: Make) -> Result<Tables> {
    let fail = |error: heed::Error| store_error(&error, archive);
    let txn = env.read_txn().map_err(fail)?;
    // Another format may have other tables, so its number comes first.
    let meta: Option<Table> = env.open_database(&txn, Some("meta")).map_err(fail)?;
    let format = match meta {
        Some(meta) => meta.get(&txn, b"format").map_err(fail)?,
        None => None,
    };
    if let Some(format) = format {
        let format: u32 = vox_format::rows::decode(format, "meta/format")?;
        if format != FORMAT {
            return Err(other_format(archive, format));
        }
    }
    match Tables::open(env, &txn).map_err(fail)? {
        Ok(tables) if format.is_some() => {
            txn.commit().map_err(fail)?;
            return Ok(tables);
        }
        // Tables are made with the archive only: in one that exists a missing table is damage, and
        // to put an empty one in its place would hide it.
        Err(error) if make == Make::Nothing => return Err(error),
        _ if make == Make::Nothing => {
            let message = format!("{}: meta/format is missing", archive.display());
            return Err(Error::damaged(message));
        }
        _ => drop(txn),
    }
    let mut txn = env.write_txn().map_err(fail)?;
    let tables = Tables::create(env, &mut txn).map_err(fail)?;
    if make == Make::Archive && tables.meta.get(&txn, b"format").map_err(fail)?.is_none() {
        for (key, value) in crate::meta::of_a_new_archive()? {
            tables.meta.put(&mut txn, key.as_bytes(), &value).map_err(fail)?;
        }
    }
    txn.commit().map_err(fail)?;
    Ok(tables)
}

/// The table of [`crate::secrets`], which may be missing.
fn open_spans(env: &heed::Env<WithoutTls>, archive: &Path) -> Result<OnceLock<Table>> {
    let fail = |error: heed::Error| store_error(&error, archive);
    let txn = env.read_txn().map_err(fail)?;
    let table = env.open_database(&txn, Some(crate::secrets::TABLE)).map_err(fail)?;
    txn.commit().map_err(fail)?;
    Ok(table.map(OnceLock::from).unwrap_or_default())
}
