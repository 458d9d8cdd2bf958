//! What an event of a session means for its window: a function of the session's events only.

use std::collections::{HashMap, VecDeque};

use vox_format::{
    producers::{
        Kept,
        session::{
            Compacted, Created, ExpensiveOpRecorded, Known, MetaUpdated, PluginStateUpdated, Reset,
            SessionEvent, SessionEventRow, StateChanged, TurnAdded, TurnItemKind, Usage,
        },
    },
    rows::UsageRow,
};
use vox_types::{
    CallNo, Code, ContentHash, Error, Fidelity, ItemKind, LinkKind, OverlayKind, Result, Role,
    call_number,
};

use crate::append::{NewOverlay, NewUsage, WindowChange};

/// The value of `committed` that takes an item out of the committed set.
const TAKEN_OUT: i64 = -1;

/// The key of a session's window.
pub fn session_key(session: &str) -> String {
    format!("vox-session:{session}")
}

/// What an event means.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Folded {
    /// What becomes known of the window.
    pub window: Option<WindowChange>,
    /// Items that follow those so far.
    pub items: Vec<FoldedItem>,
    /// What is said of items, in this order.
    pub overlays: Vec<NewOverlay>,
    /// A report of a provider.
    pub usage: Option<NewUsage>,
}

/// An item by the hash of its content.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are fields of NewItem")]
pub struct FoldedItem {
    pub role: Role,
    pub kind: ItemKind,
    pub content: ContentHash,
    pub created_at: i64,
    pub name: Option<String>,
    pub side: bool,
    pub redacted: bool,
    pub token_estimate: Option<u32>,
    pub call: CallNo,
}

/// What folding the next event needs to know of those before it.
#[derive(Clone, Debug)]
pub struct State {
    /// How many items there are.
    pub items: u64,
    /// Which ordinals of each content can still be dropped; none if nobody looked.
    seen: Option<HashMap<ContentHash, VecDeque<u64>>>,
}

impl State {
    /// Before the first event.
    pub fn first() -> Self {
        Self { items: 0, seen: Some(HashMap::new()) }
    }

    /// After events that gave so many items, if none of those to come is `compacted`.
    pub fn after(items: u64) -> Self {
        Self { items, seen: None }
    }
}

/// What the event with number `sequence` of `session` means; `state` moves on.
pub fn fold(
    session: &str,
    sequence: u64,
    row: &SessionEventRow<Kept>,
    state: &mut State,
) -> Result<Folded> {
    let mut folding = Folding { session, sequence, at: row.at, state, folded: Folded::default() };
    // No arm takes all the rest: a new kind of event must say here what it means.
    match &row.event {
        SessionEvent::Created(created) => folding.created(created),
        SessionEvent::TurnAdded(turn) => folding.turn(turn),
        SessionEvent::StateChanged(changed) => folding.state_changed(changed),
        SessionEvent::MetaUpdated(meta) => folding.meta(meta),
        SessionEvent::Reset(Reset { reason: _ }) => folding.reset(),
        SessionEvent::Compacted(compacted) => folding.compacted(compacted)?,
        SessionEvent::ExpensiveOpRecorded(ExpensiveOpRecorded { usage, .. }) => {
            folding.usage(usage);
        }
        SessionEvent::PluginStateUpdated(plugin) => folding.plugin(plugin),
    }
    Ok(folding.folded)
}

struct Folding<'a> {
    session: &'a str,
    sequence: u64,
    at: i64,
    state: &'a mut State,
    folded: Folded,
}

