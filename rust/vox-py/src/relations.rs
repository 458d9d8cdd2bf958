//! What later items of a window refer to, and the bytes of many items.

use pyo3::{
    buffer::PyBuffer,
    prelude::*,
    types::{PyByteArray, PyBytes, PyList},
};
use vox_core::relations as core;
use vox_types::{ItemId, WindowNo};

use crate::{archive::Archive, tokens::numbers};

/// What the items of a window are to each other.
#[pyclass(module = "vox._native", frozen)]
pub struct Relations(core::Relations);

#[pymethods]
impl Relations {
    /// By how many later items the names of each are used again, as `uint32`.
    #[getter]
    fn mentions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        numbers(py, &self.0.mentions, u32::to_ne_bytes)
    }

    /// The ordinal of the last of those items, its own if there are none, as `uint32`.
    #[getter]
    fn last_uses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        numbers(py, &self.0.last_uses, u32::to_ne_bytes)
    }

    /// For each item the place in `paths` of the file that it is about, or -1, as `int32`.
    #[getter]
    fn touched<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyByteArray>> {
        numbers(py, &self.0.touched, i32::to_ne_bytes)
    }

    /// The files that tool calls are about, in the order in which they are first named.
    #[getter]
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.0.paths)
    }

    /// How many items needn't be read, as what they are was kept.
    #[getter]
    fn known(&self) -> u64 {
        self.0.known
    }

    /// Whether all of it is kept now.
    #[getter]
    fn kept(&self) -> bool {
        self.0.kept
    }

    fn __len__(&self) -> usize {
        self.0.mentions.len()
    }

    fn __repr__(&self) -> String {
        format!("Relations({} items, {} paths)", self.0.mentions.len(), self.0.paths.len())
    }
}

/// What the items of a window are to each other.
#[pyfunction]
pub fn relations(py: Python<'_>, archive: &Archive, window: WindowNo) -> PyResult<Relations> {
    archive.run(py, |archive| archive.relations(window)).map(Relations)
}

/// Numbers of items.
#[derive(FromPyObject)]
pub enum Items {
    /// As `uint64`.
    #[pyo3(annotation = "a buffer of uint64")]
    Column(PyBuffer<u64>),
    /// `uint64` in native order, as plain bytes.
    #[pyo3(annotation = "bytes")]
    Bytes(PyBuffer<u8>),
    /// A list.
    #[pyo3(annotation = "a list of numbers")]
    List(Vec<u64>),
}

/// The bytes of each of `items`, all of one moment; None for one that was purged.
#[pyfunction]
pub fn read_many<'py>(
    py: Python<'py>,
    archive: &Archive,
    items: Items,
) -> PyResult<Bound<'py, PyList>> {
    let items: Vec<u64> = match items {
        Items::Column(column) => column.to_vec(py)?,
        Items::Bytes(bytes) => {
            let bytes = bytes.to_vec(py)?;
            let (words, rest) = bytes.as_chunks::<8>();
            if !rest.is_empty() {
                let says = format!("{} bytes are no numbers of 8 bytes each", bytes.len());
                let error = vox_types::Error::new(vox_types::Code::InvalidArgument, says);
                return Err(crate::door::to_python(py, &error));
            }
            words.iter().map(|word| u64::from_ne_bytes(*word)).collect()
        }
        Items::List(items) => items,
    };
    let items: Vec<ItemId> = items.into_iter().map(ItemId).collect();
    let read = archive.run(py, |archive| archive.read_items(&items))?;
    PyList::new(py, read.iter().map(|bytes| bytes.as_ref().map(|bytes| PyBytes::new(py, bytes))))
}
