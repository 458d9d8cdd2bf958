//! Purging windows: what a row tells of a conversation goes, its key and its place stay.

use std::collections::{BTreeMap, BTreeSet};

use heed::RwTxn;
use vox_format::{
    leaf::Entry,
    rows::{self, CursorRow, Event, EventRow, QuarantineRow, Title, WindowRow},
};
use vox_types::{BlobRef, WindowNo};

use crate::{
    blobs, committed, events, fault::Fallible, index::HashIndex, producers, raw, spine::windows,
    tables::Tables,
};

/// Purges windows whose items were purged; gives how many weren't purged before.
pub(crate) fn purge(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    numbers: &[WindowNo],
    (at, why): (i64, &str),
) -> Fallible<u64> {
    let mut purged = 0;
    for no in numbers {
        let old = windows::expect(tables, txn, *no)?;
        if old.purged_at.is_some() {
            continue;
        }
        let row = WindowRow {
            purged_at: Some(at),
            title: None,
            source_title: None,
            renamed: false,
            workspace: None,
            git_branch: None,
            tags: Vec::new(),
            ..old.clone()
        };
        windows::put(tables, txn, *no, Some(&old), &row)?;
        committed::withdraw(tables, txn, *no)?;
        producers::forget_window(tables, txn, &row.key)?;
        let what = Event::Purged { items: row.items, why: why.to_owned() };
        events::append(tables, txn, at, Some(*no), what)?;
        purged += 1;
    }
    if purged > 0 {
        forget_titles(tables, txn, numbers)?;
        forget_sources(tables, txn, numbers)?;
    }
    Ok(purged)
}

/// Takes the titles of windows out of the log.
fn forget_titles(tables: &Tables, txn: &mut RwTxn<'_>, numbers: &[WindowNo]) -> Fallible<()> {
    let numbers: BTreeSet<WindowNo> = numbers.iter().copied().collect();
    let mut changed = Vec::new();
    for row in tables.events.iter(txn)? {
        let (key, value) = row?;
        let event: EventRow = rows::decode(value, "an event")?;
        let Event::Renamed { from, to } = &event.what else { continue };
        if event.window.is_some_and(|window| numbers.contains(&window)) {
            let without = |title: &Title| Title { title: None, ..title.clone() };
            let what = Event::Renamed { from: without(from), to: without(to) };
            changed.push((key.to_vec(), rows::encode(&EventRow { what, ..event })?));
        }
    }
    for (key, value) in changed {
        tables.events.put(txn, &key, &value)?;
    }
    Ok(())
}

/// Of sources all of whose windows are purged, lets go of all bytes, those that were set aside too,
/// and of what the adapter remembers: a source that goes on is read from its start.
fn forget_sources(tables: &Tables, txn: &mut RwTxn<'_>, numbers: &[WindowNo]) -> Fallible<()> {
    let mut sources: BTreeMap<[u8; 16], bool> = BTreeMap::new();
    for no in numbers {
        if let Some(source) = windows::expect(tables, txn, *no)?.source {
            sources.insert(source, true);
        }
    }
    for row in tables.windows.iter(txn)? {
        let row: WindowRow = rows::decode(row?.1, "a window")?;
        if row.purged_at.is_none()
            && let Some(source) = row.source
        {
            sources.entry(source).and_modify(|all| *all = false);
        }
    }
    let index = HashIndex::of_blobs(tables);
    for (source, _) in sources.iter().filter(|(_, all)| **all) {
        let mut stretches = Vec::new();
        for row in tables.quarantine.prefix_iter(txn, source)? {
            let (key, value) = row?;
            let row: QuarantineRow = rows::decode(value, "a quarantined stretch")?;
            stretches.extend(row.blob.map(|blob| (key.to_vec(), BlobRef(blob), row)));
        }
        for (key, blob, row) in stretches {
            let row = QuarantineRow { blob: None, kept: 0, ..row };
            tables.quarantine.put(txn, &key, &rows::encode(&row)?)?;
            let prefix = blobs::hash_of(tables, txn, blob)?.prefix();
            index.add(txn, Entry { prefix, payload: blob.0, references: -1, holds: 0 })?;
        }
        raw::remove_source(tables, txn, source)?;
        if let Some(value) = tables.cursors.get(txn, source)? {
            let row: CursorRow = rows::decode(value, "a cursor")?;
            // A file of which nothing was read is read from its start in any case.
            let blocks = if row.offset == 0 { Vec::new() } else { vec![CursorRow::nothing()] };
            let row = CursorRow { state: Vec::new(), blocks, ..row };
            tables.cursors.put(txn, source, &rows::encode(&row)?)?;
        }
    }
    index.settle(txn)
}
