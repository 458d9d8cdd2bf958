//! Blobs for services.

use std::path::PathBuf;

use pyo3::{prelude::*, types::PyBytes};
use vox_store::{Store, naming::Named};
use vox_types::ContentHash;

use crate::door::{self, AnyBytes, Hash};

/// Content by hash, in an archive of its own or in one that vox uses.
#[pyclass(module = "vox._native", frozen)]
pub struct ContentStore(Store);

#[pymethods]
impl ContentStore {
    #[new]
    #[pyo3(signature = (path, *, create = true, read_only = false))]
    fn new(py: Python<'_>, path: PathBuf, create: bool, read_only: bool) -> PyResult<Self> {
        door::core(py, || match (read_only, create) {
            (true, _) => Store::open_read_only(&path),
            (false, true) => Store::create(&path),
            (false, false) => Store::open(&path),
        })
        .map(Self)
    }

    /// Stores `items` and holds them; gives their hashes. Durable on return.
    #[pyo3(signature = (items, *, batch = None))]
    fn put_many<'py>(
        &self,
        py: Python<'py>,
        items: Vec<AnyBytes>,
        batch: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let items: Vec<&[u8]> = items.iter().map(|item| item.as_ref()).collect();
        let (hashes, _) = door::core(py, || match batch {
            Some(batch) => self.0.put_batches(&items, batch),
            None => self.0.put_many(&items),
        })?;
        Ok(hashes.iter().map(|hash| PyBytes::new(py, &hash.0)).collect())
    }

    /// Stores one item and holds it; gives its hash.
    fn put<'py>(&self, py: Python<'py>, item: AnyBytes) -> PyResult<Bound<'py, PyBytes>> {
        let (hashes, _) = door::core(py, || self.0.put_many(&[item.as_ref()]))?;
        Ok(PyBytes::new(py, &hashes[0].0))
    }

    /// The bytes with `hash`.
    fn get<'py>(&self, py: Python<'py>, key: Hash) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = door::core(py, || self.0.get(&key.0))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes with each of `hashes`.
    fn get_many<'py>(
        &self,
        py: Python<'py>,
        hashes: Vec<Hash>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let hashes: Vec<ContentHash> = hashes.into_iter().map(|hash| hash.0).collect();
        let all = door::core(py, || self.0.get_many(&hashes))?;
        Ok(all.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
    }

    /// For each of `hashes` how many references and holds it has; None if it isn't there.
    fn refs(&self, py: Python<'_>, hashes: Vec<Hash>) -> PyResult<Vec<Option<(u64, u64)>>> {
        let hashes: Vec<ContentHash> = hashes.into_iter().map(|hash| hash.0).collect();
        let counts = door::core(py, || self.0.counts(&hashes))?;
        let counts = counts.into_iter();
        Ok(counts.map(|counts| counts.map(|counts| (counts.references, counts.holds))).collect())
    }

    /// Gives back one hold on each of `hashes`: all or, on an error, none.
    fn release_many(&self, py: Python<'_>, hashes: Vec<Hash>) -> PyResult<()> {
        let hashes: Vec<ContentHash> = hashes.into_iter().map(|hash| hash.0).collect();
        door::core(py, || self.0.release_many(&hashes))
    }

    /// Lets `name` stand for the blob with `key`, or for nothing with None. What has a name is
    /// never collected.
    #[pyo3(signature = (name, key))]
    fn set_name(&self, py: Python<'_>, name: &str, key: Option<Hash>) -> PyResult<()> {
        let named = key.map(|key| Named::Blob(key.0));
        door::core(py, || self.0.set_name(name, named))
    }

    /// The hash of the blob that `name` stands for.
    fn resolve<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(match door::core(py, || self.0.named(name))? {
            Some(Named::Blob(hash)) => Some(PyBytes::new(py, &hash.0)),
            _ => None,
        })
    }

    /// Where it is.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }

    fn __repr__(&self) -> String {
        format!("ContentStore({:?})", self.0.path().display().to_string())
    }
}
