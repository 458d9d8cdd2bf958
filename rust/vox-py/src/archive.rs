//! Archives.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use vox_core::archive::{self as core, SourceFile, Standing};
use vox_store::{
    append::{Appended, PreparedBatch},
    generations as compacting,
    verify::{self, Options},
};
use vox_types::{Code, Error, ItemId, OverlayKind};

use crate::{
    columns::Columns,
    door,
    drafts::{Batch, OwnItem, Place, WindowDraft},
    filters::{ItemFilter, WindowFilter, scope, wanted},
    frames::Records,
    generations, keeping, soundness,
    view::WindowView,
};

/// An open archive. Threads may share it.
#[pyclass(module = "vox._native", frozen)]
pub struct Archive(Mutex<Option<Arc<core::Archive>>>);

impl Archive {
    /// The archive, unless it was closed.
    pub(crate) fn open_core(&self) -> Result<Arc<core::Archive>, Error> {
        let archive = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        archive.clone().ok_or_else(|| Error::new(Code::Closed, "the archive was closed"))
    }

    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&core::Archive) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        door::core(py, || work(&*self.open_core()?))
    }
}

#[pymethods]
impl Archive {
    #[new]
    #[pyo3(signature = (path, *, create, read_only, counts_bytes = None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        create: bool,
        read_only: bool,
        counts_bytes: Option<u64>,
    ) -> PyResult<Self> {
        let archive = door::core(py, || match (read_only, create) {
            (true, _) => core::Archive::open_read_only(&path),
            (false, true) => core::Archive::create(&path),
            (false, false) => core::Archive::open(&path),
        })?;
        let archive = match counts_bytes {
            Some(most_bytes) => archive.with_counts_of(most_bytes),
            None => archive,
        };
        Ok(Self(Mutex::new(Some(Arc::new(archive)))))
    }

    /// Lets go of the archive; views of it end too.
    fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    #[getter]
    fn path(&self, py: Python<'_>) -> PyResult<PathBuf> {
        self.run(py, |archive| Ok(archive.store().path().to_path_buf()))
    }

    #[getter]
    fn writable(&self, py: Python<'_>) -> PyResult<bool> {
        self.run(py, |archive| Ok(archive.store().writable()))
    }

    /// What its user should know about its place, as sentences.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, |archive| {
            Ok(archive.store().warnings().iter().map(|warning| warning.sentence()).collect())
        })
    }

    /// The number of the window that `text` names.
    fn find_window(&self, py: Python<'_>, text: &str) -> PyResult<u32> {
        self.run(py, |archive| archive.find_window(text))
    }

    /// Live windows, the newest first.
    fn windows(
        &self,
        py: Python<'_>,
        shown: WindowFilter,
        start: u64,
        count: u64,
    ) -> PyResult<Columns> {
        self.run(py, |archive| archive.windows(&shown.into_core()?, start, count)).map(Columns)
    }

    /// How many windows a list shows.
    fn window_count(&self, py: Python<'_>, shown: WindowFilter) -> PyResult<u64> {
        self.run(py, |archive| archive.window_count(&shown.into_core()?))
    }

    /// What live windows call their repositories.
    fn repos(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, |archive| archive.repos())
    }

    /// The tree that a window belongs to, each window followed by its children.
    fn tree(&self, py: Python<'_>, window: u32) -> PyResult<Columns> {
        self.run(py, |archive| archive.tree(window)).map(Columns)
    }

    /// One window as one row.
    fn window_info(&self, py: Python<'_>, window: u32) -> PyResult<Columns> {
        self.run(py, |archive| archive.window_info(window)).map(Columns)
    }

    /// A view of what `shown` lets through of the first `items` items of a window.
    fn view(
        slf: Bound<'_, Self>,
        window: u32,
        items: u64,
        shown: ItemFilter,
    ) -> PyResult<WindowView> {
        let archive = slf.get();
        let core = door::core(slf.py(), || archive.open_core())?;
        let view = door::core(slf.py(), || {
            let symbol = |name: &str| core.store().snapshot(|snapshot| snapshot.find_symbol(name));
            core.view(window, items, &shown.to_core(symbol)?)
        })?;
        Ok(WindowView::of(core, view))
    }

    /// Items of all windows by time.
    #[pyo3(signature = (shown, repo, tier, start, count, preview, hashes))]
    #[expect(clippy::too_many_arguments, reason = "place, scope and columns of the page")]
    fn timeline(
        &self,
        py: Python<'_>,
        shown: ItemFilter,
        repo: Option<String>,
        tier: Option<&str>,
        start: u64,
        count: u64,
        preview: bool,
        hashes: bool,
    ) -> PyResult<Columns> {
        self.run(py, |archive| {
            let symbol =
                |name: &str| archive.store().snapshot(|snapshot| snapshot.find_symbol(name));
            let filter = shown.to_core(symbol)?;
            let scope = scope(repo, tier)?;
            archive.timeline(&filter, &scope, start, count, wanted(preview, hashes))
        })
        .map(Columns)
    }

    /// How many items the timeline has, and at which position `time` stands.
    #[pyo3(signature = (shown, repo, tier, time))]
    fn timeline_position(
        &self,
        py: Python<'_>,
        shown: ItemFilter,
        repo: Option<String>,
        tier: Option<&str>,
        time: Option<i64>,
    ) -> PyResult<(u64, u64)> {
        self.run(py, |archive| {
            let symbol =
                |name: &str| archive.store().snapshot(|snapshot| snapshot.find_symbol(name));
            archive.timeline_position(&shown.to_core(symbol)?, &scope(repo, tier)?, time)
        })
    }

    /// The item bytes, checked against their hash.
    fn read<'py>(&self, py: Python<'py>, item: u64) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.run(py, |archive| archive.read_item(ItemId(item)))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What is left of the item's source record; None if the record is the item.
    fn extra<'py>(&self, py: Python<'py>, item: u64) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let bytes = self.run(py, |archive| archive.read_extra(ItemId(item)))?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// The item at a place of a window.
    fn item_at(&self, py: Python<'_>, window: u32, ordinal: u64) -> PyResult<u64> {
        self.run(py, |archive| archive.item_at(window, ordinal)).map(|item| item.0)
    }

    /// What providers reported for the responses of a window.
    fn usage<'py>(&self, py: Python<'py>, window: u32) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = self.run(py, |archive| archive.usage(window))?;
        rows.into_iter()
            .map(|(row, model)| {
                let dict = PyDict::new(py);
                dict.set_item("key", row.key)?;
                dict.set_item("model", model)?;
                dict.set_item("at", row.at)?;
                dict.set_item("input", row.input)?;
                dict.set_item("output", row.output)?;
                dict.set_item("reasoning", row.reasoning)?;
                dict.set_item("cache_read", row.cache_read)?;
                dict.set_item("cache_write", row.cache_write)?;
                dict.set_item("cache_write_1h", row.cache_write_1h)?;
                dict.set_item("cost_nano_usd", row.cost_nano_usd)?;
                Ok(dict)
            })
            .collect()
    }

    /// How a source file stands to what was read of it: `new`, `unchanged`, `appended`,
    /// `rewritten`; where reading goes on, with which state; and a token for `prepare`. With `whole`
    /// it is read from its start in any case, and all of its bytes are compared.
    #[pyo3(signature = (path, source, *, whole))]
    fn standing(
        &self,
        py: Python<'_>,
        path: PathBuf,
        source: String,
        whole: bool,
    ) -> PyResult<(&'static str, u64, Option<Vec<u8>>, SourceToken)> {
        self.run(py, |archive| {
            let (file, standing) = archive.standing(&path, &source, whole)?;
            let token = SourceToken(Arc::new(file));
            Ok(match standing {
                Standing::New => ("new", 0, None, token),
                Standing::Unchanged => ("unchanged", 0, None, token),
                Standing::Appended { offset, state } => ("appended", offset, Some(state), token),
                Standing::Rewritten => ("rewritten", 0, None, token),
            })
        })
    }

    /// Makes what an adapter says of records ready for `commit`: cuts, hashes, compresses.
    #[pyo3(signature = (source, records, batch, *, start, read_to, raw, restore_purged = false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn prepare(
        &self,
        py: Python<'_>,
        source: &SourceToken,
        records: Option<&Records>,
        batch: Batch<'_>,
        start: u64,
        read_to: Option<u64>,
        raw: bool,
        restore_purged: bool,
    ) -> PyResult<Prepared> {
        let records = records.map(|records| records.0.clone()).unwrap_or_default();
        let mut batch = batch.into_core(py, records, Place { start, read_to, raw })?;
        batch.restore_purged = restore_purged;
        let file = source.0.clone();
        let prepared = self.run(py, move |archive| archive.prepare(&file, batch))?;
        Ok(Prepared(Mutex::new(Some(prepared))))
    }

    /// Appends prepared batches in their order with one commit; durable on return. Gives what
    /// became of each, or the error with which it failed alone.
    fn commit<'py>(
        &self,
        py: Python<'py>,
        batches: Vec<Py<Prepared>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let taken: Option<Vec<_>> = batches
            .iter()
            .map(|batch| batch.get().0.lock().unwrap_or_else(PoisonError::into_inner).take())
            .collect();
        let taken = taken.ok_or_else(|| PyValueError::new_err("a batch was committed before"))?;
        let all = self.run(py, |archive| Ok(archive.commit(taken)))?;
        all.into_iter()
            .map(|done| match done {
                Ok(done) => appended(py, &done).map(Bound::into_any),
                Err(error) => {
                    Ok(door::to_python(py, &error).into_value(py).into_bound(py).into_any())
                }
            })
            .collect()
    }

    /// Appends items after the last one of a window; durable on return. Gives what became of it.
    fn append<'py>(
        &self,
        py: Python<'py>,
        window: WindowDraft,
        items: Vec<OwnItem>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let items: Result<Vec<_>, Error> = items.into_iter().map(OwnItem::into_core).collect();
        let done = self.run(py, |archive| archive.append(window.into_core()?, items?))?;
        appended(py, &done)
    }

    /// Says `value` of `count` items from `first` on, or nothing more with None. Gives how many
    /// had a value before.
    #[pyo3(signature = (window, overlay, first, count, value))]
    fn set_overlay(
        &self,
        py: Python<'_>,
        window: u32,
        overlay: &str,
        first: u64,
        count: u64,
        value: Option<i64>,
    ) -> PyResult<u64> {
        self.run(py, |archive| {
            let kind = OverlayKind::from_name(overlay)?;
            let ordinals = first..first.saturating_add(count);
            archive.store().set_overlay(window, kind, ordinals, value)
        })
    }

    /// Every source file that was read: path, adapter, records, items, quarantined, when it was
    /// found gone.
    #[expect(clippy::type_complexity, reason = "a row for Python")]
    fn sources(
        &self,
        py: Python<'_>,
    ) -> PyResult<Vec<(PathBuf, String, u64, u64, u64, Option<i64>)>> {
        self.run(py, |archive| {
            let cursors = archive.store().snapshot(|snapshot| snapshot.cursors())?;
            let rows = cursors.into_iter().map(|cursor| {
                let path = core::path_of(&cursor.path);
                (
                    path,
                    cursor.source,
                    cursor.records,
                    cursor.items,
                    cursor.quarantined,
                    cursor.gone_at,
                )
            });
            Ok(rows.collect())
        })
    }

    /// What was set aside of a source file: offset, length, reason.
    fn quarantine(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<(u64, u64, String)>> {
        self.run(py, |archive| archive.quarantine(&path))
    }

    /// Writes down that these source files are gone. Nothing that was read of them goes.
    fn mark_gone(&self, py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<()> {
        self.run(py, |archive| archive.mark_gone(&paths))
    }

    /// The source files that `text` names, itself or as a window.
    fn raw_sources(&self, py: Python<'_>, text: &str) -> PyResult<Vec<PathBuf>> {
        self.run(py, |archive| archive.raw_sources(text))
    }

    /// What is kept of a source file: which reading that is, all readings, whether it was read to
    /// its end, and stretches: offset, length, raw run.
    #[pyo3(signature = (path, reading))]
    #[expect(clippy::type_complexity, reason = "a row for Python")]
    fn raw_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        reading: Option<u32>,
    ) -> PyResult<(u32, Vec<u32>, bool, Vec<(u64, u64, u64)>)> {
        let file = self.run(py, |archive| archive.raw_file(&path, reading))?;
        Ok((file.reading, file.readings, file.whole, file.stretches))
    }

    /// The source bytes of a raw run, and start and length of those that were purged.
    #[expect(clippy::type_complexity, reason = "a row for Python")]
    fn raw_piece<'py>(
        &self,
        py: Python<'py>,
        run: u64,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<(usize, usize)>)> {
        let (bytes, holes) = self.run(py, |archive| archive.raw_piece(run))?;
        let holes = holes.iter().map(|hole| (hole.start, hole.len()));
        Ok((PyBytes::new(py, &bytes), holes.collect()))
    }

    /// Rows and bytes of each table: name, rows, bytes.
    fn table_sizes(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, u64, u64)>> {
        self.run(py, |archive| {
            let sizes = archive.store().snapshot(|snapshot| snapshot.table_sizes())?;
            Ok(sizes.into_iter().map(|size| (size.name, size.rows, size.bytes)).collect())
        })
    }

    /// How many blobs, their raw bytes, and their bodies as stored.
    fn blob_sizes(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        self.run(py, |archive| {
            let sizes = archive.store().blob_sizes()?;
            Ok((sizes.blobs, sizes.raw_bytes, sizes.body_bytes))
        })
    }

    /// What is kept of source files: adapter, source bytes, and what bodies of items, their tables
    /// and raw runs take.
    #[expect(clippy::type_complexity, reason = "a row for Python")]
    fn source_sizes(&self, py: Python<'_>) -> PyResult<Vec<(String, u64, u64, u64, u64)>> {
        self.run(py, |archive| {
            let sizes = archive.store().snapshot(|snapshot| snapshot.source_sizes())?;
            let row = |(name, size): (String, vox_store::raw::SourceSize)| {
                (name, size.source_bytes, size.item_bytes, size.table_bytes, size.run_bytes)
            };
            Ok(sizes.into_iter().map(row).collect())
        })
    }

    /// Checks the archive; with `sample` only so many blobs are decompressed and hashed.
    #[pyo3(signature = (sample))]
    fn verify<'py>(&self, py: Python<'py>, sample: Option<u64>) -> PyResult<Bound<'py, PyDict>> {
        let report =
            self.run(py, |archive| verify::verify(archive.store(), &Options { sample }))?;
        soundness::report(py, &report)
    }

    /// Makes derived tables that are wrong anew; gives their names.
    fn repair(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        self.run(py, |archive| Ok(verify::repair(archive.store())?.tables))
    }

    /// Writes the archive anew without what it no longer needs; gives the new generation and the
    /// bytes before and after.
    fn compact<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let done = self.run(py, |archive| compacting::compact(archive.store()))?;
        generations::compacted(py, &done)
    }

    /// Copies the archive to a folder that is missing or empty; gives where it is and the bytes of
    /// its data file.
    fn backup(&self, py: Python<'_>, to: PathBuf) -> PyResult<(PathBuf, u64)> {
        let done = self.run(py, |archive| compacting::backup(archive.store(), &to))?;
        Ok((done.path, done.bytes))
    }

    /// Removes the content of blobs that nothing has used for `grace` milliseconds; gives counts.
    #[pyo3(signature = (*, dry_run, grace))]
    fn collect<'py>(
        &self,
        py: Python<'py>,
        dry_run: bool,
        grace: i64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let done = self.run(py, |archive| keeping::collect(archive, dry_run, grace))?;
        keeping::collected(py, &done)
    }

    /// Purges what was trimmed or deleted; gives counts.
    fn purge<'py>(
        &self,
        py: Python<'py>,
        options: keeping::PurgeOptions,
    ) -> PyResult<Bound<'py, PyDict>> {
        let done = self.run(py, |archive| keeping::purge(archive, options))?;
        keeping::purged(py, &done)
    }

    /// Takes a lease, while which nothing is collected; gives its number.
    fn begin_lease(&self, py: Python<'_>, kind: &str) -> PyResult<u64> {
        self.run(py, |archive| archive.store().begin_lease(kind))
    }

    /// Says that a lease is still needed.
    fn renew_lease(&self, py: Python<'_>, lease: u64) -> PyResult<()> {
        self.run(py, |archive| archive.store().renew_lease(lease))
    }

    /// Gives a lease back.
    fn end_lease(&self, py: Python<'_>, lease: u64) -> PyResult<()> {
        self.run(py, |archive| archive.store().end_lease(lease))
    }

    /// The read transactions of other processes, the oldest first: process, and how many
    /// transactions were committed since.
    fn readers(&self, py: Python<'_>) -> PyResult<Vec<(u32, u64)>> {
        self.run(py, |archive| {
            let readers = archive.store().readers()?;
            Ok(readers.iter().map(|reader| (reader.process, reader.behind)).collect())
        })
    }

    /// The LMDB file in use.
    fn data_file(&self, py: Python<'_>) -> PyResult<PathBuf> {
        self.run(py, |archive| archive.store().data_file())
    }

    /// How many items stand in runs, each counted once.
    fn item_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, |archive| {
            let runs = archive.store().snapshot(|snapshot| snapshot.runs())?;
            Ok(runs.iter().map(|(_, run)| u64::from(run.len)).sum())
        })
    }
}

pub(crate) fn appended<'py>(py: Python<'py>, done: &Appended) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("windows", done.windows)?;
    dict.set_item("added", done.added)?;
    dict.set_item("shared", done.shared)?;
    dict.set_item("known", done.known)?;
    dict.set_item("purged", done.purged)?;
    dict.set_item("restored", done.restored)?;
    dict.set_item("diverged", done.diverged)?;
    dict.set_item("usage", done.usage)?;
    dict.set_item("changed", done.changed)?;
    dict.set_item("blobs", done.blobs)?;
    dict.set_item("raw_bytes", done.raw_bytes)?;
    dict.set_item("stored_bytes", done.stored_bytes)?;
    dict.set_item("table_bytes", done.table_bytes)?;
    dict.set_item("source_bytes", done.source_bytes)?;
    dict.set_item("run_bytes", done.run_bytes)?;
    Ok(dict)
}

/// A batch that is ready to be committed, once.
#[pyclass(module = "vox._native", frozen)]
pub struct Prepared(Mutex<Option<PreparedBatch>>);

/// A source file as it was when reading began; an answer of `Archive.standing`.
#[pyclass(module = "vox._native", frozen)]
pub struct SourceToken(Arc<SourceFile>);
