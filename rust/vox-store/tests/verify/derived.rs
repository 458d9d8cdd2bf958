//! Derived tables that say something wrong are found and made anew.

use vox_format::keys;
use vox_store::{
    Store,
    tables::Tables,
    verify::{Finding, Kind, MOST_FINDINGS, Options, Verdict, repair, verify, verify_file},
};

use crate::{
    archive::{change, data_file, rows as rows_of, sample, with_data},
    edits::{Case, Work, case, drop_first, dump, edit_counts, edit_window, first},
};

/// What is wrong with derived tables.
fn repairable() -> Vec<Case> {
    use Kind::{Count, Dangling, Differs, Malformed, Missing, Surplus};
    vec![
        case("a wrong reference count", "blob_recent", Count, |t, txn| edit_counts(t, txn, 3, 0)),
        case("negative holds", "blob_recent", Count, |t, txn| edit_counts(t, txn, 0, -9)),
        case("a blob the index lacks", "blob_recent", Missing, |t, txn| {
            drop_first(t.blob_recent, txn)
        }),
        case("an entry with another prefix", "blob_recent", Differs, |t, txn| {
            let (key, value) = first(t.blob_recent, txn)?;
            t.blob_recent.delete(txn, &key)?;
            let (prefix, payload) = keys::split_wide_pair(&key).unwrap();
            Ok(t.blob_recent.put(txn, &keys::wide_pair(prefix + 1, payload), &value)?)
        }),
        case("an entry of no blob", "blob_recent", Dangling, |t, txn| {
            Ok(t.blob_recent.put(txn, &keys::wide_pair(5, 999 << 16), &[0; 8])?)
        }),
        case("an entry that is too short", "blob_recent", Malformed, |t, txn| {
            Ok(t.blob_recent.put(txn, &[1, 2, 3], &[0; 8])?)
        }),
        case("a leaf that is none", "blob_levels", Malformed, |t, txn| {
            Ok(t.blob_levels.put(txn, &keys::leaf(1, 7), &[9; 40])?)
        }),
        case("an item the index lacks", "chain_recent", Missing, |t, txn| {
            drop_first(t.chain_recent, txn)
        }),
        case("an entry of no item", "chain_recent", Dangling, |t, txn| {
            Ok(t.chain_recent.put(txn, &keys::wide_pair(5, 77 << 32), &[0; 8])?)
        }),
        case("a chain entry with counts", "chain_recent", Count, |t, txn| {
            let (key, _) = first(t.chain_recent, txn)?;
            Ok(t.chain_recent.put(txn, &key, &[1; 8])?)
        }),
        case("a symbol's id is gone", "symbol_ids", Missing, |t, txn| {
            drop_first(t.symbol_ids, txn)
        }),
        case("a symbol's id is wrong", "symbol_ids", Differs, |t, txn| {
            let (key, _) = first(t.symbol_ids, txn)?;
            Ok(t.symbol_ids.put(txn, &key, &9u32.to_le_bytes())?)
        }),
        case("a window's id is gone", "window_ids", Missing, |t, txn| {
            drop_first(t.window_ids, txn)
        }),
        case("an id of no window", "window_ids", Surplus, |t, txn| {
            Ok(t.window_ids.put(txn, &[3; 16], &9u32.to_le_bytes())?)
        }),
        case("a window's key is wrong", "window_keys", Differs, |t, txn| {
            let (key, _) = first(t.window_keys, txn)?;
            Ok(t.window_keys.put(txn, &key, &40u32.to_le_bytes())?)
        }),
        case("a window isn't listed", "by_recency", Missing, |t, txn| {
            drop_first(t.by_recency, txn)
        }),
        case("a window is listed twice", "by_recency", Surplus, |t, txn| {
            Ok(t.by_recency.put(txn, &keys::recency(0, 3, 12, 0), &[])?)
        }),
        case("a window isn't below its root", "by_root", Missing, |t, txn| {
            drop_first(t.by_root, txn)
        }),
        case("extents miscounted", "run_windows", Differs, |t, txn| {
            let (key, _) = first(t.run_windows, txn)?;
            Ok(t.run_windows.put(txn, &key, &12u32.to_le_bytes())?)
        }),
        case("a response without its owner", "usage_owners", Missing, |t, txn| {
            drop_first(t.usage_owners, txn)
        }),
        case("a wrong number of items", "windows", Count, |t, txn| {
            edit_window(t, txn, 0, |row| row.items += 1)
        }),
        case("wrong bytes", "windows", Count, |t, txn| {
            edit_window(t, txn, 1, |row| row.bytes -= 1)
        }),
        case("wrong tokens", "windows", Count, |t, txn| {
            edit_window(t, txn, 2, |row| row.tokens = 0)
        }),
        case("wrong trimmed", "windows", Count, |t, txn| {
            edit_window(t, txn, 0, |row| row.trimmed = 2)
        }),
    ]
}

