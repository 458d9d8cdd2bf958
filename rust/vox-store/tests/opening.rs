//! Opening an archive: what is none, what is damaged, what may not be written, and sharing.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod child;

use std::{fs, path::Path, sync::Arc};

use vox_store::{Store, env::Warning};
use vox_types::{Code, ContentHash};

fn refusal(opened: Result<Store, vox_types::Error>) -> (Code, String) {
    match opened {
        Ok(store) => panic!("{} was opened", store.path().display()),
        Err(error) => (error.code, error.message),
    }
}

/// An archive with some pages in its file.
fn archive(folder: &Path) -> Vec<ContentHash> {
    let store = Store::create(folder).unwrap();
    let items: Vec<Vec<u8>> = (0..3000u32).map(|i| i.to_le_bytes().repeat(9)).collect();
    let slices: Vec<&[u8]> = items.iter().map(Vec::as_slice).collect();
    store.put_many(&slices).unwrap().0
}

#[test]
fn what_is_no_archive_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, message) = refusal(Store::open(&path.join("missing")));
    assert_eq!(code, Code::NotFound);
    assert!(message.contains("missing"), "{message}");

    fs::write(path.join("letter.txt"), "dear reader").unwrap();
    for opened in [Store::create(path), Store::open(path)] {
        assert_eq!(refusal(opened).0, Code::NotAnArchive);
    }
    for opened in [Store::create(&path.join("letter.txt")), Store::open(&path.join("letter.txt"))] {
        assert_eq!(refusal(opened).0, Code::NotAnArchive);
    }
    let names: Vec<_> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["letter.txt"]);

    let empty = path.join("empty");
    fs::create_dir(&empty).unwrap();
    assert_eq!(refusal(Store::open(&empty)).0, Code::NotAnArchive);
    assert!(Store::create(&empty).is_ok());
}

#[test]
fn a_current_file_that_says_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let current = folder.path().join("CURRENT");
    let before = fs::read(&current).unwrap();
    let cases: [(&[u8], Code); 7] = [
        (b"vox-archive 1 1\n", Code::WrongVersion),
        (b"vox-archive 10 1\n", Code::WrongVersion),
        (b"vox-archive 2 one\n", Code::NotAnArchive),
        (b"vox-archive 2\n", Code::NotAnArchive),
        (b"", Code::NotAnArchive),
        (b"\xff\xfe\x00garbage", Code::NotAnArchive),
        (b"vox-archive 2 7\n", Code::Damaged),
    ];
    for (text, expected) in cases {
        fs::write(&current, text).unwrap();
        for opened in [Store::open(folder.path()), Store::create(folder.path())] {
            let (code, message) = refusal(opened);
            assert_eq!(code, expected, "{message}");
        }
    }
    fs::write(&current, before).unwrap();
    assert!(Store::open(folder.path()).is_ok());
}

#[test]
fn another_format_inside_the_data_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let generation = store.generation();
    store
        .write(|generation, txn| {
            // 3 as MessagePack.
            Ok(generation.tables.meta.put(txn, b"format", &[3])?)
        })
        .unwrap();
    drop((store, generation));
    for opened in [Store::open(folder.path()), Store::open_read_only(folder.path())] {
        assert_eq!(refusal(opened).0, Code::WrongVersion);
    }
}

#[test]
fn a_data_file_that_is_cut_off_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let data = folder.path().join("db/1/data.mdb");
    let whole = fs::read(&data).unwrap();
    assert!(whole.len() > 40 * 4096);
    for length in [whole.len() - 1, whole.len() / 2, 3 * 4096, 2 * 4096, 2 * 4096 - 1, 4096, 100, 0]
    {
        fs::write(&data, &whole[..length]).unwrap();
        for opened in [Store::open(folder.path()), Store::open_read_only(folder.path())] {
            let (code, message) = refusal(opened);
            assert_eq!(code, Code::Damaged, "{length} bytes: {message}");
            assert!(message.contains("data.mdb"), "{message}");
        }
        assert_eq!(fs::read(&data).unwrap().len(), length, "the damaged file was changed");
    }
    fs::write(&data, &whole).unwrap();
    assert!(Store::open(folder.path()).is_ok());
}

#[test]
fn a_data_file_of_garbage_is_no_archive() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    fs::write(folder.path().join("db/1/data.mdb"), b"garbage ".repeat(9000)).unwrap();
    let (code, message) = refusal(Store::open(folder.path()));
    assert_eq!(code, Code::NotAnArchive, "{message}");
}

#[test]
fn pages_that_a_write_gave_back_at_the_end_of_the_file_are_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let generation = store.generation();
    for length in [9, 9, 9, 900_000] {
        store
            .write(move |generation, txn| {
                let names = generation.tables.names;
                names.put(txn, b"short", &[7; 9])?;
                names.put(txn, b"long", &vec![7; length])?;
                Ok(names.delete(txn, b"long")?)
            })
            .unwrap();
    }
    drop((store, generation));
    let file = vox_pages::PageFile::open(folder.path().join("db/1/data.mdb")).unwrap();
    assert!(file.length() < file.meta().last_page * 4096, "nothing was given back at the end");
    let store = Store::open(folder.path()).unwrap();
    let kept = store.read(|tables, txn| Ok(tables.names.get(txn, b"short")?.map(<[u8]>::to_vec)));
    assert_eq!(kept.unwrap(), Some(vec![7; 9]));
    store.put_many(&[b"goes on"]).unwrap();
}

