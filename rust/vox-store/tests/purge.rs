//! Purging against a slow look at every place of every item.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clean;
mod recount;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use vox_format::{preview::preview, rows::Event};
use vox_store::{
    Store,
    append::{Batch, NewItem, NewRest, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
    events, gc,
    purge::{Options, Purged},
};
use vox_types::{
    Code, ContentHash, Fidelity, ItemId, ItemKind, LinkKind, OverlayKind, Role, WindowNo,
};

use crate::clean::assert_clean;

const DAY: i64 = 86_400_000;
/// Windows of the tests.
const KEYS: u8 = 4;

fn item(content: usize, extra: Option<usize>, at: i64, bytes: &[u8]) -> NewItem {
    NewItem {
        role: Role::User,
        kind: ItemKind::Message,
        fidelity: Fidelity::Recorded,
        redacted: false,
        side: false,
        created_at: Some(at),
        name: None,
        token_estimate: 1,
        call: 0,
        content,
        rest: extra.map(NewRest::Extra),
        preview: preview(bytes),
    }
}

/// Items with these contents and times for a window, from ordinal `at` on.
fn batch(key: u8, at: u64, contents: &[(u8, i64)]) -> Batch {
    let mut batch = Batch { fallback_time: 1, ..Batch::default() };
    let change = WindowChange {
        key: format!("w{key}"),
        title: Some(format!("title {key}")),
        workspace: Some(format!("/home/ada/{key}")),
        ..WindowChange::default()
    };
    batch.windows.push(change);
    let mut items = Vec::new();
    for (content, time) in contents {
        let bytes = format!("content {content}").into_bytes();
        let extra = content.is_multiple_of(2).then(|| {
            let bytes = format!("rest of {content}").into_bytes();
            batch.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Extra });
            batch.blobs.len() - 1
        });
        items.push(item(batch.blobs.len(), extra, *time, &bytes));
        batch.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Content });
    }
    batch.items.push(WindowItems { window: format!("w{key}"), at, items });
    batch
}

/// A window that begins with the first items of another.
fn fork(of: u8, key: &str, shares: u64) -> Batch {
    let mut batch = Batch { fallback_time: 1, ..Batch::default() };
    batch.windows.push(WindowChange {
        key: key.into(),
        parent: Some(format!("w{of}")),
        link: Some(LinkKind::ForkedFrom),
        shares,
        ..WindowChange::default()
    });
    batch
}

#[derive(Clone, Debug)]
enum Step {
    Append {
        key: u8,
        contents: Vec<(u8, i64)>,
    },
    Fork {
        of: u8,
        shares: u64,
    },
    /// Sends all that a window was ever sent again.
    Again {
        key: u8,
        restore: bool,
    },
    Overlay {
        window: u32,
        kind: OverlayKind,
        first: u64,
        count: u64,
        days: Option<i64>,
    },
    Window {
        window: u32,
        pinned: Option<bool>,
        deleted: Option<Option<i64>>,
    },
    Purge {
        windows: Vec<u32>,
        trimmed: bool,
        deleted: bool,
        grace: i64,
    },
    Collect,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let window = 0u32..7;
    let contents = prop::collection::vec((0u8..9, 1i64..4), 1..7);
    let days = prop::option::weighted(0.8, 0i64..30);
    let step = prop_oneof![
        4 => (0..KEYS, contents).prop_map(|(key, contents)| Step::Append { key, contents }),
        2 => (0..KEYS, 0u64..9).prop_map(|(of, shares)| Step::Fork { of, shares }),
        2 => (0..KEYS, any::<bool>()).prop_map(|(key, restore)| Step::Again { key, restore }),
        4 => (window.clone(), prop::bool::weighted(0.8), 0u64..9, 1u64..7, days.clone())
            .prop_map(|(window, trim, first, count, days)| {
                let kind = if trim { OverlayKind::Trimmed } else { OverlayKind::Pinned };
                Step::Overlay { window, kind, first, count, days }
            }),
        2 => (window.clone(), prop::option::of(any::<bool>()), prop::option::of(days))
            .prop_map(|(window, pinned, deleted)| Step::Window { window, pinned, deleted }),
        5 => (prop::collection::vec(window, 0..3), any::<bool>(), any::<bool>(), prop_oneof![Just(0i64), Just(14)])
            .prop_map(|(windows, trimmed, deleted, grace)| Step::Purge { windows, trimmed, deleted, grace }),
        2 => Just(Step::Collect),
    ];
    prop::collection::vec(step, 1..24)
}

