//! Collecting, purging and leases, for Python.

use pyo3::{prelude::*, types::PyDict};
use vox_core::archive::Archive;
use vox_store::{gc, leases::LeaseRow, now, purge};
use vox_types::{Error, WindowNo};

/// What to purge, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PurgeOptions {
    windows: Vec<WindowNo>,
    trimmed: bool,
    deleted: bool,
    older: Option<i64>,
    now: bool,
    why: String,
    dry_run: bool,
}

/// Collects; see `vox.archive.gc`.
pub fn collect(archive: &Archive, dry_run: bool, grace: i64) -> Result<gc::Collected, Error> {
    archive.collect(&gc::Options { dry_run, grace, at: None })
}

/// Purges; see `vox.archive.purge`.
pub fn purge(archive: &Archive, wanted: PurgeOptions) -> Result<purge::Purged, Error> {
    let usual = purge::Options::default();
    let at = now();
    let older = wanted.older.map_or(0, |older| at.saturating_sub(older));
    archive.purge(&purge::Options {
        windows: wanted.windows,
        trimmed: wanted.trimmed,
        deleted: wanted.deleted,
        grace: if wanted.now { older } else { usual.grace.max(older) },
        at,
        why: wanted.why,
        dry_run: wanted.dry_run,
    })
}

/// What became of a collection.
pub fn collected<'py>(py: Python<'py>, done: &gc::Collected) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("dry_run", done.dry_run)?;
    dict.set_item("items", done.items)?;
    dict.set_item("blobs", done.blobs)?;
    dict.set_item("unused", done.unused)?;
    dict.set_item("waiting", done.waiting)?;
    dict.set_item("removed", done.removed)?;
    dict.set_item("removed_raw_bytes", done.removed_raw_bytes)?;
    dict.set_item("removed_bytes", done.removed_bytes)?;
    dict.set_item("removed_raw_runs", done.removed_raw_runs)?;
    dict.set_item("leases_cleared", done.leases_cleared)?;
    dict.set_item("held_back_by", leases(py, &done.held_back_by)?)?;
    Ok(dict)
}

/// What became of a purge.
pub fn purged<'py>(py: Python<'py>, done: &purge::Purged) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("dry_run", done.dry_run)?;
    dict.set_item("items", done.items)?;
    dict.set_item("bytes", done.bytes)?;
    dict.set_item("windows", done.windows)?;
    dict.set_item("kept_shared", done.kept_shared)?;
    dict.set_item("pinned_items", done.pinned_items)?;
    dict.set_item("pinned_windows", done.pinned_windows)?;
    dict.set_item("recent_items", done.recent_items)?;
    dict.set_item("recent_windows", done.recent_windows)?;
    Ok(dict)
}

fn leases<'py>(py: Python<'py>, leases: &[LeaseRow]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let lease = |row: &LeaseRow| {
        let dict = PyDict::new(py);
        dict.set_item("kind", &row.kind)?;
        dict.set_item("pid", row.pid)?;
        dict.set_item("started", row.started)?;
        Ok(dict)
    };
    leases.iter().map(lease).collect()
}
