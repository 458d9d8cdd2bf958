//! Something of each of vox's own producers, for the sample.

use vox_format::producers::{
    Given,
    chat::MessageRow,
    history::HistoryKind,
    session::{Created, SessionEvent, TurnAdded, TurnItem},
};
use vox_store::{
    Store,
    producers::{HistoryCaps, NewConversation, NewEntry, NewSessionEvent},
};
use vox_types::{ItemKind, Role};

const AT: Option<i64> = Some(1_700_000_000_000);

/// Adds something of each producer.
pub fn fill(store: &Store) {
    let text = |text: &str| Given::Text(text.into());
    let item = TurnItem {
        kind: Default::default(),
        content: text("said in a session"),
        name: None,
        call_id: None,
        at: None,
        token_estimate: None,
        redacted: false,
    };
    let turn = TurnAdded { role: Role::User, items: vec![item], usage: None };
    let events = [SessionEvent::Created(Box::<Created>::default()), SessionEvent::TurnAdded(turn)];
    let new = |event| NewSessionEvent { session: "s".into(), at: AT, sequence: None, event };
    store.append_session_events(events.map(new).to_vec()).unwrap();
    let conversation = NewConversation { id: "c".into(), at: AT, ..NewConversation::default() };
    store.create_conversation(conversation).unwrap();
    let message = |content| MessageRow {
        at: AT.unwrap(),
        role: Role::User,
        kind: ItemKind::Message,
        content: text(content),
        name: None,
        call_id: None,
        token_estimate: None,
    };
    store.append_messages("c", vec![message("first"), message("second")]).unwrap();
    let entry = |content| NewEntry { at: AT, content: text(content), name: None };
    let caps = HistoryCaps { entries: 2, bytes: 1000 };
    let entries = vec![entry("gone"), entry("kept"), entry("last")];
    store.add_history(HistoryKind::Clip, "r", entries, caps).unwrap();
}
