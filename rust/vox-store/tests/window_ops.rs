//! What users do to windows, against windows as plain lists.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::single_range_in_vec_init, reason = "one range is meant")]

#[allow(dead_code, reason = "only a part of what is counted is looked at")]
mod recount;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use proptest::prelude::*;
use recount::recount;
use vox_format::rows::{Event, EventRow};
use vox_store::{
    Store,
    append::{Batch, NewItem, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
    events,
    spine::{overlays, symbols, windows},
    verify::{self, Options},
    window_ops::{Label, Mark, Merge, NewWindow, Places},
};
use vox_types::{Code, Fidelity, ItemKind, OverlayKind, Role, WindowNo};

/// Some chunks, so that sums and chains cross into the next, and far enough for ranges that are
/// looked up by themselves.
const LONG: usize = 1500;
const SHORT: usize = 7;

#[derive(Clone, Debug, PartialEq)]
struct Item {
    text: String,
    kind: ItemKind,
    tokens: u32,
}

#[derive(Clone, Debug, Default)]
struct Window {
    key: String,
    items: Vec<Item>,
    overlays: BTreeMap<OverlayKind, BTreeMap<u64, i64>>,
    title: Option<String>,
    source_title: Option<String>,
    renamed: bool,
    tags: BTreeSet<String>,
    pinned: bool,
    deleted: bool,
    parent: Option<WindowNo>,
    merged_from: BTreeSet<WindowNo>,
}

impl Window {
    fn said(&self, kind: OverlayKind) -> BTreeMap<u64, i64> {
        self.overlays.get(&kind).cloned().unwrap_or_default()
    }
}

#[derive(Clone, Debug)]
enum Action {
    Mark { mark: Mark, picks: Vec<(usize, Vec<(f64, f64)>)> },
    Fork { from: usize, at: f64 },
    Merge { picks: Vec<(usize, (f64, f64))> },
    Label { windows: Vec<usize>, label: Label },
    Append { to: usize, count: usize },
    SourceTitle { of: usize, title: String },
}

fn pick() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![
        (0.0..1.0f64, 0.0..1.0f64),
        (0.0..1.0f64).prop_map(|at| (at, at + 0.004)),
        Just((0.0, 1.0)),
    ]
}

fn label() -> impl Strategy<Value = Label> {
    let tags = || prop::collection::vec(prop::sample::select(vec!["a", "b", "größer"]), 1..3);
    let own = |tags: Vec<&str>| tags.into_iter().map(str::to_owned).collect::<Vec<_>>();
    prop_oneof![
        prop::option::of("[a-c]").prop_map(Label::Rename),
        tags().prop_map(move |tags| Label::Tag(own(tags))),
        tags().prop_map(move |tags| Label::Untag(own(tags))),
        prop::sample::select(vec![Label::Pin, Label::Unpin, Label::Delete, Label::Undelete]),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    // Mostly one of the first three.
    let window = || prop_oneof![3 => 0usize..3, 1 => 0usize..100];
    let marks =
        vec![Mark::Trim, Mark::Trim, Mark::TrimPinnedToo, Mark::Restore, Mark::Pin, Mark::Unpin];
    let marked = prop::collection::vec((window(), prop::collection::vec(pick(), 1..4)), 1..3);
    prop_oneof![
        8 => (prop::sample::select(marks), marked)
            .prop_map(|(mark, picks)| Action::Mark { mark, picks }),
        2 => (window(), 0.0..1.0f64).prop_map(|(from, at)| Action::Fork { from, at }),
        1 => prop::collection::vec((window(), pick()), 1..4)
            .prop_map(|picks| Action::Merge { picks }),
        4 => (prop::collection::vec(window(), 1..3), label())
            .prop_map(|(windows, label)| Action::Label { windows, label }),
        1 => (window(), 1usize..4).prop_map(|(to, count)| Action::Append { to, count }),
        1 => (window(), "[x-z]").prop_map(|(of, title)| Action::SourceTitle { of, title }),
    ]
}

fn new_item(batch: &mut Batch, item: &Item, created_at: Option<i64>) -> NewItem {
    let bytes = item.text.clone().into();
    batch.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Content });
    NewItem {
        role: Role::User,
        kind: item.kind,
        fidelity: Fidelity::Recorded,
        redacted: false,
        side: item.kind == ItemKind::Record,
        created_at,
        name: None,
        token_estimate: item.tokens,
        call: 0,
        content: batch.blobs.len() - 1,
        rest: None,
        preview: item.text.clone(),
    }
}

