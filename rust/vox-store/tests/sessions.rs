//! Sessions: events and what they mean, against a plain reference that takes one event at a time.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "only its own assertions and the references are looked at")]
mod recount;
mod spine;

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use spine::{ShownItem, ShownWindow, Spine, spine};
use vox_format::{
    producers::{
        Given, Kept,
        session::{
            Compacted, Created, DroppedItem, ExpensiveOpRecorded, Known, MetaUpdated,
            PluginStateUpdated, Reset, SessionEvent, SessionKind, SessionState, StateChanged,
            TurnAdded, TurnItem, TurnItemKind, Usage,
        },
    },
    rows::UsageRow,
};
use vox_store::{
    Store,
    append::Appended,
    gc,
    producers::{NewSessionEvent, Placed},
    purge,
    verify::{Options, Verdict, verify},
};
use vox_types::{Code, ContentHash, ItemKind, Role, Tier, WindowKind};

type Event = SessionEvent<Given>;

fn text(text: &str) -> Given {
    Given::Text(text.to_owned())
}

fn bytes_of(given: &Given) -> String {
    match given {
        Given::Text(text) => text.clone(),
        Given::Data(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Given::Hash(_) => panic!("the reference knows contents by their bytes"),
    }
}

/// One of a few contents; none of them is valid as any other.
fn content() -> impl Strategy<Value = Given> {
    prop_oneof![
        4 => (0u8..5).prop_map(|n| text(&format!("said {n}"))),
        1 => (0u8..3).prop_map(|n| Given::Data(format!("data {n}").into_bytes())),
        1 => Just(text(&"long ".repeat(4000))),
    ]
}

fn name_of(content: &Given) -> Option<String> {
    // Windows share equal items: the name follows from the content, or it would be the first's.
    bytes_of(content).ends_with('1').then(|| "grep".to_owned())
}

fn turn_item() -> impl Strategy<Value = TurnItem<Given>> {
    let kind = prop::sample::select(vec![
        TurnItemKind::Message,
        TurnItemKind::ToolCall,
        TurnItemKind::ToolResult,
        TurnItemKind::Reasoning,
        TurnItemKind::Attachment,
    ]);
    (kind, content(), prop::option::of(0i64..4)).prop_map(|(kind, content, at)| TurnItem {
        kind,
        name: name_of(&content),
        content,
        call_id: None,
        at,
        token_estimate: None,
        redacted: false,
    })
}

fn usage() -> impl Strategy<Value = Usage> {
    (prop::option::of(0u8..3), 0u64..3, 0u64..3, prop::option::of(Just("m".to_owned()))).prop_map(
        |(key, input, output, model)| Usage {
            key: key.map(|key| format!("k{key}")),
            model,
            input,
            output,
            ..Usage::default()
        },
    )
}

fn known() -> impl Strategy<Value = Known> {
    let word = || prop::option::of((0u8..3).prop_map(|n| format!("word {n}")));
    (word(), word(), word(), word()).prop_map(|(title, agent, model_route, repo)| Known {
        title,
        agent,
        model_route,
        repo,
        ..Known::default()
    })
}

fn role() -> impl Strategy<Value = Role> {
    prop::sample::select(vec![Role::User, Role::Assistant, Role::System])
}

fn event() -> impl Strategy<Value = Event> {
    let turn = (role(), prop::collection::vec(turn_item(), 0..5), prop::option::of(usage()));
    let dropped = prop::collection::vec((role(), content()), 0..6);
    let states = vec![SessionState::Active, SessionState::Idle, SessionState::Closed];
    let sha = prop::option::of((0u8..3).prop_map(|n| format!("sha {n}")));
    prop_oneof![
        6 => turn.prop_map(|(role, items, usage)| SessionEvent::TurnAdded(TurnAdded {
            role,
            items,
            usage: usage.map(Box::new),
        })),
        2 => (prop::sample::select(states), sha).prop_map(|(state, git_sha_at_close)| {
            SessionEvent::StateChanged(StateChanged { state, git_sha_at_close })
        }),
        2 => (known(), prop::collection::vec((0u8..3).prop_map(|n| format!("tag {n}")), 0..3))
            .prop_map(|(known, tags)| SessionEvent::MetaUpdated(Box::new(MetaUpdated { known, tags }))),
        1 => Just(SessionEvent::Reset(Reset { reason: None })),
        3 => (dropped, content(), prop::option::of(content()), prop::option::of(usage())).prop_map(
            |(dropped, summary, rationale, usage)| {
                let dropped = dropped.into_iter().map(|(role, content)| DroppedItem {
                    role,
                    content,
                    kind: TurnItemKind::Message,
                });
                let dropped = dropped.collect();
                let usage = usage.map(Box::new);
                SessionEvent::Compacted(Compacted { dropped, summary, rationale, usage })
            }
        ),
        1 => usage().prop_map(|usage| SessionEvent::ExpensiveOpRecorded(ExpensiveOpRecorded {
            op: "embed".into(),
            duration_ms: None,
            usage,
        })),
        1 => content().prop_map(|content| SessionEvent::PluginStateUpdated(PluginStateUpdated {
            plugin: "todo".into(),
            content,
        })),
    ]
}

/// A session: its kind, the number of its parent, and its events with their times.
type Session = (SessionKind, Option<usize>, Known, Vec<(i64, Event)>);

fn sessions() -> impl Strategy<Value = Vec<Session>> {
    let kinds = vec![SessionKind::Chat, SessionKind::Task, SessionKind::Agent, SessionKind::A2a];
    let events = prop::collection::vec((0i64..6, event()), 0..12);
    let session = (prop::sample::select(kinds), prop::option::of(0usize..4), known(), events);
    prop::collection::vec(session, 1..4)
}

/// The events of all sessions in the order that `picks` chooses; each keeps its own order.
fn interleaved(sessions: &[Session], picks: &[usize]) -> Vec<NewSessionEvent> {
    let id = |number: usize| format!("s{number}");
    let mut queues: Vec<std::collections::VecDeque<NewSessionEvent>> = sessions
        .iter()
        .enumerate()
        .map(|(number, (kind, parent, known, events))| {
            let created = SessionEvent::Created(Box::new(Created {
                kind: *kind,
                // A window isn't put below itself or what is below it; so nobody claims that here.
                parent: parent.filter(|_| number > 0).map(|parent| id(parent % number)),
                known: known.clone(),
                git_sha_at_open: Some("opened".into()),
            }));
            let events = [(number as i64, created)].into_iter().chain(events.iter().cloned());
            let new = |(at, event)| NewSessionEvent {
                session: id(number),
                at: Some(at),
                sequence: None,
                event,
            };
            events.map(new).collect()
        })
        .collect();
    let mut order = Vec::new();
    let mut picks = picks.iter().copied().chain(0..);
    while queues.iter().any(|queue| !queue.is_empty()) {
        let pick = picks.next().unwrap() % queues.len();
        order.extend(queues[pick].pop_front());
    }
    order
}

/// Appends `events` in batches of these sizes.
fn append(store: &Store, events: &[NewSessionEvent], sizes: &[usize]) -> Vec<Placed> {
    let mut placed = Vec::new();
    let mut sizes = sizes.iter().copied().cycle();
    let mut rest = events;
    while !rest.is_empty() {
        let (batch, others) = rest.split_at(sizes.next().unwrap_or(1).clamp(1, rest.len()));
        placed.extend(store.append_session_events(batch.to_vec()).unwrap());
        rest = others;
    }
    placed
}

/// What the reference knows of a session besides its window.
#[derive(Default)]
struct Refer {
    window: ShownWindow,
    /// Of each item whether it can still be dropped, and whether compactions look at it.
    open: Vec<(bool, bool)>,
    events: u64,
}

impl Refer {
    fn item(&mut self, at: i64, role: Role, kind: ItemKind, content: &Given, side: bool) {
        let window = &mut self.window;
        if window.items.is_empty() {
            window.updated_at = at;
            window.created_at = window.created_at.min(at);
        }
        window.updated_at = window.updated_at.max(at);
        let content = bytes_of(content);
        let name = String::new();
        window.items.push(ShownItem { role, kind, side, content, created_at: at, name });
        self.open.push((true, true));
    }

    fn beside(&mut self, at: i64, kind: ItemKind, content: &Given, name: &str) {
        self.item(at, Role::System, kind, content, true);
        self.window.items.last_mut().unwrap().name = name.into();
        *self.open.last_mut().unwrap() = (false, false);
    }

    fn know(&mut self, known: &Known) {
        let window = &mut self.window;
        window.title = known.title.clone().or(window.title.take());
        for (field, new) in [
            (&mut window.agent, &known.agent),
            (&mut window.model_route, &known.model_route),
            (&mut window.repo, &known.repo),
        ] {
            if let Some(new) = new {
                field.clone_from(new);
            }
        }
    }
}

fn reference(events: &[NewSessionEvent]) -> Spine {
    let mut sessions: BTreeMap<String, Refer> = BTreeMap::new();
    let mut reports: HashMap<String, UsageRow> = HashMap::new();
    for NewSessionEvent { session, at, event, .. } in events {
        let at = at.unwrap();
        let key = format!("vox-session:{session}");
        let refer = sessions.entry(key.clone()).or_default();
        let mut usage: Option<&Usage> = None;
        match event {
            SessionEvent::Created(created) => {
                refer.window.kind = WindowKind::from(created.kind) as u8;
                refer.window.created_at = at;
                refer.window.updated_at = at;
                refer.window.git_sha_at_open = created.git_sha_at_open.clone();
                refer.window.parent =
                    created.parent.as_ref().map(|parent| format!("vox-session:{parent}"));
                refer.know(&created.known);
            }
            SessionEvent::TurnAdded(turn) => {
                for item in &turn.items {
                    let result = item.kind == TurnItemKind::ToolResult;
                    let role = if result { Role::Tool } else { turn.role };
                    let at = item.at.unwrap_or(at);
                    refer.item(at, role, item.kind.into(), &item.content, false);
                    let name = item.name.clone().unwrap_or_default();
                    refer.window.items.last_mut().unwrap().name = name;
                }
                usage = turn.usage.as_deref();
            }
            SessionEvent::StateChanged(changed) => {
                refer.window.tier = match changed.state {
                    SessionState::Active => Tier::Hot,
                    SessionState::Idle => Tier::Warm,
                    SessionState::Closed => Tier::Cold,
                } as u8;
                let sha = changed.git_sha_at_close.clone();
                refer.window.git_sha_at_close = sha.or(refer.window.git_sha_at_close.take());
            }
            SessionEvent::MetaUpdated(meta) => {
                refer.know(&meta.known);
                refer.window.tags.extend(meta.tags.iter().cloned());
            }
            SessionEvent::Reset(_) => {
                for ordinal in 0..refer.open.len() {
                    refer.open[ordinal].0 = false;
                    refer.window.committed.insert(ordinal as u64, -1);
                }
            }
            SessionEvent::Compacted(compacted) => {
                for dropped in &compacted.dropped {
                    let bytes = bytes_of(&dropped.content);
                    let said = |ordinal: &usize| refer.window.items[*ordinal].content == bytes;
                    let all: Vec<usize> = (0..refer.open.len())
                        .filter(|ordinal| refer.open[*ordinal].1)
                        .filter(said)
                        .collect();
                    let next = all.iter().copied().find(|ordinal| refer.open[*ordinal].0);
                    let ordinal = match (next, all.is_empty()) {
                        (Some(next), _) => next,
                        (None, false) => continue,
                        (None, true) => {
                            let kind = dropped.kind.into();
                            refer.item(at, dropped.role, kind, &dropped.content, true);
                            refer.open.len() - 1
                        }
                    };
                    refer.open[ordinal].0 = false;
                    refer.window.committed.insert(ordinal as u64, -1);
                }
                refer.item(at, Role::System, ItemKind::Summary, &compacted.summary, false);
                if let Some(rationale) = &compacted.rationale {
                    refer.beside(at, ItemKind::Summary, rationale, "rationale");
                }
                usage = compacted.usage.as_deref();
            }
            SessionEvent::ExpensiveOpRecorded(op) => usage = Some(&op.usage),
            SessionEvent::PluginStateUpdated(plugin) => {
                refer.beside(at, ItemKind::Record, &plugin.content, &plugin.plugin);
            }
        }
        if let Some(usage) = usage {
            let own = format!("{key}#{}", refer.events);
            let row = UsageRow {
                key: usage.key.clone().unwrap_or(own),
                model: u32::from(usage.model.is_some()),
                at,
                input: usage.input,
                output: usage.output,
                ..UsageRow::default()
            };
            match reports.remove(&row.key) {
                Some(before) => reports.insert(row.key.clone(), before.merge(row)),
                None => reports.insert(row.key.clone(), row),
            };
        }
        refer.events += 1;
    }
    let windows = sessions.into_iter().map(|(key, refer)| (key, refer.window)).collect();
    Spine { windows, usage: reports.into_iter().collect() }
}

/// Usage without what depends on which of two equal reports came first.
fn sizes(spine: &Spine) -> BTreeMap<&str, (u64, u64)> {
    spine.usage.iter().map(|(key, row)| (key.as_str(), (row.output, row.input))).collect()
}

fn archive() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    (folder, store)
}