impl Folding<'_> {
    fn change(&self, known: &Known) -> WindowChange {
        WindowChange {
            key: session_key(self.session),
            title: known.title.clone(),
            agent: known.agent.clone(),
            model_route: known.model_route.clone(),
            repo: known.repo.clone(),
            workspace: known.workspace.clone(),
            git_branch: known.git_branch.clone(),
            thread_id: known.thread_id.clone(),
            trace_id: known.trace_id.clone(),
            ..WindowChange::default()
        }
    }

    fn created(&mut self, created: &Created) {
        self.folded.window = Some(WindowChange {
            kind: Some(created.kind.into()),
            created_at: Some(self.at),
            git_sha_at_open: created.git_sha_at_open.clone(),
            fidelity: Some(Fidelity::Recorded),
            parent: created.parent.as_deref().map(session_key),
            link: Some(LinkKind::SpawnedBy),
            ..self.change(&created.known)
        });
    }

    fn turn(&mut self, turn: &TurnAdded<Kept>) {
        for item in &turn.items {
            let role = if item.kind == TurnItemKind::ToolResult { Role::Tool } else { turn.role };
            let at = item.at.unwrap_or(self.at);
            self.item(FoldedItem {
                created_at: at,
                name: item.name.clone(),
                redacted: item.redacted,
                token_estimate: item.token_estimate,
                call: item.call_id.as_deref().map_or(0, call_number),
                ..self.plain(role, item.kind.into(), &item.content)
            });
        }
        self.reported(turn.usage.as_deref());
    }

    fn state_changed(&mut self, changed: &StateChanged) {
        self.folded.window = Some(WindowChange {
            tier: Some(changed.state.into()),
            git_sha_at_close: changed.git_sha_at_close.clone(),
            ..self.change(&Known::default())
        });
    }

    fn meta(&mut self, meta: &MetaUpdated) {
        let tags = meta.tags.clone();
        self.folded.window = Some(WindowChange { tags, ..self.change(&meta.known) });
    }

    fn reset(&mut self) {
        self.take_out(0, self.state.items);
        for ordinals in self.state.seen.iter_mut().flat_map(HashMap::values_mut) {
            ordinals.clear();
        }
    }

    fn compacted(&mut self, compacted: &Compacted<Kept>) -> Result<()> {
        let mut dropped = Vec::with_capacity(compacted.dropped.len());
        for item in &compacted.dropped {
            let unseen = || Error::new(Code::Internal, "a compaction is folded without its items");
            let seen = self.state.seen.as_mut().ok_or_else(unseen)?;
            match seen.get_mut(&item.content.hash) {
                // What was dropped before stays so.
                Some(ordinals) => dropped.extend(ordinals.pop_front()),
                None => {
                    dropped.push(self.state.items);
                    let stray = self.plain(item.role, item.kind.into(), &item.content);
                    self.item(FoldedItem { side: true, ..stray });
                    self.forget_last(&item.content.hash);
                }
            }
        }
        dropped.sort_unstable();
        for stretch in dropped.chunk_by(|a, b| a + 1 == *b) {
            if let [first, ..] = stretch {
                self.take_out(*first, first + stretch.len() as u64);
            }
        }
        self.item(self.plain(Role::System, ItemKind::Summary, &compacted.summary));
        if let Some(rationale) = &compacted.rationale {
            let name = Some("rationale".to_owned());
            let item = self.plain(Role::System, ItemKind::Summary, rationale);
            self.beside(FoldedItem { name, ..item });
        }
        self.reported(compacted.usage.as_deref());
        Ok(())
    }

    fn plugin(&mut self, plugin: &PluginStateUpdated<Kept>) {
        let name = Some(plugin.plugin.clone());
        let item = self.plain(Role::System, ItemKind::Record, &plugin.content);
        self.beside(FoldedItem { name, ..item });
    }

    fn plain(&self, role: Role, kind: ItemKind, content: &Kept) -> FoldedItem {
        FoldedItem {
            role,
            kind,
            content: content.hash,
            created_at: self.at,
            name: None,
            side: false,
            redacted: false,
            token_estimate: None,
            call: 0,
        }
    }

    /// Adds an item that the model sees.
    fn item(&mut self, item: FoldedItem) {
        if let Some(seen) = &mut self.state.seen {
            seen.entry(item.content).or_default().push_back(self.state.items);
        }
        self.state.items += 1;
        self.folded.items.push(item);
    }

    /// Adds an item that stands beside the conversation.
    fn beside(&mut self, item: FoldedItem) {
        self.state.items += 1;
        self.folded.items.push(FoldedItem { side: true, ..item });
    }

    /// The last item was dropped as it came.
    fn forget_last(&mut self, content: &ContentHash) {
        if let Some(ordinals) = self.state.seen.as_mut().and_then(|seen| seen.get_mut(content)) {
            ordinals.pop_back();
        }
    }

    fn take_out(&mut self, start: u64, end: u64) {
        if start < end {
            self.folded.overlays.push(NewOverlay {
                window: session_key(self.session),
                kind: OverlayKind::Committed,
                ordinals: start..end,
                value: Some(TAKEN_OUT),
                only_new: false,
            });
        }
    }

    fn reported(&mut self, usage: Option<&Usage>) {
        if let Some(usage) = usage {
            self.usage(usage);
        }
    }

    fn usage(&mut self, usage: &Usage) {
        let window = session_key(self.session);
        let own = || format!("{window}#{}", self.sequence);
        let row = UsageRow {
            key: usage.key.clone().unwrap_or_else(own),
            model: 0,
            at: self.at,
            input: usage.input,
            output: usage.output,
            reasoning: usage.reasoning,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            cache_write_1h: usage.cache_write_1h,
            cost_nano_usd: usage.cost_nano_usd,
        };
        self.folded.usage = Some(NewUsage { window, model: usage.model.clone(), row });
    }
}