/// The archive, and what it should hold.
struct Both {
    store: Store,
    windows: Vec<Window>,
    texts: u64,
}

fn places(len: usize, (from, to): (f64, f64)) -> Range<u64> {
    let at = |part: f64| (part.min(1.0) * len as f64).round() as u64;
    at(from.min(to))..at(from.max(to))
}

impl Both {
    fn new(folder: &std::path::Path) -> Self {
        let mut both = Self { store: Store::create(folder).unwrap(), windows: vec![], texts: 0 };
        for (key, count) in [("long", LONG), ("short", SHORT)] {
            both.windows.push(Window { key: key.into(), ..Window::default() });
            both.append(both.windows.len() - 1, count);
        }
        // Its items stand in two runs, and the first goes on behind them.
        both.fork(0, 300);
        both.append(2, 5);
        both
    }

    fn append(&mut self, to: usize, count: usize) {
        let mut batch = Batch { fallback_time: 5, ..Batch::default() };
        let key = self.windows[to].key.clone();
        batch.windows.push(WindowChange { key: key.clone(), ..WindowChange::default() });
        let mut new = Vec::new();
        for _ in 0..count {
            self.texts += 1;
            // Every third text repeats, and some items are records, which stand on no path.
            let text =
                format!("text {}", if self.texts.is_multiple_of(3) { 0 } else { self.texts });
            let kind = if self.texts % 7 == 3 { ItemKind::Record } else { ItemKind::Message };
            let tokens = (self.texts % 5) as u32;
            let item = Item { text, kind, tokens };
            new.push(new_item(&mut batch, &item, Some(self.texts as i64)));
            self.windows[to].items.push(item);
        }
        let at = WindowItems::END;
        batch.items.push(WindowItems { window: key, at, items: new });
        self.store.append(batch).unwrap();
    }

    fn act(&mut self, action: &Action) {
        let count = self.windows.len();
        match action {
            Action::Mark { mark, picks } => self.mark(*mark, picks),
            Action::Fork { from, at } => {
                let from = from % count;
                let items = (at * self.windows[from].items.len() as f64).round() as usize;
                self.fork(from, items);
            }
            Action::Merge { picks } => self.merge(picks),
            Action::Label { windows, label } => {
                let windows: Vec<usize> = windows.iter().map(|window| window % count).collect();
                self.label(&windows, label);
            }
            Action::Append { to, count: items } => self.append(to % count, *items),
            Action::SourceTitle { of, title } => {
                let window = &mut self.windows[of % count];
                let change = WindowChange {
                    key: window.key.clone(),
                    title: Some(title.clone()),
                    ..WindowChange::default()
                };
                let place =
                    if window.renamed { &mut window.source_title } else { &mut window.title };
                *place = Some(title.clone());
                self.store.append(Batch { windows: vec![change], ..Batch::default() }).unwrap();
            }
        }
    }

