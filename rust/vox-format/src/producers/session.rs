//! Agent sessions: what an orchestrator says of its agents' work, as events.

use serde::{Deserialize, Serialize};
use vox_types::{ItemKind, Role, Tier, WindowKind};

use super::{by_name, is_false, is_zero};

/// The head of a session in `session_events`, under the first 16 bytes of BLAKE3(id).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionRow {
    /// What its orchestrator calls it.
    pub id: String,
    /// How many events it has; the sequence number of the next.
    pub next: u64,
    /// How many of them are folded into its window.
    pub folded: u64,
    /// How many items they gave.
    #[serde(skip_serializing_if = "is_zero")]
    pub items: u64,
}

/// A row of `session_events`: what happened, and when.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SessionEventRow<C> {
    /// UTC milliseconds.
    pub at: i64,
    /// What happened.
    #[serde(flatten)]
    pub event: SessionEvent<C>,
}

/// What can happen in a session.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SessionEvent<C> {
    /// It begins; the first event of each.
    Created(Box<Created>),
    /// Somebody spoke, called tools, or got results.
    TurnAdded(TurnAdded<C>),
    /// Its stage of life is another.
    StateChanged(StateChanged),
    /// Something became known of it.
    MetaUpdated(Box<MetaUpdated>),
    /// The model starts afresh: it no longer sees what came before.
    Reset(Reset),
    /// A summary took the place of items.
    Compacted(Compacted<C>),
    /// Something was paid for outside a turn.
    ExpensiveOpRecorded(ExpensiveOpRecorded),
    /// A plugin keeps its state.
    PluginStateUpdated(PluginStateUpdated<C>),
}

/// See [`SessionEvent::Created`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the rest are fields of WindowRow")]
pub struct Created {
    pub kind: SessionKind,
    /// The session that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(flatten)]
    pub known: Known,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_sha_at_open: Option<String>,
}

/// What can be known of a session.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "they are fields of WindowRow")]
pub struct Known {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_route: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
}

/// See [`SessionEvent::TurnAdded`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnAdded<C> {
    /// Who speaks. Results of tools are the tool's in any case.
    #[serde(with = "by_name::role")]
    pub role: Role,
    /// What was said, in its order.
    pub items: Vec<TurnItem<C>>,
    /// What the provider reported for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Box<Usage>>,
}

/// One item of a turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnItem<C> {
    /// What it is.
    #[serde(default)]
    pub kind: TurnItemKind,
    /// Its bytes: of a call the arguments, as JSON.
    pub content: C,
    /// The tool of a call or result, the model of an answer, the media type of an attachment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What joins a call and its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// UTC milliseconds; absent: the time of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// Tokens, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_estimate: Option<u32>,
    /// A secret was taken out of it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub redacted: bool,
}

/// See [`SessionEvent::StateChanged`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateChanged {
    /// The stage it has now.
    pub state: SessionState,
    /// The commit when it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_sha_at_close: Option<String>,
}

/// See [`SessionEvent::MetaUpdated`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MetaUpdated {
    /// What is absent stays as it was.
    #[serde(flatten)]
    pub known: Known,
    /// Tags that it gets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// See [`SessionEvent::Reset`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reset {
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// See [`SessionEvent::Compacted`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "C: Deserialize<'de>"))]
pub struct Compacted<C> {
    /// What the summary stands for. Each names the oldest item of the session with its content
    /// that is still seen; one that no turn had becomes an item of its own.
    #[serde(default)]
    pub dropped: Vec<DroppedItem<C>>,
    /// What takes their place.
    pub summary: C,
    /// Why these were dropped and what was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<C>,
    /// What the provider reported for the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Box<Usage>>,
}

/// An item that a summary stands for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DroppedItem<C> {
    /// Its bytes.
    pub content: C,
    /// Who spoke, if no turn says so.
    #[serde(default = "user", with = "by_name::role")]
    pub role: Role,
    /// What it is, if no turn says so.
    #[serde(default)]
    pub kind: TurnItemKind,
}

fn user() -> Role {
    Role::User
}

/// See [`SessionEvent::ExpensiveOpRecorded`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpensiveOpRecorded {
    /// What was done, such as `embed`.
    pub op: String,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What the provider reported.
    pub usage: Usage,
}

/// See [`SessionEvent::PluginStateUpdated`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PluginStateUpdated<C> {
    /// Whose state.
    pub plugin: String,
    /// The state, as JSON.
    pub content: C,
}

