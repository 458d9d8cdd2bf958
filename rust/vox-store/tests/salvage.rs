//! Salvage of damaged archives: nothing crashes it, nothing is made up, and what isn't damaged is
//! saved.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "the archives can do more than is needed here")]

#[path = "verify/archive.rs"]
mod archive;
mod dump;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::Path,
};

use archive::{Numbers, data_file, rows, sample, with_data};
use tempfile::TempDir;
use vox_format::{chunk::Chunk, keys, rows::Extent, segment::Group};
use vox_store::{
    Store, blobs,
    salvage::{Report, salvage},
    tables::{Table, Tables},
    verify::{Options, Verdict, verify},
};
use vox_types::{BlobRef, Code, ItemId, Result};

/// The items of an archive: of each window by its key and revision, content by content.
type Windows = BTreeMap<(String, u32), Vec<(ItemId, Vec<u8>)>>;

fn windows(store: &Store) -> Windows {
    let all = store.read(|tables, txn| {
        let mut found = Windows::new();
        for (key, value) in dump::rows_of(tables.windows, txn) {
            let row: vox_format::rows::WindowRow = vox_format::rows::decode(&value, "a row")?;
            let mut items = Vec::new();
            for (place, value) in dump::rows_of(tables.extents, txn) {
                let (window, ordinal) = keys::split_ordinal(&place).unwrap();
                if window.to_be_bytes()[..] != key {
                    continue;
                }
                let extent = Extent::decode(ordinal, &value).unwrap();
                assert_eq!(ordinal, items.len() as u64);
                for position in extent.first..extent.end_position() {
                    let item = ItemId::new(extent.run, position);
                    items.push((item, content(tables, txn, item)));
                }
            }
            found.insert((row.key, row.revision), items);
        }
        Ok(found)
    });
    all.unwrap()
}

fn content(tables: &Tables, txn: &heed::RoTxn<'_>, item: ItemId) -> Vec<u8> {
    let key = keys::pair(item.run(), item.position());
    let (key, value) = tables.chunks.get_lower_than_or_equal_to(txn, &key).unwrap().unwrap();
    let (_, first) = keys::split_pair(key).unwrap();
    let chunk = Chunk::parse(value).unwrap();
    let blob = chunk.content_at((item.position() - first) as usize);
    blobs::verified_read(tables, txn, blob).unwrap()
}

fn whole() -> (TempDir, Windows) {
    let folder = with_data(sample());
    let found = windows(&Store::open(folder.path()).unwrap());
    (folder, found)
}

/// Salvages the archive with these bytes; the copy is clean and has nothing that the sample hasn't.
fn salvaged(bytes: &[u8], original: &Windows) -> Result<(TempDir, Report)> {
    let folder = with_data(bytes);
    let target = folder.path().join("saved");
    let report = salvage(folder.path(), &target)?;
    let store = Store::open(&target).unwrap();
    let check = verify(&store, &Options::default()).unwrap();
    assert_eq!(check.verdict(), Verdict::Clean, "{:?}", check.findings);
    let contents: HashSet<&[u8]> =
        original.values().flatten().map(|(_, content)| content.as_slice()).collect();
    for (key, items) in windows(&store) {
        let mut left = original.get(&key).map(|items| items.iter());
        for (item, content) in items {
            match &mut left {
                // In their window items stand in their order.
                Some(left) if !key.0.starts_with("salvaged:") => {
                    let found = left.any(|(_, original)| *original == content);
                    assert!(found, "item {item} of {key:?} is none of the window, or out of order");
                }
                _ => assert!(contents.contains(content.as_slice()), "item {item} of {key:?}"),
            }
        }
    }
    Ok((folder, report))
}

fn stored(table: impl Fn(&Tables) -> Table) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let folder = with_data(sample());
    rows(&Store::open(folder.path()).unwrap(), table)
}

#[test]
fn an_archive_that_is_not_damaged_comes_out_equal() {
    let (folder, original) = whole();
    let (saved, report) = salvaged(sample(), &original).unwrap();
    assert!(report.is_whole(), "{report:?}");
    let saved = Store::open(&saved.path().join("saved")).unwrap();
    let source = Store::open(folder.path()).unwrap();
    assert_eq!(dump::dump(&saved), dump::dump(&source));
    assert_eq!(
        report.saved["items"],
        source.snapshot(|s| s.runs()).unwrap().iter().map(|(_, run)| u64::from(run.len)).sum()
    );
}

