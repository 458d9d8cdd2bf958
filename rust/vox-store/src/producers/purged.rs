//! What purging means for the producers' rows.

use std::collections::{BTreeMap, HashMap, HashSet};

use heed::RwTxn;
use vox_format::{
    producers::{
        Kept,
        chat::{ConversationRow, MessageRow},
        history::HistoryRow,
        numbered,
        session::{Known, SessionEvent, SessionEventRow},
    },
    rows,
};
use vox_types::{BlobRef, ContentHash, Error, ItemId, Result, RunNo, WindowNo};

use super::heads;
use crate::{
    fault::Fallible,
    spine::{
        extents, runs,
        windows::{self, short_hash},
    },
    tables::Tables,
};

/// Lets the rows behind all windows that show these runs forget the contents of items that were
/// purged there, unless another item of such a window still has one. Gives the blobs whose
/// references the rows counted, once for each; the caller takes them off.
pub(crate) fn forget_items(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    purged: &BTreeMap<RunNo, HashMap<BlobRef, ContentHash>>,
) -> Fallible<Vec<BlobRef>> {
    let mut by_window: BTreeMap<WindowNo, HashMap<BlobRef, ContentHash>> = BTreeMap::new();
    for (run, contents) in purged {
        for row in tables.run_windows.prefix_iter(txn, &run.to_be_bytes())? {
            let window = row?.0.last_chunk().copied().map(u32::from_be_bytes);
            let short = || Error::damaged("a key of run_windows is too short");
            by_window.entry(window.ok_or_else(short)?).or_default().extend(contents);
        }
    }
    let mut forgotten = Vec::new();
    for (window, mut contents) in by_window {
        let key = windows::expect(tables, txn, window)?.key;
        if !is_own(&key) {
            continue;
        }
        leave_out_shown(tables, txn, window, &mut contents)?;
        let blobs: HashMap<ContentHash, BlobRef> =
            contents.into_iter().map(|(blob, hash)| (hash, blob)).collect();
        let hashes = forget(tables, txn, &key, &blobs.keys().copied().collect())?;
        forgotten.extend(hashes.iter().filter_map(|hash| blobs.get(hash)));
    }
    Ok(forgotten)
}

fn is_own(window_key: &str) -> bool {
    ["vox-session:", "vox-chat:", "vox-history:"].iter().any(|own| window_key.starts_with(own))
}

/// Takes out of `contents` what an item of the window still has.
fn leave_out_shown(
    tables: &Tables,
    txn: &RwTxn<'_>,
    window: WindowNo,
    contents: &mut HashMap<BlobRef, ContentHash>,
) -> Fallible<()> {
    for extent in extents::all(tables, txn, window)? {
        let mut position = extent.first;
        while position < extent.end_position() {
            let (chunk, place) = runs::chunk_of(tables, txn, ItemId::new(extent.run, position))?;
            let end = chunk.len().min(place + (extent.end_position() - position) as usize);
            for place in place..end {
                if !chunk.attributes_at(place).purged() {
                    contents.remove(&chunk.content_at(place));
                }
            }
            position += (end - place) as u32;
        }
    }
    Ok(())
}

/// Takes the texts that a purged window loses out of the rows behind the one with this key.
pub(crate) fn forget_window(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window_key: &str,
) -> Fallible<()> {
    if let Some(session) = window_key.strip_prefix("vox-session:") {
        let key = short_hash(session);
        change(tables.session_events, txn, &key, |mut row: SessionEventRow<Kept>| {
            match &mut row.event {
                SessionEvent::Created(created) => forget_texts(&mut created.known),
                SessionEvent::MetaUpdated(meta) => {
                    forget_texts(&mut meta.known);
                    meta.tags.clear();
                }
                SessionEvent::Reset(reset) => reset.reason = None,
                _ => {}
            }
            Ok(row)
        })?;
    } else if let Some(conversation) = window_key.strip_prefix("vox-chat:") {
        let key = short_hash(conversation);
        let head = heads::head::<ConversationRow>(tables.chat_conversations, txn, &key)?;
        if let Some(row) = head.filter(|row| row.title.is_some()) {
            let row = rows::encode(&ConversationRow { title: None, ..row })?;
            tables.chat_conversations.put(txn, &key, &row)?;
        }
    }
    Ok(())
}

fn forget_texts(known: &mut Known) {
    for text in [&mut known.title, &mut known.workspace, &mut known.git_branch] {
        *text = None;
    }
}

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