fn assert_sound(store: &Store) {
    recount::recount(store);
    let report = verify(store, &Options { sample: None }).unwrap();
    assert_eq!(report.findings, []);
    assert_eq!(report.verdict(), Verdict::Clean);
}

fn refold_all(store: &Store) -> Appended {
    let mut done = Appended::default();
    for session in store.sessions().unwrap() {
        done += store.refold_session(&session.id).unwrap();
    }
    done
}

fn made(done: Appended) -> u64 {
    done.windows + done.added + done.shared + done.diverged + done.usage + done.changed + done.blobs
}

/// Each case writes some dozen transactions.
fn cases() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.div_ceil(4), ..config }
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn events_mean_what_the_reference_says_in_any_order_and_any_batches(
        sessions in sessions(),
        picks in prop::collection::vec(0usize..4, 0..40),
        sizes_a in prop::collection::vec(1usize..8, 1..4),
        sizes_b in prop::collection::vec(1usize..8, 1..4),
    ) {
        let events = interleaved(&sessions, &picks);
        let (_folder, store) = archive();
        append(&store, &events, &sizes_a);
        let first = spine(&store);
        prop_assert_eq!(&first, &reference(&events));
        assert_sound(&store);

        // Folding again changes nothing.
        prop_assert_eq!(made(refold_all(&store)), 0);
        prop_assert_eq!(&spine(&store), &first);
        assert_sound(&store);

        // What comes again under its number is known, and changes nothing.
        let mut numbers: HashMap<String, u64> = HashMap::new();
        let mut again = events.clone();
        for event in &mut again {
            let number = numbers.entry(event.session.clone()).or_default();
            event.sequence = Some(*number);
            *number += 1;
        }
        prop_assert!(append(&store, &again, &sizes_b).iter().all(|placed| placed.known));
        prop_assert_eq!(&spine(&store), &first);

        // Another archive, another order of the sessions, other batches: the same windows.
        let (_other_folder, other) = archive();
        let reversed: Vec<usize> = picks.iter().rev().map(|pick| pick + 1).collect();
        append(&other, &interleaved(&sessions, &reversed), &sizes_b);
        let second = spine(&other);
        prop_assert_eq!(&second.windows, &first.windows);
        prop_assert_eq!(sizes(&second), sizes(&first));
    }

    #[test]
    fn folding_again_makes_what_the_spine_lost(
        sessions in sessions(),
        lose in prop::collection::vec(any::<bool>(), 2),
    ) {
        let events = interleaved(&sessions, &[]);
        let (_folder, store) = archive();
        append(&store, &events, &[5]);
        let whole = spine(&store);
        let generation = store.generation();
        generation
            .write(|txn| {
                let tables = &generation.tables;
                if lose[0] {
                    tables.overlays.clear(txn)?;
                }
                if lose[1] {
                    tables.usage.clear(txn)?;
                    tables.usage_owners.clear(txn)?;
                }
                Ok(())
            })
            .unwrap();
        refold_all(&store);
        let again = spine(&store);
        prop_assert_eq!(&again.windows, &whole.windows);
        prop_assert_eq!(sizes(&again), sizes(&whole));
        prop_assert_eq!(made(refold_all(&store)), 0);
        assert_sound(&store);
    }
}

