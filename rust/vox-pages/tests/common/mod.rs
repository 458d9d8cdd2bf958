//! Data files made by LMDB itself, and ways to damage them.
#![allow(dead_code, unsafe_code, reason = "shared by several tests; heed maps the file it opens")]

pub mod layout;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use heed::{Env, EnvOpenOptions, types::Bytes};
use tempfile::TempDir;
use vox_pages::{Finding, FindingKind, PageFile};

pub const PAGE: usize = 4096;

pub type Entries = BTreeMap<Vec<u8>, Vec<u8>>;
pub type Table = heed::Database<Bytes, Bytes>;

/// A closed data file, the bytes it had when it was sound, and what LMDB reads in it.
pub struct Fixture {
    dir: TempDir,
    pub bytes: Vec<u8>,
    pub tables: BTreeMap<String, Entries>,
}

impl Fixture {
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("data.mdb")
    }

    /// Replaces the file by `bytes`.
    pub fn put(&self, bytes: &[u8]) {
        fs::write(self.path(), bytes).expect("a test file can be written");
    }

    /// The file with `change` made to it.
    pub fn damaged(&self, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = self.bytes.clone();
        change(&mut bytes);
        self.put(&bytes);
        self.path()
    }

    pub fn page_count(&self) -> usize {
        self.bytes.len() / PAGE
    }
}

pub fn open_env(dir: &Path) -> Env {
    let mut options = EnvOpenOptions::new();
    options.map_size(256 << 20).max_dbs(16);
    unsafe { options.open(dir) }.expect("LMDB opens its folder")
}

/// Runs `fill` on a new environment, and reads back every database of `names` with LMDB.
pub fn fixture(names: &[&str], fill: impl FnOnce(&Env)) -> Fixture {
    let dir = tempfile::tempdir().expect("a folder for tests");
    let env = open_env(dir.path());
    fill(&env);
    let read = env.read_txn().unwrap();
    let tables = names.iter().map(|name| {
        let table: Table = env.open_database(&read, Some(name)).unwrap().expect("it was made");
        let entries = table.iter(&read).unwrap().map(|entry| {
            let (key, value) = entry.unwrap();
            (key.to_vec(), value.to_vec())
        });
        (name.to_string(), entries.collect())
    });
    let tables = tables.collect();
    drop(read);
    env.prepare_for_closing().wait();
    let bytes = fs::read(dir.path().join("data.mdb")).unwrap();
    Fixture { dir, bytes, tables }
}

/// Makes the databases `names` and gives them to `change`, in one transaction.
pub fn commit(env: &Env, names: &[&str], change: impl FnOnce(&mut heed::RwTxn<'_>, &[Table])) {
    let mut write = env.write_txn().unwrap();
    let tables: Vec<Table> =
        names.iter().map(|name| env.create_database(&mut write, Some(name)).unwrap()).collect();
    change(&mut write, &tables);
    write.commit().unwrap();
}

/// Numbers that look random and are the same in every run (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

pub const SMALL_TABLES: [&str; 4] = ["empty", "long_keys", "mixed", "short"];

/// About a hundred pages: a tree of three levels, long values, and a free list in use.
pub fn small() -> Fixture {
    fixture(&SMALL_TABLES, |env| {
        let mut numbers = Numbers(1);
        commit(env, &SMALL_TABLES, |write, tables| {
            for n in 0..500u32 {
                let mut key = n.to_be_bytes().to_vec();
                key.resize(480, b'k');
                tables[1].put(write, &key, b"").unwrap();
            }
            for n in 0..40u32 {
                let value = vec![n as u8; numbers.below(9000)];
                tables[2].put(write, &n.to_be_bytes(), &value).unwrap();
            }
            for n in 0..300u32 {
                let value = vec![7; numbers.below(30)];
                tables[3].put(write, n.to_string().as_bytes(), &value).unwrap();
            }
        });
        for round in 0..4u32 {
            commit(env, &SMALL_TABLES, |write, tables| {
                for n in (round..40).step_by(5) {
                    tables[2].delete(write, &n.to_be_bytes()).unwrap();
                    let value = vec![b'x'; numbers.below(6000)];
                    tables[2].put(write, &(n + 100).to_be_bytes(), &value).unwrap();
                }
                for n in (round..300).step_by(7) {
                    tables[3].delete(write, n.to_string().as_bytes()).unwrap();
                }
            });
        }
    })
}

/// Everything that a check of `path` reports.
pub fn check(path: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    match PageFile::open(path) {
        Ok(file) => {
            let summary = file.check(&mut |finding| findings.push(finding));
            let notes = findings.iter().filter(|finding| finding.kind.is_note()).count() as u64;
            assert_eq!((summary.notes, summary.damage), (notes, findings.len() as u64 - notes));
        }
        Err(error) => findings.push(Finding {
            kind: FindingKind::Meta,
            page: None,
            message: error.to_string(),
        }),
    }
    findings
}

pub fn kinds(findings: &[Finding]) -> Vec<FindingKind> {
    let mut kinds: Vec<_> = findings.iter().map(|finding| finding.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Uses everything that can be called on the file at `path`; its results don't matter.
pub fn exercise(path: &Path) {
    check(path);
    let Ok(file) = PageFile::open(path) else { return };
    let limit = file.length() as usize;
    let mut databases: Vec<_> = file.databases().take(limit).flatten().collect();
    databases.push(file.main());
    for name in SMALL_TABLES {
        databases.extend(file.database(name).ok().flatten());
    }
    for database in &databases {
        // Each entry takes more than ten bytes of its page, and no page is visited twice.
        let entries: Vec<_> = database.iter(&file).take(limit).collect();
        assert!(entries.len() < limit / 10 + 1, "the walk of {} doesn't end", database.name());
        for key in entries.iter().step_by(17).flatten().map(|(key, _)| key) {
            let _ = database.get(&file, key);
            assert!(database.iter_from(&file, key).take(limit).count() < limit);
        }
        let _ = database.get(&file, b"no such key");
    }
    if let Some(older) = file.older() {
        older.check(&mut |_| {});
    }
}
