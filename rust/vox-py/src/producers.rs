//! vox's own producers: agent sessions, chat, history. Rows travel as MessagePack.

use pyo3::{
    prelude::*,
    pybacked::PyBackedBytes,
    types::{PyBytes, PyDict},
};
use serde::{Serialize, de::DeserializeOwned};
use vox_format::{
    producers::{
        Given,
        chat::MessageRow,
        history::{HistoryKind, HistoryRow},
    },
    rows,
};
use vox_store::{
    append::Appended,
    producers::{HistoryCaps, NewConversation, NewEntry, NewSessionEvent},
};
use vox_types::{Code, Error, Result};

use crate::archive::{self, Archive};

/// Rows as a caller gives them; `what` names one in the error.
fn taken<T: DeserializeOwned>(rows: &[PyBackedBytes], what: &str) -> Result<Vec<T>> {
    let taken = rows.iter().enumerate().map(|(place, row)| {
        rows::decode(row, &format!("{what} {place}"))
            .map_err(|error| Error::new(Code::InvalidArgument, error.message))
    });
    taken.collect()
}

fn packed<'py>(py: Python<'py>, rows: &(impl Serialize + Sync)) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = crate::door::core(py, || rows::encode(rows))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Appends events of sessions; gives for each its number and whether it was known.
#[pyfunction]
pub fn append_session_events(
    py: Python<'_>,
    archive: &Archive,
    events: Vec<PyBackedBytes>,
) -> PyResult<Vec<(u64, bool)>> {
    archive.run(py, |archive| {
        let placed = archive.store().append_session_events(taken(&events, "event")?)?;
        Ok(placed.into_iter().map(|placed| (placed.sequence, placed.known)).collect())
    })
}

/// Every session: its id, how many events and items it has.
#[pyfunction]
pub fn sessions(py: Python<'_>, archive: &Archive) -> PyResult<Vec<(String, u64, u64)>> {
    archive.run(py, |archive| {
        let rows = archive.store().sessions()?.into_iter();
        Ok(rows.map(|row| (row.id, row.next, row.items)).collect())
    })
}

/// Events of a session with their contents.
#[pyfunction]
pub fn session_events<'py>(
    py: Python<'py>,
    archive: &Archive,
    session: &str,
    first: u64,
    count: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let events = archive.run(py, |archive| {
        let store = archive.store();
        if store.session(session)?.is_none() {
            let says = format!("there is no session {session:?}");
            return Err(Error::new(Code::NotFound, says));
        }
        let events = store.session_events(session, first, count)?.into_iter();
        let shown = events.map(|(sequence, row)| {
            let row = row.try_map(|kept| store.given(&kept))?;
            Ok(NewSessionEvent {
                session: session.to_owned(),
                at: Some(row.at),
                sequence: Some(sequence),
                event: row.event,
            })
        });
        shown.collect::<Result<Vec<_>>>()
    })?;
    packed(py, &events)
}

/// Folds sessions and conversations again, one or all; gives what was made.
#[pyfunction]
#[pyo3(signature = (archive, session))]
pub fn refold_sessions<'py>(
    py: Python<'py>,
    archive: &Archive,
    session: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let done = archive.run(py, |archive| {
        let store = archive.store();
        if let Some(session) = session {
            return match store.session(&session)? {
                Some(_) => store.refold_session(&session),
                None => Err(Error::new(Code::NotFound, format!("there is no session {session:?}"))),
            };
        }
        let mut done = Appended::default();
        for session in store.sessions()? {
            done += store.refold_session(&session.id)?;
        }
        for conversation in store.conversations()? {
            done += store.refold_conversation(&conversation.id)?;
        }
        Ok(done)
    })?;
    archive::appended(py, &done)
}

/// Begins a conversation.
#[pyfunction]
#[pyo3(signature = (archive, conversation, title, repo, model_route, at))]
pub fn create_conversation(
    py: Python<'_>,
    archive: &Archive,
    conversation: String,
    title: Option<String>,
    repo: Option<String>,
    model_route: Option<String>,
    at: Option<i64>,
) -> PyResult<()> {
    let new = NewConversation { id: conversation, title, repo, model_route, at };
    archive.run(py, |archive| archive.store().create_conversation(new))
}

/// Gives a conversation another title.
#[pyfunction]
pub fn rename_conversation(
    py: Python<'_>,
    archive: &Archive,
    conversation: &str,
    title: String,
) -> PyResult<()> {
    archive.run(py, |archive| archive.store().rename_conversation(conversation, title))
}