fn created() -> Event {
    SessionEvent::Created(Box::default())
}

fn said(role: Role, of: &[&str]) -> Event {
    let item = |content: &&str| TurnItem {
        kind: TurnItemKind::Message,
        content: text(content),
        name: None,
        call_id: None,
        at: None,
        token_estimate: None,
        redacted: false,
    };
    SessionEvent::TurnAdded(TurnAdded { role, items: of.iter().map(item).collect(), usage: None })
}

fn new(sequence: Option<u64>, event: Event) -> NewSessionEvent {
    NewSessionEvent { session: "s".into(), at: Some(5), sequence, event }
}

fn compacted(dropped: Vec<Given>) -> Event {
    let dropped = dropped.into_iter().map(|content| DroppedItem {
        content,
        role: Role::User,
        kind: TurnItemKind::Message,
    });
    SessionEvent::Compacted(Compacted {
        dropped: dropped.collect(),
        summary: text("in short"),
        rationale: None,
        usage: None,
    })
}

fn hash(content: &str) -> Given {
    Given::Hash(Kept::of(ContentHash::of(content.as_bytes())))
}

fn refused(store: &Store, events: Vec<NewSessionEvent>) -> (Code, String) {
    let error = store.append_session_events(events).unwrap_err();
    (error.code, error.message)
}

