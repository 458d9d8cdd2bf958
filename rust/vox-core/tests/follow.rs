//! The search index of an archive follows what happens in it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::{TempDir, tempdir};
use vox_core::{
    archive::{Archive, OwnItem},
    search::{Followed, LONGEST_INDEXED, Standing},
};
use vox_search::{
    index::{self, Everything, Facts, Index, Lane, Opened, Wanted},
    query::{Atom, AtomKind, Node},
};
use vox_store::{
    append::WindowChange,
    purge,
    window_ops::{Label, NewWindow},
};
use vox_types::{Code, ItemId, ItemKind, Role};

const DONE: Followed =
    Followed { standing: Standing::Current, anew: false, added: 0, unreadable: 0 };

fn archive() -> (TempDir, Archive) {
    let folder = tempdir().unwrap();
    let archive = Archive::create(&folder.path().join("a")).unwrap();
    (folder, archive)
}

fn append(archive: &Archive, key: &str, items: &[(ItemKind, &[u8])]) {
    let items = items.iter().map(|(kind, content)| OwnItem {
        role: Role::User,
        kind: *kind,
        content: content.to_vec(),
        created_at: Some(1_000),
        name: Some("tool".into()),
        side: *kind == ItemKind::Record,
        redacted: false,
        token_estimate: None,
        call: 0,
    });
    let change = WindowChange { key: key.to_owned(), ..WindowChange::default() };
    archive.append(change, items.collect()).unwrap();
}

fn say(archive: &Archive, key: &str, texts: &[&str]) {
    let items: Vec<_> = texts.iter().map(|text| (ItemKind::Message, text.as_bytes())).collect();
    append(archive, key, &items);
}

/// The folder of the index in use.
fn current(archive: &Archive) -> PathBuf {
    let root = archive.store().path().join("search");
    root.join(fs::read_to_string(root.join("CURRENT")).unwrap().trim_end())
}

fn opened(archive: &Archive) -> Index {
    match index::open(&current(archive)).unwrap() {
        Opened::Ready(index) => *index,
        other => panic!("{other:?}"),
    }
}

fn hits(archive: &Archive, word: &str) -> Vec<(u32, u32)> {
    let node = Node::Atom(Atom { kind: AtomKind::Word, text: word.into(), at: 0..word.len() });
    let matched = opened(archive).searcher().matching(&node, &Everything).unwrap();
    let places = matched.items.iter().map(ItemId);
    places.map(|item| (item.run(), item.position())).collect()
}

fn added(followed: Followed) -> u64 {
    assert_eq!(Followed { added: 0, anew: false, ..followed }, DONE);
    followed.added
}

#[test]
fn what_is_appended_is_found_once_whoever_shows_it() {
    let (_folder, archive) = archive();
    assert_eq!(archive.follow().unwrap(), Followed { anew: true, ..DONE }, "nothing to index");
    say(&archive, "w", &["first needle", "second"]);
    let built = archive.follow().unwrap();
    assert_eq!((built.anew, added(built)), (true, 2));
    assert_eq!(archive.follow().unwrap(), DONE);

    say(&archive, "w", &["third needle"]);
    let fork = NewWindow { key: "fork".into(), title: None };
    archive.store().fork(0, 2, fork).unwrap();
    say(&archive, "fork", &["fourth needle"]);
    let went_on = archive.follow().unwrap();
    assert_eq!((went_on.anew, added(went_on)), (false, 2));
    assert_eq!(hits(&archive, "needle"), [(0, 0), (0, 2), (1, 0)]);
    assert_eq!(opened(&archive).len(), 4);
    assert_eq!(added(archive.reindex().unwrap()), 4);
    assert_eq!(hits(&archive, "needle"), [(0, 0), (0, 2), (1, 0)]);
}

