//! What users do to windows and their items.

use std::ops::Range;

use pyo3::prelude::*;
use vox_core::archive as core;
use vox_store::window_ops::{Label, Mark, Merge, NewWindow, Places};
use vox_types::{Code, Error, ItemId, Result};

use crate::{
    archive::Archive,
    filters::{ItemFilter, WindowFilter},
};

/// Ranges of ordinals of a window, each as start and end.
type Ranges = (u32, Vec<(u64, u64)>);

fn places((window, ranges): Ranges) -> Places {
    let range = |(start, end): (u64, u64)| Range { start, end };
    Places { window, ordinals: ranges.into_iter().map(range).collect() }
}

/// `vox.archive.window_ops.Selection`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Selection {
    places: Option<Vec<Ranges>>,
    items: Option<Vec<u64>>,
    windows: Option<Vec<u32>>,
    list: Option<WindowFilter>,
    filter: Option<ItemFilter>,
}

impl Selection {
    fn into_core(self, archive: &core::Archive) -> Result<core::Selection> {
        let symbol = |name: &str| archive.store().snapshot(|snapshot| snapshot.find_symbol(name));
        let within = match (self.places, self.items, self.windows, self.list) {
            (Some(ranges), ..) => core::Within::Places(ranges.into_iter().map(places).collect()),
            (None, Some(items), windows, _) => {
                core::Within::Items(items.into_iter().map(ItemId).collect(), windows)
            }
            (None, None, Some(windows), _) => core::Within::Windows(windows),
            (None, None, None, Some(list)) => core::Within::List(list.into_core()?),
            (None, None, None, None) => {
                return Err(Error::new(Code::InvalidArgument, "no items were selected"));
            }
        };
        let filter = self.filter.map(|filter| filter.to_core(symbol)).transpose()?;
        Ok(core::Selection { within, filter })
    }
}

fn no_verb(verb: &str) -> Error {
    Error::new(Code::InvalidArgument, format!("{verb:?} is nothing that is done to windows"))
}

/// What became of a window: its id, items, bytes and tokens that changed, items that were kept.
type MarkedRow = (String, u64, u64, u64, u64);

/// Marks items, or with `dry_run` says what that would change.
#[pyfunction]
pub fn mark(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    verb: &str,
    selection: Selection,
    dry_run: bool,
) -> PyResult<Vec<MarkedRow>> {
    let mark = match verb {
        "trim" => Ok(Mark::Trim),
        "trim_pinned_too" => Ok(Mark::TrimPinnedToo),
        "restore" => Ok(Mark::Restore),
        "pin" => Ok(Mark::Pin),
        "unpin" => Ok(Mark::Unpin),
        other => Err(no_verb(other)),
    };
    let done = archive
        .get()
        .run(py, |archive| archive.mark(mark?, selection.into_core(archive)?, dry_run))?;
    let row = |done: core::MarkedWindow| {
        let sums = done.marked.changed;
        (done.id.to_string(), sums.items, sums.bytes, sums.tokens, done.marked.kept)
    };
    Ok(done.into_iter().map(row).collect())
}

/// Changes what is said of windows, or with `dry_run` says which would change; gives their
/// numbers.
#[pyfunction]
pub fn label(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    windows: Vec<u32>,
    verb: &str,
    texts: Vec<String>,
    below: bool,
    dry_run: bool,
) -> PyResult<Vec<u32>> {
    let label = match verb {
        "rename" => Ok(Label::Rename(texts.into_iter().next())),
        "tag" => Ok(Label::Tag(texts)),
        "untag" => Ok(Label::Untag(texts)),
        "pin" => Ok(Label::Pin),
        "unpin" => Ok(Label::Unpin),
        "delete" => Ok(Label::Delete),
        "undelete" => Ok(Label::Undelete),
        other => Err(no_verb(other)),
    };
    archive.get().run(py, |archive| {
        let label = label?;
        match dry_run {
            true => archive.store().snapshot(|now| now.would_label(&windows, below, &label)),
            false => archive.store().label(windows, below, label),
        }
    })
}

/// Makes a window that begins with the first `count` items of another; gives its number.
#[pyfunction]
#[pyo3(signature = (archive, window, count, key, title))]
pub fn fork(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    window: u32,
    count: u64,
    key: String,
    title: Option<String>,
) -> PyResult<u32> {
    let new = NewWindow { key, title };
    archive.get().run(py, |archive| archive.store().fork(window, count, new))
}

/// Makes a window of picked items; gives its number, how many it has, how many were left out
/// because they are purged, and how many results and calls lack their other half.
#[pyfunction]
#[pyo3(signature = (archive, parts, key, title))]
pub fn merge(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    parts: Vec<Ranges>,
    key: String,
    title: Option<String>,
) -> PyResult<(u32, u64, u64, u64, u64)> {
    let parts: Vec<Places> = parts.into_iter().map(places).collect();
    archive.get().run(py, |archive| {
        let torn = archive.unpaired(&parts)?;
        let done = archive.store().merge(Merge { new: NewWindow { key, title }, parts })?;
        Ok((done.window, done.items, done.purged, torn.results, torn.calls))
    })
}

/// The links of a window to those it came from: how, which window, and the place there.
#[pyfunction]
pub fn links(
    py: Python<'_>,
    archive: &Bound<'_, Archive>,
    window: u32,
) -> PyResult<Vec<(&'static str, u32, u64)>> {
    let links =
        archive.get().run(py, |archive| archive.store().snapshot(|now| now.links(window)))?;
    Ok(links.into_iter().map(|(link, to, ordinal)| (link.name(), to, ordinal)).collect())
}
