//! Collecting against a plain model of who uses what since when.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clean;
mod sources;

use std::collections::HashMap;

use proptest::prelude::*;
use vox_format::{
    keys::{self, Domain},
    leaf::Entry,
    rows::{CursorRow, Event},
};
use vox_store::{
    Store,
    append::{Batch, NewItem, NewQuarantine, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
    events,
    gc::{Collected, Options},
    index::HashIndex,
    naming::Named,
    raw,
    tables::Tables,
    verify::{self, verify},
};
use vox_types::{Code, ContentHash, Error, Fidelity, ItemKind, QuarantineReason, Role};

use crate::{
    clean::assert_clean,
    sources::{runs, whole},
};

const HOUR: i64 = 3_600_000;

#[derive(Clone, Debug)]
enum Step {
    Put(Vec<u8>),
    Release(u8),
    /// Lets a name stand for a content, or for nothing.
    Name(u8, Option<u8>),
    /// Appends items with these contents.
    Append(Vec<u8>),
    SetAside(u8),
    /// Collects some hours from the start, with a grace period in hours.
    Collect {
        at: i64,
        grace: i64,
    },
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let content = 0u8..24;
    let contents = prop::collection::vec(content.clone(), 1..8);
    let step = prop_oneof![
        4 => contents.clone().prop_map(Step::Put),
        4 => content.clone().prop_map(Step::Release),
        1 => (0u8..3, prop::option::of(content.clone())).prop_map(|(name, of)| Step::Name(name, of)),
        2 => contents.prop_map(Step::Append),
        1 => content.prop_map(Step::SetAside),
        5 => (0i64..60, prop_oneof![Just(0i64), Just(10)])
            .prop_map(|(at, grace)| Step::Collect { at, grace }),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..30)
}

/// Contents of all sizes around the bounds of a segment.
fn content(number: u8) -> Vec<u8> {
    let length = [5, 300, 20_000, 70_000][usize::from(number % 4)];
    let mut state = u64::from(number) << 8 | 1;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u8
        })
        .collect()
}

fn hash(number: u8) -> ContentHash {
    ContentHash::of(&content(number))
}

/// What is known of a content that is there.
#[derive(Clone, Debug, Default)]
struct Known {
    holds: u64,
    references: u64,
    unused_since: Option<i64>,
}

#[derive(Default)]
struct Model {
    known: HashMap<u8, Known>,
    names: HashMap<u8, u8>,
    aside: HashMap<u8, u64>,
    items: u64,
    looked: i64,
}

impl Model {
    fn is_unused(&self, number: u8) -> bool {
        let known = &self.known[&number];
        known.holds + known.references == 0 && !self.names.values().any(|named| *named == number)
    }

    /// The contents that a collection removes.
    fn ripe(&self, at: i64, grace: i64) -> Vec<u8> {
        let ripe = |number: &u8| {
            let since = self.known[number].unused_since;
            self.is_unused(*number)
                && (grace == 0 || since.is_some_and(|since| at - since >= grace))
        };
        let mut ripe: Vec<u8> = self.known.keys().copied().filter(ripe).collect();
        ripe.sort_unstable();
        ripe
    }

    fn collect(&mut self, at: i64, grace: i64) -> (Vec<u8>, u64) {
        let ripe = self.ripe(at, grace);
        self.looked = self.looked.max(at);
        for number in &ripe {
            self.known.remove(number);
        }
        let mut waiting = 0;
        for number in self.known.keys().copied().collect::<Vec<_>>() {
            let unused = self.is_unused(number);
            waiting += u64::from(unused);
            let since = &mut self.known.get_mut(&number).unwrap().unused_since;
            *since = unused.then(|| since.unwrap_or(self.looked));
        }
        (ripe, waiting)
    }
}

fn item(content: usize, at: i64) -> NewItem {
    NewItem {
        role: Role::User,
        kind: ItemKind::Message,
        fidelity: Fidelity::Recorded,
        redacted: false,
        side: false,
        created_at: Some(at),
        name: None,
        token_estimate: 0,
        call: 0,
        content,
        rest: None,
        preview: String::new(),
    }
}

