//! What the metadata of a GGUF file says.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::door;

/// The metadata of a file.
#[pyclass(module = "vox._native", frozen)]
pub struct Gguf(vox_tokens::gguf::Gguf);

#[pymethods]
impl Gguf {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        door::core(py, || vox_tokens::gguf::Gguf::open(&path)).map(Self)
    }

    #[getter]
    fn architecture(&self) -> &str {
        self.0.architecture()
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn model(&self) -> &str {
        self.0.model()
    }

    #[getter]
    fn pre(&self) -> &str {
        self.0.pre()
    }

    #[getter]
    fn add_bos(&self) -> bool {
        self.0.framing().add_bos
    }

    #[getter]
    fn add_eos(&self) -> bool {
        self.0.framing().add_eos
    }

    #[getter]
    fn chat_template(&self) -> Option<&str> {
        self.0.framing().chat_template.as_deref()
    }

    #[getter]
    fn context_length(&self) -> Option<u64> {
        self.0.framing().context_length
    }

    fn __len__(&self) -> usize {
        self.0.tokens()
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
