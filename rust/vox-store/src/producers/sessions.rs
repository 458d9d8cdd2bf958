//! Sessions of agents: appending events with what they mean, reading them, folding them again.

use std::collections::{BTreeMap, HashSet};

use heed::RwTxn;
use serde::{Deserialize, Serialize};
use vox_format::{
    producers::{
        Given, Kept, numbered,
        session::{SessionEvent, SessionEventRow, SessionRow},
    },
    rows::{self, WindowRow},
};
use vox_types::{Code, Error, Result};

use super::{
    contents::{Contents, Gathering},
    fold::{Folded, State, fold, session_key},
    heads,
};
use crate::{
    Store,
    append::{self, Appended, Batch, WindowChange, WindowItems},
    env::Generation,
    fault::{Fallible, Fault},
    meta::now,
    spine::windows::{self, short_hash},
    tables::Tables,
};

/// Events that are folded again in one transaction. Judgement.
const FOLDED_AT_ONCE: usize = 512;

/// An event as a caller gives it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewSessionEvent {
    /// What the orchestrator calls the session.
    pub session: String,
    /// UTC ms; none: now.
    #[serde(default)]
    pub at: Option<i64>,
    /// Its number in the session; none: the next. One that the session has already must be the
    /// same event, and nothing is written.
    #[serde(default)]
    pub sequence: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub event: SessionEvent<Given>,
}

/// Where an event stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Its number in its session.
    pub sequence: u64,
    /// Whether the session had it already.
    pub known: bool,
}

impl Store {
    /// Appends events and folds them into their windows, all in one transaction; durable on return.
    ///
    /// Errors name the event by its place: `invalid_argument` for a session that doesn't begin
    /// with `created` or has it twice, `conflict` for a gap or another event at a known number,
    /// `not_found` for a content that is named by its hash and isn't there.
    pub fn append_session_events(&self, events: Vec<NewSessionEvent>) -> Result<Vec<Placed>> {
        let mut gathering = Gathering::of(self);
        let mut all = Vec::with_capacity(events.len());
        for (place, new) in events.into_iter().enumerate() {
            let NewSessionEvent { session, at, sequence, event } = new;
            let row = SessionEventRow { at: at.unwrap_or_else(now), event };
            let row = row.try_map(|given| gathering.take(given));
            let row = row.map_err(|error| about(place, &session, error))?;
            heads::check_id("a session", &session)
                .map_err(|error| about(place, &session, error))?;
            all.push(Coming { session, sequence, timed: at.is_some(), row });
        }
        let contents = gathering.finish()?;
        self.write(move |generation, txn| write(generation, txn, &all, &contents))
    }

    /// What is known of a session.
    pub fn session(&self, id: &str) -> Result<Option<SessionRow>> {
        self.read(|tables, txn| heads::head(tables.session_events, txn, &short_hash(id)))
    }

    /// Every session, in no particular order.
    pub fn sessions(&self) -> Result<Vec<SessionRow>> {
        self.read(|tables, txn| {
            let heads = heads::heads(tables.session_events, txn)?;
            Ok(heads.into_iter().map(|(_, row)| row).collect())
        })
    }

    /// Events of a session from number `first` on, at most `count`.
    pub fn session_events(
        &self,
        id: &str,
        first: u64,
        count: usize,
    ) -> Result<Vec<(u64, SessionEventRow<Kept>)>> {
        let key = short_hash(id);
        self.read(|tables, txn| heads::below(tables.session_events, txn, &key, first, count))
    }