    fn mark(&mut self, mark: Mark, picks: &[(usize, Vec<(f64, f64)>)]) {
        let mut asked = Vec::new();
        for (window, parts) in picks {
            let window = window % self.windows.len();
            if asked.iter().any(|place: &Places| place.window as usize == window) {
                continue;
            }
            let len = self.windows[window].items.len();
            let ordinals = parts.iter().map(|part| places(len, *part)).collect();
            asked.push(Places { window: window as WindowNo, ordinals });
        }
        let foreseen: Vec<_> = self
            .store
            .snapshot(|snapshot| asked.iter().map(|p| snapshot.would_mark(mark, p)).collect())
            .unwrap();
        let before = self.store.read(events::next).unwrap();
        let done = self.store.mark(mark, asked.clone()).unwrap();
        assert_eq!(done, foreseen, "what is done is what was foreseen");
        let logged = self.store.read(|t, txn| events::since(t, txn, before, 99)).unwrap();
        let mut logged = logged.into_iter();
        for (place, done) in asked.iter().zip(done) {
            let window = &mut self.windows[place.window as usize];
            let pinned = window.said(OverlayKind::Pinned);
            let (overlay, says) = match mark {
                Mark::Trim | Mark::TrimPinnedToo => (OverlayKind::Trimmed, true),
                Mark::Restore => (OverlayKind::Trimmed, false),
                Mark::Pin => (OverlayKind::Pinned, true),
                Mark::Unpin => (OverlayKind::Pinned, false),
            };
            let values = window.overlays.entry(overlay).or_default();
            let ordinals: BTreeSet<u64> = place.ordinals.iter().cloned().flatten().collect();
            let mut kept = 0;
            let mut changed = Vec::new();
            for ordinal in ordinals {
                let there = values.contains_key(&ordinal);
                if says == there {
                    continue;
                }
                if mark == Mark::Trim && (window.pinned || pinned.contains_key(&ordinal)) {
                    kept += 1;
                    continue;
                }
                changed.push((ordinal, values.get(&ordinal).copied()));
            }
            assert_eq!((done.changed.items, done.kept), (changed.len() as u64, kept));
            let items: Vec<&Item> =
                changed.iter().map(|(ordinal, _)| &window.items[*ordinal as usize]).collect();
            assert_eq!(done.changed.bytes, items.iter().map(|item| item.text.len() as u64).sum());
            assert_eq!(done.changed.tokens, items.iter().map(|i| u64::from(i.tokens)).sum());
            if changed.is_empty() {
                continue;
            }
            let (_, EventRow { window: of, what, .. }) = logged.next().expect("an event");
            assert_eq!(of, Some(place.window));
            let Event::Marked { overlay: number, value, ranges } = what else {
                panic!("{what:?} is no mark")
            };
            assert_eq!((number, value.is_some()), (overlay as u8, says));
            let ranges = ranges.unpack().unwrap();
            let each = ranges.iter().flat_map(|range| {
                let was = (!says).then_some(range.value);
                (range.first..range.end()).map(move |ordinal| (ordinal, was))
            });
            assert_eq!(each.collect::<Vec<_>>(), changed, "the event says what changed from what");
            for (ordinal, _) in changed {
                match value {
                    Some(value) => values.insert(ordinal, value),
                    None => values.remove(&ordinal),
                };
            }
        }
        assert!(logged.next().is_none(), "nothing else is written down");
    }

    fn fork(&mut self, from: usize, items: usize) {
        let key = format!("fork:{}", self.windows.len());
        let blobs = self.store.blob_sizes().unwrap();
        let new = NewWindow { key: key.clone(), title: None };
        let no = self.store.fork(from as WindowNo, items as u64, new).unwrap();
        assert_eq!(no as usize, self.windows.len());
        assert_eq!(self.store.blob_sizes().unwrap().blobs, blobs.blobs);
        let origin = &self.windows[from];
        let begins = |said: &BTreeMap<u64, i64>| {
            said.range(..items as u64).map(|(ordinal, value)| (*ordinal, *value)).collect()
        };
        let overlays = origin.overlays.iter().map(|(kind, said)| (*kind, begins(said)));
        let forked = Window {
            key,
            items: origin.items[..items].to_vec(),
            overlays: overlays.collect(),
            title: origin.title.clone(),
            tags: origin.tags.clone(),
            parent: Some(from as WindowNo),
            ..Window::default()
        };
        self.windows.push(forked);
    }

    fn merge(&mut self, picks: &[(usize, (f64, f64))]) {
        let key = format!("merge:{}", self.windows.len());
        let mut parts = Vec::new();
        let mut items = Vec::new();
        let mut tags: Option<BTreeSet<String>> = None;
        for (window, part) in picks {
            let window = window % self.windows.len();
            let from = &self.windows[window];
            let ordinals = places(from.items.len(), *part);
            items.extend_from_slice(&from.items[ordinals.start as usize..ordinals.end as usize]);
            parts.push(Places { window: window as WindowNo, ordinals: vec![ordinals] });
            tags = Some(match tags {
                None => from.tags.clone(),
                Some(tags) => &tags & &from.tags,
            });
        }
        let new = NewWindow { key: key.clone(), title: Some("merged".into()) };
        let blobs = self.store.blob_sizes().unwrap().blobs;
        let merged = self.store.merge(Merge { new, parts: parts.clone() });
        if items.is_empty() {
            assert_eq!(merged.unwrap_err().code, Code::InvalidArgument);
            return;
        }
        let merged = merged.unwrap();
        assert_eq!((merged.window as usize, merged.purged), (self.windows.len(), 0));
        assert_eq!(self.store.blob_sizes().unwrap().blobs, blobs);
        self.windows.push(Window {
            key,
            items,
            title: Some("merged".into()),
            tags: tags.unwrap_or_default(),
            merged_from: parts.iter().map(|part| part.window).collect(),
            ..Window::default()
        });
    }