#[test]
fn an_event_that_cannot_come_now_is_refused_with_its_place_and_nothing_is_written() {
    let (_folder, store) = archive();
    let early = refused(&store, vec![new(None, said(Role::User, &["hi"]))]);
    assert_eq!(early.0, Code::InvalidArgument);
    assert!(early.1.contains("event 0") && early.1.contains("begins with `created`"), "{early:?}");
    assert_eq!(store.sessions().unwrap(), []);

    store.append_session_events(vec![new(None, created())]).unwrap();
    let twice = refused(&store, vec![new(None, said(Role::User, &["a"])), new(None, created())]);
    assert_eq!(twice.0, Code::InvalidArgument);
    assert!(twice.1.contains("event 1"), "{twice:?}");
    let gap = refused(&store, vec![new(Some(2), said(Role::User, &["a"]))]);
    assert!(gap.0 == Code::Conflict && gap.1.contains("1 comes next"), "{gap:?}");
    assert_eq!(store.session("s").unwrap().unwrap().next, 1);

    store.append_session_events(vec![new(Some(1), said(Role::User, &["a"]))]).unwrap();
    let other = refused(&store, vec![new(Some(1), said(Role::User, &["b"]))]);
    assert!(other.0 == Code::Conflict && other.1.contains("number 1"), "{other:?}");
    let nobody = vec![NewSessionEvent { session: String::new(), ..new(None, created()) }];
    assert_eq!(refused(&store, nobody).0, Code::InvalidArgument);
    assert_sound(&store);
}