/// Deletes a conversation, or brings it back.
#[pyfunction]
pub fn delete_conversation(
    py: Python<'_>,
    archive: &Archive,
    conversation: &str,
    deleted: bool,
) -> PyResult<()> {
    archive.run(py, |archive| archive.store().delete_conversation(conversation, deleted))
}

/// Appends messages to a conversation; gives the number of the first.
#[pyfunction]
pub fn append_messages(
    py: Python<'_>,
    archive: &Archive,
    conversation: &str,
    messages: Vec<PyBackedBytes>,
) -> PyResult<u64> {
    archive.run(py, |archive| {
        archive.store().append_messages(conversation, taken(&messages, "message")?)
    })
}

/// Every conversation.
#[pyfunction]
pub fn conversations<'py>(py: Python<'py>, archive: &Archive) -> PyResult<Bound<'py, PyBytes>> {
    let rows = archive.run(py, |archive| archive.store().conversations())?;
    packed(py, &rows)
}

#[derive(Serialize)]
struct ShownMessage {
    sequence: u64,
    #[serde(flatten)]
    row: MessageRow<Given>,
}

/// Messages of a conversation with their contents.
#[pyfunction]
pub fn messages<'py>(
    py: Python<'py>,
    archive: &Archive,
    conversation: &str,
    first: u64,
    count: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = archive.run(py, |archive| {
        let store = archive.store();
        store.conversation(conversation)?;
        let shown =
            store.messages(conversation, first, count)?.into_iter().map(|(sequence, row)| {
                Ok(ShownMessage { sequence, row: row.try_map(|kept| store.given(&kept))? })
            });
        shown.collect::<Result<Vec<_>>>()
    })?;
    packed(py, &rows)
}

fn history_kind(name: &str) -> Result<HistoryKind> {
    let kinds = [HistoryKind::Clip, HistoryKind::Command, HistoryKind::Chat];
    let says = || format!("{name:?} is no kind of history; use one of: clip, command, chat");
    let found = kinds.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| Error::new(Code::InvalidArgument, says()))
}

/// An entry of history: time, content, where it came from.
type Entry = (Option<i64>, crate::door::AnyBytes, Option<String>);

/// Adds entries; gives their numbers, and how many older ones went.
#[pyfunction]
pub fn add_history(
    py: Python<'_>,
    archive: &Archive,
    kind: &str,
    repo: &str,
    entries: Vec<Entry>,
    most_entries: u64,
    most_bytes: u64,
) -> PyResult<(Vec<u64>, u64)> {
    let entries = entries.into_iter().map(|(at, content, name)| {
        let content = Given::Data(content.as_ref().to_vec());
        NewEntry { at, content, name }
    });
    let entries = entries.collect();
    let caps = HistoryCaps { entries: most_entries, bytes: most_bytes };
    archive.run(py, |archive| {
        let added = archive.store().add_history(history_kind(kind)?, repo, entries, caps)?;
        Ok((added.numbers, added.evicted))
    })
}

#[derive(Serialize)]
struct ShownEntry {
    number: u64,
    kind: HistoryKind,
    repo: String,
    #[serde(flatten)]
    row: HistoryRow<Given>,
}

/// Entries with their contents, the newest first.
#[pyfunction]
#[pyo3(signature = (archive, kind, repo, before, count))]
pub fn history<'py>(
    py: Python<'py>,
    archive: &Archive,
    kind: Option<&str>,
    repo: Option<&str>,
    before: Option<u64>,
    count: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = archive.run(py, |archive| {
        let store = archive.store();
        let kind = kind.map(history_kind).transpose()?;
        let shown = store.history(kind, repo, before, count)?.into_iter().map(|entry| {
            let HistoryRow { at, content, bytes, ordinal, name, pinned_at } = entry.row;
            let content = store.given(&content)?;
            let row = HistoryRow { at, content, bytes, ordinal, name, pinned_at };
            Ok(ShownEntry { number: entry.number, kind: entry.kind, repo: entry.repo, row })
        });
        shown.collect::<Result<Vec<_>>>()
    })?;
    packed(py, &rows)
}

/// Pins or unpins entries; gives how many were not so before.
#[pyfunction]
pub fn pin_history(
    py: Python<'_>,
    archive: &Archive,
    numbers: Vec<u64>,
    pinned: bool,
) -> PyResult<u64> {
    archive.run(py, |archive| archive.store().pin_history(&numbers, pinned))
}

/// Removes entries.
#[pyfunction]
pub fn remove_history(py: Python<'_>, archive: &Archive, numbers: Vec<u64>) -> PyResult<()> {
    archive.run(py, |archive| archive.store().remove_history(&numbers))
}