    /// Folds all events of a session again. What its window lacks is made; what is there stays as
    /// it is, for its user may have changed it since. Gives what was made.
    pub fn refold_session(&self, id: &str) -> Result<Appended> {
        let window = session_key(id);
        let there: Option<WindowRow> =
            self.read(|tables, txn| match windows::by_key(tables, txn, &window)? {
                Some(no) => windows::get(tables, txn, no),
                None => Ok(None),
            })?;
        let (mut state, mut first, mut done) = (State::first(), 0, Appended::default());
        loop {
            let events = self.session_events(id, first, FOLDED_AT_ONCE)?;
            let Some((last, _)) = events.last() else { break };
            first = last + 1;
            let mut gathering = Gathering::of(self);
            let mut batch = Gathered::default();
            for (sequence, row) in &events {
                for kept in row.contents() {
                    gathering.take_kept(kept)?;
                }
                let before = state.items;
                let mut folded = fold(id, *sequence, row, &mut state)?;
                if let Some(there) = &there {
                    let wanted = folded.window.filter(|_| there.purged_at.is_none());
                    folded.window = wanted.map(|change| missing_in(there, change));
                    folded.overlays.iter_mut().for_each(|overlay| overlay.only_new = true);
                }
                batch.take(&window, before, folded);
            }
            let contents = gathering.finish()?;
            let batch = batch.finish(&contents)?;
            let key = short_hash(id);
            done += self.write(move |generation, txn| {
                let done = append::apply(generation, txn, &contents.prepared(batch.clone()))?;
                let table = generation.tables.session_events;
                if let Some(mut head) = heads::head::<SessionRow>(table, txn, &key)?
                    && head.folded < first
                {
                    head.folded = first;
                    table.put(txn, &key, &rows::encode(&head)?)?;
                }
                Ok(done)
            })?;
        }
        Ok(done)
    }
}

/// An event on its way.
struct Coming {
    session: String,
    sequence: Option<u64>,
    /// Whether its time was given.
    timed: bool,
    row: SessionEventRow<Kept>,
}

/// A session that gets events.
struct Open {
    key: [u8; 16],
    head: SessionRow,
    state: State,
}

fn write(
    generation: &Generation,
    txn: &mut RwTxn<'_>,
    all: &[Coming],
    contents: &Contents,
) -> Fallible<Vec<Placed>> {
    let tables = &generation.tables;
    let compacted = |new: &&Coming| matches!(new.row.event, SessionEvent::Compacted(_));
    let compacted: HashSet<&str> =
        all.iter().filter(compacted).map(|new| new.session.as_str()).collect();
    let mut sessions: BTreeMap<&str, Open> = BTreeMap::new();
    let mut batch = Gathered::default();
    let mut placed = Vec::with_capacity(all.len());
    for (place, new) in all.iter().enumerate() {
        let session = new.session.as_str();
        let open = match sessions.entry(session) {
            std::collections::btree_map::Entry::Occupied(open) => open.into_mut(),
            std::collections::btree_map::Entry::Vacant(vacant) => {
                let open = Open::session(tables, txn, session, compacted.contains(session))?;
                vacant.insert(open)
            }
        };
        let known = open.check(tables, txn, new).map_err(|fault| match fault {
            Fault::Vox(error) => about(place, session, error).into(),
            other => other,
        })?;
        if let Some(sequence) = known {
            placed.push(Placed { sequence, known: true });
            continue;
        }
        let sequence = open.head.next;
        let before = open.state.items;
        let folded = fold(session, sequence, &new.row, &mut open.state)?;
        batch.take(&session_key(session), before, folded);
        for kept in new.row.contents() {
            batch.batch.owned.push(contents.place(&kept.hash)?);
        }
        let row = rows::encode(&new.row)?;
        tables.session_events.put(txn, &numbered(&open.key, sequence), &row)?;
        open.head.next += 1;
        placed.push(Placed { sequence, known: false });
    }
    for open in sessions.into_values() {
        let items = open.state.items;
        let head = SessionRow { folded: open.head.next, items, ..open.head };
        if head.next > 0 {
            tables.session_events.put(txn, &open.key, &rows::encode(&head)?)?;
        }
    }
    append::apply(generation, txn, &contents.prepared(batch.finish(contents)?))?;
    Ok(placed)
}

impl Open {
    fn session(tables: &Tables, txn: &RwTxn<'_>, id: &str, with_items: bool) -> Fallible<Self> {
        let key = short_hash(id);
        let head: Option<SessionRow> = heads::head(tables.session_events, txn, &key)?;
        let Some(head) = head else {
            let head = SessionRow { id: id.to_owned(), ..SessionRow::default() };
            return Ok(Self { key, head, state: State::first() });
        };
        let mut state = State::after(head.items);
        if with_items {
            state = State::first();
            let rows = heads::below(tables.session_events, txn, &key, 0, usize::MAX)?;
            for (sequence, row) in rows {
                fold(id, sequence, &row, &mut state)?;
            }
        }
        Ok(Self { key, head, state })
    }