#[test]
fn an_event_without_a_time_is_known_again_by_all_else() {
    let (_folder, store) = archive();
    let timeless = |sequence| NewSessionEvent { at: None, ..new(Some(sequence), created()) };
    let first = store.append_session_events(vec![timeless(0)]).unwrap();
    assert_eq!(first, [Placed { sequence: 0, known: false }]);
    let again = store.append_session_events(vec![timeless(0)]).unwrap();
    assert_eq!(again, [Placed { sequence: 0, known: true }]);
}

#[test]
fn what_a_compaction_drops_must_be_there_or_come_with_it() {
    let (_folder, store) = archive();
    store.append_session_events(vec![new(None, created())]).unwrap();
    let lost = refused(&store, vec![new(None, compacted(vec![hash("never said")]))]);
    assert!(lost.0 == Code::NotFound && lost.1.contains("event 0"), "{lost:?}");

    // What comes earlier in the same call is there.
    let turn = said(Role::User, &["one", "two", "one"]);
    let dropped = vec![hash("one"), text("brought along")];
    store.append_session_events(vec![new(None, turn), new(None, compacted(dropped))]).unwrap();
    let window = &spine(&store).windows["vox-session:s"];
    let contents: Vec<(&str, bool)> =
        window.items.iter().map(|item| (item.content.as_str(), item.side)).collect();
    let expected = [
        ("one", false),
        ("two", false),
        ("one", false),
        ("brought along", true),
        ("in short", false),
    ];
    assert_eq!(contents, expected);
    assert_eq!(window.committed, BTreeMap::from([(0, -1), (3, -1)]));
    assert_eq!(window.trimmed.len(), 0);
    assert_eq!(store.get(&ContentHash::of(b"brought along")).unwrap(), b"brought along");
    assert_sound(&store);
}

