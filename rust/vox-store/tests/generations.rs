//! Compacting, and what is left of it wherever it is interrupted.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "verify/archive.rs"]
#[allow(dead_code, reason = "the tests of verify change more")]
mod archive;
mod clean;
#[allow(dead_code, reason = "the recount of appends looks at more")]
mod recount;

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use archive::{change, rows, sample, with_data};
use vox_format::{
    rows::{Event, EventRow, decode},
    segment::{self, GONE, Group},
};
use vox_store::{Store, generations::compact, tables::Tables};
use vox_types::{BlobRef, Code};

use crate::clean::assert_clean;

/// All rows of all tables but those that may look different in a new generation.
fn kept(store: &Store) -> BTreeMap<&'static str, BTreeMap<Vec<u8>, Vec<u8>>> {
    const MOVED: [&str; 10] = [
        "meta",
        "segments",
        "tails",
        "blob_recent",
        "blob_levels",
        "chain_recent",
        "chain_levels",
        "chunks",
        "quarantine",
        "names",
    ];
    let names = Tables::NAMES.iter().enumerate().filter(|(_, name)| !MOVED.contains(name));
    names.map(|(i, name)| (*name, rows(store, |tables| tables.all()[i]))).collect()
}

/// What rows say with the contents of blobs in place of references.
fn contents(store: &Store) -> (Vec<String>, HashMap<Vec<u8>, i64>) {
    let counted = recount::recount(store);
    let mut items: Vec<String> = counted
        .items
        .iter()
        .map(|(id, item)| {
            let mut row = item.row.clone();
            row.content = BlobRef(0);
            row.rest = None;
            let (content, extra) = (&item.content, &item.extra);
            format!("{id}: {row:?} {content:?} {extra:?} {:?} {:?}", item.chain, item.parent)
        })
        .collect();
    items.sort();
    (items, counted.references)
}

fn folders(archive: &Path) -> Vec<String> {
    let entries = fs::read_dir(archive.join("db")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn current(archive: &Path) -> String {
    fs::read_to_string(archive.join("CURRENT")).unwrap()
}

fn data(archive: &Path, generation: u64) -> PathBuf {
    archive.join(format!("db/{generation}/data.mdb"))
}

#[test]
fn a_compacted_archive_holds_what_it_held_in_fewer_bytes() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    let (before, said) = (kept(&store), contents(&store));
    let names: Vec<_> = store.names().unwrap().iter().map(|name| store.named(name)).collect();
    let done = compact(&store).unwrap();
    assert_eq!((done.from, done.to), (1, 2));
    assert!(done.bytes_after < done.bytes_before, "{done:?}");
    assert_eq!(done.bytes_after, fs::metadata(data(folder.path(), 2)).unwrap().len());
    assert_eq!(
        (folders(folder.path()), current(folder.path()).as_str()),
        (vec!["2".to_owned()], "vox-archive 2 2\n")
    );
    assert_clean(&store);
    assert_eq!(contents(&store), said);
    let named: Vec<_> = store.names().unwrap().iter().map(|name| store.named(name)).collect();
    assert_eq!(format!("{named:?}"), format!("{names:?}"));
    let mut after = kept(&store);
    let (_, last) = after.get_mut("events").unwrap().pop_last().unwrap();
    let event: EventRow = decode(&last, "an event").unwrap();
    let Event::Compacted { from: 1, to: 2, bytes_before, .. } = event.what else {
        panic!("{event:?}");
    };
    assert_eq!(bytes_before, done.bytes_before);
    assert_eq!(after, before);
    // The indexes are in one level, and segments are full.
    assert_eq!(rows(&store, |tables| tables.blob_recent).len(), 0);
    assert_eq!(rows(&store, |tables| tables.chain_recent).len(), 0);
    assert_eq!(rows(&store, |tables| tables.tails).len(), 1);
    store.put_many(&[b"goes on"]).unwrap();
    drop(store);
    assert_clean(&Store::open(folder.path()).unwrap());
}

#[test]
fn slots_that_are_gone_and_that_nothing_names_are_left_out() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    let released: Vec<Vec<u8>> = (0..60).map(|n: u32| n.to_le_bytes().repeat(9)).collect();
    let slices: Vec<&[u8]> = released.iter().map(Vec::as_slice).collect();
    let (hashes, _) = store.put_many(&slices).unwrap();
    store.release_many(&hashes).unwrap();
    // As collecting leaves them: the slots without bodies, no entries in the index.
    change(&store, |tables, txn| {
        let mut tails = Vec::new();
        for row in tables.tails.iter(txn)? {
            let (key, value) = row?;
            tails.push((key.to_vec(), value.to_vec()));
        }
        for (key, value) in tails {
            let group = Group::parse(&value)?;
            let mut slots = Vec::new();
            for i in 0..group.len() {
                let mut slot = group.slot(i)?;
                if hashes.contains(&slot.hash) {
                    (slot.codec, slot.body) = (GONE, &[]);
                }
                slots.push(slot);
            }
            tables.tails.put(txn, &key, &segment::encode(&slots))?;
        }
        for hash in &hashes {
            let prefix = hash.prefix().to_be_bytes();
            let keys: Vec<Vec<u8>> = tables
                .blob_recent
                .prefix_iter(txn, &prefix)?
                .map(|row| Ok(row?.0.to_vec()))
                .collect::<heed::Result<_>>()?;
            for key in keys {
                tables.blob_recent.delete(txn, &key)?;
            }
        }
        Ok(())
    });
    assert_clean(&store);
    let slots = |store: &Store| {
        let groups = [rows(store, |tables| tables.segments), rows(store, |tables| tables.tails)];
        let groups = groups.iter().flat_map(BTreeMap::values);
        groups.map(|group| Group::parse(group).unwrap().len()).sum::<usize>()
    };
    let (before, said) = (slots(&store), contents(&store));
    compact(&store).unwrap();
    assert_eq!(slots(&store), before - 60);
    assert_eq!(contents(&store), said);
    assert_clean(&store);
}

