//! `verify` and `repair`: an archive that is whole is clean, and whatever is wrong is found.
#![allow(clippy::unwrap_used, reason = "tests")]

mod archive;
mod bytes;
mod derived;
mod edits;
mod producers;
mod truth;

use archive::{change, rows, sample, with_data};
use vox_store::{
    Store,
    verify::{Options, Verdict, repair, verify, verify_archive, verify_file},
};

const ALL: Options = Options { sample: None };

/// Tables of which the sample has no row.
const UNUSED: &[&str] =
    &["raw_runs", "raw_files", "raw_samples", "tombstones", "condemned", "leases"];

#[test]
fn a_whole_archive_is_clean_and_everything_in_it_is_counted() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    let report = verify(&store, &ALL).unwrap();
    assert_eq!(report.findings, []);
    assert_eq!((report.verdict(), report.total, report.sampled), (Verdict::Clean, 0, None));
    let checked = |subject: &str| report.checked.get(subject).copied().unwrap_or_default();
    for table in vox_store::tables::Tables::NAMES {
        // The only index that a small archive doesn't have, and what the sample has no use for.
        let merged = table.ends_with("_levels");
        let empty = merged || UNUSED.contains(table);
        assert_eq!(checked(table) == 0, empty, "{table}: {} rows", checked(table));
    }
    assert_eq!(checked("blobs"), checked("blob_recent"));
    assert_eq!(checked("bodies"), checked("blobs"));
    assert_eq!(checked("items"), checked("chain_recent"));
    assert!(checked("items") > 1200 && checked("segments") > 2 && checked("pages") > 100);
    drop(store);
    assert_eq!(verify_archive(folder.path(), &ALL).unwrap(), report);
}

#[test]
fn writers_go_on_while_an_archive_is_checked() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..60u64 {
                let item = archive::text(1_000_000 + n, 500);
                store.put_many(&[&item]).unwrap();
            }
        });
        while !writer.is_finished() {
            assert_eq!(verify(&store, &ALL).unwrap().findings, []);
        }
    });
    assert_eq!(verify(&store, &ALL).unwrap().findings, []);
}

#[test]
fn a_sample_looks_at_so_many_bodies_and_at_everything_else() {
    let folder = with_data(sample());
    let report = verify_archive(folder.path(), &Options { sample: Some(25) }).unwrap();
    let all = verify_archive(folder.path(), &ALL).unwrap();
    assert_eq!(report.findings, []);
    assert_eq!((report.sampled, report.checked["bodies"]), (Some(25), 25));
    let rest = |mut report: vox_store::verify::Report| {
        report.checked.remove("bodies");
        report.checked
    };
    assert_eq!(rest(report), rest(all));
}

#[test]
fn an_index_that_the_store_merged_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let items: Vec<Vec<u8>> = (0..70_000u32).map(|n| n.to_le_bytes().to_vec()).collect();
    let slices: Vec<&[u8]> = items.iter().map(Vec::as_slice).collect();
    store.put_batches(&slices, 10_000).unwrap();
    store.put_many(&slices[..200]).unwrap();
    let report = verify(&store, &ALL).unwrap();
    assert_eq!(report.findings, []);
    assert!(report.checked["blob_levels"] > 10 && report.checked["blob_recent"] > 100);
}

#[test]
fn holds_survive_a_repair_and_the_archive_goes_on_as_before() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    let held = archive::text(90_030, 30);
    let hash = vox_types::ContentHash::of(&held);
    let before = store.counts(&[hash]).unwrap();
    assert_eq!(before[0].unwrap().holds, 2);
    let first = rows(&store, |tables| tables.blob_recent).into_keys().next().unwrap();
    change(&store, |tables, txn| Ok(tables.blob_recent.delete(txn, &first).map(drop)?));
    let repaired = repair(&store).unwrap();
    assert_eq!(repaired.tables, ["blob_recent"]);
    assert_eq!(repaired.before.total, 1);
    assert_eq!(store.counts(&[hash]).unwrap(), before);
    assert_eq!(store.put_many(&[&held]).unwrap().1.added, 0);
    assert_eq!(store.counts(&[hash]).unwrap()[0].unwrap().holds, 3);
    assert_eq!(verify(&store, &ALL).unwrap().findings, []);
    assert_eq!(repair(&store).unwrap().tables, [] as [&str; 0]);
}

#[test]
fn what_is_no_archive_is_an_error_and_no_report() {
    let folder = tempfile::tempdir().unwrap();
    let code = |path: &std::path::Path| verify_file(path, &ALL).unwrap_err().code.name();
    let other = folder.path().join("other");
    assert_eq!(code(&other), "not_found");
    std::fs::write(&other, vec![b'x'; 10_000]).unwrap();
    assert_eq!(code(&other), "not_an_archive");
    assert_eq!(verify_archive(folder.path(), &ALL).unwrap_err().code.name(), "not_an_archive");
}
