//! Copying all that is readable of a damaged archive into a new one.
//!
//! The damaged file is read with the page reader of `vox-pages` alone, which distrusts every byte.
//! What is copied: blobs whose bytes have their hash, items whose content was saved, and of all
//! other tables the rows that can be read and name what was saved. Items behind a lost one follow
//! on. The copy is checked as `verify` does before it gets its place.
//!
//! Memory stays at about 48 bytes for each blob, 60 for each row of the largest table, and a few
//! hundred for each window and each raw run. Of a raw run that lost contents and that others are
//! compressed against, what is left of its source bytes stays, as it was and as it is.

mod blobs;
mod cursors;
mod items;
mod others;
mod parts;
mod paths;
mod placing;
mod pointers;
mod raw;
mod report;
mod source;
mod windows;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use vox_format::{keys, rows, rows::Extent};
use vox_types::{Code, Error, Result, WindowId, WindowNo};

pub use report::{Loss, Report};

use self::{
    items::Items, others::Saving, parts::Window, paths::plausible, placing::Placing, source::Source,
};
use crate::{
    exchange::{Builder, Draft, Plain},
    verify::{self, Options, Verdict},
};

/// Tables that a copy can do without.
const OPTIONAL: &[&str] = &[
    "overlays",
    "links",
    "awaited",
    "usage",
    "events",
    "quarantine",
    "raw_files",
    "names",
    "tombstones",
    "condemned",
    "session_events",
    "chat_conversations",
    "chat_messages",
    "history_entries",
];

/// Copies all that is readable of the archive at `path`, or of the data file there, into a new
/// archive at `target`: a missing or empty folder. Nobody may write to the damaged one meanwhile.
///
/// Errors: there is nothing to read, or `target` isn't empty or can't be written. Losses are no
/// error; they stand in the report.
pub fn salvage(path: &Path, target: &Path) -> Result<Report> {
    let source = Source::open(path)?;
    let mut left_out = BTreeSet::new();
    loop {
        let draft = Draft::begin(target)?;
        let mut report = Report { source: source.path.clone(), ..Report::default() };
        copy(&source, &draft, &left_out, &mut report)?;
        let generation = draft.generation()?;
        let check = match verify::rebuild(&generation, true)? {
            Some(check) => check,
            None => verify::verify_file(&generation.data_file(), &Options::default())?,
        };
        drop(generation);
        if check.verdict() == Verdict::Clean {
            draft.publish()?;
            report.left_out = left_out;
            return Ok(report);
        }
        let wrong = check.findings.iter().map(|finding| finding.table);
        let before = left_out.len();
        left_out.extend(wrong.filter(|table| OPTIONAL.contains(table)));
        if left_out.len() == before {
            let first = check.findings.first().map(ToString::to_string).unwrap_or_default();
            let message = format!("what was saved makes no sound archive: {first}");
            return Err(Error::new(Code::Internal, message));
        }
    }
}

fn copy(
    source: &Source,
    draft: &Draft,
    left_out: &BTreeSet<&'static str>,
    report: &mut Report,
) -> Result<()> {
    let mut builder = Builder::new(draft.generation()?);
    let archive = meta(source, &mut builder, report)?;
    let symbols = symbols(source, &mut builder, report)?;
    let blobs = blobs::copy(source, report, &mut builder)?;
    builder.flush()?;
    let raw = raw::copy(source, &blobs, &mut builder, report)?;
    let mut items = Items::read(source, &blobs, &raw, &symbols, report)?;
    let rows = windows::read(source, report)?;
    let mut numbers: BTreeSet<WindowNo> = rows.keys().copied().collect();
    numbers.extend(items.runs.values().filter_map(|run| run.owner));
    let most = plausible(numbers.into_iter());
    let paths = paths::read(source, &items, &rows, most, report)?;
    let mut placing = Placing::new(&mut items, &paths, &mut builder);
    placing.run()?;

    let lost = count_lost(&rows, &placing.windows, report);
    report.saved("items", placing.saved());
    let mut cursors = cursors::read(source, report)?;
    for (key, path) in lost.iter().filter_map(|no| {
        let key = rows.get(no)?.source?;
        Some((key, cursors.remove(&key)?.path))
    }) {
        let message = format!(
            "items of {} are lost, so that it is to be read again",
            String::from_utf8_lossy(&path)
        );
        report.lost("cursors", &key, message);
    }
    let kept = cursors.keys().copied().collect();
    let known = windows::Known {
        symbols: &symbols,
        cursors: &kept,
        placed: &placing.windows,
        archive: &archive,
    };
    let unmoved = rows
        .iter()
        .filter(|(no, row)| placing.unmoved(**no, row.items))
        .map(|(_, row)| WindowId(row.id))
        .collect();
    let keys = windows::write(rows, &known, placing.builder, report)?;
    write_extents(&placing.windows, placing.builder)?;
    let saving = Saving {
        source,
        blobs: &blobs,
        raw: &raw,
        symbols: &symbols,
        windows: &keys,
        unmoved: &unmoved,
        cursors: &cursors,
        left_out,
    };
    saving.placed(&mut placing, report)?;
    saving.plain(&mut builder, report)?;
    builder.flush()
}