/// Changes the row of a window behind the store's back.
fn edit(store: &Store, no: WindowNo, change: impl Fn(&mut vox_format::rows::WindowRow)) {
    let generation = store.generation();
    let tables = generation.tables;
    generation
        .write(|txn| {
            let key = no.to_be_bytes();
            let value = tables.windows.get(txn, &key)?.unwrap();
            let mut row = vox_format::rows::decode(value, "a window")?;
            let recency = |row: &vox_format::rows::WindowRow| {
                vox_format::keys::recency(row.repo, row.tier, row.updated_at, no)
            };
            tables.by_recency.delete(txn, &recency(&row))?;
            change(&mut row);
            if row.deleted_at.is_none() {
                tables.by_recency.put(txn, &recency(&row), &[])?;
            }
            tables.windows.put(txn, &key, &vox_format::rows::encode(&row)?)?;
            Ok(())
        })
        .unwrap();
}

/// What has been said of each item of each window, kept by the test.
#[derive(Default)]
struct Said {
    overlays: BTreeMap<(u32, OverlayKind, u64), i64>,
    sent: BTreeMap<u8, Vec<(u8, i64)>>,
}

struct Expected {
    items: BTreeSet<ItemId>,
    report: Purged,
}

/// Looks at every place of every item.
fn expected(store: &Store, said: &Said, options: &Options) -> Expected {
    let now = recount::recount(store);
    let old = |since: i64| options.grace == 0 || options.at - since >= options.grace;
    let both = !options.windows.is_empty() && !options.trimmed && !options.deleted;
    let (trimmed, deleted) = (options.trimmed || both, options.deleted || both);
    let mut report = Purged { dry_run: false, ..Purged::default() };
    let (mut wanted, mut offered) = (BTreeSet::new(), BTreeSet::new());
    for (no, row) in now.windows.iter().enumerate() {
        let no = no as u32;
        if !options.windows.is_empty() && !options.windows.contains(&no) {
            continue;
        }
        let whole = deleted && row.deleted_at.is_some();
        if whole && !old(row.deleted_at.unwrap()) {
            report.recent_windows += u64::from(row.purged_at.is_none());
            report.recent_items += row.items;
            continue;
        }
        let mut pinned_window = 0;
        for (ordinal, id) in now.paths[no as usize].iter().enumerate() {
            let of = |kind| said.overlays.get(&(no, kind, ordinal as u64));
            if !whole {
                match of(OverlayKind::Trimmed).filter(|_| trimmed) {
                    Some(since) if old(*since) => {}
                    Some(_) => {
                        report.recent_items += 1;
                        continue;
                    }
                    None => continue,
                }
            }
            if row.pinned || of(OverlayKind::Pinned).is_some() {
                report.pinned_items += 1;
                continue;
            }
            wanted.insert(*id);
            offered.insert((no, ordinal));
        }
        if whole && row.pinned {
            pinned_window = 1;
        } else if whole && row.purged_at.is_none() {
            report.windows += 1;
        }
        report.pinned_windows += pinned_window;
    }
    let mut kept = BTreeSet::new();
    for (no, path) in now.paths.iter().enumerate() {
        for (ordinal, id) in path.iter().enumerate() {
            let no_claim = now.windows[no].purged_at.is_some() && !offers(&now, no as u32, options);
            if !offered.contains(&(no as u32, ordinal)) && !no_claim {
                kept.insert(*id);
            }
        }
    }
    let fresh = |id: &&ItemId| !now.items[*id].row.purged;
    report.kept_shared = wanted.intersection(&kept).filter(fresh).count() as u64;
    let items: BTreeSet<ItemId> = wanted.difference(&kept).filter(fresh).copied().collect();
    report.items = items.len() as u64;
    report.bytes = items.iter().map(|id| now.items[id].row.byte_len).sum();
    Expected { items, report }
}