#[test]
fn the_data_file_is_found_without_current_and_by_itself() {
    let (_, original) = whole();
    for current in [None, Some("vox-archive 2 77\n"), Some("\u{0}\u{0}")] {
        let folder = with_data(sample());
        match current {
            None => fs::remove_file(folder.path().join("CURRENT")).unwrap(),
            Some(text) => fs::write(folder.path().join("CURRENT"), text).unwrap(),
        }
        let target = folder.path().join("saved");
        assert!(salvage(folder.path(), &target).unwrap().is_whole());
        assert_eq!(windows(&Store::open(&target).unwrap()), original);
    }
    let folder = with_data(sample());
    for lone in [data_file(folder.path()), folder.path().join("db/1")] {
        let target = tempfile::tempdir().unwrap();
        assert!(salvage(&lone, target.path()).unwrap().is_whole());
    }
}

#[test]
fn nothing_is_written_over_and_nothing_left_behind() {
    let folder = with_data(sample());
    let refused = salvage(folder.path(), folder.path()).unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument);
    let nowhere = folder.path().join("nowhere");
    assert_eq!(salvage(&nowhere, &folder.path().join("saved")).unwrap_err().code, Code::NotFound);
    let both = broken_metas(sample(), &[0, 1]);
    let folder = with_data(&both);
    let target = folder.path().join("saved");
    assert_eq!(salvage(folder.path(), &target).unwrap_err().code, Code::Damaged);
    assert!(!target.exists());
}

fn broken_metas(bytes: &[u8], which: &[usize]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for meta in which {
        bytes[meta * 4096 + 16 + 24..meta * 4096 + 16 + 120].fill(0xee);
    }
    bytes
}

#[test]
fn one_meta_page_is_enough() {
    let (_, original) = whole();
    for meta in [0, 1] {
        let (saved, _) = salvaged(&broken_metas(sample(), &[meta]), &original).unwrap();
        // The other one is of the transaction before, or of this one.
        let saved = windows(&Store::open(&saved.path().join("saved")).unwrap());
        assert_eq!(saved, original);
    }
}

/// The places of the file where `value` stands, older copies included.
fn places(value: &[u8]) -> Vec<usize> {
    let head = &value[..value.len().min(24)];
    let starts = sample().windows(head.len()).enumerate().filter(|(_, window)| *window == head);
    starts.map(|(at, _)| at).filter(|at| sample()[*at..].starts_with(value)).collect()
}

/// Where each blob of a group stands in the value: the bytes that its slot needs.
fn bytes_of_slots(value: &[u8]) -> Vec<Vec<std::ops::Range<usize>>> {
    let group = Group::parse(value).unwrap();
    let bodies = 4 + 41 * group.len();
    let mut end = 0;
    let slots = (0..group.len()).map(|slot| {
        let start = end;
        end += group.slot(slot).unwrap().body.len();
        let row = 4 + 41 * slot;
        // The header, the end of the one before, its own row and its body.
        vec![0..4, row.saturating_sub(41).max(4)..row + 41, bodies + start..bodies + end]
    });
    slots.collect()
}

#[test]
fn what_a_flipped_bit_does_not_touch_is_saved() {
    let (folder, original) = whole();
    let source = Store::open(folder.path()).unwrap();
    let tables = [
        ("segments", stored(|tables| tables.segments)),
        ("tails", stored(|tables| tables.tails)),
        ("chunks", stored(|tables| tables.chunks)),
    ];
    let mut numbers = Numbers(17);
    for _ in 0..80 {
        let (table, values) = &tables[numbers.below(3)];
        let (key, value) = values.iter().nth(numbers.below(values.len())).unwrap();
        let offset = numbers.below(value.len());
        let mut bytes = sample().to_vec();
        for place in places(value) {
            bytes[place + offset] ^= 1 << numbers.below(8);
        }
        let (saved, _) = salvaged(&bytes, &original).unwrap();
        // What may be lost.
        let touched: HashSet<Vec<u8>> = if *table == "chunks" {
            let (run, first) = keys::split_pair(key).unwrap();
            let len = Chunk::parse(value).unwrap().len() as u32;
            let items = (first..first + len).map(|position| ItemId::new(run, position));
            source
                .read(|tables, txn| Ok(items.map(|item| content(tables, txn, item)).collect()))
                .unwrap()
        } else {
            let first = match keys::split_tail(key) {
                Some((segment, slot)) => segment << 16 | u64::from(slot),
                None => u64::from_be_bytes(key.as_slice().try_into().unwrap()) << 16,
            };
            let slots = bytes_of_slots(value).into_iter().enumerate();
            let hit =
                slots.filter(|(_, ranges)| ranges.iter().any(|range| range.contains(&offset)));
            let blobs: Vec<BlobRef> = hit.map(|(slot, _)| BlobRef(first + slot as u64)).collect();
            source
                .read(|tables, txn| {
                    Ok(blobs
                        .iter()
                        .map(|blob| blobs::verified_read(tables, txn, *blob).unwrap())
                        .collect())
                })
                .unwrap()
        };
        let saved = windows(&Store::open(&saved.path().join("saved")).unwrap());
        for (key, items) in &original {
            let there: HashMap<&[u8], usize> =
                saved[key].iter().fold(HashMap::new(), |mut counts, (_, content)| {
                    *counts.entry(content.as_slice()).or_default() += 1;
                    counts
                });
            let lost = items.iter().filter(|(_, content)| !there.contains_key(content.as_slice()));
            for (item, content) in lost {
                assert!(touched.contains(content), "item {item} of {key:?}; {table} byte {offset}");
            }
        }
    }
}