fn items(numbers: &[u8]) -> Batch {
    let mut batch = Batch { fallback_time: 1, ..Batch::default() };
    batch.windows.push(WindowChange { key: "w".into(), ..WindowChange::default() });
    let of = |number: &u8| OwnedBlob { bytes: content(*number), dictionary: Dictionary::Content };
    batch.blobs = numbers.iter().map(of).collect();
    let items = (0..numbers.len()).map(|i| item(i, 1)).collect();
    batch.items.push(WindowItems { window: "w".into(), at: WindowItems::END, items });
    batch
}

fn aside(number: u8, offset: u64) -> Batch {
    let path = b"/source".to_vec();
    Batch {
        blobs: vec![OwnedBlob { bytes: content(number), dictionary: Dictionary::Extra }],
        quarantine: vec![NewQuarantine {
            offset,
            length: 1,
            reason: QuarantineReason::Malformed,
            blob: Some(0),
        }],
        cursor: Some(CursorRow { path, ..CursorRow::default() }),
        restart: true,
        ..Batch::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn a_collection_removes_just_what_the_model_does(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(folder.path()).unwrap();
        let mut model = Model::default();
        let start = vox_store::now() + HOUR;
        // The previews of these items are empty, which verify notices; contents are what matters.
        for step in steps {
            match step {
                Step::Put(numbers) => {
                    let owned: Vec<Vec<u8>> = numbers.iter().map(|number| content(*number)).collect();
                    let slices: Vec<&[u8]> = owned.iter().map(Vec::as_slice).collect();
                    store.put_many(&slices).unwrap();
                    for number in numbers {
                        model.known.entry(number).or_default().holds += 1;
                    }
                }
                Step::Release(number) => {
                    let held = model.known.get_mut(&number).filter(|known| known.holds > 0);
                    let released = store.release_many(&[hash(number)]).is_ok();
                    prop_assert_eq!(released, held.map(|known| known.holds -= 1).is_some());
                }
                Step::Name(name, of) => {
                    let named = of.map(|number| Named::Blob(hash(number)));
                    let done = store.set_name(&name.to_string(), named);
                    match of {
                        Some(number) if !model.known.contains_key(&number) => {
                            prop_assert_eq!(done.unwrap_err().code, Code::NotFound);
                        }
                        Some(number) => drop(model.names.insert(name, number)),
                        None => drop(model.names.remove(&name)),
                    }
                }
                Step::Append(numbers) => {
                    store.append(items(&numbers)).unwrap();
                    model.items += numbers.len() as u64;
                    for number in numbers {
                        model.known.entry(number).or_default().references += 1;
                    }
                }
                Step::SetAside(number) => {
                    let next = model.aside.len() as u64;
                    let offset = *model.aside.entry(number).or_insert(next);
                    store.append(aside(number, offset)).unwrap();
                    if offset == next {
                        model.known.entry(number).or_default().references += 1;
                    }
                }
                Step::Collect { at, grace } => {
                    let at = start + at * HOUR;
                    let options = Options { dry_run: true, grace: grace * HOUR, at: Some(at) };
                    let planned = store.collect(&options).unwrap();
                    let done = store.collect(&Options { dry_run: false, ..options }).unwrap();
                    prop_assert_eq!(&Collected { dry_run: false, ..planned }, &done);
                    let blobs = model.known.len() as u64;
                    let (ripe, waiting) = model.collect(at, grace * HOUR);
                    let bytes: u64 = ripe.iter().map(|number| content(*number).len() as u64).sum();
                    let counted = (done.items, done.blobs, done.waiting);
                    prop_assert_eq!(counted, (model.items, blobs, waiting));
                    prop_assert_eq!((done.removed, done.removed_raw_bytes), (ripe.len() as u64, bytes));
                    prop_assert!(done.held_back_by.is_empty());
                }
                Step::Reopen => {
                    drop(store);
                    store = Store::open(folder.path()).unwrap();
                }
            }
            for number in 0..24 {
                let counts = store.counts(&[hash(number)]).unwrap()[0];
                let known = model.known.get(&number);
                prop_assert_eq!(counts.map(|counts| (counts.references, counts.holds)), known.map(|known| (known.references, known.holds)));
                match known {
                    Some(_) => prop_assert_eq!(store.get(&hash(number)).unwrap(), content(number)),
                    None => prop_assert_eq!(store.get(&hash(number)).unwrap_err().code, Code::NotFound),
                }
            }
            let report = verify(&store, &verify::Options::default()).unwrap();
            let others: Vec<_> = report.findings.iter().filter(|finding| finding.kind != verify::Kind::Preview).collect();
            prop_assert!(others.is_empty(), "{:?}", others);
        }
    }
}

/// An archive that held `numbers` contents and holds none of them any more.
fn released(folder: &std::path::Path, numbers: u32) -> Store {
    let store = Store::create(folder).unwrap();
    let owned: Vec<Vec<u8>> = (0..numbers).map(|number| number.to_le_bytes().to_vec()).collect();
    let slices: Vec<&[u8]> = owned.iter().map(Vec::as_slice).collect();
    let (hashes, _) = store.put_batches(&slices, 20_000).unwrap();
    store.release_many(&hashes).unwrap();
    store
}

const NOW: Options = Options { dry_run: false, grace: 0, at: None };

#[test]
fn what_is_removed_leaves_the_index_and_the_file_takes_new_content_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let store = released(folder.path(), 150_000);
    let kept = store.put_many(&[b"kept"]).unwrap().0;
    let done = store.collect(&NOW).unwrap();
    assert_eq!((done.removed, done.removed_raw_bytes, done.waiting), (150_000, 600_000, 0));
    assert_clean(&store);
    let entries = |tables: &Tables, txn: &heed::RoTxn<'_>| {
        let mut entries = Vec::new();
        HashIndex::of_blobs(tables).for_each(txn, |entry: Entry| {
            entries.push(entry.prefix);
            std::ops::ControlFlow::Continue(())
        })?;
        Ok(entries)
    };
    assert_eq!(store.read(entries).unwrap(), [kept[0].prefix()]);
    assert_eq!(store.blob_count(), 1);
    let (again, stored) = store.put_many(&[&7u32.to_le_bytes()]).unwrap();
    assert_eq!(stored.added, 1, "what comes back after it was collected is new");
    assert_eq!(store.get(&again[0]).unwrap(), 7u32.to_le_bytes());
    assert_eq!(store.collect(&NOW).unwrap().removed, 0);
    assert_clean(&store);
}

