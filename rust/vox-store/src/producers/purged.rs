//! What purging means for the producers' rows.

use std::collections::HashSet;

use heed::RwTxn;
use vox_format::{
    producers::{Kept, chat::MessageRow, history::HistoryRow, numbered, session::SessionEventRow},
    rows,
};
use vox_types::{ContentHash, Result};

use super::heads;
use crate::{fault::Fallible, spine::windows::short_hash, tables::Tables};

/// Marks `contents` as purged in the rows behind the window with this key. Gives the contents whose
/// references these rows counted until now, once for each; the caller takes these references off.
/// Nothing if the window is no producer's.
///
/// A row doesn't tell items with the same content apart: leave out contents that another live item
/// of the window shows.
pub fn forget(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window_key: &str,
    contents: &HashSet<ContentHash>,
) -> Fallible<Vec<ContentHash>> {
    let mut forgotten = Vec::new();
    let mut mark = |mut kept: Kept| {
        if !kept.purged && contents.contains(&kept.hash) {
            kept.purged = true;
            forgotten.push(kept.hash);
        }
        kept
    };
    if let Some(session) = window_key.strip_prefix("vox-session:") {
        let key = short_hash(session);
        change(tables.session_events, txn, &key, |row: SessionEventRow<Kept>| {
            row.try_map(|kept| Ok(mark(kept)))
        })?;
    } else if let Some(conversation) = window_key.strip_prefix("vox-chat:") {
        let key = short_hash(conversation);
        change(tables.chat_messages, txn, &key, |row: MessageRow<Kept>| {
            row.try_map(|kept| Ok(mark(kept)))
        })?;
    } else if window_key.starts_with("vox-history:") {
        let key = short_hash(window_key);
        change(tables.history_entries, txn, &key, |row: HistoryRow<Kept>| {
            Ok(HistoryRow { content: mark(row.content), ..row })
        })?;
    }
    Ok(forgotten)
}

/// Rows that are read at a time. Judgement.
const PAGE: usize = 1024;

/// Writes each row below a head as `change` gives it, if that is another.
fn change<T>(
    table: crate::tables::Table,
    txn: &mut RwTxn<'_>,
    head: &[u8; 16],
    mut change: impl FnMut(T) -> Result<T>,
) -> Fallible<()>
where
    T: Clone + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
{
    let mut first = 0;
    loop {
        let rows: Vec<(u64, T)> = heads::below(table, txn, head, first, PAGE)?;
        let Some((last, _)) = rows.last() else { return Ok(()) };
        first = last + 1;
        for (number, row) in rows {
            let changed = change(row.clone())?;
            if changed != row {
                table.put(txn, &numbered(head, number), &rows::encode(&changed)?)?;
            }
        }
    }
}
