//! Estimates without a tokenizer.

use pyo3::{
    prelude::*,
    types::{PyByteArray, PyDict},
};
use vox_tokens::{
    batch,
    ratio::{Census, Class, FEATURES, Family},
};
use vox_types::{Code, Error};

use crate::{
    door,
    texts::{Text, Texts},
    tokens::{numbers, on_lanes},
};

/// Estimates of a family of tokenizers.
#[pyclass(module = "vox._native", frozen)]
pub struct Ratio(pub &'static Family);

#[pymethods]
impl Ratio {
    #[new]
    fn new(py: Python<'_>, family: &str) -> PyResult<Self> {
        door::core(py, || {
            Family::named(family).map(Self).ok_or_else(|| {
                let known: Vec<_> = Family::all().iter().map(|family| family.name).collect();
                let known = known.join(", ");
                let message = format!("no ratios of a family {family:?}; there are: {known}");
                Error::new(Code::NotFound, message)
            })
        })
    }

    /// Its name.
    #[getter]
    fn family(&self) -> &'static str {
        self.0.name
    }

    /// About how many tokens each of `items` is, as `uint32`.
    #[pyo3(signature = (items, threads = None))]
    fn estimate_many<'py>(
        &self,
        py: Python<'py>,
        items: Texts,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let tokens =
            on_lanes(py, &items, threads, |items, lanes| batch::ratio(self.0, items, lanes))?;
        numbers(py, &tokens, u32::to_ne_bytes)
    }

    fn __repr__(&self) -> String {
        format!("Ratio({:?})", self.0.name)
    }
}

/// The class of `item` and its features.
#[pyfunction]
pub fn census(py: Python<'_>, item: Text) -> PyResult<(&'static str, Bound<'_, PyDict>)> {
    let census = py.detach(|| Census::of(item.as_ref()));
    let counts = PyDict::new(py);
    for (feature, count) in FEATURES.iter().zip(census.counts) {
        counts.set_item(feature, count)?;
    }
    Ok((Class::of(&census).name(), counts))
}

/// The names of all content classes.
#[pyfunction]
pub fn content_classes() -> Vec<&'static str> {
    Class::ALL.iter().map(|class| class.name()).collect()
}
