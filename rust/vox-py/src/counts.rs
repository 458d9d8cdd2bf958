//! Counts that are kept: of texts in a folder, of items in their archive.

use std::path::PathBuf;

use pyo3::{buffer::PyBuffer, prelude::*, types::PyByteArray};
use vox_core::archive::Measure;
use vox_tokens::{
    batch::{self, Lanes},
    kept::{self, Cache},
};
use vox_types::ItemId;

use crate::{
    archive::Archive,
    bounds::AssumedBound,
    door,
    ratios::Ratio,
    texts::Texts,
    tokens::{Tokenizer, numbers, on_lanes},
    view::WindowView,
};

/// A folder of counts by content, one folder for each tokenizer in it.
#[pyclass(module = "vox._native", frozen)]
pub struct CountCache(Cache);

#[pymethods]
impl CountCache {
    #[new]
    #[pyo3(signature = (path, *, most_bytes = kept::MOST_BYTES, read_only = false))]
    fn new(path: PathBuf, most_bytes: u64, read_only: bool) -> Self {
        Self(Cache::at(&path, most_bytes, !read_only))
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.0.root().to_path_buf()
    }

    /// How many tokens each of `items` is, as `uint32`; of how many that was known, and whether
    /// all is kept now.
    #[pyo3(signature = (items, tokenizer, threads = None))]
    fn count_many<'py>(
        &self,
        py: Python<'py>,
        items: Texts,
        tokenizer: &Tokenizer,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyByteArray>, u64, bool)> {
        let counted =
            on_lanes(py, &items, threads, |items, lanes| self.0.count(&tokenizer.0, items, lanes))?;
        let tokens = numbers(py, &counted.tokens, u32::to_ne_bytes)?;
        Ok((tokens, counted.known, counted.kept))
    }

    fn __repr__(&self) -> String {
        format!("CountCache({:?})", self.0.root())
    }
}

/// Tokens as `uint32`; places of what was purged, and of what is no text, as `uint64`; how many
/// counts were known, and whether all are kept now.
type Counted<'py> =
    (Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, Bound<'py, PyByteArray>, u64, bool);

/// What items are counted by.
#[derive(FromPyObject)]
pub enum By<'py> {
    /// Exactly; counts are kept.
    Tokenizer(Bound<'py, Tokenizer>),
    /// By a bound, which takes little more time than looking it up.
    Bound(Bound<'py, AssumedBound>),
    /// By measured ratios, which takes no more.
    Ratio(Bound<'py, Ratio>),
}

/// How many tokens each item of an archive is. `items` holds their numbers as `uint64`.
#[pyfunction]
pub fn count_items<'py>(
    py: Python<'py>,
    archive: &Archive,
    items: PyBuffer<u64>,
    by: By<'py>,
) -> PyResult<Counted<'py>> {
    let items: Vec<ItemId> = items.to_vec(py)?.into_iter().map(ItemId).collect();
    let counted = match by {
        By::Tokenizer(tokenizer) => {
            let tokenizer = &*tokenizer.get().0;
            let count = |texts: &[&[u8]]| batch::count(tokenizer, texts, Lanes::default());
            let measure = Measure { fingerprint: Some(tokenizer.fingerprint()), count: &count };
            archive.run(py, |archive| archive.count_items(&items, &measure))?
        }
        By::Bound(bound) => {
            let symbols = &bound.get().symbols;
            let count = |texts: &[&[u8]]| batch::bound(symbols, texts, Lanes::default());
            let measure = Measure { fingerprint: None, count: &count };
            archive.run(py, |archive| archive.count_items(&items, &measure))?
        }
        By::Ratio(ratio) => {
            let family = ratio.get().0;
            let count = |texts: &[&[u8]]| batch::ratio(family, texts, Lanes::default());
            let measure = Measure { fingerprint: None, count: &count };
            archive.run(py, |archive| archive.count_items(&items, &measure))?
        }
    };
    Ok((
        numbers(py, &counted.tokens, u32::to_ne_bytes)?,
        numbers(py, &counted.purged, u64::to_ne_bytes)?,
        numbers(py, &counted.no_text, u64::to_ne_bytes)?,
        counted.known,
        counted.kept,
    ))
}

/// The numbers of `count` items of a view from position `start` on, as `uint64`.
#[pyfunction]
pub fn view_item_ids<'py>(
    py: Python<'py>,
    view: &WindowView,
    start: u64,
    count: u64,
) -> PyResult<Bound<'py, PyByteArray>> {
    let items = door::core(py, || view.item_ids(start, count))?;
    numbers(py, &items, |item| item.0.to_ne_bytes())
}