/// Whether a purged window offers its items by itself, pinned ones excepted.
fn offers(now: &recount::Recount, no: u32, options: &Options) -> bool {
    let row = &now.windows[no as usize];
    let both = !options.windows.is_empty() && !options.trimmed && !options.deleted;
    let named = options.windows.is_empty() || options.windows.contains(&no);
    let deleted = (options.deleted || both) && row.deleted_at.is_some();
    let old = |since: i64| options.grace == 0 || options.at - since >= options.grace;
    let trimmed = (options.trimmed || both) && row.trimmed > 0 && !deleted;
    named && !row.pinned && (deleted && old(row.deleted_at.unwrap()) || trimmed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn a_purge_takes_what_every_place_of_an_item_allows(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let mut said = Said::default();
        let now = vox_store::now() + DAY;
        for key in 0..KEYS {
            store.append(batch(key, 0, &[(key, 1)])).unwrap();
            said.sent.insert(key, vec![(key, 1)]);
        }
        for (number, step) in steps.into_iter().enumerate() {
            let windows = recount::recount(&store).windows;
            match step {
                Step::Append { key, contents } => {
                    let sent = said.sent.get_mut(&key).unwrap();
                    store.append(batch(key, sent.len() as u64, &contents)).unwrap();
                    sent.extend(contents);
                }
                Step::Fork { of, shares } => {
                    let shares = shares.min(said.sent[&of].len() as u64);
                    store.append(fork(of, &format!("fork {number}"), shares)).unwrap();
                }
                Step::Again { key, restore } => {
                    let sent = &said.sent[&key];
                    let again = Batch { restore_purged: restore, ..batch(key, 0, sent) };
                    let before = recount::recount(&store);
                    let done = store.append(again).unwrap();
                    prop_assert_eq!((done.added, done.known), (0, sent.len() as u64));
                    let after = recount::recount(&store);
                    let purged = |of: &recount::Recount| of.paths[usize::from(key)].iter().filter(|id| of.items[*id].row.purged).count() as u64;
                    let was = purged(&before);
                    prop_assert_eq!(purged(&after), if restore { 0 } else { was });
                    prop_assert_eq!((done.restored, done.purged), if restore { (was, 0) } else { (0, was) });
                }
                Step::Overlay { window, kind, first, count, days } => {
                    let Some(row) = windows.get(window as usize) else { continue };
                    let ordinals = first.min(row.items)..(first + count).min(row.items);
                    let value = days.map(|days| now - days * DAY);
                    store.set_overlay(window, kind, ordinals.clone(), value).unwrap();
                    for ordinal in ordinals {
                        match value {
                            Some(value) => said.overlays.insert((window, kind, ordinal), value),
                            None => said.overlays.remove(&(window, kind, ordinal)),
                        };
                    }
                }
                Step::Window { window, pinned, deleted } => {
                    if windows.get(window as usize).is_none() { continue; }
                    edit(&store, window, |row| {
                        row.pinned = pinned.unwrap_or(row.pinned);
                        if let Some(deleted) = deleted {
                            row.deleted_at = deleted.map(|days| now - days * DAY);
                        }
                    });
                }
                Step::Purge { windows: named, trimmed, deleted, grace } => {
                    let named: Vec<u32> = BTreeSet::from_iter(named).into_iter().filter(|no| (*no as usize) < windows.len()).collect();
                    let options = Options { windows: named.clone(), trimmed, deleted, grace: grace * DAY, at: now, why: "a test".into(), dry_run: true };
                    let refused = named.is_empty() && !trimmed && !deleted || named.iter().any(|no| {
                        let row = &windows[*no as usize];
                        row.pinned || row.deleted_at.is_none() && row.trimmed == 0
                    });
                    let planned = store.purge(&options);
                    if refused {
                        prop_assert_eq!(planned.unwrap_err().code, Code::InvalidArgument);
                        continue;
                    }
                    let expected = expected(&store, &said, &options);
                    prop_assert_eq!(Purged { dry_run: false, ..planned.unwrap() }, expected.report.clone());
                    let before = recount::recount(&store);
                    let done = store.purge(&Options { dry_run: false, ..options }).unwrap();
                    prop_assert_eq!(&done, &expected.report);
                    let after = recount::recount(&store);
                    prop_assert_eq!(&before.paths, &after.paths);
                    for (id, item) in &after.items {
                        let was = &before.items[id];
                        prop_assert_eq!(item.row.purged, was.row.purged || expected.items.contains(id), "{}", id);
                        prop_assert_eq!((item.chain, item.row.byte_len, item.row.created_at), (was.chain, was.row.byte_len, was.row.created_at));
                    }
                }
                Step::Collect => {
                    let before = recount::recount(&store);
                    let unused = before.references.values().filter(|count| **count == 0).count();
                    let done = store.collect(&gc::Options { grace: 0, ..gc::Options::default() }).unwrap();
                    prop_assert_eq!(done.removed, unused as u64);
                }
            }
            recount::recount(&store);
            assert_clean(&store);
        }
    }
}

/// An archive with a window of three items, the second trimmed long ago.
fn trimmed(folder: &std::path::Path) -> Store {
    let store = Store::create(folder).unwrap();
    store.append(batch(0, 0, &[(0, 1), (1, 2), (2, 3)])).unwrap();
    store.set_overlay(0, OverlayKind::Trimmed, 1..2, Some(5)).unwrap();
    store
}

fn purge(store: &Store) -> Purged {
    let options = Options { trimmed: true, deleted: true, dry_run: false, ..Options::default() };
    store.purge(&Options { why: "it was private".into(), ..options }).unwrap()
}

fn collect(store: &Store) -> u64 {
    store.collect(&gc::Options { grace: 0, ..gc::Options::default() }).unwrap().removed
}

fn purged(store: &Store) -> Vec<bool> {
    let now = recount::recount(store);
    now.paths[0].iter().map(|id| now.items[id].row.purged).collect()
}

#[test]
fn content_goes_with_the_next_collection_and_its_hash_and_place_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = trimmed(folder.path());
    let before = recount::recount(&store);
    assert_eq!(purge(&store).items, 1);
    assert_eq!(collect(&store), 1);
    let after = recount::recount(&store);
    assert_eq!(purged(&store), [false, true, false]);
    let id = before.paths[0][1];
    assert_eq!(after.items[&id].hash, ContentHash::of(b"content 1"));
    assert_eq!(after.windows[0].bytes, before.windows[0].bytes);
    assert_eq!(store.get(&ContentHash::of(b"content 1")).unwrap_err().code, Code::NotFound);
    let events = store.read(|tables, txn| events::since(tables, txn, 0, 99)).unwrap();
    let logged = Event::Purged { items: 1, why: "it was private".into() };
    assert!(events.iter().any(|(_, row)| row.what == logged), "{events:?}");
    assert_clean(&store);
}

