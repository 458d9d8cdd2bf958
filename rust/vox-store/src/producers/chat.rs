//! Chat: conversations and their messages.

use heed::RwTxn;
use vox_format::{
    producers::{
        Given, Kept,
        chat::{ConversationRow, MessageRow},
        numbered,
    },
    rows::{self, Event, WindowRow},
};
use vox_types::{Code, Error, Fidelity, Result, WindowKind, WindowNo, call_number};

use super::{contents::Gathering, fold::FoldedItem, heads};
use crate::{
    Store,
    append::{self, Appended, Batch, WindowChange, WindowItems},
    env::Generation,
    events,
    fault::Fallible,
    meta::now,
    spine::windows::{self, short_hash},
    tables::Tables,
};

/// Messages that are folded again in one transaction. Judgement.
const FOLDED_AT_ONCE: usize = 512;

/// A conversation as a caller gives it.
#[derive(Clone, Debug, Default)]
pub struct NewConversation {
    /// Its lasting name.
    pub id: String,
    /// A label for people.
    pub title: Option<String>,
    /// The repository that scopes it.
    pub repo: Option<String>,
    /// The model it talks to.
    pub model_route: Option<String>,
    /// UTC ms; none: now.
    pub at: Option<i64>,
}

/// The key of a conversation's window.
fn chat_key(id: &str) -> String {
    format!("vox-chat:{id}")
}

impl Store {
    /// Begins a conversation; durable on return. `conflict` if there is one with this id.
    pub fn create_conversation(&self, new: NewConversation) -> Result<()> {
        heads::check_id("a conversation", &new.id)?;
        let at = new.at.unwrap_or_else(now);
        let row = ConversationRow {
            id: new.id,
            title: new.title,
            repo: new.repo,
            model_route: new.model_route,
            messages: 0,
            created_at: at,
            updated_at: at,
            deleted_at: None,
        };
        let contents = Gathering::of(self).finish()?;
        self.write(move |generation, txn| {
            let (table, key) = (generation.tables.chat_conversations, short_hash(&row.id));
            if table.get(txn, &key)?.is_some() {
                let says = format!("there is a conversation {:?} already", row.id);
                return Err(Error::new(Code::Conflict, says).into());
            }
            table.put(txn, &key, &rows::encode(&row)?)?;
            let windows = vec![change_of(&row)];
            let batch = Batch { windows, fallback_time: at, ..Batch::default() };
            append::apply(generation, txn, &contents.prepared(batch)).map(drop)
        })
    }

    /// Gives a conversation another title. `not_found` if there is none with this id.
    pub fn rename_conversation(&self, id: &str, title: String) -> Result<()> {
        let contents = Gathering::of(self).finish()?;
        self.change_conversation(id, move |generation, txn, row| {
            row.title = Some(title.clone());
            row.updated_at = row.updated_at.max(now());
            let change = WindowChange {
                key: chat_key(&row.id),
                title: row.title.clone(),
                ..WindowChange::default()
            };
            let batch = Batch { windows: vec![change], ..Batch::default() };
            append::apply(generation, txn, &contents.prepared(batch)).map(drop)
        })
    }

    /// Deletes a conversation, or brings it back: nothing of it goes, and no list shows it.
    /// `not_found` if there is none with this id.
    pub fn delete_conversation(&self, id: &str, deleted: bool) -> Result<()> {
        self.change_conversation(id, move |generation, txn, row| {
            if row.deleted_at.is_some() == deleted {
                return Ok(());
            }
            row.deleted_at = deleted.then(now);
            let tables = &generation.tables;
            let Some((no, old)) = window_of(tables, txn, &row.id)? else { return Ok(()) };
            if old.deleted_at.is_some() == deleted {
                return Ok(());
            }
            let changed = WindowRow { deleted_at: row.deleted_at, ..old.clone() };
            windows::put(tables, txn, no, Some(&old), &changed)?;
            let what = match old.deleted_at {
                Some(deleted_at) => Event::Undeleted { deleted_at },
                None => Event::Deleted {},
            };
            events::append(tables, txn, now(), Some(no), what)
        })
    }

