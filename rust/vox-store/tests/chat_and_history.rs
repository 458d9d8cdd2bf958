//! Chat and history: rows, the windows that show them, and the blobs that both share.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "only its own assertions and the references are looked at")]
mod recount;
mod spine;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use spine::spine;
use vox_format::producers::{Given, chat::MessageRow, history::HistoryKind};
use vox_store::{
    Store,
    append::Appended,
    producers::{HistoryCaps, NewConversation, NewEntry},
    purge,
    verify::{Options, verify},
};
use vox_types::{Code, ContentHash, ItemKind, Role};

fn archive() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    (folder, store)
}

fn assert_sound(store: &Store) {
    recount::recount(store);
    assert_eq!(verify(store, &Options { sample: None }).unwrap().findings, []);
}

fn message(at: i64, role: Role, content: &str) -> MessageRow<Given> {
    let content = Given::Text(content.into());
    let (kind, name, call_id, token_estimate) = (ItemKind::Message, None, None, None);
    MessageRow { at, role, kind, content, name, call_id, token_estimate }
}

fn conversation(id: &str) -> NewConversation {
    NewConversation { id: id.into(), title: Some("T".into()), at: Some(1), ..Default::default() }
}

#[test]
fn a_conversation_and_its_messages_stand_in_their_tables_and_in_one_window() {
    let (_folder, store) = archive();
    store.create_conversation(conversation("c")).unwrap();
    let messages = vec![message(5, Role::User, "hi"), message(6, Role::Assistant, "hello")];
    assert_eq!(store.append_messages("c", messages).unwrap(), 0);
    assert_eq!(store.append_messages("c", vec![message(7, Role::User, "hi")]).unwrap(), 2);
    store.rename_conversation("c", "Another".into()).unwrap();
    let row = store.conversation("c").unwrap();
    assert_eq!((row.title.as_deref(), row.messages, row.created_at), (Some("Another"), 3, 1));
    let page = store.messages("c", 1, 1).unwrap();
    assert_eq!((page.len(), page[0].0, page[0].1.role), (1, 1, Role::Assistant));
    assert_eq!(page[0].1.content.hash, ContentHash::of(b"hello"));
    let window = &spine(&store).windows["vox-chat:c"];
    let said: Vec<(&str, i64)> =
        window.items.iter().map(|item| (item.content.as_str(), item.created_at)).collect();
    assert_eq!(said, [("hi", 5), ("hello", 6), ("hi", 7)]);
    assert_eq!(window.title.as_deref(), Some("Another"));
    assert_eq!(store.counts(&[ContentHash::of(b"hi")]).unwrap()[0].unwrap().references, 4);
    assert_eq!(
        store.refold_conversation("c").unwrap(),
        Appended { known: 3, ..Appended::default() }
    );
    assert_sound(&store);
}

#[test]
fn a_deleted_conversation_takes_no_message_until_it_is_brought_back() {
    let (_folder, store) = archive();
    store.create_conversation(conversation("c")).unwrap();
    store.delete_conversation("c", true).unwrap();
    store.delete_conversation("c", true).unwrap();
    assert!(spine(&store).windows["vox-chat:c"].deleted);
    assert!(store.conversation("c").unwrap().deleted_at.is_some());
    let late = store.append_messages("c", vec![message(5, Role::User, "hi")]).unwrap_err();
    assert_eq!(late.code, Code::Conflict);
    store.delete_conversation("c", false).unwrap();
    store.append_messages("c", vec![message(5, Role::User, "hi")]).unwrap();
    assert!(!spine(&store).windows["vox-chat:c"].deleted);
    assert_sound(&store);
}

