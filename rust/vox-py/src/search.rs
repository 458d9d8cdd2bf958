//! Searches and their answers.

use std::{
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};
use vox_core::{
    archive as core,
    search::{
        Answer, Hit, Line, SearchRequest, Snippet, Standing, State, TimeOrder, Way, WindowLabel,
    },
};
use vox_types::{Code, Error, ItemId, Result};

use crate::{archive::Archive, door};

/// What is asked: the fields of `vox.archive.search.Wanted`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    query: String,
    now: i64,
    repos: Vec<String>,
    sub_agents: bool,
    as_of: Option<u64>,
    seconds: Option<f64>,
    index: bool,
}

impl Wanted {
    fn into_core(self) -> Result<SearchRequest> {
        let deadline = match self.seconds.map(Duration::try_from_secs_f64).transpose() {
            // What ends after all time never ends.
            Ok(length) => length.and_then(|length| Instant::now().checked_add(length)),
            Err(_) => {
                let says = "seconds: how long a search may take is a number from 0 on";
                return Err(Error::new(Code::InvalidArgument, says));
            }
        };
        Ok(SearchRequest {
            query: self.query,
            now: self.now,
            repos: self.repos,
            sub_agents: self.sub_agents,
            as_of: self.as_of,
            deadline,
            scan: !self.index,
        })
    }
}

/// Searches an archive.
#[pyfunction]
pub fn search(py: Python<'_>, archive: &Archive, wanted: Wanted) -> PyResult<Answered> {
    door::core(py, || {
        let archive = archive.open_core()?;
        let answer = archive.search(&wanted.into_core()?)?;
        Ok(Answered { archive, answer })
    })
}

/// At most `count` items that have to do with a question, and how much of its words the best of them
/// hold. It is looked for by `words`, by what was `touched`, or for `contents` by their numbers, the
/// best first.
#[pyfunction]
pub fn related(
    py: Python<'_>,
    archive: &Archive,
    wanted: Wanted,
    question: &str,
    way: &str,
    contents: Vec<u64>,
    count: usize,
) -> PyResult<(Answered, Option<f32>)> {
    door::core(py, || {
        let archive = archive.open_core()?;
        let way = match way {
            "words" => Way::Words,
            "touched" => Way::Touched,
            _ => Way::Contents(contents),
        };
        let found = archive.related(&wanted.into_core()?, question, &way, count)?;
        Ok((Answered { archive, answer: found.answer }, found.covered))
    })
}

/// Lets the search index catch up with an archive, or builds it anew.
#[pyfunction]
pub fn update_index<'py>(
    py: Python<'py>,
    archive: &Archive,
    anew: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let done =
        archive.run(py, |archive| if anew { archive.reindex() } else { archive.follow() })?;
    let report = PyDict::new(py);
    let standing = match done.standing {
        Standing::Current => "current",
        Standing::Busy => "busy",
        Standing::Newer => "newer",
    };
    report.set_item("standing", standing)?;
    report.set_item("anew", done.anew)?;
    report.set_item("added", done.added)?;
    report.set_item("unreadable", done.unreadable)?;
    Ok(report)
}

/// What a search found. It stays at the state of the archive that it was made from.
#[pyclass(module = "vox._native", frozen)]
pub struct Answered {
    archive: Arc<core::Archive>,
    answer: Answer,
}