#[test]
fn whoever_finds_a_superseded_generation_completes_the_flip() {
    for read_only in [false, true] {
        let folder = with_data(sample());
        let store = Store::open(folder.path()).unwrap();
        let old = fs::read(data(folder.path(), 1)).unwrap();
        compact(&store).unwrap();
        store.put_many(&[b"after"]).unwrap();
        drop(store);
        // As if it had ended before CURRENT was written.
        fs::create_dir(folder.path().join("db/1")).unwrap();
        fs::write(data(folder.path(), 1), &old).unwrap();
        fs::write(folder.path().join("CURRENT"), "vox-archive 2 1\n").unwrap();
        let left = Store::open(folder.path()).unwrap();
        // 2 as MessagePack.
        change(&left, |tables, txn| Ok(tables.meta.put(txn, b"superseded_by", &[2])?));
        if read_only {
            drop(left);
            let store = Store::open_read_only(folder.path()).unwrap();
            assert_eq!(store.generation().number, 2);
            assert_eq!(current(folder.path()), "vox-archive 2 1\n");
            continue;
        }
        left.put_many(&[b"and after that"]).unwrap();
        assert_eq!(left.generation().number, 2);
        assert_eq!(current(folder.path()), "vox-archive 2 2\n");
        assert_eq!(folders(folder.path()), ["2"]);
        let hashes = [&b"after"[..], b"and after that"].map(vox_types::ContentHash::of);
        assert!(left.get_many(&hashes).is_ok());
        assert_clean(&left);
    }
}

#[test]
fn a_draft_that_was_left_behind_is_replaced() {
    let folder = with_data(sample());
    let complete = {
        let folder = with_data(sample());
        compact(&Store::open(folder.path()).unwrap()).unwrap();
        fs::read(data(folder.path(), 2)).unwrap()
    };
    let half = &complete[..complete.len() / 2];
    for left in [&complete[..], half, b"", b"garbage"] {
        fs::create_dir_all(folder.path().join("db/2")).unwrap();
        fs::write(data(folder.path(), 2), left).unwrap();
        let store = Store::open(folder.path()).unwrap();
        let (hashes, _) = store.put_many(&[b"written since"]).unwrap();
        compact(&store).unwrap();
        assert_eq!(store.get(&hashes[0]).unwrap(), b"written since");
        assert_clean(&store);
        drop(store);
        // Back to the first number for the next round.
        fs::rename(folder.path().join("db/2"), folder.path().join("db/1")).unwrap();
        fs::write(folder.path().join("CURRENT"), "vox-archive 2 1\n").unwrap();
    }
}

#[test]
fn a_lost_current_is_found_again_and_a_draft_is_not_taken_for_the_archive() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    compact(&store).unwrap();
    let draft = fs::read(data(folder.path(), 2)).unwrap();
    compact(&store).unwrap();
    let (hashes, _) = store.put_many(&[b"written since"]).unwrap();
    drop(store);
    fs::remove_file(folder.path().join("CURRENT")).unwrap();
    assert_eq!(Store::open_read_only(folder.path()).unwrap().generation().number, 3);
    assert!(!folder.path().join("CURRENT").exists());
    for number in [4, 5] {
        fs::create_dir(folder.path().join(format!("db/{number}"))).unwrap();
        // Complete, or empty as the first moment of a draft leaves it.
        fs::write(data(folder.path(), number), if number == 4 { &draft[..] } else { b"" }).unwrap();
    }
    for open in [Store::open, Store::create] {
        let _ = fs::remove_file(folder.path().join("CURRENT"));
        let store = open(folder.path()).unwrap();
        assert_eq!(store.generation().number, 3);
        assert_eq!(current(folder.path()), "vox-archive 2 3\n");
        assert_eq!(store.get(&hashes[0]).unwrap(), b"written since");
    }
}

#[test]
fn a_reader_goes_on_in_the_generation_it_began_in() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    let hash = vox_types::ContentHash::of(b"in the tail");
    store
        .read(|tables, txn| {
            let other = Store::open(folder.path()).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| compact(&other).unwrap());
            });
            assert_eq!(folders(folder.path()), ["2"]);
            assert!(tables.events.len(txn)? > 5);
            Ok(())
        })
        .unwrap();
    assert_eq!(store.get(&hash).unwrap(), b"in the tail");
    assert_eq!(store.generation().number, 2);
}

#[test]
fn an_archive_opened_for_reading_only_is_not_compacted() {
    let folder = with_data(sample());
    let store = Store::open_read_only(folder.path()).unwrap();
    assert_eq!(compact(&store).unwrap_err().code, Code::ReadOnly);
    assert_eq!(folders(folder.path()), ["1"]);
}

#[test]
fn caches_go_with_the_generation_they_were_made_from() {
    let folder = with_data(sample());
    fs::create_dir(folder.path().join("search")).unwrap();
    fs::write(folder.path().join("search/segment"), b"words").unwrap();
    let counts = folder.path().join("counts/0123");
    fs::create_dir_all(&counts).unwrap();
    for file in ["contents", "contents.draft", "items"] {
        fs::write(counts.join(file), b"numbers").unwrap();
    }
    let store = Store::open(folder.path()).unwrap();
    compact(&store).unwrap();
    assert!(!folder.path().join("search").exists());
    let left: Vec<_> =
        fs::read_dir(&counts).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["items"]);
}