trait Counting {
    fn blob_count(&self) -> u64;
    fn logged(&self) -> Vec<Event>;
}

impl Counting for Store {
    fn blob_count(&self) -> u64 {
        self.blob_sizes().unwrap().blobs
    }

    fn logged(&self) -> Vec<Event> {
        let rows = self.read(|tables, txn| events::since(tables, txn, 0, 99)).unwrap();
        rows.into_iter().map(|(_, row)| row.what).collect()
    }
}

#[test]
fn a_clock_that_was_set_back_and_is_right_again_makes_nothing_old() {
    let folder = tempfile::tempdir().unwrap();
    let store = released(folder.path(), 3);
    let collect = |days: i64| {
        let at = Some(vox_store::now() + days * 24 * HOUR);
        store.collect(&Options { at, ..Options::default() }).unwrap()
    };
    // The clock stands thirty days back when they are first found unused.
    assert_eq!(collect(-30).waiting, 3);
    assert_eq!(collect(0).removed, 0, "they are unused since now, not since thirty days ago");
    assert_eq!(collect(-30).removed, 0);
    assert_eq!(collect(13).removed, 0);
    assert_eq!(collect(15).removed, 3);
}

#[test]
fn nothing_goes_while_an_import_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = released(folder.path(), 3);
    let lease = store.begin_lease("import").unwrap();
    let done = store.collect(&NOW).unwrap();
    assert_eq!((done.removed, done.unused), (0, 3));
    assert_eq!(done.held_back_by[0].pid, std::process::id());
    store.end_lease(lease).unwrap();
    let done = store.collect(&NOW).unwrap();
    assert_eq!((done.removed, done.held_back_by.len()), (3, 0));
    let logged = store.logged();
    assert_eq!(logged.last(), Some(&Event::Collected { blobs: 3, raw_runs: 0 }));
}

#[test]
fn a_write_that_was_prepared_before_a_collection_keeps_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let store = released(folder.path(), 3);
    let mut batch = items(&[]);
    let bytes = 1u32.to_le_bytes().to_vec();
    batch.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Content });
    batch.items[0].items.push(item(0, 1));
    let prepared = store.prepare_append(batch).unwrap();
    assert_eq!(store.collect(&NOW).unwrap().removed, 3);
    let done = store.append_prepared(vec![prepared]).pop().unwrap().unwrap();
    assert_eq!((done.added, done.blobs), (1, 1));
    assert_eq!(store.get(&ContentHash::of(&1u32.to_le_bytes())).unwrap(), 1u32.to_le_bytes());
}

