//! Outlines of windows, as flat columns.

use pyo3::{
    prelude::*,
    types::{PyByteArray, PyBytes},
};
use vox_core::outline as core;
use vox_types::{ItemKind, Role};

use crate::{archive::Archive, tokens::numbers};

/// A window as it stood at one moment: what is known of its items without reading them. Columns
/// are numbers one after the other, as this machine writes them.
#[pyclass(module = "vox._native", frozen, get_all)]
pub struct Outline {
    window: u32,
    id: String,
    kind: &'static str,
    parent: Option<u32>,
    chain: Py<PyBytes>,
    model_route: Option<String>,
    committed_hash: Option<Py<PyBytes>>,
    length: usize,
    items: Py<PyByteArray>,
    contents: Py<PyByteArray>,
    created_at: Py<PyByteArray>,
    byte_len: Py<PyByteArray>,
    token_estimate: Py<PyByteArray>,
    names: Py<PyByteArray>,
    name_texts: Vec<String>,
    roles: Py<PyByteArray>,
    role_names: Vec<&'static str>,
    kinds: Py<PyByteArray>,
    kind_names: Vec<&'static str>,
    flags: Py<PyByteArray>,
    calls: Py<PyByteArray>,
    committed: Py<PyByteArray>,
    fates: Py<PyByteArray>,
}

#[pymethods]
impl Outline {
    fn __len__(&self) -> usize {
        self.length
    }

    fn __repr__(&self) -> String {
        format!("Outline(window {}, {} items)", self.window, self.length)
    }
}

/// The outline of a window, taken in one read transaction.
#[pyfunction]
pub fn outline(py: Python<'_>, archive: &Bound<'_, Archive>, window: u32) -> PyResult<Outline> {
    let outline = archive.get().run(py, |archive| archive.outline(window))?;
    to_python(py, outline)
}

fn to_python(py: Python<'_>, outline: core::Outline) -> PyResult<Outline> {
    let columns = outline.columns;
    let wide = |values: &[u64]| numbers(py, values, u64::to_ne_bytes).map(Bound::unbind);
    let words = |values: &[u32]| numbers(py, values, u32::to_ne_bytes).map(Bound::unbind);
    let bytes = |values: &[u8]| PyByteArray::new(py, values).unbind();
    let hash = |hash: &[u8; 32]| PyBytes::new(py, hash).unbind();
    Ok(Outline {
        window: outline.window,
        id: outline.id.to_string(),
        kind: outline.kind.name(),
        parent: outline.parent,
        chain: hash(&outline.chain.0),
        model_route: outline.model_route,
        committed_hash: outline.committed.map(|committed| hash(&committed.0)),
        length: columns.items.len(),
        items: wide(&columns.items)?,
        contents: wide(&columns.contents)?,
        created_at: wide(&columns.created_at)?,
        byte_len: wide(&columns.byte_len)?,
        token_estimate: words(&columns.token_estimate)?,
        names: words(&columns.names)?,
        name_texts: columns.name_texts,
        roles: bytes(&columns.roles),
        role_names: Role::ALL.iter().map(|role| role.name()).collect(),
        kinds: bytes(&columns.kinds),
        kind_names: ItemKind::ALL.iter().map(|kind| kind.name()).collect(),
        flags: bytes(&columns.flags),
        calls: words(&columns.calls)?,
        committed: numbers(py, &columns.committed, i64::to_ne_bytes)?.unbind(),
        fates: numbers(py, &columns.fates, i8::to_ne_bytes)?.unbind(),
    })
}
