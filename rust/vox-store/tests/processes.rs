//! Several processes at one archive: writers, crashed readers and writers, limits of the system.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

mod child;
mod clean;
#[allow(dead_code, reason = "the recount of appends looks at more")]
mod recount;

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    time::Duration,
};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use vox_format::preview::preview;
use vox_store::{
    Store,
    append::{Batch, NewItem, NewRest, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
    env::Warning,
    generations::compact,
    readers::{Patience, Reader},
};
use vox_types::{Code, ContentHash, Fidelity, ItemKind, Role};

use crate::clean::assert_clean;

/// Roles of a child process; each is one test's other half.
#[test]
fn child() {
    let Some((role, path)) = child::role() else { return };
    let (role, argument) = role.split_once(' ').unwrap_or((&role, ""));
    match role {
        "write" => write(&path, argument),
        "forever" => write_forever(&path),
        "read" => read_until_killed(&path),
        "look" => look(&path),
        "little-memory" => little_memory(&path),
        "no-memory" => no_memory(&path),
        "full-disk" => full_disk(&path),
        other => panic!("{other:?} is no role"),
    }
}

fn said(window: &str, i: u64) -> Vec<u8> {
    format!("item {i} of {window}, ").repeat(1 + i as usize % 60).into()
}

/// Puts one item to the end of `window`, which has `at`.
fn say(store: &Store, window: &str, at: u64) -> vox_types::Result<()> {
    let change = WindowChange { key: window.into(), ..WindowChange::default() };
    let bytes = said(window, at);
    let item = NewItem {
        role: Role::ALL[at as usize % 2],
        kind: ItemKind::Message,
        fidelity: Fidelity::Recorded,
        redacted: false,
        side: false,
        created_at: Some(at as i64),
        name: None,
        token_estimate: 1,
        call: 0,
        content: 0,
        rest: Some(NewRest::Extra(1)),
        preview: preview(&bytes),
    };
    let blob = |bytes: Vec<u8>| OwnedBlob { bytes, dictionary: Dictionary::Content };
    store
        .append(Batch {
            blobs: vec![blob(bytes), blob(b"the rest of every record".into())],
            windows: vec![change],
            items: vec![WindowItems { window: window.into(), at, items: vec![item] }],
            ..Batch::default()
        })
        .map(drop)
}

fn held(i: u64) -> Vec<u8> {
    format!("held {i}, ").repeat(1 + i as usize % 300).into()
}

/// Asserts that each window has just its items in their order, and gives how many.
fn lengths(store: &Store) -> Vec<(String, u64)> {
    let counted = recount::recount(store);
    let windows = counted.windows.iter().zip(&counted.paths);
    windows
        .map(|(window, path)| {
            for (i, id) in path.iter().enumerate() {
                assert_eq!(counted.items[id].content, said(&window.key, i as u64));
            }
            (window.key.clone(), path.len() as u64)
        })
        .collect()
}

fn write(path: &Path, window: &str) {
    let store = Store::open(path).unwrap();
    for i in 0..60 {
        say(&store, window, i).unwrap();
        store.put_many(&[&held(i)]).unwrap();
    }
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let start = |window| child::start(child::command(&format!("write {window}"), folder.path()));
    let children = [start("a"), start("b"), start("c")];
    for i in 0..60 {
        say(&store, "d", i).unwrap();
    }
    children.into_iter().for_each(|child| drop(child.finish()));
    let mut lengths = lengths(&store);
    lengths.sort();
    assert_eq!(lengths, ["a", "b", "c", "d"].map(|window| (window.to_owned(), 60)));
    for i in 0..60 {
        let counts = store.counts(&[ContentHash::of(&held(i))]).unwrap()[0].unwrap();
        assert_eq!(counts.holds, 3);
    }
}

/// Reads windows while they are written, until there are as many items as `write` says.
fn look(path: &Path) {
    let store = Store::open_read_only(path).unwrap();
    let mut seen = 0;
    while seen < 60 {
        let length = store.snapshot(|snapshot| match snapshot.window_by_key("a")? {
            Some(window) => Ok(snapshot.window(window)?.items),
            None => Ok(0),
        });
        let length = length.unwrap();
        assert!(length >= seen, "{length} items after {seen}");
        seen = length;
    }
}

#[test]
fn writers_and_readers_of_other_processes_and_threads_go_on_while_an_archive_is_compacted() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let start = |role: &str| child::start(child::command(role, folder.path()));
    let mut children = vec![start("write a"), start("write b"), start("look"), start("look")];
    let done = AtomicBool::new(false);
    let mut compacted = 0;
    std::thread::scope(|scope| {
        let threads = ["c", "d"].map(|window| scope.spawn(|| write(folder.path(), window)));
        scope.spawn(|| {
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            children.drain(..).for_each(|child| drop(child.finish()));
            done.store(true, SeqCst);
        });
        while !done.load(SeqCst) {
            let done = compact(&store).unwrap();
            compacted += 1;
            assert_eq!((done.from, done.to), (compacted, compacted + 1));
        }
    });
    assert!(compacted > 3, "compacted only {compacted} times");
    let mut lengths = lengths(&store);
    lengths.sort();
    assert_eq!(lengths, ["a", "b", "c", "d"].map(|window| (window.to_owned(), 60)));
    for i in 0..60 {
        let counts = store.counts(&[ContentHash::of(&held(i))]).unwrap()[0].unwrap();
        assert_eq!(counts.holds, 4);
    }
    assert_clean(&store);
    let left: Vec<_> = fs::read_dir(folder.path().join("db")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

fn write_forever(path: &Path) {
    let store = Store::open(path).unwrap();
    let mut next = lengths(&store).first().map_or(0, |(_, length)| *length);
    loop {
        say(&store, "w", next).unwrap();
        child::say(format!("said {next}"));
        store.put_many(&[&held(next)]).unwrap();
        child::say(format!("held {next}"));
        next += 1;
    }
}

#[test]
fn a_writer_that_is_killed_keeps_all_it_was_told_is_durable() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::create(folder.path()).unwrap());
    let mut random = 1u64;
    let mut open = None;
    for round in 0..40 {
        let mut child = child::start(child::command("forever", folder.path()));
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mut lines: Vec<String> = (0..random >> 60).filter_map(|_| child.hear()).collect();
        // Somewhere in the middle of the next write.
        (0..random >> 44 & 0xfffff).for_each(|i| _ = std::hint::black_box(i));
        lines.extend(child.kill());
        // Every other round somebody had the archive open all the time.
        let store = open.take().unwrap_or_else(|| Store::open(folder.path()).unwrap());
        let length = lengths(&store).first().map_or(0, |(_, length)| *length);
        for line in &lines {
            let (what, i) = line.split_once(' ').unwrap();
            let i: u64 = i.parse().unwrap();
            if what == "said" {
                assert!(i < length, "item {i} was acknowledged, but {length} are there");
            } else {
                let counts = store.counts(&[ContentHash::of(&held(i))]).unwrap()[0].unwrap();
                assert_eq!(counts.holds, 1, "blob {i}");
                assert_eq!(store.get(&ContentHash::of(&held(i))).unwrap(), held(i));
            }
        }
        say(&store, "w", length).unwrap();
        open = (round % 2 == 0).then_some(store);
    }
    let store = Store::open(folder.path()).unwrap();
    assert!(lengths(&store)[0].1 > 40, "no child wrote anything");
}

