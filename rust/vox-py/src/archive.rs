//! Archives and views of windows.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use vox_core::archive::{self as core, SourceBatch, SourceFile, Standing};
use vox_types::{Code, Error, ItemId};

use crate::{
    columns::Columns,
    door,
    drafts::{self, Batch},
    filters::{ItemFilter, wanted, window_filter},
    frames::Records,
};

/// An open archive. Threads may share it.
#[pyclass(module = "vox._native", frozen)]
pub struct Archive(Mutex<Option<Arc<core::Archive>>>);

impl Archive {
    fn open_core(&self) -> Result<Arc<core::Archive>, Error> {
        let archive = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        archive.clone().ok_or_else(|| Error::new(Code::Closed, "the archive was closed"))
    }

    fn run<T: Send>(
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
    #[pyo3(signature = (path, *, create, read_only))]
    fn new(py: Python<'_>, path: PathBuf, create: bool, read_only: bool) -> PyResult<Self> {
        let archive = door::core(py, || match (read_only, create) {
            (true, _) => core::Archive::open_read_only(&path),
            (false, true) => core::Archive::create(&path),
            (false, false) => core::Archive::open(&path),
        })?;
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
    #[pyo3(signature = (repo, kind, tier, since, until, start, count))]
    #[expect(clippy::too_many_arguments, reason = "one for each column that can be filtered")]
    fn windows(
        &self,
        py: Python<'_>,
        repo: Option<String>,
        kind: Option<&str>,
        tier: Option<&str>,
        since: Option<i64>,
        until: Option<i64>,
        start: u64,
        count: u64,
    ) -> PyResult<Columns> {
        self.run(py, |archive| {
            let filter = window_filter(repo, kind, tier, since, until)?;
            archive.windows(&filter, start, count)
        })
        .map(Columns)
    }

    /// How many windows a list shows.
    #[pyo3(signature = (repo, kind, tier, since, until))]
    fn window_count(
        &self,
        py: Python<'_>,
        repo: Option<String>,
        kind: Option<&str>,
        tier: Option<&str>,
        since: Option<i64>,
        until: Option<i64>,
    ) -> PyResult<u64> {
        self.run(py, |archive| archive.window_count(&window_filter(repo, kind, tier, since, until)?))
    }

    /// The tree that a window belongs to, each window followed by its children.
    fn tree(&self, py: Python<'_>, window: u32) -> PyResult<Columns> {
        self.run(py, |archive| archive.tree(window)).map(Columns)
    }

    /// One window as one row.
    fn window_info(&self, py: Python<'_>, window: u32) -> PyResult<Columns> {
        self.run(py, |archive| archive.window_info(window)).map(Columns)
    }

    /// A view of what `filter` shows of a window as it is now.
    fn view(slf: Bound<'_, Self>, window: u32, filter: ItemFilter) -> PyResult<WindowView> {
        let archive = slf.get();
        let core = door::core(slf.py(), || archive.open_core())?;
        let view = door::core(slf.py(), || {
            let symbol = |name: &str| core.store().snapshot(|snapshot| snapshot.find_symbol(name));
            core.view(window, &filter.to_core(symbol)?)
        })?;
        Ok(WindowView { archive: core, view: Mutex::new(view) })
    }

    /// Items of all windows by time.
    #[pyo3(signature = (filter, repo, start, count, preview, hashes))]
    #[expect(clippy::too_many_arguments, reason = "place, scope and columns of the page")]
    fn timeline(
        &self,
        py: Python<'_>,
        filter: ItemFilter,
        repo: Option<&str>,
        start: u64,
        count: u64,
        preview: bool,
        hashes: bool,
    ) -> PyResult<Columns> {
        self.run(py, |archive| {
            let symbol = |name: &str| archive.store().snapshot(|snapshot| snapshot.find_symbol(name));
            let filter = filter.to_core(symbol)?;
            archive.timeline(&filter, repo, start, count, wanted(preview, hashes))
        })
        .map(Columns)
    }

    /// How many items the timeline has, and at which position `time` stands.
    #[pyo3(signature = (filter, repo, time))]
    fn timeline_position(
        &self,
        py: Python<'_>,
        filter: ItemFilter,
        repo: Option<&str>,
        time: Option<i64>,
    ) -> PyResult<(u64, u64)> {
        self.run(py, |archive| {
            let symbol = |name: &str| archive.store().snapshot(|snapshot| snapshot.find_symbol(name));
            archive.timeline_position(&filter.to_core(symbol)?, repo, time)
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
    /// `rewritten`; where reading goes on, with which state; and a token for `write`.
    fn standing(
        &self,
        py: Python<'_>,
        path: PathBuf,
        source: String,
    ) -> PyResult<(&'static str, u64, Option<Vec<u8>>, SourceToken)> {
        self.run(py, |archive| {
            let (state, standing) = archive.standing(&path, &source)?;
            let token = SourceToken(Arc::new(SourceFile { path, source, state }));
            Ok(match standing {
                Standing::New => ("new", 0, None, token),
                Standing::Unchanged => ("unchanged", 0, None, token),
                Standing::Appended { offset, state } => ("appended", offset, Some(state), token),
                Standing::Rewritten => ("rewritten", 0, None, token),
            })
        })
    }

    /// Appends what an adapter says of records; durable on return. Gives what became of it.
    #[pyo3(signature = (source, records, batch, *, first, last))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        source: &SourceToken,
        records: Option<&Records>,
        batch: Batch<'py>,
        first: bool,
        last: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut keys: Vec<String> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut last_key = (String::new(), usize::MAX);
        let mut items = Vec::with_capacity(batch.drafts.len());
        for draft in &batch.drafts {
            let item = drafts::draft(draft, |key| {
                if last_key.0 != key || last_key.1 == usize::MAX {
                    let place = *places.entry(key.to_owned()).or_insert_with(|| {
                        keys.push(key.to_owned());
                        keys.len() - 1
                    });
                    last_key = (key.to_owned(), place);
                }
                last_key.1
            })?;
            items.push(item.map_err(|error| door::to_python(py, &error))?);
        }
        let mut at = Vec::with_capacity(keys.len());
        for key in &keys {
            at.push(*batch.at.get(key).ok_or_else(|| {
                PyValueError::new_err(format!("the batch doesn't say at which place items of {key} go"))
            })?);
        }
        let (windows, usage, rejected) = (batch.windows, batch.usage, batch.rejected);
        let (file, state) = (source.0.clone(), batch.state);
        let records = records.map(|records| records.0.clone());
        let done = self.run(py, move |archive| {
            let batch = SourceBatch {
                records: records.unwrap_or_default(),
                keys,
                at,
                windows: windows.into_iter().map(|w| w.to_core()).collect::<Result<_, _>>()?,
                drafts: items,
                usage: usage.into_iter().map(|u| u.to_core()).collect(),
                rejected: rejected.iter().map(|r| r.to_core()).collect::<Result<_, _>>()?,
                state,
                restart: first,
                last,
            };
            archive.import(&file, batch)
        })?;
        let dict = PyDict::new(py);
        dict.set_item("windows", done.windows)?;
        dict.set_item("added", done.added)?;
        dict.set_item("shared", done.shared)?;
        dict.set_item("known", done.known)?;
        dict.set_item("diverged", done.diverged)?;
        dict.set_item("usage", done.usage)?;
        dict.set_item("blobs", done.blobs)?;
        dict.set_item("raw_bytes", done.raw_bytes)?;
        dict.set_item("stored_bytes", done.stored_bytes)?;
        Ok(dict)
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
                (path, cursor.source, cursor.records, cursor.items, cursor.quarantined, cursor.gone_at)
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
            let sizes = archive.store().snapshot(|snapshot| snapshot.blob_sizes())?;
            Ok((sizes.blobs, sizes.raw_bytes, sizes.body_bytes))
        })
    }

    /// How many items stand in runs, each counted once.
    fn item_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, |archive| {
            let runs = archive.store().snapshot(|snapshot| snapshot.runs())?;
            Ok(runs.iter().map(|(_, run)| u64::from(run.len)).sum())
        })
    }
}

/// A source file as it was when reading began; an answer of `Archive.standing`.
#[pyclass(module = "vox._native", frozen)]
pub struct SourceToken(Arc<SourceFile>);

/// What a filter shows of a window, by position. It stays at the state it was made from.
#[pyclass(module = "vox._native", frozen)]
pub struct WindowView {
    archive: Arc<core::Archive>,
    view: Mutex<core::WindowView>,
}

#[pymethods]
impl WindowView {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        door::core(py, || {
            let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
            self.archive.view_len(&mut view)
        })
        .map(|len| len as usize)
    }

    /// `count` items from position `start` on.
    fn items(
        &self,
        py: Python<'_>,
        start: u64,
        count: u64,
        preview: bool,
        hashes: bool,
    ) -> PyResult<Columns> {
        door::core(py, || {
            let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
            self.archive.view_items(&mut view, start, count, wanted(preview, hashes))
        })
        .map(Columns)
    }
}