#[test]
fn a_write_goes_to_the_generation_that_took_the_place_of_the_one_that_was_open() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    store.put_many(&[b"before"]).unwrap();
    fs::create_dir(folder.path().join("db/2")).unwrap();
    let data = |generation: u64| folder.path().join(format!("db/{generation}/data.mdb"));
    fs::copy(data(1), data(2)).unwrap();
    store
        .write(|generation, txn| {
            // 2 as MessagePack.
            Ok(generation.tables.meta.put(txn, b"superseded_by", &[2])?)
        })
        .unwrap();
    fs::write(folder.path().join("CURRENT"), "vox-archive 2 2\n").unwrap();
    let (hashes, _) = store.put_many(&[b"before", b"after"]).unwrap();
    assert_eq!(store.get_many(&hashes).unwrap(), [&b"before"[..], b"after"]);
    assert_eq!(store.generation().number, 2);
}

#[test]
fn opened_for_reading_only_every_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let hashes = archive(folder.path());
    let store = Store::open_read_only(folder.path()).unwrap();
    assert!(!store.writable());
    let writes = [
        store.put_many(&[b"new"]).map(drop),
        store.put_batches(&[b"new"], 1).map(drop),
        store.release_many(&hashes[..1]),
        store.append(vox_store::append::Batch::default()).map(drop),
    ];
    for write in writes {
        assert_eq!(write.unwrap_err().code, Code::ReadOnly);
    }
    assert_eq!(store.get(&hashes[0]).unwrap().len(), 36);
    assert_eq!(store.get(&ContentHash::of(b"new")).unwrap_err().code, Code::NotFound);
}

#[cfg(unix)]
#[test]
fn files_that_may_not_be_written_are_read() {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    archive(&path);
    let set =
        |file: &Path, mode| fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
    let generation = path.join("db/1");
    set(folder.path(), 0o755);
    let files = [path.join("CURRENT"), generation.join("data.mdb"), generation.join("lock.mdb")];
    let folders = [generation, path.join("db"), path.clone()];
    files.iter().for_each(|file| set(file, 0o444));
    folders.iter().for_each(|folder| set(folder, 0o555));
    let mut command = child::command("without permission", &path);
    if rustix::process::geteuid().is_root() {
        // Nothing is forbidden to root: the child becomes nobody.
        command.uid(65534).gid(65534);
    }
    let said = child::start(command).finish();
    folders.iter().rev().for_each(|folder| set(folder, 0o755));
    assert_eq!(said, ["true", "ReadOnly", "36 bytes"]);
}

#[test]
fn child() {
    let Some((role, path)) = child::role() else { return };
    assert_eq!(role, "without permission");
    let store = Store::open(&path).unwrap();
    child::say(!store.writable() && store.warnings().contains(&Warning::UnlockedSnapshot));
    child::say(format!("{:?}", store.put_many(&[b"new"]).unwrap_err().code));
    let first = ContentHash::of(&0u32.to_le_bytes().repeat(9));
    child::say(format!("{} bytes", store.get(&first).unwrap().len()));
}

#[test]
fn opened_twice_in_one_process_both_share_one_map() {
    let folder = tempfile::tempdir().unwrap();
    let one = Store::create(folder.path()).unwrap();
    let two = Store::open(&folder.path().join(".")).unwrap();
    assert!(Arc::ptr_eq(&one.generation(), &two.generation()));
    let (hashes, _) = one.put_many(&[b"said through one"]).unwrap();
    assert_eq!(two.get(&hashes[0]).unwrap(), b"said through one");
    drop(one);
    let (hashes, _) = two.put_many(&[b"said through two"]).unwrap();
    let three = Store::open(folder.path()).unwrap();
    drop(two);
    assert_eq!(three.get(&hashes[0]).unwrap(), b"said through two");
}

#[test]
fn threads_that_create_open_and_drop_at_once_never_meet_a_half_open_archive() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..8 {
        let path = folder.path().join(round.to_string());
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let path = &path;
                scope.spawn(move || {
                    for i in 0..6u32 {
                        let store = Store::create(path).unwrap();
                        let item = [thread.to_le_bytes(), i.to_le_bytes()].concat();
                        let (hashes, _) = store.put_many(&[&item]).unwrap();
                        drop(store);
                        let store = Store::open(path).unwrap();
                        assert_eq!(store.get(&hashes[0]).unwrap(), item);
                    }
                });
            }
        });
        let store = Store::open(&path).unwrap();
        let tables = store.read(|tables, txn| Ok(tables.blob_recent.len(txn)?)).unwrap();
        assert_eq!(tables, 24);
    }
}