#[test]
fn what_follows_from_other_tables_is_reported_and_repaired() {
    for Case { what, table, kind, work } in repairable() {
        let folder = with_data(sample());
        let store = Store::open(folder.path()).unwrap();
        let before = dump(&store);
        change(&store, work);
        let report = verify(&store, &Options::default()).unwrap();
        let found =
            report.findings.iter().any(|f| (f.table, f.kind) == (table, kind) && f.repairable);
        assert!(found, "{what}: {:?}", report.findings);
        assert_eq!(report.verdict(), Verdict::Repairable, "{what}: {:?}", report.findings);
        let repaired = repair(&store).unwrap();
        assert!(repaired.tables.contains(&table), "{what}: {:?}", repaired.tables);
        assert_eq!(verify(&store, &Options::default()).unwrap().findings, [], "{what}");
        // An index may stand in other leaves; everything else is as it was.
        for ((name, before), after) in Tables::NAMES.iter().zip(before).zip(dump(&store)) {
            let index = name.ends_with("_recent") || name.ends_with("_levels") || *name == "meta";
            assert!(index || before == after, "{what}: {name}");
        }
    }
}

#[test]
fn leaves_out_of_order_are_found_and_repaired() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    // A repair puts the whole index into leaves.
    change(&store, |tables, txn| drop_first(tables.chain_recent, txn));
    repair(&store).unwrap();
    let spoil: [Work; 4] = [
        |t, txn| {
            let (key, value) = first(t.chain_levels, txn)?;
            let mut entries: Vec<_> = vox_format::leaf::Leaf::parse(&value)?.entries().collect();
            entries.swap(5, 6);
            Ok(t.chain_levels.put(txn, &key, &vox_format::leaf::encode(&entries))?)
        },
        |t, txn| {
            let (key, value) = first(t.chain_levels, txn)?;
            t.chain_levels.delete(txn, &key)?;
            let (level, prefix) = keys::split_leaf(&key).unwrap();
            Ok(t.chain_levels.put(txn, &keys::leaf(level, prefix - 1), &value)?)
        },
        |t, txn| drop_first(t.chain_levels, txn),
        |t, txn| {
            let (key, mut value) = first(t.chain_levels, txn)?;
            value[1] = 1;
            Ok(t.chain_levels.put(txn, &key, &value)?)
        },
    ];
    for work in spoil {
        assert!(!rows_of(&store, |tables| tables.chain_levels).is_empty());
        change(&store, work);
        let report = verify(&store, &Options::default()).unwrap();
        assert_eq!(report.verdict(), Verdict::Repairable);
        assert!(report.findings.iter().all(|finding| finding.table.starts_with("chain_")));
        repair(&store).unwrap();
        assert_eq!(verify(&store, &Options::default()).unwrap().findings, []);
    }
}

#[test]
fn a_missing_table_is_reported() {
    let folder = with_data(sample());
    let path = data_file(folder.path());
    // The names of tables stand in the main database; one that is renamed is missing.
    let mut bytes = sample().to_vec();
    let places: Vec<usize> = bytes
        .windows(9)
        .enumerate()
        .filter(|(_, w)| *w == b"by_recenc")
        .map(|(at, _)| at)
        .collect();
    places.into_iter().for_each(|at| bytes[at + 8] = b'x');
    std::fs::write(&path, &bytes).unwrap();
    let report = verify_file(&path, &Options::default()).unwrap();
    let missing = |f: &Finding| (f.table, f.kind) == ("by_recency", Kind::TableMissing);
    assert!(report.findings.iter().any(missing), "{:?}", report.findings);
}

#[test]
fn a_report_lists_so_many_findings_and_counts_all() {
    let folder = with_data(sample());
    let store = Store::open(folder.path()).unwrap();
    change(&store, |tables, txn| Ok(tables.chain_recent.clear(txn)?));
    let report = verify(&store, &Options::default()).unwrap();
    let items = report.checked["items"];
    assert_eq!((report.total, report.beyond_repair), (items, 0));
    assert!(report.findings.len() < items as usize && report.findings.len() <= MOST_FINDINGS);
}