    /// Runs `work` on the row of a conversation, and writes it.
    fn change_conversation(
        &self,
        id: &str,
        mut work: impl FnMut(&Generation, &mut RwTxn<'_>, &mut ConversationRow) -> Fallible<()>
        + Send
        + 'static,
    ) -> Result<()> {
        let id = id.to_owned();
        self.write(move |generation, txn| {
            let key = short_hash(&id);
            let table = generation.tables.chat_conversations;
            let row: Option<ConversationRow> = heads::head(table, txn, &key)?;
            let mut row = row.ok_or_else(|| no_conversation(&id))?;
            work(generation, txn, &mut row)?;
            table.put(txn, &key, &rows::encode(&row)?)?;
            Ok(())
        })
    }

    /// Appends messages to a conversation, in one transaction; durable on return. Gives the
    /// sequence number of the first.
    ///
    /// `not_found` if there is no such conversation, or a content that is named by its hash isn't
    /// there; `conflict` if the conversation is deleted.
    pub fn append_messages(&self, id: &str, messages: Vec<MessageRow<Given>>) -> Result<u64> {
        let mut gathering = Gathering::of(self);
        let mut rows = Vec::with_capacity(messages.len());
        for (place, message) in messages.into_iter().enumerate() {
            let row = message.try_map(|given| gathering.take(given));
            rows.push(row.map_err(|error| {
                Error::new(error.code, format!("message {place}: {}", error.message))
            })?);
        }
        let contents = gathering.finish()?;
        let id = id.to_owned();
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let key = short_hash(&id);
            let head: Option<ConversationRow> = heads::head(tables.chat_conversations, txn, &key)?;
            let mut head = head.ok_or_else(|| no_conversation(&id))?;
            if head.deleted_at.is_some() {
                let says = format!("the conversation {id:?} is deleted; bring it back first");
                return Err(Error::new(Code::Conflict, says).into());
            }
            let first = head.messages;
            let mut batch = Batch { fallback_time: now(), ..Batch::default() };
            let mut items = Vec::with_capacity(rows.len());
            for row in &rows {
                let place = numbered(&key, head.messages);
                tables.chat_messages.put(txn, &place, &rows::encode(row)?)?;
                head.messages += 1;
                head.updated_at = head.updated_at.max(row.at);
                batch.owned.push(contents.place(&row.content.hash)?);
                items.push(contents.item(item_of(row))?);
            }
            batch.items.push(WindowItems { window: chat_key(&id), at: first, items });
            tables.chat_conversations.put(txn, &key, &rows::encode(&head)?)?;
            append::apply(generation, txn, &contents.prepared(batch))?;
            Ok(first)
        })
    }

    /// What is known of a conversation.
    pub fn conversation(&self, id: &str) -> Result<ConversationRow> {
        let row =
            self.read(|tables, txn| heads::head(tables.chat_conversations, txn, &short_hash(id)))?;
        row.ok_or_else(|| no_conversation(id))
    }

    /// Every conversation, in no particular order.
    pub fn conversations(&self) -> Result<Vec<ConversationRow>> {
        self.read(|tables, txn| {
            let heads = heads::heads(tables.chat_conversations, txn)?;
            Ok(heads.into_iter().map(|(_, row)| row).collect())
        })
    }

    /// Messages of a conversation from number `first` on, at most `count`.
    pub fn messages(
        &self,
        id: &str,
        first: u64,
        count: usize,
    ) -> Result<Vec<(u64, MessageRow<Kept>)>> {
        let key = short_hash(id);
        self.read(|tables, txn| heads::below(tables.chat_messages, txn, &key, first, count))
    }

    /// Makes what the window of a conversation lacks; what is there stays as it is. Gives what was
    /// made.
    pub fn refold_conversation(&self, id: &str) -> Result<Appended> {
        let head = self.conversation(id)?;
        let there = self.read(|tables, txn| window_of(tables, txn, id))?.is_some();
        let mut windows = if there { Vec::new() } else { vec![change_of(&head)] };
        let (mut first, mut done) = (0, Appended::default());
        loop {
            let messages = self.messages(id, first, FOLDED_AT_ONCE)?;
            if messages.is_empty() && windows.is_empty() {
                break;
            }
            let mut gathering = Gathering::of(self);
            for (_, row) in &messages {
                gathering.take_kept(&row.content)?;
            }
            let contents = gathering.finish()?;
            let items = messages.iter().map(|(_, row)| contents.item(item_of(row)));
            let items = items.collect::<Result<_>>()?;
            let batch = Batch {
                windows: std::mem::take(&mut windows),
                items: vec![WindowItems { window: chat_key(id), at: first, items }],
                fallback_time: head.created_at,
                ..Batch::default()
            };
            first += messages.len() as u64;
            done += self.write(move |generation, txn| {
                append::apply(generation, txn, &contents.prepared(batch.clone()))
            })?;
        }
        Ok(done)
    }
}

/// What a conversation means for its window.
fn change_of(row: &ConversationRow) -> WindowChange {
    WindowChange {
        key: chat_key(&row.id),
        kind: Some(WindowKind::Chat),
        title: row.title.clone(),
        repo: row.repo.clone(),
        model_route: row.model_route.clone(),
        fidelity: Some(Fidelity::Recorded),
        created_at: Some(row.created_at),
        ..WindowChange::default()
    }
}

/// What a message means for its window.
fn item_of(row: &MessageRow<Kept>) -> FoldedItem {
    FoldedItem {
        role: row.role,
        kind: row.kind,
        content: row.content.hash,
        created_at: row.at,
        name: row.name.clone(),
        side: false,
        redacted: false,
        token_estimate: row.token_estimate,
        call: row.call_id.as_deref().map_or(0, call_number),
    }
}

fn window_of(
    tables: &Tables,
    txn: &heed::RoTxn<'_>,
    id: &str,
) -> Fallible<Option<(WindowNo, WindowRow)>> {
    let Some(no) = windows::by_key(tables, txn, &chat_key(id))? else { return Ok(None) };
    Ok(Some((no, windows::expect(tables, txn, no)?)))
}

fn no_conversation(id: &str) -> Error {
    Error::new(Code::NotFound, format!("there is no conversation {id:?}"))
}
