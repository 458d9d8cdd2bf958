//! Rows that neither hold nor name items: events, usage, what was read of sources, what was purged,
//! and the rows of producers.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use vox_format::{
    keys::{self, Domain},
    raw::FileRow,
    rows::{self, CursorRow, EventRow, QuarantineRow, TombstoneRow, UsageRow},
};
use vox_types::{BlobRef, ContentHash, LinkKind, QuarantineReason, Result, WindowId, WindowNo};

use super::{blobs::Blobs, raw::RawRuns, report::Report, source::Source};
use crate::{
    exchange::{Builder, Plain, blob_name},
    raw::FileStretch,
    spine::windows::short_hash,
};

/// What rows are checked against.
pub struct Saving<'a> {
    pub source: &'a Source,
    pub blobs: &'a Blobs,
    pub raw: &'a RawRuns,
    pub symbols: &'a BTreeMap<u32, String>,
    /// Keys of windows by number.
    pub windows: &'a [String],
    /// Windows of which every item is where it was.
    pub unmoved: &'a BTreeSet<WindowId>,
    pub cursors: &'a BTreeMap<[u8; 16], CursorRow>,
    /// Tables that a check of an earlier try found fault with.
    pub left_out: &'a BTreeSet<&'static str>,
}

/// Writes a row or says that it is lost.
type Row = Option<(Vec<u8>, Vec<u8>)>;

