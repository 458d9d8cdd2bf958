//! Framing of source files.

use std::{path::PathBuf, sync::Arc};

use pyo3::{exceptions::PyIndexError, prelude::*, types::PyBytes};
use vox_frame::Limits;

use crate::door;

/// Reads a source file as records, a batch at a time, from `offset` on.
#[pyclass(module = "vox._native")]
pub struct Framer(vox_frame::Framer);

#[pymethods]
impl Framer {
    #[new]
    #[pyo3(signature = (path, offset = 0))]
    fn new(py: Python<'_>, path: PathBuf, offset: u64) -> PyResult<Self> {
        door::core(py, || vox_frame::Framer::open(&path, offset, Limits::default())).map(Self)
    }

    /// The next records, or None at the end.
    fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<Records>> {
        let records = door::core(py, || self.0.next_batch())?;
        Ok(records.map(|records| Records(Arc::new(records))))
    }

    /// Where reading goes on (bytes, decompressed).
    #[getter]
    fn end(&self) -> u64 {
        self.0.end()
    }

    /// After the last batch: how many bytes at the end are no whole record yet.
    #[getter]
    fn pending(&self) -> u64 {
        self.0.pending()
    }
}

/// A sequence of records, each one JSON value as `bytes`.
#[pyclass(module = "vox._native", frozen, sequence)]
pub struct Records(pub Arc<vox_frame::Records>);

#[pymethods]
impl Records {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyBytes>> {
        let place = if index < 0 { index + self.0.len() as isize } else { index };
        match usize::try_from(place).ok().and_then(|place| self.0.get(place)) {
            Some(record) => Ok(PyBytes::new(py, record.bytes)),
            None => Err(PyIndexError::new_err("no such record")),
        }
    }

    /// Where each record starts in the (decompressed) file.
    #[getter]
    fn offsets(&self) -> Vec<u64> {
        self.0.iter().map(|record| record.offset).collect()
    }

    /// Where reading goes on.
    #[getter]
    fn end(&self) -> u64 {
        self.0.end
    }

    /// What isn't a record: offset, length, reason.
    #[getter]
    fn quarantined(&self) -> Vec<(u64, u64, &'static str)> {
        let stretches = self.0.quarantined.iter();
        stretches.map(|s| (s.offset, s.length, s.reason.name())).collect()
    }
}