    fn label(&mut self, windows: &[usize], label: &Label) {
        let asked: Vec<WindowNo> = windows.iter().map(|window| *window as WindowNo).collect();
        let foreseen = self.store.snapshot(|s| s.would_label(&asked, false, label)).unwrap();
        let changed = self.store.label(asked, false, label.clone()).unwrap();
        assert_eq!(changed, foreseen);
        for no in changed {
            let window = &mut self.windows[no as usize];
            match label {
                Label::Rename(Some(title)) => {
                    if !window.renamed {
                        window.source_title = window.title.take();
                    }
                    window.title = Some(title.clone());
                    window.renamed = true;
                }
                Label::Rename(None) => {
                    window.title = window.source_title.take();
                    window.renamed = false;
                }
                Label::Tag(tags) => window.tags.extend(tags.iter().cloned()),
                Label::Untag(tags) => window.tags.retain(|tag| !tags.contains(tag)),
                Label::Pin => window.pinned = true,
                Label::Unpin => window.pinned = false,
                Label::Delete => window.deleted = true,
                Label::Undelete => window.deleted = false,
            }
        }
    }

    /// Everything that the archive says agrees with the lists.
    fn compare(&self) {
        let counted = recount(&self.store);
        assert_eq!(counted.windows.len(), self.windows.len());
        for (no, window) in self.windows.iter().enumerate() {
            let row = &counted.windows[no];
            let texts = counted.paths[no].iter().map(|item| &counted.items[item].content);
            let expected = window.items.iter().map(|item| item.text.as_bytes());
            assert!(texts.map(Vec::as_slice).eq(expected), "the items of window {no}");
            assert_eq!(row.title, window.title);
            assert_eq!(row.renamed, window.renamed);
            assert_eq!((row.pinned, row.deleted_at.is_some()), (window.pinned, window.deleted));
            assert_eq!(row.parent, window.parent);
            assert!(row.tags.is_sorted(), "tags are sorted");
            let no = no as WindowNo;
            let tags = self.store.read(|t, txn| {
                let texts = row.tags.iter().map(|tag| symbols::text(t, txn, *tag));
                let texts = texts.map(|text| Ok(text?.unwrap().to_owned()));
                texts.collect::<Result<BTreeSet<String>, _>>()
            });
            assert_eq!(tags.unwrap(), window.tags);
            let links = self.store.snapshot(|s| s.links(no)).unwrap();
            let from: BTreeSet<WindowNo> = links.iter().map(|(_, to, _)| *to).collect();
            let expected = window.parent.into_iter().chain(window.merged_from.iter().copied());
            assert_eq!(from, expected.collect());
            for kind in [OverlayKind::Trimmed, OverlayKind::Pinned] {
                let all = 0..window.items.len() as u64;
                let ranges =
                    self.store.read(|t, txn| overlays::touching(t, txn, no, kind, all)).unwrap();
                let each = ranges.iter().flat_map(|range| {
                    (range.first..range.end()).map(|ordinal| (ordinal, range.value))
                });
                assert_eq!(each.collect::<BTreeMap<_, _>>(), window.said(kind));
            }
            assert_eq!(row.trimmed, window.said(OverlayKind::Trimmed).len() as u64);
        }
        let report = verify::verify(&self.store, &Options { sample: None }).unwrap();
        assert_eq!(report.total, 0, "{:?}", report.findings);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn windows_agree_with_plain_lists(actions in prop::collection::vec(action(), 1..24)) {
        let folder = tempfile::tempdir().unwrap();
        let mut both = Both::new(folder.path());
        for action in &actions {
            both.act(action);
        }
        both.compare();
    }
}

fn archive(folder: &std::path::Path) -> Both {
    let mut both = Both::new(folder);
    both.fork(2, 2);
    both
}

fn deleted(store: &Store) -> Vec<WindowNo> {
    let rows = (0..4).map(|no| store.snapshot(|s| s.window(no)).unwrap());
    (0..).zip(rows).filter(|(_, row)| row.deleted_at.is_some()).map(|(no, _)| no).collect()
}

#[test]
fn windows_below_are_deleted_and_come_back_with_the_one_they_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let Both { store, .. } = archive(folder.path());
    assert_eq!(store.label(vec![3], true, Label::Delete).unwrap(), [3]);
    // A deletion at another time, so that it is told apart from the one that follows.
    while vox_store::now() <= store.snapshot(|s| s.window(3)).unwrap().deleted_at.unwrap() {}
    let foreseen = store.snapshot(|s| s.would_label(&[0], true, &Label::Delete)).unwrap();
    assert_eq!(foreseen, [0, 2]);
    assert_eq!(store.label(vec![0], true, Label::Delete).unwrap(), foreseen);
    assert_eq!(deleted(&store), [0, 2, 3]);
    assert_eq!(store.label(vec![0], true, Label::Undelete).unwrap(), [0, 2]);
    assert_eq!(deleted(&store), [3], "it was deleted before, by itself");
    assert_eq!(store.label(vec![0], false, Label::Delete).unwrap(), [0]);
    assert_eq!(deleted(&store), [0, 3], "what came from it stays");
}