#[test]
fn a_conversation_that_is_not_there_and_one_that_is_are_told_apart() {
    let (_folder, store) = archive();
    store.create_conversation(conversation("c")).unwrap();
    assert_eq!(store.create_conversation(conversation("c")).unwrap_err().code, Code::Conflict);
    assert_eq!(
        store.create_conversation(conversation("")).unwrap_err().code,
        Code::InvalidArgument
    );
    let nobody = [
        store.rename_conversation("x", "t".into()).unwrap_err().code,
        store.delete_conversation("x", true).unwrap_err().code,
        store.append_messages("x", Vec::new()).unwrap_err().code,
        store.conversation("x").unwrap_err().code,
    ];
    assert_eq!(nobody, [Code::NotFound; 4]);
}

#[test]
fn a_conversation_whose_window_is_purged_keeps_neither_words_nor_title() {
    let (_folder, store) = archive();
    store.create_conversation(conversation("c")).unwrap();
    store.append_messages("c", vec![message(5, Role::User, "a secret")]).unwrap();
    store.delete_conversation("c", true).unwrap();
    let options =
        purge::Options { deleted: true, grace: 0, dry_run: false, ..purge::Options::default() };
    assert_eq!(store.purge(&options).unwrap().windows, 1);
    assert_eq!(store.conversation("c").unwrap().title, None);
    assert!(store.messages("c", 0, 1).unwrap()[0].1.content.purged);
    let hash = ContentHash::of(b"a secret");
    assert_eq!(store.counts(&[hash]).unwrap()[0].map(|counts| counts.references), Some(0));
    assert_sound(&store);
}

/// An entry of the reference: number, group, content, pinned.
type Entry = (u64, (HistoryKind, String), String, bool);

/// History as a list.
#[derive(Default)]
struct Reference {
    entries: Vec<Entry>,
    next: u64,
    /// For each group the contents of all it ever had, and whether each is still there and pinned.
    ever: BTreeMap<(HistoryKind, String), Vec<(u64, String)>>,
}