#[test]
fn a_source_that_is_read_again_does_not_bring_it_back_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let store = trimmed(folder.path());
    purge(&store);
    collect(&store);
    let again =
        |restore| Batch { restore_purged: restore, ..batch(0, 0, &[(0, 1), (1, 2), (2, 3)]) };
    let done = store.append(again(false)).unwrap();
    assert_eq!((done.known, done.purged, done.blobs), (3, 1, 0));
    assert_eq!(purged(&store), [false, true, false]);
    let done = store.append(again(true)).unwrap();
    assert_eq!((done.restored, done.blobs), (1, 1));
    assert_eq!(purged(&store), [false; 3]);
    assert_eq!(store.get(&ContentHash::of(b"content 1")).unwrap(), b"content 1");
    let tombstones = store.read(|tables, txn| Ok(tables.tombstones.len(txn)?)).unwrap();
    assert_eq!(tombstones, 0, "what is back isn't buried");
    assert_clean(&store);
}

#[test]
fn a_copy_elsewhere_is_stored_as_purged_and_the_same_words_at_another_time_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = trimmed(folder.path());
    purge(&store);
    collect(&store);
    let done = store.append(batch(1, 0, &[(7, 1), (1, 2)])).unwrap();
    assert_eq!((done.added, done.purged, done.blobs), (2, 1, 1));
    assert!(store.get(&ContentHash::of(b"content 1")).is_err());
    let done = store.append(batch(2, 0, &[(7, 1), (1, 900)])).unwrap();
    assert_eq!(done.purged, 0);
    assert_eq!(store.get(&ContentHash::of(b"content 1")).unwrap(), b"content 1");
    let back = Batch { restore_purged: true, ..batch(1, 0, &[(7, 1), (1, 2)]) };
    assert_eq!(store.append(back).unwrap().restored, 1);
    assert_clean(&store);
}

