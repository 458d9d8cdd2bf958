//! Compacting, migrating and copying an archive.

use pyo3::{prelude::*, types::PyDict};
use vox_store::generations::{Compacted, Migrated};

/// What compacting came to, as a dictionary.
pub fn compacted<'py>(py: Python<'py>, done: &Compacted) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("generation", done.to)?;
    dict.set_item("bytes_before", done.bytes_before)?;
    dict.set_item("bytes_after", done.bytes_after)?;
    Ok(dict)
}

/// What migrating came to, as a dictionary.
pub fn migrated<'py>(py: Python<'py>, done: &Migrated) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("format_before", done.from)?;
    dict.set_item("generation", done.generation)?;
    dict.set_item("bytes_before", done.bytes_before)?;
    dict.set_item("bytes_after", done.bytes_after)?;
    Ok(dict)
}