impl Saving<'_> {
    pub(super) fn has(&self, window: WindowNo) -> bool {
        (window as usize) < self.windows.len()
    }

    /// Writes what `save` makes of each row of a table.
    pub(super) fn each(
        &self,
        table: &'static str,
        builder: &mut Builder,
        report: &mut Report,
        mut save: impl FnMut(&mut Builder, &[u8], &[u8]) -> Result<Row>,
    ) -> Result<()> {
        if self.left_out.contains(table) {
            return Ok(());
        }
        let to = builder.generation().tables.named(table)?;
        self.source.rows(table, report, |report, key, value| match save(builder, key, &value)? {
            Some((new, value)) => {
                report.saved(table, 1);
                builder.put(to, new, value)
            }
            None => {
                report.lost(table, key, "it can't be read, or what it names is lost");
                Ok(())
            }
        })
    }

    /// Everything that doesn't depend on where items stand.
    pub fn plain(&self, builder: &mut Builder, report: &mut Report) -> Result<()> {
        let mut next_event = 0u64;
        self.each("events", builder, report, |_, key, value| {
            let there = rows::decode::<EventRow>(value, "an event").ok().filter(|event| {
                key.len() == 8 && event.window.is_none_or(|window| self.has(window))
            });
            next_event += u64::from(there.is_some());
            let number = next_event.saturating_sub(1).to_be_bytes().to_vec();
            Ok(there.map(|_| (number, value.to_vec())))
        })?;
        self.awaited(builder, report)?;
        self.usage(builder, report)?;
        self.quarantine(builder, report)?;
        self.raw_files(builder, report)?;
        self.kept(builder, report)?;
        let table = builder.generation().tables.cursors;
        if !self.left_out.contains("cursors") {
            for (key, row) in self.cursors {
                builder.put(table, key.to_vec(), rows::encode(row)?)?;
            }
            report.saved("cursors", self.cursors.len() as u64);
        }
        Ok(())
    }

    fn awaited(&self, builder: &mut Builder, report: &mut Report) -> Result<()> {
        let there: HashSet<[u8; 16]> = self.windows.iter().map(|key| short_hash(key)).collect();
        self.each("awaited", builder, report, |_, key, value| {
            let parts = keys::split_awaited(key);
            let known = matches!(value, [link] if LinkKind::from_number(*link).is_some());
            let fits =
                parts.is_some_and(|(parent, child)| self.has(child) && !there.contains(&parent));
            Ok((known && fits).then(|| (key.to_vec(), value.to_vec())))
        })
    }

    fn usage(&self, builder: &mut Builder, report: &mut Report) -> Result<()> {
        let mut owned = HashSet::new();
        self.each("usage", builder, report, |_, key, value| {
            let Some((window, response)) = key.split_first_chunk::<4>() else { return Ok(None) };
            let row: UsageRow = match rows::decode(value, "a usage row") {
                Ok(row) => row,
                Err(_) => return Ok(None),
            };
            let fits = self.has(u32::from_be_bytes(*window))
                && short_hash(&row.key)[..] == *response
                && owned.insert(response.to_vec());
            let model = if self.symbols.contains_key(&row.model) { row.model } else { 0 };
            let value = rows::encode(&UsageRow { model, ..row })?;
            Ok(fits.then(|| (key.to_vec(), value)))
        })
    }

    fn quarantine(&self, builder: &mut Builder, report: &mut Report) -> Result<()> {
        self.each("quarantine", builder, report, |builder, key, value| {
            let Some((cursor, place)) = key.split_first_chunk::<16>() else { return Ok(None) };
            let row: QuarantineRow = match rows::decode(value, "a quarantined stretch") {
                Ok(row) => row,
                Err(_) => return Ok(None),
            };
            let known = QuarantineReason::from_name(&row.reason).is_ok();
            if !known || place.len() != 16 || !self.cursors.contains_key(cursor) {
                return Ok(None);
            }
            let blob = match row.blob {
                None => None,
                Some(blob) => {
                    let saved = self.blobs.get(BlobRef(blob)).filter(|saved| {
                        !saved.gone
                            && place.ends_with(&saved.hash.prefix().to_be_bytes())
                            && u64::from(saved.length) == row.kept
                    });
                    let Some(saved) = saved else { return Ok(None) };
                    Some(builder.found(&saved.name())?.0)
                }
            };
            Ok(Some((key.to_vec(), rows::encode(&QuarantineRow { blob, ..row })?)))
        })
    }

    /// Stretches of source files whose raw runs were saved.
    fn raw_files(&self, builder: &mut Builder, report: &mut Report) -> Result<()> {
        let mut last: Option<FileStretch> = None;
        self.each("raw_files", builder, report, |_, key, value| {
            let Ok(stretch) = FileStretch::decode(key, value) else { return Ok(None) };
            let place = |stretch: &FileStretch| (stretch.cursor, stretch.reading, stretch.domain);
            let before = last.filter(|last| place(last) == place(&stretch));
            let end = before.map_or(0, |before| before.end());
            let fits = self.cursors.contains_key(&stretch.cursor)
                && self.raw.source_len(stretch.row.run) == Some(stretch.row.length)
                && stretch.offset >= end
                && (!stretch.row.torn || stretch.domain == Domain::Content);
            if !fits {
                return Ok(None);
            }
            let after_gap = stretch.row.after_gap || stretch.offset > end;
            last = Some(stretch);
            Ok(Some((key.to_vec(), FileRow { after_gap, ..stretch.row }.encode().to_vec())))
        })
    }

    /// What collecting and purging keep, and what vox's own producers do.
    fn kept(&self, builder: &mut Builder, report: &mut Report) -> Result<()> {
        self.each("tombstones", builder, report, |builder, key, value| {
            let Ok(hash) = <[u8; 32]>::try_from(key) else { return Ok(None) };
            let row: TombstoneRow = match rows::decode(value, "a tombstone") {
                Ok(row) => row,
                Err(_) => return Ok(None),
            };
            let saved = self.blobs.get(BlobRef(row.blob)).filter(|saved| saved.hash.0 == hash);
            let name = match saved {
                Some(saved) => saved.name(),
                // It keeps the content away, whether its slot is there or not.
                None => {
                    builder.gone(ContentHash(hash), 0)?;
                    blob_name(&hash, true)
                }
            };
            let blob = builder.found(&name)?.0;
            let sorted = row.times.is_sorted_by(|a, b| a < b);
            let value = rows::encode(&TombstoneRow { blob, ..row })?;
            Ok(sorted.then(|| (key.to_vec(), value)))
        })?;
        self.each("condemned", builder, report, |builder, key, value| {
            let Ok(blob) = <[u8; 8]>::try_from(key).map(u64::from_be_bytes) else {
                return Ok(None);
            };
            match self.blobs.get(BlobRef(blob)).filter(|saved| !saved.gone && value.len() == 8) {
                Some(saved) => {
                    let blob = builder.found(&saved.name())?.0;
                    Ok(Some((blob.to_be_bytes().to_vec(), value.to_vec())))
                }
                None => Ok(None),
            }
        })?;
        for table in ["session_events", "chat_conversations", "chat_messages", "history_entries"] {
            self.each(table, builder, report, |builder, key, value| {
                let there = match rows::decode::<Plain>(value, table) {
                    Ok(row) => contents_are_there(&row, builder),
                    Err(_) => false,
                };
                Ok((there && matches!(key.len(), 16 | 24)).then(|| (key.to_vec(), value.to_vec())))
            })?;
        }
        Ok(())
    }
}

/// Whether every content that a row names by hash is there, or was purged.
fn contents_are_there(row: &Plain, builder: &mut Builder) -> bool {
    match row {
        Plain::Map(map) => map.iter().all(|(name, value)| match (name.as_str(), value) {
            ("content", Plain::Bytes(hash)) => match <[u8; 32]>::try_from(hash.as_slice()) {
                Ok(hash) => builder.found(&blob_name(&hash, false)).is_ok(),
                Err(_) => false,
            },
            (_, value) => contents_are_there(value, builder),
        }),
        Plain::List(list) => list.iter().all(|value| contents_are_there(value, builder)),
        _ => true,
    }
}