#[test]
fn records_long_items_and_bytes_that_are_no_text_have_no_words() {
    let (_folder, archive) = archive();
    let most = vec![b'a'; LONGEST_INDEXED as usize];
    let more = vec![b'a'; LONGEST_INDEXED as usize + 1];
    append(
        &archive,
        "w",
        &[
            (ItemKind::Record, b"needle in a record"),
            (ItemKind::Attachment, b"needle\xff in bytes"),
            (ItemKind::Attachment, b"needle in a text"),
            (ItemKind::Message, b"needle\xff in a message"),
            (ItemKind::Message, &most),
            (ItemKind::Message, &more),
            (ItemKind::ToolCall, br#"{"file_path": "/x/src/needle_file.rs"}"#),
        ],
    );
    assert_eq!(added(archive.follow().unwrap()), 5);
    assert_eq!(hits(&archive, "needle"), [(0, 2), (0, 3), (0, 6)]);
    let touched = [Wanted { lane: Lane::Touched, term: "needle_file.rs", weight: 1.0 }];
    let seen = opened(&archive).searcher().any_of(&touched, &Everything, 9).unwrap();
    let Facts { item, time, attributes, name } = seen[0].facts;
    let call = archive.store().snapshot(|snapshot| snapshot.find_symbol("tool")).unwrap().unwrap();
    assert_eq!((item, time, name), (ItemId(6), 1_000, call));
    assert_eq!(attributes >> 2 & 15, ItemKind::ToolCall as u16);
}

#[test]
fn what_is_purged_leaves_the_index_and_the_disk() {
    let (_folder, archive) = archive();
    say(&archive, "w", &["secretword one"]);
    say(&archive, "v", &["plain words"]);
    archive.follow().unwrap();
    archive.store().label(vec![0], false, Label::Delete).unwrap();
    let options =
        purge::Options { deleted: true, grace: 0, dry_run: false, ..purge::Options::default() };
    assert_eq!(archive.store().purge(&options).unwrap().items, 1);
    assert_eq!(archive.follow().unwrap(), DONE);
    assert!(hits(&archive, "secretword").is_empty());
    assert_eq!(opened(&archive).len(), 1);
    for entry in fs::read_dir(current(&archive)).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(7).any(|part| part == b"secretw"), "a term is still there");
    }
    assert_eq!(added(archive.reindex().unwrap()), 1);
}

#[test]
fn an_index_of_another_archive_or_past_is_built_anew() {
    let (folder, archive) = archive();
    say(&archive, "w", &["needle"]);
    let early = folder.path().join("early");
    vox_store::generations::backup(archive.store(), &early).unwrap();
    say(&archive, "w", &["more"]);
    archive.follow().unwrap();

    let early = Archive::open(&early).unwrap();
    say(&early, "w", &["another way"]);
    copy(&archive.store().path().join("search"), &early.store().path().join("search"));
    let followed = early.follow().unwrap();
    assert_eq!((followed.anew, added(followed)), (true, 2));
    assert_eq!(hits(&early, "another"), [(0, 1)]);

    let other = Archive::create(&folder.path().join("other")).unwrap();
    say(&other, "w", &["elsewhere"]);
    copy(&archive.store().path().join("search"), &other.store().path().join("search"));
    assert!(other.follow().unwrap().anew);
    assert_eq!(hits(&other, "elsewhere"), [(0, 0)]);
}

#[test]
fn what_is_broken_or_unfinished_is_built_anew_and_removed() {
    let (_folder, archive) = archive();
    say(&archive, "w", &["needle"]);
    let root = archive.store().path().join("search");
    fs::create_dir_all(root.join("words-1")).unwrap();
    fs::write(root.join("words-1/half"), "left by one that was killed").unwrap();
    assert!(archive.follow().unwrap().anew);
    assert!(!root.join("words-1/half").exists());

    fs::write(current(&archive).join("meta.json"), "{").unwrap();
    assert!(archive.follow().unwrap().anew);
    assert_eq!(hits(&archive, "needle"), [(0, 0)]);
    assert!(!root.join("words-1").exists());

    fs::remove_dir_all(current(&archive)).unwrap();
    assert!(archive.follow().unwrap().anew);
    fs::write(root.join("CURRENT"), b"../../elsewhere\xff").unwrap();
    assert!(archive.follow().unwrap().anew);
    fs::remove_dir_all(&root).unwrap();
    assert!(archive.follow().unwrap().anew);
    assert_eq!(hits(&archive, "needle"), [(0, 0)]);
}

#[test]
fn whoever_finds_another_at_work_leaves_it_to_that_one() {
    let (_folder, archive) = archive();
    say(&archive, "w", &["needle"]);
    archive.follow().unwrap();
    say(&archive, "w", &["more"]);
    let writer = opened(&archive).writer().unwrap().unwrap();
    assert_eq!(archive.follow().unwrap().standing, Standing::Busy);
    let lock = fs::File::options()
        .write(true)
        .open(archive.store().path().join("search/build.lock"))
        .unwrap();
    lock.lock().unwrap();
    assert_eq!(archive.reindex().unwrap().standing, Standing::Busy);
    drop((writer, lock));
    assert_eq!(added(archive.follow().unwrap()), 1);

    let reader = Archive::open_read_only(archive.store().path()).unwrap();
    assert_eq!(reader.follow().unwrap_err().code, Code::ReadOnly);
}

#[test]
fn many_items_in_many_runs_are_all_indexed() {
    let (_folder, archive) = archive();
    for window in 0..40 {
        let texts: Vec<String> = (0..500).map(|n| format!("text {n} of {window}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        say(&archive, &format!("w{window}"), &texts);
    }
    assert_eq!(added(archive.follow().unwrap()), 20_000);
    assert_eq!(hits(&archive, "499").len(), 40);
    assert_eq!(hits(&archive, "text").len(), 20_000);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}
