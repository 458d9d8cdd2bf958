//! Secrets in texts and items.

use pyo3::{prelude::*, types::PyBytes};
use vox_secrets::{Masked, Scanner};
use vox_types::ItemId;

use crate::{
    archive::Archive,
    door::{self, AnyBytes},
};

/// Start, end and rule of each span.
type Spans = Vec<(usize, usize, &'static str)>;

/// The version of the rules for secrets, as 16 hexadecimal digits.
#[pyfunction]
pub fn secret_rules_version(py: Python<'_>) -> PyResult<String> {
    door::core(py, || Ok(format!("{:016x}", Scanner::standard()?.rules().version())))
}

/// What of `text` is taken for secrets.
#[pyfunction]
pub fn find_secrets(py: Python<'_>, text: AnyBytes) -> PyResult<Spans> {
    door::core(py, || {
        let scanner = Scanner::standard()?;
        let spans = scanner.spans(text.as_ref());
        Ok(spans.iter().map(|span| (span.start, span.end, scanner.rules().id(span.rule))).collect())
    })
}

/// `text` with its secrets masked.
#[pyfunction]
pub fn mask_secrets<'py>(py: Python<'py>, text: AnyBytes) -> PyResult<Bound<'py, PyBytes>> {
    let masked = door::core(py, || {
        let scanner = Scanner::standard()?;
        let spans = scanner.spans(text.as_ref());
        Ok(Masked::new(text.as_ref(), &spans, scanner.rules()).text.into_owned())
    })?;
    Ok(PyBytes::new(py, &masked))
}

/// Scans what isn't known yet; gives blobs, bytes, and blobs with secrets.
#[pyfunction]
pub fn scan_secrets(py: Python<'_>, archive: &Bound<'_, Archive>) -> PyResult<(u64, u64, u64)> {
    let mut raised = None;
    let scanned = archive.get().run(py, |archive| {
        archive.scan_secrets(|_| {
            Ok(Python::attach(|py| match py.check_signals() {
                Ok(()) => true,
                Err(error) => {
                    raised = Some(error);
                    false
                }
            }))
        })
    })?;
    match raised {
        Some(error) => Err(error),
        None => Ok((scanned.blobs, scanned.bytes, scanned.found)),
    }
}

/// The secrets of an item.
#[pyfunction]
pub fn item_secrets(py: Python<'_>, archive: &Bound<'_, Archive>, item: u64) -> PyResult<Spans> {
    archive.get().run(py, |archive| archive.item_secrets(ItemId(item)))
}

/// An item's bytes with its secrets masked; None if it has none.
#[pyfunction]
pub fn masked_item<'py>(
    py: Python<'py>,
    archive: &Bound<'py, Archive>,
    item: u64,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let masked = archive.get().run(py, |archive| archive.masked_item(ItemId(item)))?;
    Ok(masked.map(|masked| PyBytes::new(py, &masked)))
}

/// For each of `items` how it begins with its secrets masked; None if its preview has none.
#[pyfunction]
pub fn masked_previews(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    items: Vec<u64>,
) -> PyResult<Vec<Option<String>>> {
    let items: Vec<ItemId> = items.into_iter().map(ItemId).collect();
    archive.get().run(py, |archive| archive.masked_previews(&items))
}
