//! Sound files: the reader sees what LMDB sees, and has nothing to complain about.
#![allow(clippy::unwrap_used, unsafe_code, reason = "tests; heed maps the file it opens")]

mod common;

use std::fs;

use common::{Fixture, Numbers, Table, check, commit, fixture, kinds, open_env, small};
use heed::{DatabaseFlags, types::Bytes};
use vox_pages::{Database, FindingKind, PageFile};

fn assert_same(fixture: &Fixture) {
    let file = PageFile::open(fixture.path()).unwrap();
    let names: Vec<String> =
        file.databases().map(|database| database.unwrap().name().into_owned()).collect();
    let expected: Vec<&String> = fixture.tables.keys().collect();
    assert_eq!(names.iter().collect::<Vec<_>>(), expected);
    for (name, entries) in &fixture.tables {
        let database = file.database(name).unwrap().unwrap();
        assert_eq!(database.record().entries, entries.len() as u64);
        let read: Vec<_> = database.iter(&file).map(Result::unwrap).collect();
        assert!(read.iter().map(|(key, value)| (key, value)).eq(entries), "{name}");
    }
}

/// A file of some MB where trees grew, shrank, emptied and grew again.
fn large() -> Fixture {
    const NAMES: [&str; 5] = ["bulk", "emptied", "long", "numbers", "ünïcode"];
    fixture(&NAMES, |env| {
        let mut numbers = Numbers(7);
        for round in 0..6u64 {
            commit(env, &NAMES, |write, tables| {
                for _ in 0..3000 {
                    let key = numbers.next().to_be_bytes();
                    let value = vec![round as u8; numbers.below(60)];
                    tables[3].put(write, &key[..1 + numbers.below(8)], &value).unwrap();
                }
                for n in 0..60u64 {
                    let key = (n * 7 + round).to_be_bytes();
                    let value = vec![n as u8; numbers.below(70_000)];
                    tables[2].put(write, &key, &value).unwrap();
                    tables[1].put(write, &key, &value).unwrap();
                }
                for n in 0..700u64 {
                    tables[0].put(write, &(round * 700 + n).to_be_bytes(), &[1; 1900]).unwrap();
                }
                tables[4].put(write, "schlüssel".as_bytes(), &round.to_be_bytes()).unwrap();
            });
            commit(env, &NAMES, |write, tables| {
                tables[1].clear(write).unwrap();
                let gone: Vec<Vec<u8>> = tables[3]
                    .iter(write)
                    .unwrap()
                    .step_by(3)
                    .map(|entry| entry.unwrap().0.to_vec())
                    .collect();
                for key in gone {
                    tables[3].delete(write, &key).unwrap();
                }
            });
        }
        // Frees over a thousand pages at once, which makes an entry on overflow pages.
        commit(env, &NAMES, |write, tables| {
            for n in 0..3000u64 {
                tables[0].delete(write, &n.to_be_bytes()).unwrap();
            }
        });
    })
}

#[test]
fn a_small_file_reads_as_in_lmdb_and_is_clean() {
    let fixture = small();
    assert_same(&fixture);
    assert_eq!(check(&fixture.path()), []);
}

#[test]
fn a_large_file_with_a_long_free_list_reads_as_in_lmdb_and_is_clean() {
    let fixture = large();
    assert_same(&fixture);
    assert_eq!(check(&fixture.path()), []);
    let file = PageFile::open(fixture.path()).unwrap();
    assert!(file.meta().free.overflow_pages > 0, "the free list should need overflow pages");
    assert!(file.database("numbers").unwrap().unwrap().record().depth > 1);
    let summary = file.check(&mut |_| {});
    assert_eq!(summary.used + summary.free, summary.pages);
    assert_eq!(summary.pages, file.meta().last_page + 1);
    assert_eq!(summary.databases, 5);
}

#[test]
fn an_environment_without_databases_is_clean() {
    let fixture = fixture(&[], |_| {});
    assert_same(&fixture);
    assert_eq!(check(&fixture.path()), []);
}

#[test]
fn get_finds_every_key_and_no_other() {
    let fixture = small();
    let file = PageFile::open(fixture.path()).unwrap();
    for (name, entries) in &fixture.tables {
        let database = file.database(name).unwrap().unwrap();
        for (key, value) in entries {
            assert_eq!(database.get(&file, key).unwrap().as_ref(), Some(value));
            let next: Vec<u8> = key.iter().copied().chain([0]).collect();
            assert_eq!(database.get(&file, &next).unwrap(), entries.get(&next).cloned());
        }
        assert_eq!(database.get(&file, b"").unwrap(), None);
        assert_eq!(database.get(&file, &[255; 8]).unwrap(), None);
    }
}

