//! Counting tokens.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc};

use pyo3::{prelude::*, types::PyByteArray};
use vox_tokens::{
    batch::{self, Fit, Lanes},
    gguf::Gguf,
};
use vox_types::{Code, Error, Result};

use crate::{
    bounds::StreamBound,
    door,
    texts::{Text, Texts},
};

/// The tokenizer of a model: exact, for any bytes.
#[pyclass(module = "vox._native", frozen)]
pub struct Tokenizer(pub Arc<vox_tokens::Tokenizer>);

#[pymethods]
impl Tokenizer {
    /// That of an encoding which vox has with it.
    #[staticmethod]
    fn shipped(py: Python<'_>, encoding: &str) -> PyResult<Self> {
        let tokenizer = door::core(py, || vox_tokens::shipped(encoding))?;
        tokenizer.map(|tokenizer| Self(Arc::new(tokenizer))).ok_or_else(|| {
            let there = vox_tokens::SHIPPED.join(", ");
            let says = format!("no encoding {encoding:?} is shipped; there are: {there}");
            door::to_python(py, &Error::new(Code::NotFound, says))
        })
    }

    /// What its counts are kept under: 64 hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> String {
        self.0.fingerprint().to_string()
    }

    /// The tokenizer of a `tokenizer.json` file. With `compiled`, a folder, its compiled form is
    /// kept there and mapped the next time.
    #[staticmethod]
    #[pyo3(signature = (path, compiled = None))]
    fn from_tokenizer_json(
        py: Python<'_>,
        path: PathBuf,
        compiled: Option<PathBuf>,
    ) -> PyResult<Self> {
        door::core(py, || vox_tokens::huggingface::open(&path, compiled.as_deref()))
            .map(|tokenizer| Self(Arc::new(tokenizer)))
    }

    /// The tokens of `item`.
    fn encode(&self, py: Python<'_>, item: Text) -> Vec<u32> {
        py.detach(|| self.0.encode(item.as_ref()))
    }

    /// The tokens of all `items` as one run of `uint32`, and where those of each end in it as
    /// `uint64`.
    #[pyo3(signature = (items, threads = None))]
    fn encode_many<'py>(
        &self,
        py: Python<'py>,
        items: Texts,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let (ids, ends) =
            on_lanes(py, &items, threads, |items, lanes| batch::encode(&self.0, items, lanes))?;
        Ok((numbers(py, &ids, u32::to_ne_bytes)?, numbers(py, &ends, u64::to_ne_bytes)?))
    }

    /// How many tokens each of `items` is, as `uint32`.
    #[pyo3(signature = (items, threads = None))]
    fn count_many<'py>(
        &self,
        py: Python<'py>,
        items: Texts,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let counts =
            on_lanes(py, &items, threads, |items, lanes| batch::count(&self.0, items, lanes))?;
        numbers(py, &counts, u32::to_ne_bytes)
    }

    /// The tight bound of each of `items`, as `uint32`.
    #[pyo3(signature = (items, threads = None))]
    fn tight_bound_many<'py>(
        &self,
        py: Python<'py>,
        items: Texts,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let bounds = on_lanes(py, &items, threads, |items, lanes| {
            batch::tight_bound(&self.0, items, lanes)
        })?;
        numbers(py, &bounds, u32::to_ne_bytes)
    }

    /// The bound of each of `items` that a stream would have, as `uint32`.
    #[pyo3(signature = (items, threads = None))]
    fn bound_many<'py>(
        &self,
        py: Python<'py>,
        items: Texts,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let bounds = on_lanes(py, &items, threads, |items, lanes| {
            batch::bound(&self.0.symbols(), items, lanes)
        })?;
        numbers(py, &bounds, u32::to_ne_bytes)
    }

    /// A bound on the tokens of a text that comes in chunks.
    fn stream_bound(&self) -> StreamBound {
        StreamBound(self.0.stream_bound())
    }

    /// Whether all of `items`, each by itself, are at most `budget` tokens, and how that is known.
    #[pyo3(signature = (items, budget, threads = None))]
    fn fits(
        &self,
        py: Python<'_>,
        items: Texts,
        budget: u64,
        threads: Option<usize>,
    ) -> PyResult<(bool, &'static str, u64)> {
        let fit = on_lanes(py, &items, threads, |items, lanes| {
            Ok(batch::fits(&self.0, items, budget, lanes))
        })?;
        Ok(match fit {
            Fit::Bounded(tokens) => (true, "bound", tokens),
            Fit::Counted(tokens) => (true, "exact", tokens),
            Fit::Over(tokens) => (false, "exact", tokens),
        })
    }

    /// That in a GGUF file. With `compiled`, a folder, its compiled form is kept there and mapped
    /// the next time.
    #[staticmethod]
    #[pyo3(signature = (path, compiled = None))]
    fn from_gguf(py: Python<'_>, path: PathBuf, compiled: Option<PathBuf>) -> PyResult<Self> {
        let tokenizer = door::core(py, || Gguf::open(&path)?.tokenizer(compiled.as_deref()));
        tokenizer.map(|tokenizer| Self(Arc::new(tokenizer)))
    }

    fn __repr__(&self) -> String {
        format!("Tokenizer({})", &self.fingerprint()[..16])
    }
}

/// Runs `work` on the bytes of `items`, without the GIL, on all cores or on at most `threads`
/// threads.
pub fn on_lanes<T: Send>(
    py: Python<'_>,
    items: &Texts,
    threads: Option<usize>,
    work: impl FnOnce(&[&[u8]], Lanes) -> Result<T> + Send,
) -> PyResult<T> {
    door::core(py, || {
        let items = items.slices();
        match threads.map(NonZeroUsize::new) {
            None => vox_store::cores::on_all(|| work(&items, Lanes::default()))?,
            // One thread needs no other.
            Some(Some(NonZeroUsize::MIN)) => work(&items, Lanes::at_most(NonZeroUsize::MIN)),
            Some(Some(most)) => vox_store::cores::on_all(|| work(&items, Lanes::at_most(most)))?,
            Some(None) => Err(Error::new(Code::InvalidArgument, "threads is 0: 1 is the least")),
        }
    })
}

/// `values` in one piece, from which numpy makes an array without a copy.
pub fn numbers<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, values.len() * N, |all| {
        for (place, value) in all.as_chunks_mut().0.iter_mut().zip(values) {
            *place = bytes(*value);
        }
        Ok(())
    })
}