#[test]
fn a_write_that_relied_on_content_collected_since_is_refused_and_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let (hashes, _) = store.put_many(&[&content(1)]).unwrap();
    let prepared = store.prepare_append(items(&[1])).unwrap();
    store.release_many(&hashes).unwrap();
    assert_eq!(store.collect(&NOW).unwrap().removed, 1);
    let refused = store.append_prepared(vec![prepared]).pop().unwrap().unwrap_err();
    assert_eq!(refused.code, Code::Conflict);
    assert_eq!(store.append(items(&[1])).unwrap().blobs, 1);
}

#[test]
fn a_raw_run_goes_when_no_item_and_no_file_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    for (path, bytes) in [("/a", "one\n"), ("/b", "two\n"), ("/c", "three\n")] {
        store.append(whole(path, bytes)).unwrap();
    }
    assert_eq!((store.collect(&NOW).unwrap().removed_raw_runs, runs(&store)), (0, vec![0, 1, 2]));
    let key = keys::raw_file(&raw::source_key(b"/b"), 0, Domain::Content, 0);
    tamper(&store, |tables, txn| assert!(tables.raw_files.delete(txn, &key).unwrap()));
    let lease = store.begin_lease("import").unwrap();
    assert_eq!((store.collect(&NOW).unwrap().removed_raw_runs, runs(&store).len()), (0, 3));
    store.end_lease(lease).unwrap();
    let planned = store.collect(&Options { dry_run: true, ..NOW }).unwrap();
    assert_eq!((planned.removed_raw_runs, runs(&store).len()), (1, 3));
    assert_eq!((store.collect(&NOW).unwrap().removed_raw_runs, runs(&store)), (1, vec![0, 2]));
    assert_eq!(store.logged().last(), Some(&Event::Collected { blobs: 0, raw_runs: 1 }));
    assert_clean(&store);
    store.append(whole("/d", "two\n")).unwrap();
    assert_eq!(runs(&store), [0, 2, 3], "bytes that come again are new");
    assert_clean(&store);
}

/// Changes a row behind the store's back.
fn tamper(store: &Store, change: impl FnMut(&Tables, &mut heed::RwTxn<'_>)) {
    let (generation, mut change) = (store.generation(), change);
    let tables = generation.tables;
    generation
        .write(|txn| {
            change(&tables, txn);
            Ok(())
        })
        .unwrap();
}

fn refused(store: &Store) -> Error {
    let before = store.blob_count();
    let error = store.collect(&NOW).unwrap_err();
    assert_eq!(error.code, Code::Damaged);
    assert_eq!(store.blob_count(), before, "nothing went");
    error
}

#[test]
fn a_count_that_is_not_its_recount_stops_the_collection() {
    let folder = tempfile::tempdir().unwrap();
    let store = released(folder.path(), 3);
    store.append(items(&[1])).unwrap();
    tamper(&store, |tables, txn| {
        let keys: Vec<Vec<u8>> =
            tables.blob_recent.iter(txn).unwrap().map(|row| row.unwrap().0.to_vec()).collect();
        let of_item = keys.iter().find(|key| key.starts_with(&hash(1).0[..8])).unwrap();
        tables.blob_recent.put(txn, of_item, &[0; 8]).unwrap();
    });
    let error = refused(&store);
    assert!(error.message.contains("blob 0:3: rows refer to it 1 times more"), "{error}");
}

#[test]
fn a_row_whose_content_is_gone_stops_the_collection_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = released(folder.path(), 3);
    store.append(items(&[1])).unwrap();
    tamper(&store, |tables, txn| {
        let (key, value) = tables.tails.last(txn).unwrap().unwrap();
        let (key, mut value) = (key.to_vec(), value.to_vec());
        let slots = usize::from(u16::from_le_bytes([value[2], value[3]]));
        assert_eq!(slots, 1, "the item's blob came with a write of its own");
        value[4..8].fill(0);
        value[12] = 255;
        value.truncate(4 + 41);
        tables.tails.put(txn, &key, &value).unwrap();
    });
    let error = refused(&store);
    assert!(error.message.contains("item 0.0 refers to blob 0:3"), "{error}");
}
