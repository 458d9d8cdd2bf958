//! What can be wrong with rows of vox's own producers.

use vox_format::{
    producers::{
        Kept,
        chat::{ConversationRow, MessageRow},
        history::{HistoryGroupRow, HistoryRow},
        session::{SessionEventRow, SessionRow},
    },
    rows,
};
use vox_store::verify::Kind;
use vox_types::ContentHash;

use crate::edits::{Case, case, edit, first, nth};

fn lost() -> Kept {
    Kept::of(ContentHash::of(b"was never there"))
}

/// What is wrong with their rows.
pub fn damage() -> Vec<Case> {
    use Kind::{Count, Dangling, Differs, Malformed, Order};
    vec![
        case("a session without its head", "session_events", Dangling, |t, txn| {
            let (key, _) = first(t.session_events, txn)?;
            Ok(t.session_events.delete(txn, &key).map(drop)?)
        }),
        case("an event is gone", "session_events", Count, |t, txn| {
            let (key, _) = nth(t.session_events, txn, 2)?;
            Ok(t.session_events.delete(txn, &key).map(drop)?)
        }),
        case("a session that doesn't begin", "session_events", Order, |t, txn| {
            let (key, _) = nth(t.session_events, txn, 1)?;
            Ok(t.session_events.delete(txn, &key).map(drop)?)
        }),
        case("a session of another name", "session_events", Differs, |t, txn| {
            let (key, _) = first(t.session_events, txn)?;
            edit(t.session_events, txn, &key, |row: &mut SessionRow| row.id.push('x'))
        }),
        case("more is folded than there is", "session_events", Count, |t, txn| {
            let (key, _) = first(t.session_events, txn)?;
            edit(t.session_events, txn, &key, |row: &mut SessionRow| row.folded += 1)
        }),
        case("an event can't be read", "session_events", Malformed, |t, txn| {
            let (key, _) = nth(t.session_events, txn, 2)?;
            Ok(t.session_events.put(txn, &key, &rows::encode(&"?")?)?)
        }),
        case("what was said isn't there", "session_events", Dangling, |t, txn| {
            let (key, _) = nth(t.session_events, txn, 2)?;
            edit(t.session_events, txn, &key, |row: &mut SessionEventRow<Kept>| {
                let mut event = row.clone().try_map(|_| Ok::<_, ()>(lost())).unwrap();
                std::mem::swap(row, &mut event);
            })
        }),
        case("a message is gone", "chat_messages", Order, |t, txn| {
            let (key, _) = first(t.chat_messages, txn)?;
            Ok(t.chat_messages.delete(txn, &key).map(drop)?)
        }),
        case("messages of nobody", "chat_messages", Dangling, |t, txn| {
            let (key, _) = first(t.chat_conversations, txn)?;
            Ok(t.chat_conversations.delete(txn, &key).map(drop)?)
        }),
        case("a conversation miscounts", "chat_conversations", Count, |t, txn| {
            let (key, _) = first(t.chat_conversations, txn)?;
            edit(t.chat_conversations, txn, &key, |row: &mut ConversationRow| row.messages += 1)
        }),
        case("a message of lost content", "chat_messages", Dangling, |t, txn| {
            let (key, _) = first(t.chat_messages, txn)?;
            edit(t.chat_messages, txn, &key, |row: &mut MessageRow<Kept>| row.content = lost())
        }),
        case("history miscounts its entries", "history_entries", Count, |t, txn| {
            let (key, _) = first(t.history_entries, txn)?;
            edit(t.history_entries, txn, &key, |row: &mut HistoryGroupRow| row.entries += 1)
        }),
        case("history miscounts its bytes", "history_entries", Count, |t, txn| {
            let (key, _) = first(t.history_entries, txn)?;
            edit(t.history_entries, txn, &key, |row: &mut HistoryGroupRow| row.bytes += 1)
        }),
        case("history of another repository", "history_entries", Differs, |t, txn| {
            let (key, _) = first(t.history_entries, txn)?;
            edit(t.history_entries, txn, &key, |row: &mut HistoryGroupRow| row.repo.push('x'))
        }),
        case("an entry of lost content", "history_entries", Dangling, |t, txn| {
            let (key, _) = nth(t.history_entries, txn, 1)?;
            edit(t.history_entries, txn, &key, |row: &mut HistoryRow<Kept>| row.content = lost())
        }),
    ]
}
