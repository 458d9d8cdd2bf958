//! Archives that users and importers change at random.

use proptest::prelude::*;
use vox_core::archive::{Archive, OwnItem};
use vox_store::{
    append::WindowChange,
    purge,
    window_ops::{Label, Mark, Merge, NewWindow, Places},
};
use vox_types::{ItemKind, LinkKind, Role, Tier, WindowNo};

/// What is said: few words, so that they meet.
const WORDS: [&str; 12] = [
    "alpha",
    "beta",
    "gamma",
    "Alpha",
    "foo_bar",
    "fooBar",
    "src/x.py:42",
    "größe",
    "東京都",
    "e\u{301}",
    "E0308",
    "a",
];

#[derive(Clone, Debug)]
pub enum Action {
    Append { window: usize, items: Vec<OwnItem> },
    Fork { from: usize, at: f64 },
    Merge { from: Vec<(usize, f64, f64)> },
    Mark { window: usize, mark: Mark, from: f64, to: f64 },
    Label { window: usize, label: Label },
    PurgeTrimmed,
    PurgeDeleted,
}

/// Windows that importers know: their keys, repositories, agents, and whose sub-agents they are.
pub const SOURCES: [(&str, &str, &str, Option<&str>); 5] = [
    ("s:one", "/home/me/thing", "claude-code", None),
    ("s:two", "https://github.com/me/other.git", "codex", None),
    ("s:sub", "/home/me/thing", "claude-code", Some("s:one")),
    ("s:subsub", "/home/me/thing", "claude-code", Some("s:sub")),
    ("s:three", "", "codex", None),
];

fn item() -> impl Strategy<Value = OwnItem> {
    let text = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..8)
        .prop_map(|words| words.join(" ").into_bytes());
    let content = prop_oneof![
        8 => text,
        1 => Just(b"\xff\xfe alpha".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
        // Longer than what is indexed.
        1 => Just(["gamma ".repeat(200_000), "alpha".into()].concat().into_bytes()),
    ];
    let names = prop::sample::select(&[None, Some("Bash"), Some("Read"), Some("opus-1")][..]);
    let roles = prop::sample::select(Role::ALL);
    (content, roles, prop::sample::select(ItemKind::ALL), 0i64..40, names).prop_map(
        |(content, role, kind, day, name)| OwnItem {
            role,
            kind,
            content,
            created_at: Some(day * 86_400_000 * 20),
            name: name.map(str::to_owned),
            side: kind == ItemKind::Record,
            redacted: false,
            token_estimate: None,
            call: 0,
        },
    )
}

pub fn action() -> impl Strategy<Value = Action> {
    let window = 0usize..12;
    let part = || 0.0..1.0f64;
    let marks = [Mark::Trim, Mark::Trim, Mark::Restore, Mark::Pin, Mark::Unpin];
    let labels = [
        Label::Delete,
        Label::Delete,
        Label::Undelete,
        Label::Pin,
        Label::Unpin,
        Label::Tag(vec!["Good".into()]),
        Label::Untag(vec!["Good".into()]),
        Label::Rename(Some("A Fine title".into())),
    ];
    prop_oneof![
        6 => (window.clone(), prop::collection::vec(item(), 1..12))
            .prop_map(|(window, items)| Action::Append { window, items }),
        2 => (window.clone(), part()).prop_map(|(from, at)| Action::Fork { from, at }),
        1 => prop::collection::vec((window.clone(), part(), part()), 1..3)
            .prop_map(|from| Action::Merge { from }),
        4 => (window.clone(), prop::sample::select(marks.to_vec()), part(), part())
            .prop_map(|(window, mark, from, to)| Action::Mark { window, mark, from, to }),
        3 => (window, prop::sample::select(labels.to_vec()))
            .prop_map(|(window, label)| Action::Label { window, label }),
        1 => Just(Action::PurgeTrimmed),
        1 => Just(Action::PurgeDeleted),
    ]
}

fn windows(archive: &Archive) -> WindowNo {
    archive.store().snapshot(|snapshot| snapshot.window_count()).unwrap() as WindowNo
}

/// The window and how many items it has.
fn pick(archive: &Archive, window: usize) -> Option<(WindowNo, u64)> {
    let no = (window as WindowNo).checked_rem(windows(archive))?;
    Some((no, archive.store().snapshot(|snapshot| snapshot.window(no)).unwrap().items))
}

/// The ordinals between two parts of a window.
fn between(items: u64, from: f64, to: f64) -> std::ops::Range<u64> {
    let at = |part: f64| (part * items as f64) as u64;
    at(from.min(to))..at(from.max(to))
}

/// Does `action`, as far as it can be done.
pub fn act(archive: &Archive, action: Action) {
    match action {
        Action::Append { window, items } => {
            let (key, repo, agent, parent) = SOURCES[window % SOURCES.len()];
            let change = WindowChange {
                key: key.into(),
                title: Some(format!("about {key}")),
                repo: (!repo.is_empty()).then(|| repo.into()),
                agent: Some(agent.into()),
                tier: Some(if key.ends_with('o') { Tier::Hot } else { Tier::Cold }),
                parent: parent.map(Into::into),
                link: parent.map(|_| LinkKind::SpawnedBy),
                ..WindowChange::default()
            };
            archive.append(change, items).unwrap();
        }
        Action::Fork { from, at } => {
            let Some((no, items)) = pick(archive, from) else { return };
            let count = between(items, 0.0, at).end;
            let key = format!("fork {}", windows(archive));
            if count > 0 {
                archive.store().fork(no, count, NewWindow { key, title: None }).unwrap();
            }
        }
        Action::Merge { from } => {
            let key = format!("merge {}", windows(archive));
            let parts: Vec<Places> = from
                .into_iter()
                .filter_map(|(window, from, to)| {
                    let (window, items) = pick(archive, window)?;
                    let ordinals = between(items, from, to);
                    (!ordinals.is_empty()).then(|| Places { window, ordinals: vec![ordinals] })
                })
                .collect();
            // What can't be merged, because all of it was purged, isn't.
            let _ = archive.store().merge(Merge { new: NewWindow { key, title: None }, parts });
        }
        Action::Mark { window, mark, from, to } => {
            let Some((window, items)) = pick(archive, window) else { return };
            let ordinals = between(items, from, to);
            if !ordinals.is_empty() {
                let places = Places { window, ordinals: vec![ordinals] };
                archive.store().mark(mark, vec![places]).unwrap();
            }
        }
        Action::Label { window, label } => {
            let Some((window, _)) = pick(archive, window) else { return };
            // What was purged can't be undeleted.
            let _ = archive.store().label(vec![window], false, label);
        }
        Action::PurgeTrimmed => purge(archive, true),
        Action::PurgeDeleted => purge(archive, false),
    }
}

fn purge(archive: &Archive, trimmed: bool) {
    let options = purge::Options {
        trimmed,
        deleted: !trimmed,
        grace: 0,
        dry_run: false,
        ..purge::Options::default()
    };
    archive.store().purge(&options).unwrap();
}
