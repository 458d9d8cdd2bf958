//! Saving what is readable of a damaged archive.

use std::path::PathBuf;

use pyo3::{prelude::*, types::PyDict};
use vox_store::salvage;

use crate::door;

/// Copies all that is readable of the damaged archive or data file at `path` into a new archive at
/// `target`; gives what was saved and what wasn't.
#[pyfunction]
pub fn salvage_archive(
    py: Python<'_>,
    path: PathBuf,
    target: PathBuf,
) -> PyResult<Bound<'_, PyDict>> {
    let report = door::core(py, || salvage::salvage(&path, &target))?;
    let dict = PyDict::new(py);
    dict.set_item("whole", report.is_whole())?;
    dict.set_item("source", report.source)?;
    dict.set_item("saved", report.saved)?;
    dict.set_item("lost", report.lost)?;
    let losses = report.losses.iter().map(|loss| (loss.table, loss.key.as_deref(), &*loss.message));
    dict.set_item("losses", losses.collect::<Vec<_>>())?;
    dict.set_item("ordinals", report.ordinals)?;
    dict.set_item("made_up", report.made_up)?;
    dict.set_item("left_out", report.left_out.into_iter().collect::<Vec<_>>())?;
    Ok(dict)
}