impl Reference {
    fn add(
        &mut self,
        group: &(HistoryKind, String),
        contents: &[String],
        caps: HistoryCaps,
    ) -> u64 {
        for content in contents {
            self.entries.push((self.next, group.clone(), content.clone(), false));
            self.ever.entry(group.clone()).or_default().push((self.next, content.clone()));
            self.next += 1;
        }
        let mut evicted = 0;
        loop {
            let mine = || self.entries.iter().filter(|entry| entry.1 == *group);
            let bytes: u64 = mine().map(|entry| entry.2.len() as u64).sum();
            if mine().count() as u64 <= caps.entries && bytes <= caps.bytes {
                return evicted;
            }
            let oldest = mine().find(|entry| !entry.3).map(|entry| entry.0);
            let Some(oldest) = oldest.filter(|oldest| oldest + 1 != self.next) else {
                return evicted;
            };
            self.entries.retain(|entry| entry.0 != oldest);
            evicted += 1;
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Add(HistoryKind, u8, Vec<(u8, usize)>),
    Pin(usize, bool),
    Remove(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop::sample::select(vec![HistoryKind::Clip, HistoryKind::Command]);
    let entries = prop::collection::vec((0u8..4, 1usize..30), 0..6);
    prop_oneof![
        4 => (kind, 0u8..2, entries).prop_map(|(kind, repo, entries)| Step::Add(kind, repo, entries)),
        2 => (0usize..20, any::<bool>()).prop_map(|(at, pinned)| Step::Pin(at, pinned)),
        2 => (0usize..20).prop_map(Step::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.div_ceil(4), ..ProptestConfig::default() })]
    #[test]
    fn history_is_a_list_with_caps(steps in prop::collection::vec(step(), 1..16)) {
        let (_folder, store) = archive();
        let mut reference = Reference::default();
        let caps = HistoryCaps { entries: 6, bytes: 90 };
        for step in steps {
            match step {
                Step::Add(kind, repo, entries) => {
                    let group = (kind, if repo == 0 { String::new() } else { format!("r{repo}") });
                    let contents: Vec<String> =
                        entries.iter().map(|(n, length)| n.to_string().repeat(*length)).collect();
                    let new = contents.iter().map(|content| NewEntry {
                        at: Some(3),
                        content: Given::Text(content.clone()),
                        name: None,
                    });
                    let added = store.add_history(kind, &group.1, new.collect(), caps).unwrap();
                    let from = reference.next;
                    prop_assert_eq!(added.evicted, reference.add(&group, &contents, caps));
                    prop_assert_eq!(added.numbers, (from..reference.next).collect::<Vec<_>>());
                }
                Step::Pin(at, pinned) if !reference.entries.is_empty() => {
                    let at = at % reference.entries.len();
                    let entry = &mut reference.entries[at];
                    let changed = store.pin_history(&[entry.0], pinned).unwrap();
                    prop_assert_eq!(changed, u64::from(entry.3 != pinned));
                    entry.3 = pinned;
                }
                Step::Remove(at) if !reference.entries.is_empty() => {
                    let (number, ..) = reference.entries.remove(at % reference.entries.len());
                    store.remove_history(&[number, number]).unwrap();
                }
                Step::Pin(..) | Step::Remove(_) => {}
            }
        }
        let mut stored: Vec<Entry> = store.history(None, None, None, 1000).unwrap().into_iter().map(|entry| {
            let content = store.get(&entry.row.content.hash).unwrap();
            let group = (entry.kind, entry.repo);
            (entry.number, group, String::from_utf8(content).unwrap(), entry.row.pinned_at.is_some())
        }).collect();
        stored.reverse();
        prop_assert_eq!(&stored, &reference.entries);
        let windows = spine(&store).windows;
        prop_assert_eq!(windows.len(), reference.ever.len());
        for ((kind, repo), ever) in &reference.ever {
            let window = &windows[&format!("vox-history:{}:{repo}", kind.name())];
            let said: Vec<&str> = window.items.iter().map(|item| item.content.as_str()).collect();
            prop_assert_eq!(said, ever.iter().map(|(_, content)| content.as_str()).collect::<Vec<_>>());
            let there: BTreeMap<u64, bool> = stored.iter().map(|entry| (entry.0, entry.3)).collect();
            let gone = |(_, (number, _)): &(u64, &(u64, String))| !there.contains_key(number);
            let gone: BTreeSet<u64> = (0..).zip(ever).filter(gone).map(|(at, _)| at).collect();
            prop_assert_eq!(&window.trimmed, &gone);
        }
        assert_sound(&store);
    }
}

#[test]
fn history_is_listed_by_kind_and_repository_and_by_page() {
    let (_folder, store) = archive();
    let caps = HistoryCaps { entries: 10, bytes: 1000 };
    let new = |content: &str| NewEntry {
        at: Some(1),
        content: Given::Text(content.into()),
        name: Some("zsh".into()),
    };
    store.add_history(HistoryKind::Clip, "", vec![new("a"), new("b")], caps).unwrap();
    store.add_history(HistoryKind::Command, "r", vec![new("c")], caps).unwrap();
    store.add_history(HistoryKind::Clip, "r", vec![new("d")], caps).unwrap();
    let numbers = |kind, repo, before, count| -> Vec<u64> {
        let shown = store.history(kind, repo, before, count).unwrap();
        shown.into_iter().map(|entry| entry.number).collect()
    };
    assert_eq!(numbers(None, None, None, 10), [3, 2, 1, 0]);
    assert_eq!(numbers(None, None, Some(3), 2), [2, 1]);
    assert_eq!(numbers(Some(HistoryKind::Clip), None, None, 2), [3, 1]);
    assert_eq!(numbers(None, Some("r"), None, 10), [3, 2]);
    assert_eq!(numbers(None, Some(""), None, 10), [1, 0]);
    let large = store.add_history(HistoryKind::Clip, "", vec![new(&"x".repeat(1001))], caps);
    assert_eq!(large.unwrap_err().code, Code::TooLarge);
    let missing = store.remove_history(&[1, 99]).unwrap_err();
    assert!(missing.code == Code::NotFound && missing.message.contains("99"));
    assert_eq!(store.history(None, None, None, 10).unwrap().len(), 4);
}