    /// The number of an event that the session has already; an error if it can't come now.
    fn check(&self, tables: &Tables, txn: &RwTxn<'_>, new: &Coming) -> Fallible<Option<u64>> {
        let next = self.head.next;
        let conflict = |says: String| Err(Error::new(Code::Conflict, says).into());
        if let Some(sequence) = new.sequence.filter(|sequence| *sequence < next) {
            let stored = tables.session_events.get(txn, &numbered(&self.key, sequence))?;
            let gap = || Error::damaged(format!("event {sequence} of {} is missing", self.head.id));
            let stored: SessionEventRow<Kept> =
                rows::decode(stored.ok_or_else(gap)?, "a session's event")?;
            let mut stored = stored.try_map(|kept| Ok::<_, Error>(Kept::of(kept.hash)))?;
            if !new.timed {
                stored.at = new.row.at;
            }
            if stored == new.row {
                return Ok(Some(sequence));
            }
            return conflict(format!("the session has another event with the number {sequence}"));
        }
        if let Some(sequence) = new.sequence.filter(|sequence| *sequence > next) {
            return conflict(format!("it has the number {sequence}, but {next} comes next"));
        }
        let created = matches!(new.row.event, SessionEvent::Created(_));
        let says = match (next, created) {
            (0, false) => "a session begins with `created`; append that first",
            (1.., true) => "the session was created already; give `created` its sequence 0",
            _ => return Ok(None),
        };
        Err(Error::new(Code::InvalidArgument, says).into())
    }
}

/// A batch whose items are named by their hashes.
#[derive(Default)]
struct Gathered {
    batch: Batch,
    items: Vec<(String, u64, Vec<super::FoldedItem>)>,
    places: BTreeMap<String, usize>,
}

impl Gathered {
    /// Takes what an event means for `window`, which had `before` items.
    fn take(&mut self, window: &str, before: u64, folded: Folded) {
        self.batch.windows.extend(folded.window);
        self.batch.overlays.extend(folded.overlays);
        self.batch.usage.extend(folded.usage);
        if folded.items.is_empty() {
            return;
        }
        let place = *self.places.entry(window.to_owned()).or_insert_with(|| {
            self.items.push((window.to_owned(), before, Vec::new()));
            self.items.len() - 1
        });
        if let Some((_, _, items)) = self.items.get_mut(place) {
            items.extend(folded.items);
        }
    }

    fn finish(self, contents: &Contents) -> Result<Batch> {
        let items = self.items.into_iter().map(|(window, at, items)| {
            let items: Result<_> = items.into_iter().map(|item| contents.item(item)).collect();
            Ok(WindowItems { window, at, items: items? })
        });
        Ok(Batch { items: items.collect::<Result<_>>()?, fallback_time: now(), ..self.batch })
    }
}

/// What of `change` a window that is there doesn't say yet.
fn missing_in(row: &WindowRow, change: WindowChange) -> WindowChange {
    let text = |there: &Option<String>, new| if there.is_none() { new } else { None };
    let symbol = |there: u32, new| if there == 0 { new } else { None };
    WindowChange {
        key: change.key,
        title: if row.renamed { None } else { text(&row.title, change.title) },
        repo: symbol(row.repo, change.repo),
        workspace: text(&row.workspace, change.workspace),
        agent: symbol(row.agent, change.agent),
        model_route: if row.routed { None } else { symbol(row.model_route, change.model_route) },
        thread_id: text(&row.thread_id, change.thread_id),
        trace_id: text(&row.trace_id, change.trace_id),
        git_sha_at_open: text(&row.git_sha_at_open, change.git_sha_at_open),
        git_sha_at_close: text(&row.git_sha_at_close, change.git_sha_at_close),
        git_branch: text(&row.git_branch, change.git_branch),
        parent: change.parent,
        link: change.link,
        ..WindowChange::default()
    }
}

fn about(place: usize, session: &str, error: Error) -> Error {
    Error::new(error.code, format!("event {place} (session {session:?}): {}", error.message))
}