fn read_until_killed(path: &Path) {
    let store = Store::open(path).unwrap();
    store
        .read(|_, _| {
            child::say("reading");
            loop {
                std::thread::park();
            }
        })
        .unwrap()
}

#[test]
fn pages_that_a_killed_reader_held_back_are_used_again_after_opening() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let data = store.generation().data_file();
    let grown_by = |store: &Store| {
        let before = std::fs::metadata(&data).unwrap().len();
        (0..150).for_each(|_| drop(store.put_many(&[b"the same"]).unwrap()));
        (std::fs::metadata(&data).unwrap().len() - before) / 4096
    };
    grown_by(&store);
    let mut child = child::start(child::command("read", folder.path()));
    assert_eq!(child.hear().as_deref(), Some("reading"));
    child.kill();
    let held_back = grown_by(&store);
    assert!(held_back > 500, "the dead reader held back only {held_back} pages");
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    let used_again = grown_by(&store);
    assert!(used_again < 50, "{used_again} new pages after the dead reader was cleared");
}

#[test]
fn a_reader_of_another_process_lets_the_file_grow_only_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let data = store.generation().data_file();
    let length = || fs::metadata(&data).unwrap().len();
    (0..4).for_each(|i| drop(store.put_many(&[&incompressible(i)]).unwrap()));
    store.set_patience(Patience { growth: 8 << 20, wait: Duration::ZERO });
    assert_eq!(store.readers().unwrap(), []);
    let mut child = child::start(child::command("read", folder.path()));
    assert_eq!(child.hear().as_deref(), Some("reading"));
    let process = child.process.id();
    let before = length();
    let mut written = 4;
    let error = loop {
        match store.put_many(&[&incompressible(written)]) {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 40, "nothing held the writer back");
    };
    assert_eq!(error.code, Code::Busy, "{error}");
    assert!(error.message.contains(&format!("process {process} ")), "{error}");
    let grown = length() - before;
    assert!((8 << 20..12 << 20).contains(&grown), "{grown} bytes");
    let [Reader { process: named, behind }] = store.readers().unwrap()[..] else {
        panic!("{:?}", store.readers());
    };
    assert_eq!((named, behind), (process, written - 4));
    // Nothing of it was written, reads go on, and so does every write once the reader is gone.
    assert_eq!(store.put_many(&[b"short"]).unwrap_err().code, Code::Busy);
    assert_eq!(store.get(&ContentHash::of(b"short")).unwrap_err().code, Code::NotFound);
    store.set_patience(Patience { growth: 8 << 20, wait: Duration::from_secs(60) });
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| store.put_many(&[b"short"]));
        child.kill();
        writer.join().unwrap().unwrap();
    });
    assert_eq!(store.readers().unwrap(), []);
}