#[test]
fn folding_again_leaves_what_a_user_changed() {
    let (_folder, store) = archive();
    let titled = SessionEvent::MetaUpdated(Box::new(MetaUpdated {
        known: Known { title: Some("given".into()), ..Known::default() },
        tags: vec!["t".into()],
    }));
    let reset = SessionEvent::Reset(Reset { reason: Some("new task".into()) });
    let events = [created(), titled, said(Role::User, &["a", "b"]), reset];
    store.append_session_events(events.map(|event| new(None, event)).to_vec()).unwrap();
    let kind = vox_types::OverlayKind::Committed;
    store.set_overlay(0, kind, 1..2, Some(7)).unwrap();
    let changed = spine(&store);
    assert_eq!(made(store.refold_session("s").unwrap()), 0);
    assert_eq!(spine(&store), changed);
    assert_eq!(changed.windows["vox-session:s"].committed, BTreeMap::from([(0, -1), (1, 7)]));
}

#[test]
fn a_row_and_its_item_share_one_blob() {
    let (_folder, store) = archive();
    let turn = said(Role::User, &["only once"]);
    store.append_session_events(vec![new(None, created()), new(None, turn)]).unwrap();
    let counts = store.counts(&[ContentHash::of(b"only once")]).unwrap();
    assert_eq!(counts[0].unwrap().references, 2);
    assert_eq!(recount::recount(&store).references[&b"only once".to_vec()], 2);
}

#[test]
fn what_is_purged_of_a_window_is_purged_of_the_rows_behind_it() {
    let (_folder, store) = archive();
    let secret = || TurnItem {
        kind: TurnItemKind::Message,
        content: text("a secret"),
        name: None,
        call_id: None,
        at: None,
        token_estimate: None,
        redacted: false,
    };
    let turn = |items| SessionEvent::TurnAdded(TurnAdded { role: Role::User, items, usage: None });
    let titled = SessionEvent::MetaUpdated(Box::new(MetaUpdated {
        known: Known { title: Some("about a secret".into()), ..Known::default() },
        tags: Vec::new(),
    }));
    let events = [created(), titled, turn(vec![secret(), secret()]), said(Role::User, &["open"])];
    store.append_session_events(events.map(|event| new(None, event)).to_vec()).unwrap();
    let hashes = [ContentHash::of(b"a secret")];
    let references = || store.counts(&hashes).unwrap()[0].map(|counts| counts.references);
    let purge = |trimmed, deleted| {
        let options =
            purge::Options { trimmed, deleted, grace: 0, dry_run: false, ..Default::default() };
        store.purge(&options).unwrap()
    };
    let trim = |ordinal| store.set_overlay(0, vox_types::OverlayKind::Trimmed, ordinal, Some(1));
    assert_eq!(references(), Some(4));
    // While another item shows the same, the rows keep it.
    trim(0..1).unwrap();
    assert_eq!(purge(true, false).items, 1);
    assert_eq!(references(), Some(3));
    assert_sound(&store);
    trim(1..2).unwrap();
    assert_eq!(purge(true, false).items, 1);
    assert_eq!(references(), Some(0));
    assert_sound(&store);
    store.collect(&gc::Options { grace: 0, dry_run: false, ..Default::default() }).unwrap();
    assert_eq!(store.get(&hashes[0]).unwrap_err().code, Code::NotFound);
    let (_, row) = store.session_events("s", 2, 1).unwrap().remove(0);
    assert!(row.contents().iter().all(|kept| kept.purged && kept.hash == hashes[0]));
    assert_eq!(made(store.refold_session("s").unwrap()), 0);
    assert_sound(&store);
}
