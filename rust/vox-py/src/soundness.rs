//! Verifying and repairing an archive.

use pyo3::{prelude::*, types::PyDict};
use vox_store::verify::Report;

/// A report as a dictionary: verdict, checked, findings, total, notes, sampled.
pub fn report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("verdict", report.verdict().name())?;
    dict.set_item("checked", report.checked.clone())?;
    dict.set_item("total", report.total)?;
    dict.set_item("notes", &report.notes)?;
    dict.set_item("sampled", report.sampled)?;
    let findings: PyResult<Vec<_>> = report
        .findings
        .iter()
        .map(|finding| {
            let dict = PyDict::new(py);
            dict.set_item("table", finding.table)?;
            dict.set_item("key", finding.key.as_deref())?;
            dict.set_item("page", finding.page)?;
            dict.set_item("kind", finding.kind.name())?;
            dict.set_item("message", &finding.message)?;
            dict.set_item("repairable", finding.repairable)?;
            Ok(dict)
        })
        .collect();
    dict.set_item("findings", findings?)?;
    Ok(dict)
}