/// Copies what the archive says of itself; gives a word for it.
fn meta(source: &Source, builder: &mut Builder, report: &mut Report) -> Result<String> {
    let mut archive = "unknown".to_owned();
    let mut found = BTreeSet::new();
    source.rows("meta", report, |report, key, value| {
        let name = String::from_utf8_lossy(key).into_owned();
        if matches!(name.as_str(), "format" | "superseded_by" | "blob_merges" | "chain_merges") {
            return Ok(());
        }
        let sound = match name.as_str() {
            "archive_id" => match rows::decode::<Vec<u8>>(&value, "meta") {
                Ok(id) if id.len() == 16 => {
                    archive = windows::word(&id);
                    true
                }
                _ => false,
            },
            "created_at" | "collected_at" => rows::decode::<i64>(&value, "meta").is_ok(),
            "vox" => rows::decode::<String>(&value, "meta").is_ok(),
            // What a newer vox says can't be checked; what can't be text isn't anybody's.
            _ => std::str::from_utf8(key).is_ok(),
        };
        match rows::decode::<Plain>(&value, "meta") {
            Ok(value) if sound => builder.meta(&name, &value)?,
            _ => report.lost("meta", key, "it can't be read"),
        }
        found.insert(name);
        Ok(())
    })?;
    for name in ["archive_id", "created_at"] {
        if !found.contains(name) {
            report.lost("meta", name.as_bytes(), "it is missing; the copy has its own");
        }
    }
    Ok(archive)
}

/// Copies the symbols; a number whose text is lost gets one that says so.
fn symbols(
    source: &Source,
    builder: &mut Builder,
    report: &mut Report,
) -> Result<BTreeMap<u32, String>> {
    let mut found: BTreeMap<u32, String> = BTreeMap::new();
    source.rows("symbols", report, |report, key, value| {
        let number = <[u8; 4]>::try_from(key).map(u32::from_be_bytes).ok().filter(|no| *no > 0);
        match (number, String::from_utf8(value)) {
            (Some(number), Ok(text)) if !text.is_empty() => {
                found.insert(number, text);
            }
            _ => report.lost("symbols", key, "it is no text"),
        }
        Ok(())
    })?;
    let most = plausible(found.keys().copied());
    for number in found.split_off(&most.saturating_add(1)).into_keys() {
        report.lost("symbols", &number.to_be_bytes(), "its number is far from all others");
    }
    let mut texts = BTreeSet::new();
    for number in 1..=most {
        let text = found.get(&number).filter(|text| !texts.contains(*text)).cloned();
        let text = text.unwrap_or_else(|| {
            report.lost("symbols", &number.to_be_bytes(), "its text is lost");
            format!("lost text {number}")
        });
        builder.symbol(number, &text)?;
        texts.insert(text.clone());
        found.insert(number, text);
    }
    report.saved("symbols", found.len() as u64);
    Ok(found)
}

/// Counts the items of each window that are lost; gives the windows that lost some.
fn count_lost(
    rows: &BTreeMap<WindowNo, vox_format::rows::WindowRow>,
    placed: &BTreeMap<WindowNo, Window>,
    report: &mut Report,
) -> BTreeSet<WindowNo> {
    let mut losing = BTreeSet::new();
    for (no, row) in rows {
        let mut at = 0;
        let mut lost = |from: u64, to: u64, report: &mut Report| {
            if from < to {
                losing.insert(*no);
                report.lost_items(*no, from, to - from);
            }
        };
        for part in placed.get(no).map_or(&[][..], |window| &window.parts) {
            let Some(before) = part.before else { continue };
            lost(at, before, report);
            at = at.max(before + u64::from(part.count));
        }
        let saved = placed.get(no).map_or(0, |window| window.items);
        // A count that nothing supports would be a made-up loss of any size.
        if row.items > at && row.items - at < 1 << 32 && row.items > saved {
            lost(at, row.items, report);
        }
    }
    losing
}

fn write_extents(windows: &BTreeMap<WindowNo, Window>, builder: &mut Builder) -> Result<()> {
    let table = builder.generation().tables.extents;
    for (no, window) in windows {
        let mut extents: Vec<Extent> = Vec::new();
        for part in &window.parts {
            match extents.last_mut() {
                Some(last) if last.run == part.run && last.end_position() == part.first => {
                    last.count += part.count;
                }
                _ => extents.push(Extent {
                    ordinal: part.ordinal,
                    run: part.run,
                    first: part.first,
                    count: part.count,
                }),
            }
        }
        for extent in extents {
            let key = keys::ordinal(*no, extent.ordinal);
            builder.put(table, key.to_vec(), extent.encode().to_vec())?;
        }
    }
    Ok(())
}