#[test]
fn iter_from_begins_at_the_first_key_not_less() {
    let fixture = small();
    let file = PageFile::open(fixture.path()).unwrap();
    let mut numbers = Numbers(3);
    for (name, entries) in &fixture.tables {
        let database = file.database(name).unwrap().unwrap();
        let mut starts: Vec<Vec<u8>> = entries.keys().step_by(11).cloned().collect();
        starts.extend((0..50).map(|_| numbers.next().to_be_bytes()[..numbers.below(5)].to_vec()));
        starts.extend([vec![], vec![255; 600]]);
        for start in starts {
            let read: Vec<_> = database.iter_from(&file, &start).map(Result::unwrap).collect();
            let expected = entries.range(start..);
            assert!(read.iter().map(|(key, value)| (key, value)).eq(expected));
        }
    }
}

#[test]
fn a_missing_database_is_none() {
    let fixture = small();
    let file = PageFile::open(fixture.path()).unwrap();
    assert_eq!(file.database("shorter").unwrap(), None);
    assert_eq!(file.database("").unwrap(), None);
}

#[test]
#[expect(deprecated, reason = "the flag is what other writers set")]
fn databases_with_duplicates_or_integer_keys_are_noted_and_not_read() {
    let flags = [
        ("duplicates", DatabaseFlags::DUP_SORT),
        ("fixed", DatabaseFlags::DUP_SORT | DatabaseFlags::DUP_FIXED),
        ("integers", DatabaseFlags::INTEGER_KEY),
        ("reverse", DatabaseFlags::REVERSE_KEY),
    ];
    let fixture = fixture(&[], |env| {
        let mut write = env.write_txn().unwrap();
        for (name, flags) in flags {
            let mut options = env.database_options().types::<Bytes, Bytes>();
            let table = options.name(name).flags(flags).create(&mut write).unwrap();
            for n in 0..3000u64 {
                let key = if flags.contains(DatabaseFlags::DUP_SORT) { n % 3 } else { n };
                table.put(&mut write, &key.to_ne_bytes(), &n.to_be_bytes()).unwrap();
            }
        }
        write.commit().unwrap();
    });
    let findings = check(&fixture.path());
    assert_eq!(kinds(&findings), [FindingKind::Unsupported], "{findings:?}");
    assert_eq!(findings.len(), flags.len());
    let file = PageFile::open(fixture.path()).unwrap();
    for database in file.databases() {
        let database: Database = database.unwrap();
        let read: Vec<_> = database.iter(&file).collect();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].as_ref().unwrap_err().kind, FindingKind::Unsupported);
        assert!(database.get(&file, b"key").is_err());
    }
}

#[test]
fn values_in_the_main_database_are_noted_and_read() {
    let fixture = fixture(&[], |env| {
        let mut write = env.write_txn().unwrap();
        let main: Table = env.create_database(&mut write, None).unwrap();
        main.put(&mut write, b"key", b"value").unwrap();
        write.commit().unwrap();
    });
    assert_eq!(kinds(&check(&fixture.path())), [FindingKind::Unnamed]);
    let file = PageFile::open(fixture.path()).unwrap();
    assert_eq!(file.main().get(&file, b"key").unwrap().unwrap(), b"value");
    assert_eq!(file.database("key").unwrap(), None);
}

#[test]
fn a_snapshot_stays_whole_under_a_read_transaction_while_a_writer_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let env = open_env(dir.path());
    let put = |from: u64| {
        commit(&env, &["table"], |write, tables| {
            for n in 0..2000u64 {
                let key = (n * 37 % 2000).to_be_bytes();
                tables[0].put(write, &key, &[from as u8; 500]).unwrap();
            }
        });
    };
    put(0);
    put(1);
    let read = env.read_txn().unwrap();
    let file = PageFile::open(dir.path().join("data.mdb")).unwrap();
    for round in 2..6 {
        put(round);
    }
    let mut findings = Vec::new();
    file.check(&mut |finding| findings.push(finding));
    assert_eq!(findings, []);
    let table = file.database("table").unwrap().unwrap();
    assert!(table.iter(&file).all(|entry| entry.unwrap().1 == [1; 500]));
    drop(read);
}

#[test]
fn the_snapshot_before_can_be_read() {
    let fixture = small();
    let file = PageFile::open(fixture.path()).unwrap();
    let txnid = file.meta().txnid;
    let older = file.older().unwrap();
    assert_eq!(older.meta().txnid, txnid - 1);
    assert_eq!(older.databases().filter(Result::is_ok).count(), 4);
    assert!(older.older().is_none());
}

#[test]
fn copies_that_lmdb_makes_are_clean() {
    let dir = tempfile::tempdir().unwrap();
    let fixture = small();
    let env = open_env(fixture.path().parent().unwrap());
    for (name, option) in
        [("plain", heed::CompactionOption::Disabled), ("compact", heed::CompactionOption::Enabled)]
    {
        let path = dir.path().join(name);
        env.copy_to_path(&path, option).unwrap();
        assert_eq!(check(&path), [], "{name}");
        assert!(fs::metadata(&path).unwrap().len() > 0);
    }
}
