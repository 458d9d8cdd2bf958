//! Bounds on tokens.

use pyo3::{prelude::*, types::PyByteArray};
use vox_tokens::{
    batch,
    bound::{Assumption, Symbols},
};
use vox_types::{Code, Error};

use crate::{
    door,
    texts::{Text, Texts},
    tokens::{numbers, on_lanes},
};

/// A bound where no tokenizer is at hand.
#[pyclass(module = "vox._native", frozen)]
pub struct AssumedBound {
    form: &'static str,
    /// How many symbols a text is at most.
    pub symbols: Symbols,
}

#[pymethods]
impl AssumedBound {
    #[new]
    fn new(py: Python<'_>, form: &str) -> PyResult<Self> {
        door::core(py, || {
            let all = Assumption::ALL.into_iter();
            let Some(assumption) = all.clone().find(|assumption| assumption.name() == form) else {
                let names: Vec<_> = all.map(Assumption::name).collect();
                let says = format!("no form {form:?}; there are: {}", names.join(", "));
                return Err(Error::new(Code::InvalidArgument, says));
            };
            Ok(Self { form: assumption.name(), symbols: assumption.symbols() })
        })
    }

    /// The bound of each of `items`, as `uint32`.
    #[pyo3(signature = (items, threads = None))]
    fn bound_many<'py>(
        &self,
        py: Python<'py>,
        items: Texts,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let bounds = on_lanes(py, &items, threads, |items, lanes| {
            batch::bound(&self.symbols, items, lanes)
        })?;
        numbers(py, &bounds, u32::to_ne_bytes)
    }

    /// The same of a text that comes in chunks.
    fn stream_bound(&self) -> StreamBound {
        StreamBound(vox_tokens::bound::StreamBound::new(self.symbols.clone()))
    }

    /// Whether the bound of all of `items`, each by itself, is at most `budget`, and that bound.
    #[pyo3(signature = (items, budget, threads = None))]
    fn fits(
        &self,
        py: Python<'_>,
        items: Texts,
        budget: u64,
        threads: Option<usize>,
    ) -> PyResult<(bool, u64)> {
        let bound = on_lanes(py, &items, threads, |items, lanes| {
            Ok(batch::bounded(&self.symbols, items, budget, lanes))
        })?;
        Ok((bound <= budget, bound))
    }

    fn __repr__(&self) -> String {
        format!("AssumedBound({:?})", self.form)
    }
}

/// A bound on the tokens of a text that comes in chunks, in constant memory.
#[pyclass(module = "vox._native")]
pub struct StreamBound(pub vox_tokens::bound::StreamBound);

#[pymethods]
impl StreamBound {
    /// The text goes on.
    fn feed(&mut self, py: Python<'_>, chunk: Text) {
        py.detach(|| self.0.feed(chunk.as_ref()));
    }

    /// The bound on what came so far, as if nothing came after it.
    #[getter]
    fn total(&self) -> u64 {
        self.0.total()
    }
}