/// The address space of this process, in bytes.
#[cfg(target_os = "linux")]
fn mapped() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').next().unwrap().parse::<u64>().unwrap() * 4096
}

#[cfg(not(target_os = "linux"))]
fn mapped() -> u64 {
    0
}

fn limit(resource: Resource, bytes: Option<u64>) {
    let maximum = getrlimit(resource).maximum;
    setrlimit(resource, Rlimit { current: bytes.or(maximum), maximum }).unwrap();
}

fn incompressible(i: u64) -> Vec<u8> {
    let mut state = i << 1 | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 32) as u8
    };
    (0..1 << 20).map(|_| next()).collect()
}

fn little_memory(path: &Path) {
    // The pool of threads takes its address space before the limit counts.
    let items: Vec<[u8; 4]> = (0..500u32).map(u32::to_le_bytes).collect();
    let slices: Vec<&[u8]> = items.iter().map(|item| &item[..]).collect();
    Store::create(&path.join("first")).unwrap().put_many(&slices).unwrap();
    let before = mapped();
    limit(Resource::As, Some(before + (70 << 20)));
    let store = Store::create(&path.join("second")).unwrap();
    let [Warning::SmallMap { bytes }] = store.warnings()[..] else {
        panic!("{:?}", store.warnings());
    };
    // Enough to grow.
    limit(Resource::As, Some(before + (200 << 20)));
    let mut written = 0;
    let error = loop {
        match store.put_many(&[&incompressible(written)]) {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 300, "the limit doesn't bind");
    };
    child::say(format!("{:?}", error.code));
    // What was written while there was room is there, and goes on being read.
    for i in 0..written {
        let item = incompressible(i);
        assert!(store.get(&ContentHash::of(&item)).unwrap() == item, "item {i}");
    }
    child::say("read");
    limit(Resource::As, None);
    store.put_many(&[&incompressible(written)]).unwrap();
    child::say(if written << 20 > bytes as u64 { "grew" } else { "didn't grow" });
}

#[cfg(target_os = "linux")]
#[test]
fn where_address_space_is_short_the_map_is_small_and_grows_as_far_as_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = child::command("little-memory", folder.path());
    // So that glibc takes no address space for each thread that starts.
    command.env("MALLOC_ARENA_MAX", "1");
    let said = child::start(command).finish();
    assert_eq!(said, ["MapFull", "read", "grew"]);
}

fn no_memory(path: &Path) {
    limit(Resource::As, Some(mapped() + (100 << 20)));
    let error = Store::open(path).err().unwrap();
    child::say(format!("{:?}", error.code));
    limit(Resource::As, None);
    child::say(Store::open(path).is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn an_archive_that_does_not_fit_the_address_space_says_so() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::create(folder.path()).unwrap());
    let data = std::fs::File::options().write(true).open(folder.path().join("db/1/data.mdb"));
    // A hole: it takes address space, not disk.
    data.unwrap().set_len(1 << 30).unwrap();
    let said = child::start(child::command("no-memory", folder.path())).finish();
    assert_eq!(said, ["AddressSpace", "true"]);
}

fn full_disk(path: &Path) {
    let store = Store::create(path).unwrap();
    let data = store.generation().data_file();
    let mut length = 0;
    for round in 0..24u64 {
        let room = (std::fs::metadata(&data).unwrap().len() + round * 1500).max(4096);
        limit(Resource::Fsize, Some(room));
        let error = loop {
            match say(&store, "w", length) {
                Ok(()) => length += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(error.code, Code::DiskFull, "{error}");
        assert_eq!(store.put_many(&[&incompressible(round)]).unwrap_err().code, Code::DiskFull);
        assert_eq!(lengths(&store).first().map_or(0, |(_, length)| *length), length);
        limit(Resource::Fsize, None);
        say(&store, "w", length).unwrap();
        length += 1;
    }
    child::say(length);
}

#[test]
fn a_write_to_a_full_disk_fails_whole_and_works_once_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let said = child::start(child::command("full-disk", folder.path())).finish();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(said, [lengths(&store)[0].1.to_string()]);
}