#[test]
fn a_fork_that_replays_a_purged_item_shares_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let store = trimmed(folder.path());
    purge(&store);
    collect(&store);
    let mut replay = batch(1, 0, &[(0, 1), (1, 2), (8, 9)]);
    replay.windows[0].replays = true;
    let done = store.append(replay).unwrap();
    assert_eq!((done.shared, done.added, done.purged), (2, 1, 1));
    assert_clean(&store);
}

#[test]
fn a_purged_window_loses_what_it_was_called_and_keeps_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let store = trimmed(folder.path());
    edit(&store, 0, |row| row.deleted_at = Some(5));
    let done = purge(&store);
    assert_eq!((done.windows, done.items), (1, 3));
    let row = recount::recount(&store).windows.remove(0);
    assert_eq!((row.title, row.workspace, &row.key[..]), (None, None, "w0"));
    assert!(row.purged_at.is_some());
    store.append(batch(0, 0, &[(0, 1)])).unwrap();
    assert_eq!(recount::recount(&store).windows[0].title, None, "its source doesn't tell it again");
    store.append(Batch { restore_purged: true, ..batch(0, 0, &[(0, 1)]) }).unwrap();
    let row = recount::recount(&store).windows.remove(0);
    assert_eq!((row.title.as_deref(), row.purged_at), (Some("title 0"), None));
    assert_eq!(purge(&store).windows, 1, "and can be purged again");
    assert_clean(&store);
}

#[test]
fn compacting_keeps_what_was_purged_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = trimmed(folder.path());
    purge(&store);
    collect(&store);
    vox_store::generations::compact(&store).unwrap();
    assert_eq!(purged(&store), [false, true, false]);
    assert_eq!(store.append(batch(1, 0, &[(7, 1), (1, 2)])).unwrap().purged, 1);
    assert_clean(&store);
}

#[test]
fn many_items_go_in_several_transactions() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let contents: Vec<(u8, i64)> = (0..50_000).map(|i| ((i % 200) as u8, i)).collect();
    store.append(batch(0, 0, &contents)).unwrap();
    store.set_overlay(0, OverlayKind::Trimmed, 10..50_000, Some(5)).unwrap();
    assert_eq!(purge(&store).items, 49_990);
    let events = store.read(|tables, txn| events::since(tables, txn, 0, 99)).unwrap();
    let parts = events.iter().filter(|(_, row)| matches!(row.what, Event::Purged { .. })).count();
    assert_eq!(parts, 3);
    assert_eq!(purge(&store).items, 0, "once is enough");
    assert_clean(&store);
}
