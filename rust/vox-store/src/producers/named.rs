//! Which contents the producers' rows name, for whoever counts references.

use vox_format::{
    producers::{
        Kept, chat::MessageRow, history::HistoryRow, session::SessionEventRow, split_numbered,
    },
    rows,
};
use vox_types::Result;

use crate::tables::{Table, Tables};

/// The contents that the row with this key and value names. Each that isn't purged counts a
/// reference.
type Named = fn(&[u8], &[u8]) -> Result<Vec<Kept>>;

/// The tables whose rows name contents.
pub(crate) fn named(tables: &Tables) -> [(Table, Named); 3] {
    [
        (tables.session_events, of_event),
        (tables.chat_messages, of_message),
        (tables.history_entries, of_entry),
    ]
}

fn of_event(key: &[u8], value: &[u8]) -> Result<Vec<Kept>> {
    if split_numbered(key).is_none() {
        return Ok(Vec::new());
    }
    let row: SessionEventRow<Kept> = rows::decode(value, "a session's event")?;
    Ok(row.contents().into_iter().copied().collect())
}

fn of_message(_: &[u8], value: &[u8]) -> Result<Vec<Kept>> {
    Ok(vec![rows::decode::<MessageRow<Kept>>(value, "a message")?.content])
}

fn of_entry(key: &[u8], value: &[u8]) -> Result<Vec<Kept>> {
    if split_numbered(key).is_none() {
        return Ok(Vec::new());
    }
    Ok(vec![rows::decode::<HistoryRow<Kept>>(value, "a history entry")?.content])
}
