//! Views of windows.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use vox_core::archive as core;
use vox_types::ItemId;

use crate::{columns::Columns, door, filters::wanted};

/// What a filter shows of a window, by position. It stays at the state it was made from.
#[pyclass(module = "vox._native", frozen)]
pub struct WindowView {
    archive: Arc<core::Archive>,
    view: Mutex<core::WindowView>,
}

impl WindowView {
    /// A view that `archive` gave.
    pub(crate) fn of(archive: Arc<core::Archive>, view: core::WindowView) -> Self {
        Self { archive, view: Mutex::new(view) }
    }

    /// The numbers of `count` items from position `start` on.
    pub(crate) fn item_ids(&self, start: u64, count: u64) -> vox_types::Result<Vec<ItemId>> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        self.archive.view_item_ids(&mut view, start, count)
    }
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