#[test]
fn pinned_items_and_those_of_pinned_windows_are_not_trimmed() {
    let folder = tempfile::tempdir().unwrap();
    let Both { store, .. } = archive(folder.path());
    let trim = |mark, ordinals: Range<u64>| {
        let places = vec![Places { window: 1, ordinals: vec![ordinals] }];
        let done = store.mark(mark, places).unwrap()[0];
        (done.changed.items, done.kept)
    };
    assert_eq!(trim(Mark::Pin, 2..4), (2, 0));
    assert_eq!(trim(Mark::Trim, 0..5), (3, 2));
    assert_eq!(trim(Mark::TrimPinnedToo, 0..5), (2, 0));
    assert_eq!(trim(Mark::Restore, 0..3), (3, 0));
    store.label(vec![1], false, Label::Pin).unwrap();
    assert_eq!(trim(Mark::Trim, 0..7), (0, 5));
    assert_eq!(trim(Mark::TrimPinnedToo, 0..7), (5, 0));
    assert_eq!(trim(Mark::Restore, 0..7), (7, 0));
}

#[test]
fn a_purged_window_is_not_undeleted() {
    let folder = tempfile::tempdir().unwrap();
    let Both { store, .. } = archive(folder.path());
    store.label(vec![1], false, Label::Delete).unwrap();
    store
        .write(|generation, txn| {
            let mut row = windows::expect(&generation.tables, txn, 1)?;
            row.purged_at = Some(7);
            let row = vox_format::rows::encode(&row)?;
            generation.tables.windows.put(txn, &1u32.to_be_bytes(), &row)?;
            Ok(())
        })
        .unwrap();
    let refused = store.label(vec![0, 1], false, Label::Undelete).unwrap_err();
    assert_eq!(refused.code, Code::Purged);
    assert_eq!(deleted(&store), [1]);
}