/// What a provider reported for one response, in tokens; see [`crate::rows::UsageRow`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the rest are fields of UsageRow")]
pub struct Usage {
    /// Names the response in the whole archive; absent: session and sequence do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub input: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub output: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_read: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_1h: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// What a session was born as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are values of WindowKind")]
pub enum SessionKind {
    Chat,
    Task,
    #[default]
    Agent,
    A2a,
}

impl From<SessionKind> for WindowKind {
    fn from(kind: SessionKind) -> Self {
        match kind {
            SessionKind::Chat => Self::Chat,
            SessionKind::Task => Self::Task,
            SessionKind::Agent => Self::Agent,
            SessionKind::A2a => Self::A2a,
        }
    }
}

/// The stage of a session's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// At work.
    Active,
    /// Waiting.
    Idle,
    /// Done.
    Closed,
}

impl From<SessionState> for Tier {
    fn from(state: SessionState) -> Self {
        match state {
            SessionState::Active => Self::Hot,
            SessionState::Idle => Self::Warm,
            SessionState::Closed => Self::Cold,
        }
    }
}

/// What an item of a turn is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "they are values of ItemKind")]
pub enum TurnItemKind {
    #[default]
    Message,
    ToolCall,
    ToolResult,
    Reasoning,
    Attachment,
}

impl From<TurnItemKind> for ItemKind {
    fn from(kind: TurnItemKind) -> Self {
        match kind {
            TurnItemKind::Message => Self::Message,
            TurnItemKind::ToolCall => Self::ToolCall,
            TurnItemKind::ToolResult => Self::ToolResult,
            TurnItemKind::Reasoning => Self::Reasoning,
            TurnItemKind::Attachment => Self::Attachment,
        }
    }
}

impl<C> SessionEventRow<C> {
    /// The same with each content as `name` gives it, in the order in which they stand.
    pub fn try_map<D, E>(
        self,
        mut name: impl FnMut(C) -> Result<D, E>,
    ) -> Result<SessionEventRow<D>, E> {
        let event = match self.event {
            SessionEvent::Created(it) => SessionEvent::Created(it),
            SessionEvent::StateChanged(it) => SessionEvent::StateChanged(it),
            SessionEvent::MetaUpdated(it) => SessionEvent::MetaUpdated(it),
            SessionEvent::Reset(it) => SessionEvent::Reset(it),
            SessionEvent::ExpensiveOpRecorded(it) => SessionEvent::ExpensiveOpRecorded(it),
            SessionEvent::TurnAdded(TurnAdded { role, items, usage }) => {
                let items = items.into_iter().map(|item| {
                    Ok(TurnItem {
                        content: name(item.content)?,
                        kind: item.kind,
                        name: item.name,
                        call_id: item.call_id,
                        at: item.at,
                        token_estimate: item.token_estimate,
                        redacted: item.redacted,
                    })
                });
                let items = items.collect::<Result<_, E>>()?;
                SessionEvent::TurnAdded(TurnAdded { role, items, usage })
            }
            SessionEvent::Compacted(Compacted { dropped, summary, rationale, usage }) => {
                let dropped = dropped.into_iter().map(|item| {
                    let DroppedItem { content, role, kind } = item;
                    Ok(DroppedItem { content: name(content)?, role, kind })
                });
                let dropped = dropped.collect::<Result<_, E>>()?;
                let summary = name(summary)?;
                let rationale = rationale.map(name).transpose()?;
                SessionEvent::Compacted(Compacted { dropped, summary, rationale, usage })
            }
            SessionEvent::PluginStateUpdated(PluginStateUpdated { plugin, content }) => {
                let content = name(content)?;
                SessionEvent::PluginStateUpdated(PluginStateUpdated { plugin, content })
            }
        };
        Ok(SessionEventRow { at: self.at, event })
    }

    /// Its contents, in the order in which they stand.
    pub fn contents(&self) -> Vec<&C> {
        match &self.event {
            SessionEvent::Created(_)
            | SessionEvent::StateChanged(_)
            | SessionEvent::MetaUpdated(_)
            | SessionEvent::Reset(_)
            | SessionEvent::ExpensiveOpRecorded(_) => Vec::new(),
            SessionEvent::TurnAdded(turn) => turn.items.iter().map(|item| &item.content).collect(),
            SessionEvent::Compacted(compacted) => {
                let dropped = compacted.dropped.iter().map(|item| &item.content);
                dropped.chain([&compacted.summary]).chain(&compacted.rationale).collect()
            }
            SessionEvent::PluginStateUpdated(plugin) => vec![&plugin.content],
        }
    }
}
