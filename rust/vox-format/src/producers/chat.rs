//! Chat: conversations of a person with a model, and their messages.

use serde::{Deserialize, Serialize};
use vox_types::{ItemKind, Role};

use super::{by_name, is_zero};

/// A row of `chat_conversations`, under the first 16 bytes of BLAKE3(id).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ConversationRow {
    /// Its lasting name.
    pub id: String,
    /// A label for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The repository that scopes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The model it talks to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_route: Option<String>,
    /// How many messages it has; the sequence number of the next.
    #[serde(skip_serializing_if = "is_zero")]
    pub messages: u64,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub updated_at: i64,
    /// UTC milliseconds, if it is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<i64>,
}

/// A row of `chat_messages`, under its conversation's 16 bytes and its sequence number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MessageRow<C> {
    /// UTC milliseconds.
    pub at: i64,
    /// Who speaks.
    #[serde(with = "by_name::role")]
    pub role: Role,
    /// What it is: a message, or a tool call, a result, reasoning, an attachment.
    #[serde(default = "message", with = "by_name::item_kind")]
    pub kind: ItemKind,
    /// Its bytes.
    pub content: C,
    /// The tool of a call or result, the model of an answer, the media type of an attachment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What joins a call and its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Tokens, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_estimate: Option<u32>,
}

impl<C> MessageRow<C> {
    /// The same with its content as `name` gives it.
    pub fn try_map<D, E>(self, name: impl FnOnce(C) -> Result<D, E>) -> Result<MessageRow<D>, E> {
        Ok(MessageRow {
            content: name(self.content)?,
            at: self.at,
            role: self.role,
            kind: self.kind,
            name: self.name,
            call_id: self.call_id,
            token_estimate: self.token_estimate,
        })
    }
}

fn message() -> ItemKind {
    ItemKind::Message
}
