//! Making derived tables anew.

use heed::{PutFlags, RwTxn};
use vox_format::{
    leaf::Entry,
    rows::{self, WindowRow},
};
use vox_pages::PageFile;
use vox_types::{BlobRef, Code, Error, Result, WindowNo};

use super::{
    Examined, Options, REPAIRABLE, Report, Reporter, Verdict, blobs::Blobs, examine, items::Items,
    rebuilt::Rows, roll_ups::RollUps, verify,
};
use crate::{
    Store,
    env::Generation,
    fault::Fallible,
    index::HashIndex,
    meta,
    raw::samples,
    tables::{Table, Tables},
};

/// What was repaired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repaired {
    /// What was wrong.
    pub before: Report,
    /// The tables that were made anew; `windows` if roll-ups were corrected.
    pub tables: Vec<&'static str>,
}

/// Makes anew the tables among [`REPAIRABLE`](super::REPAIRABLE) with something wrong, and corrects
/// the roll-ups of windows, in one transaction. Does nothing if nothing is wrong.
///
/// Errors: `damaged` if anything else is wrong too, since derived tables can't be better than what
/// they follow from.
pub fn repair(store: &Store) -> Result<Repaired> {
    store.check_writable()?;
    let before = verify(store, &Options::default())?;
    match before.verdict() {
        Verdict::Clean => return Ok(Repaired { before, tables: Vec::new() }),
        Verdict::Repairable => {}
        Verdict::Damaged => return Err(beyond_repair(&before)),
    }
    let generation = store.generation();
    let data = generation.data_file();
    let tables = generation.tables;
    // Not through the shared commit: what else is written in the same transaction can't be seen in
    // the file.
    let repaired = generation.write(|txn| {
        if meta::is_superseded(&tables, txn)? {
            let message = "the archive was compacted meanwhile; repeat the repair";
            return Err(Error::new(Code::Conflict, message).into());
        }
        let mut report = Reporter::default();
        let file = PageFile::open(&data)?;
        let examined = examine(&file, &mut report, &Options { sample: Some(0) })?;
        let transaction = file.meta().txnid;
        drop(file);
        let to_repair: Vec<&'static str> = report.to_repair.iter().copied().collect();
        if report.is_damaged() {
            return Err(beyond_repair(&report.finish(data.clone(), transaction)).into());
        }
        write(&tables, txn, &examined, &to_repair)?;
        Ok(to_repair)
    })?;
    Ok(Repaired { before, tables: repaired })
}

/// Makes anew all tables among [`REPAIRABLE`](super::REPAIRABLE) of an archive that nobody else has
/// open, and with `roll_ups` the sums in windows. Gives a report, and changes nothing, if what they
/// follow from isn't sound.
pub(crate) fn rebuild(generation: &Generation, roll_ups: bool) -> Result<Option<Report>> {
    let data = generation.data_file();
    generation.write(|txn| {
        let mut report = Reporter::default();
        let file = PageFile::open(&data)?;
        let examined = examine(&file, &mut report, &Options { sample: Some(0) })?;
        let transaction = file.meta().txnid;
        drop(file);
        if report.is_damaged() {
            return Ok(Some(report.finish(data.clone(), transaction)));
        }
        let windows: &[&str] = if roll_ups { &["windows"] } else { &[] };
        write(&generation.tables, txn, &examined, &[REPAIRABLE, windows].concat())?;
        Ok(None)
    })
}

fn beyond_repair(report: &Report) -> Error {
    let first = report.findings.iter().find(|finding| !finding.repairable);
    let example = first.map_or_else(String::new, |finding| format!(" (for example {finding})"));
    Error::damaged(format!(
        "{}: {} faults are in data that nothing else in the archive repeats{example}; put a backup \
         of the archive in its place, or import the sources into a new one",
        report.path.display(),
        report.beyond_repair
    ))
}

fn write(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    examined: &Examined,
    to_repair: &[&'static str],
) -> Fallible<()> {
    let rebuilt = &examined.rebuilt;
    for table in to_repair {
        match *table {
            "symbol_ids" => put_rows(tables.symbol_ids, txn, &rebuilt.symbol_ids)?,
            "window_ids" => put_rows(tables.window_ids, txn, &rebuilt.window_ids)?,
            "window_keys" => put_rows(tables.window_keys, txn, &rebuilt.window_keys)?,
            "by_recency" => put_rows(tables.by_recency, txn, &rebuilt.by_recency)?,
            "by_root" => put_rows(tables.by_root, txn, &rebuilt.by_root)?,
            "run_windows" => put_rows(tables.run_windows, txn, &rebuilt.run_windows)?,
            "usage_owners" => put_rows(tables.usage_owners, txn, &rebuilt.usage_owners)?,
            "raw_samples" => samples::rebuild(tables, txn)?,
            "windows" => put_roll_ups(tables, txn, &examined.roll_ups)?,
            _ => {}
        }
    }
    let any = |names: [&str; 2]| to_repair.iter().any(|table| names.contains(table));
    if any(["blob_recent", "blob_levels"]) {
        HashIndex::of_blobs(tables).replace(txn, &of_blobs(&examined.blobs))?;
    }
    if any(["chain_recent", "chain_levels"]) {
        HashIndex::of_chains(tables).replace(txn, &of_chains(&examined.items))?;
    }
    Ok(())
}

fn put_rows<const K: usize, const V: usize>(
    table: Table,
    txn: &mut RwTxn<'_>,
    rows: &Rows<K, V>,
) -> Fallible<()> {
    table.clear(txn)?;
    for (key, value) in rows {
        table.put_with_flags(txn, PutFlags::APPEND, key, value)?;
    }
    Ok(())
}

fn put_roll_ups(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    roll_ups: &[(WindowNo, RollUps)],
) -> Fallible<()> {
    for (no, sums) in roll_ups {
        let key = no.to_be_bytes();
        let Some(value) = tables.windows.get(txn, &key)? else { continue };
        let row = WindowRow {
            items: sums.items,
            bytes: sums.bytes,
            tokens: sums.tokens,
            records: sums.records,
            trimmed: sums.trimmed,
            ..rows::decode(value, "a window")?
        };
        tables.windows.put(txn, &key, &rows::encode(&row)?)?;
    }
    Ok(())
}

fn of_blobs(blobs: &Blobs) -> Vec<Entry> {
    let live = blobs.slots.iter().filter(|(_, slot)| !slot.gone);
    let mut entries: Vec<Entry> = live
        .map(|(BlobRef(payload), slot)| Entry {
            prefix: slot.prefix,
            payload,
            references: slot.references.into(),
            holds: slot.holds.max(0).into(),
        })
        .collect();
    entries.sort_unstable_by_key(|entry| (entry.prefix, entry.payload));
    entries
}

fn of_chains(items: &Items) -> Vec<Entry> {
    let mut entries: Vec<Entry> = items
        .iter()
        .map(|(item, prefix, _)| Entry { prefix, payload: item.0, references: 0, holds: 0 })
        .collect();
    entries.sort_unstable_by_key(|entry| (entry.prefix, entry.payload));
    entries
}