#[test]
fn what_is_refused_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let Both { store, .. } = archive(folder.path());
    let rows = |store: &Store| {
        store.read(|tables, txn| {
            let sizes = tables.all().map(|table| table.len(txn).unwrap());
            Ok(sizes)
        })
    };
    let before = rows(&store).unwrap();
    let new = |key: &str| NewWindow { key: key.into(), title: None };
    let fork = |from, count, key| store.fork(from, count, new(key)).unwrap_err().code;
    assert_eq!(fork(9, 0, "new"), Code::NotFound);
    assert_eq!(fork(1, SHORT as u64 + 1, "new"), Code::InvalidArgument);
    assert_eq!(fork(1, 1, "long"), Code::Conflict);
    assert_eq!(fork(1, 1, ""), Code::InvalidArgument);
    let merge = |window, ordinals: Range<u64>, key| {
        let parts = vec![Places { window, ordinals: vec![ordinals] }];
        store.merge(Merge { new: new(key), parts }).unwrap_err().code
    };
    assert_eq!(merge(9, 0..1, "new"), Code::NotFound);
    assert_eq!(merge(1, 0..SHORT as u64 + 1, "new"), Code::InvalidArgument);
    assert_eq!(merge(1, 3..3, "new"), Code::InvalidArgument);
    assert_eq!(merge(1, 0..1, "short"), Code::Conflict);
    let mark = |window, ordinals: Range<u64>| {
        let good = Places { window: 0, ordinals: vec![0..5] };
        let bad = Places { window, ordinals: vec![ordinals] };
        store.mark(Mark::Trim, vec![good, bad]).unwrap_err().code
    };
    assert_eq!(mark(9, 0..1), Code::NotFound);
    assert_eq!(mark(1, 0..SHORT as u64 + 1), Code::InvalidArgument);
    assert_eq!(mark(1, Range { start: 3, end: 2 }), Code::InvalidArgument);
    let label = |windows, label| store.label(windows, false, label).unwrap_err().code;
    assert_eq!(label(vec![0, 9], Label::Pin), Code::NotFound);
    for tag in ["", " a", "a,b", "a\nb", &"x".repeat(101)] {
        assert_eq!(label(vec![0], Label::Tag(vec![tag.into()])), Code::InvalidArgument);
    }
    assert_eq!(label(vec![0], Label::Rename(Some("x".repeat(1001)))), Code::InvalidArgument);
    assert_eq!(rows(&store).unwrap(), before);
    let read_only = Store::open_read_only(folder.path()).unwrap();
    let refused = read_only.label(vec![0], false, Label::Pin).unwrap_err();
    assert_eq!(refused.code, Code::ReadOnly);
}

#[test]
fn a_window_that_waits_for_a_key_is_put_below_the_fork_that_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let Both { store, .. } = archive(folder.path());
    let waiting = WindowChange {
        key: "waiting".into(),
        parent: Some("awaited".into()),
        ..WindowChange::default()
    };
    store.append(Batch { windows: vec![waiting], ..Batch::default() }).unwrap();
    let fork = NewWindow { key: "awaited".into(), title: None };
    let fork = store.fork(0, 2, fork).unwrap();
    let row = store.snapshot(|s| s.window(4)).unwrap();
    assert_eq!((row.parent, row.root), (Some(fork), 0));
    assert_eq!(fork, 5);
    assert!(verify::verify(&store, &Options { sample: None }).unwrap().findings.is_empty());
}

#[test]
fn what_a_user_said_of_a_conversation_holds_when_its_source_rewrites_it() {
    let folder = tempfile::tempdir().unwrap();
    let both = Both::new(folder.path());
    let store = &both.store;
    store.label(vec![1], false, Label::Rename(Some("mine".into()))).unwrap();
    store.label(vec![1], false, Label::Tag(vec!["kept".into()])).unwrap();
    store.label(vec![1], false, Label::Pin).unwrap();
    store.label(vec![1], false, Label::Delete).unwrap();
    let marked = Places { window: 1, ordinals: vec![0..4] };
    store.mark(Mark::TrimPinnedToo, vec![marked]).unwrap();
    // The third item is another now.
    let mut batch = Batch { fallback_time: 5, ..Batch::default() };
    let new = Item { text: "new".into(), kind: ItemKind::Message, tokens: 0 };
    let said = both.windows[1].items[..2].iter().chain([&new]);
    let items = said.map(|item| new_item(&mut batch, item, None)).collect();
    let key = both.windows[1].key.clone();
    batch.items.push(WindowItems { window: key, at: 0, items });
    assert_eq!(both.store.append(batch).unwrap().diverged, 1);
    let row = both.store.snapshot(|s| s.window(3)).unwrap();
    assert_eq!((row.items, row.revision, row.trimmed), (3, 1, 2));
    assert_eq!((row.title.as_deref(), row.renamed), (Some("mine"), true));
    assert!(row.pinned && row.deleted_at.is_some() && row.tags.len() == 1);
    recount(&both.store);
}
