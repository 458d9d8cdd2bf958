use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use super::{Form, Kind, Tables};

const KIND: Kind = Kind { magic: *b"test\0\0\0\0", version: 1, extension: "test" };
const ORIGIN: [u8; 32] = [7; 32];

/// What is compiled in these tests.
fn contents() -> (String, Tables) {
    ("plan".to_owned(), [vec![1, 2, 3], Vec::new(), vec![u64::MAX; 100], vec![5], Vec::new()])
}

fn open(kind: &Kind, origin: [u8; 32], cache: Option<&Path>) -> (Form<String>, bool) {
    let mut compiled = false;
    let form = kind.form(&origin, cache, || {
        compiled = true;
        Ok(contents())
    });
    (form.expect("nothing in it fails"), compiled)
}

fn assert_whole(form: &Form<String>) {
    let (plan, tables) = contents();
    assert_eq!(form.plan, plan);
    for (at, table) in tables.iter().enumerate() {
        assert_eq!(form.table(at).words(), table);
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect()
}

#[test]
fn a_form_is_compiled_once_and_then_comes_from_the_folder() {
    let folder = folder();
    let place = folder.path().join("made/when/needed");
    let (first, compiled) = open(&KIND, ORIGIN, Some(&place));
    assert!(compiled);
    let (second, compiled) = open(&KIND, ORIGIN, Some(&place));
    assert!(!compiled);
    assert_whole(&first);
    assert_whole(&second);
    assert_eq!(first.hash, second.hash);
}

#[test]
fn without_a_folder_it_is_compiled_each_time() {
    assert_whole(&open(&KIND, ORIGIN, None).0);
    assert!(open(&KIND, ORIGIN, None).1);
}

#[test]
fn whatever_byte_is_damaged_it_is_compiled_again() {
    let folder = folder();
    open(&KIND, ORIGIN, Some(folder.path()));
    let [kept] = &files(folder.path())[..] else { panic!("one form is kept") };
    let whole = fs::read(kept).expect("it can be read");
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        // Not in place: a form that is in use stays what it is.
        fs::remove_file(kept).expect("it can be replaced");
        fs::write(kept, damaged).expect("it can be written");
        let (form, compiled) = open(&KIND, ORIGIN, Some(folder.path()));
        assert!(compiled, "byte {at}");
        assert_whole(&form);
        assert_eq!(fs::read(kept).expect("it can be read"), whole, "byte {at}");
    }
}

#[test]
fn wherever_it_is_cut_off_it_is_compiled_again() {
    let folder = folder();
    open(&KIND, ORIGIN, Some(folder.path()));
    let [kept] = &files(folder.path())[..] else { panic!("one form is kept") };
    let whole = fs::read(kept).expect("it can be read");
    for end in 0..whole.len() {
        fs::remove_file(kept).expect("it can be replaced");
        fs::write(kept, &whole[..end]).expect("it can be written");
        assert!(open(&KIND, ORIGIN, Some(folder.path())).1, "cut at {end}");
    }
}

#[test]
fn what_another_version_or_kind_left_is_not_taken() {
    let folder = folder();
    open(&KIND, ORIGIN, Some(folder.path()));
    let [kept] = &files(folder.path())[..] else { panic!("one form is kept") };
    let others = [
        (Kind { version: 2, ..KIND }, ORIGIN),
        (Kind { magic: *b"else\0\0\0\0", ..KIND }, ORIGIN),
        (KIND, [8; 32]),
    ];
    for (kind, origin) in others {
        fs::copy(kept, kind.place(folder.path(), &origin)).expect("it can be copied");
        assert!(open(&kind, origin, Some(folder.path())).1);
        // What was put in its place is right.
        assert!(!open(&kind, origin, Some(folder.path())).1);
    }
}

#[test]
fn a_folder_that_cannot_be_written_only_costs_time() {
    let folder = folder();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "no folder").expect("it can be written");
    assert_whole(&open(&KIND, ORIGIN, Some(&blocked)).0);
}

#[test]
fn what_a_killed_process_left_is_cleared_away() {
    let folder = folder();
    let place = KIND.place(folder.path(), &ORIGIN);
    let other = KIND.place(folder.path(), &[8; 32]);
    let left = |place: &Path| {
        let (_, draft) = super::draft(place).expect("a draft");
        draft
    };
    let of_others = left(&other);
    fs::write(left(&place), "half").expect("it can be written");
    left(&place);
    assert!(open(&KIND, ORIGIN, Some(folder.path())).1);
    assert!(!open(&KIND, ORIGIN, Some(folder.path())).1);
    let mut there = files(folder.path());
    there.sort();
    let mut wanted = [place, of_others];
    wanted.sort();
    assert_eq!(there, wanted);
}

#[test]
fn threads_that_compile_at_once_leave_one_whole_form() {
    let folder = folder();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_whole(&open(&KIND, ORIGIN, Some(folder.path())).0));
        }
    });
    assert_eq!(files(folder.path()), [KIND.place(folder.path(), &ORIGIN)]);
    assert!(!open(&KIND, ORIGIN, Some(folder.path())).1);
}
