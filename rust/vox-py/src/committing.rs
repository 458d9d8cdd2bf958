//! Committed sets of windows, fates that are set by hand, and the models that windows are bound to.

use pyo3::{prelude::*, types::PyBytes};
use vox_store::committed::Commit;
use vox_types::ChainHash;

use crate::{
    archive::Archive,
    door::{AnyBytes, Hash},
};

/// Lets `document` be the committed set of a window, if its chain hash and its set are as given;
/// gives the hash of the document.
#[pyfunction]
#[pyo3(signature = (archive, window, document, positions, *, expected_chain, previous))]
pub fn commit_context<'py>(
    py: Python<'py>,
    archive: &Bound<'py, Archive>,
    window: u32,
    document: AnyBytes,
    positions: Vec<(u64, u64)>,
    expected_chain: Hash,
    previous: Option<Hash>,
) -> PyResult<Bound<'py, PyBytes>> {
    let hash = archive.get().run(py, |archive| {
        archive.store().commit_context(Commit {
            window,
            document: document.as_ref().to_vec(),
            positions,
            chain: ChainHash(expected_chain.0.0),
            previous: previous.map(|previous| previous.0),
        })
    })?;
    Ok(PyBytes::new(py, &hash.0))
}

/// A hash and the document that has it.
type Committed<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// The committed set of a window and its hash; None if nothing was committed.
#[pyfunction]
pub fn committed_context<'py>(
    py: Python<'py>,
    archive: &Bound<'py, Archive>,
    window: u32,
) -> PyResult<Option<Committed<'py>>> {
    let found = archive
        .get()
        .run(py, |archive| archive.store().snapshot(|now| now.committed_context(window)))?;
    Ok(found.map(|(hash, document)| (PyBytes::new(py, &hash.0), PyBytes::new(py, &document))))
}

/// Sets fates of items by hand, each range as first ordinal, count and the number of a fate or
/// None; gives of how many items that changed anything.
#[pyfunction]
pub fn set_fates(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    window: u32,
    fates: Vec<(u64, u64, Option<u8>)>,
) -> PyResult<u64> {
    let fates = fates.into_iter().map(|(first, count, fate)| {
        let ordinals = first..first.saturating_add(count);
        (ordinals, fate)
    });
    let fates = fates.collect();
    archive.get().run(py, |archive| archive.store().set_fates(window, fates))
}

/// Binds a window to a model, or with None to that of its source again; gives whether that changed
/// anything.
#[pyfunction]
#[pyo3(signature = (archive, window, model))]
pub fn set_route(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    window: u32,
    model: Option<String>,
) -> PyResult<bool> {
    archive.get().run(py, |archive| archive.store().set_route(window, model))
}