#[pymethods]
impl Answered {
    /// How far it covers what was asked.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        let name = match self.answer.state() {
            State::Complete => "complete",
            State::NotIndexed { why } => {
                state.set_item("why", why)?;
                "not_indexed"
            }
            State::Partial { searched, of } => {
                state.set_item("searched", searched)?;
                state.set_item("of", of)?;
                "partial"
            }
            State::Stale { behind } => {
                state.set_item("behind", behind)?;
                "stale"
            }
        };
        state.set_item("state", name)?;
        Ok(state)
    }

    /// The last event of the state that it was made from.
    #[getter]
    fn as_of(&self) -> Option<u64> {
        self.answer.as_of()
    }

    /// Whether it is confined to the repositories that were asked for.
    #[getter]
    fn of_repos(&self) -> bool {
        self.answer.of_repos()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let len = door::core(py, || self.answer.len(&self.archive))?;
        Ok(len as usize)
    }

    /// `count` hits from place `start` on, each with what its window is called and, if a `width` is
    /// given, a snippet of about so many bytes. Secrets are masked unless `reveal` says not to.
    fn hits<'py>(
        &self,
        py: Python<'py>,
        order: &str,
        start: u64,
        count: u64,
        width: Option<usize>,
        reveal: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let archive = &*self.archive;
        let (hits, labels, snippets) = door::core(py, || {
            let mut hits = match order {
                "newest" => self.answer.by_time(archive, start, count, TimeOrder::NewestFirst),
                "oldest" => self.answer.by_time(archive, start, count, TimeOrder::OldestFirst),
                _ => self.answer.ranked(archive, start, count),
            }?;
            let windows: Vec<_> = hits.iter().map(|hit| hit.window).collect();
            let labels = self.answer.labels(archive, &windows, reveal)?;
            let items: Vec<ItemId> = hits.iter().map(|hit| hit.item).collect();
            if !reveal {
                for (hit, masked) in hits.iter_mut().zip(archive.masked_previews(&items)?) {
                    if let Some(masked) = masked {
                        hit.preview = masked;
                    }
                }
            }
            let snippets = match width {
                Some(width) => self.answer.snippets(archive, &items, width, reveal)?,
                None => items.iter().map(|_| None).collect(),
            };
            Ok((hits, labels, snippets))
        })?;
        let rows = hits.iter().zip(&labels).zip(snippets).map(|((hit, label), snippet)| {
            let row = row(py, hit, label)?;
            row.set_item("snippet", snippet.map(|snippet| shown(py, &snippet)).transpose()?)?;
            Ok(row)
        });
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// A snippet of about `width` bytes of each of `items`, hits or not; none of what has no text.
    fn snippets<'py>(
        &self,
        py: Python<'py>,
        items: Vec<u64>,
        width: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let snippets = door::core(py, || {
            let items: Vec<ItemId> = items.into_iter().map(ItemId).collect();
            self.answer.snippets(&self.archive, &items, width, false)
        })?;
        let rows = snippets.iter().map(|snippet| snippet.as_ref().map(|one| shown(py, one)));
        PyList::new(py, rows.map(Option::transpose).collect::<PyResult<Vec<_>>>()?)
    }

    /// Of each of `items` the line that shows most of what was asked for and up to `count` at either
    /// side, each of about `width` characters; none of what has no text.
    fn lines<'py>(
        &self,
        py: Python<'py>,
        items: Vec<u64>,
        count: usize,
        width: usize,
        reveal: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let lines = door::core(py, || {
            let items: Vec<ItemId> = items.into_iter().map(ItemId).collect();
            self.answer.lines(&self.archive, &items, count, width, reveal)
        })?;
        let all = |lines: &Vec<Line>| {
            lines.iter().map(|line| shown_line(py, line)).collect::<PyResult<Vec<_>>>()
        };
        let rows = lines.iter().map(|lines| lines.as_ref().map(all));
        PyList::new(py, rows.map(Option::transpose).collect::<PyResult<Vec<_>>>()?)
    }

    /// How many hits there are of each value of `repo`, `agent`, `role`, `kind` and `month`.
    fn facets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facets = door::core(py, || self.answer.facets(&self.archive))?;
        let all = PyDict::new(py);
        all.set_item("repo", &facets.repo)?;
        all.set_item("agent", &facets.agent)?;
        all.set_item("role", &facets.role)?;
        all.set_item("kind", &facets.kind)?;
        all.set_item("month", &facets.month)?;
        Ok(all)
    }
}

fn row<'py>(py: Python<'py>, hit: &Hit, label: &WindowLabel) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    let kind = hit.attributes.kind().map_err(|error| door::to_python(py, &error))?;
    row.set_item("item", hit.item.0)?;
    row.set_item("window", hit.window)?;
    row.set_item("window_id", label.id.to_string())?;
    row.set_item("ordinal", hit.ordinal)?;
    row.set_item("title", &label.title)?;
    row.set_item("repo", &label.repo)?;
    row.set_item("agent", &label.agent)?;
    row.set_item("sub_agent", label.sub_agent)?;
    row.set_item("deleted", label.deleted)?;
    row.set_item("role", hit.attributes.role().name())?;
    row.set_item("kind", kind.name())?;
    row.set_item("name", &hit.name)?;
    row.set_item("redacted", hit.attributes.redacted())?;
    row.set_item("created_at", hit.at)?;
    row.set_item("byte_len", hit.bytes)?;
    row.set_item("content_hash", format!("{:?}", hit.content))?;
    row.set_item("windows", hit.windows)?;
    row.set_item("score", hit.score)?;
    row.set_item("preview", &hit.preview)?;
    Ok(row)
}

/// A snippet, its marks counted in characters as Python does.
fn shown<'py>(py: Python<'py>, snippet: &Snippet) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("text", &snippet.text)?;
    row.set_item("marks", in_characters(&snippet.text, &snippet.marks))?;
    row.set_item("line", snippet.line)?;
    row.set_item("before", snippet.before)?;
    row.set_item("after", snippet.after)?;
    Ok(row)
}

/// A line, its marks counted in characters.
fn shown_line<'py>(py: Python<'py>, line: &Line) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("number", line.number)?;
    row.set_item("text", &line.text)?;
    row.set_item("marks", in_characters(&line.text, &line.marks))?;
    row.set_item("before", line.before)?;
    row.set_item("after", line.after)?;
    Ok(row)
}

/// Ranges of bytes of `text`, in order, as ranges of its characters.
fn in_characters(text: &str, ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
    let (mut byte, mut character) = (0, 0);
    let mut place = |at: usize| {
        character += text[byte..at].chars().count();
        byte = at;
        character
    };
    ranges.iter().map(|range| (place(range.start), place(range.end))).collect()
}