#[test]
fn no_damage_stops_it() {
    let (_, original) = whole();
    let mut numbers = Numbers(4711);
    let (mut saved, mut refused) = (0, 0);
    for round in 0..250 {
        let mut bytes = sample().to_vec();
        for _ in 0..1 + numbers.below(if round % 3 == 0 { 60 } else { 3 }) {
            let at = numbers.below(bytes.len());
            bytes[at] ^= 1 << numbers.below(8);
        }
        if round % 5 == 0 {
            bytes.truncate(8192 + numbers.below(bytes.len() - 8192));
        }
        if round % 7 == 0 {
            let page = 2 + numbers.below(bytes.len() / 4096 - 2);
            bytes[page * 4096..(page + 1) * 4096].fill(numbers.next() as u8);
        }
        match salvaged(&bytes, &original) {
            Ok(_) => saved += 1,
            Err(error) => {
                assert!(
                    [Code::Damaged, Code::NotAnArchive, Code::WrongVersion].contains(&error.code),
                    "{error}"
                );
                refused += 1;
            }
        }
    }
    assert!(saved > 200, "{saved} saved, {refused} refused");
}

#[test]
fn a_damaged_inner_page_costs_no_more_than_what_is_below_it() {
    let (_, original) = whole();
    let branches: Vec<usize> = (2..sample().len() / 4096)
        .filter(|page| {
            let header = &sample()[page * 4096..page * 4096 + 16];
            header[..8] == (*page as u64).to_le_bytes() && header[10..12] == [1, 0]
        })
        .collect();
    assert!(!branches.is_empty());
    let mut losing = 0;
    for page in branches {
        let mut bytes = sample().to_vec();
        bytes[page * 4096 + 8..(page + 1) * 4096].fill(0x55);
        let (_, report) = salvaged(&bytes, &original).unwrap();
        losing += u32::from(!report.is_whole());
    }
    assert!(losing > 0);
}

#[test]
fn losses_are_counted_and_named() {
    let (_, original) = whole();
    let chunks = stored(|tables| tables.chunks);
    let (_, value) = chunks.first_key_value().unwrap();
    let mut bytes = sample().to_vec();
    // The header of the first chunk: the first 512 items of the first run are lost.
    places(value).into_iter().for_each(|place| bytes[place] ^= 0xff);
    let (folder, report) = salvaged(&bytes, &original).unwrap();
    assert!(!report.is_whole());
    assert_eq!(report.ordinals[&0], [(0, 512)]);
    assert_eq!(report.lost["chunks"], 1);
    let saved = windows(&Store::open(&folder.path().join("saved")).unwrap());
    let key = ("a".to_owned(), 0);
    let contents = |items: &[(ItemId, Vec<u8>)]| -> Vec<Vec<u8>> {
        items.iter().map(|(_, content)| content.clone()).collect()
    };
    assert_eq!(contents(&saved[&key]), contents(&original[&key][512..]));
    // The file has to be read again.
    let store = Store::open(&folder.path().join("saved")).unwrap();
    assert_eq!(store.snapshot(|snapshot| snapshot.cursors()).unwrap(), []);
    assert_eq!(report.lost["cursors"], 1);
    assert!(Path::new(&report.source).ends_with("db/1/data.mdb"));
}
