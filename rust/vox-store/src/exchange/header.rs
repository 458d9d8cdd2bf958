//! The first line, and the types of those that stand for no table.

use heed::RoTxn;
use vox_format::{
    rows::{self, RunRow},
    segment::{GONE as GONE_CODEC, Group},
};
use vox_types::{Code, Error, Result};

use super::{
    layouts,
    line::{Line, hex, wrong},
    plain::Plain,
};
use crate::{env::FORMAT, fault::Fallible, tables::Tables};

/// The name and version of the lines.
pub const SCHEMA: &str = "vox.export.v1";
/// The same, of an export whose secrets were masked.
pub const MASKED_SCHEMA: &str = "vox.export.masked.v1";
/// The type of the first line.
pub const HEADER: &str = "header";
/// The type of a blob's line.
pub const BLOB: &str = "blob";
/// The type of the line of a blob whose content was removed.
pub const GONE: &str = "gone";

/// Rows of `meta` that are about one generation, or have a place of their own in the header.
const NOT_COPIED: &[&str] =
    &["format", "archive_id", "superseded_by", "blob_merges", "chain_merges"];

/// The header of an archive: what it says about itself, and how many lines of each type follow.
pub fn of_archive(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Line> {
    let id = tables.meta.get(txn, b"archive_id")?;
    let missing = || Error::damaged("meta/archive_id is missing");
    let id: Vec<u8> = rows::decode(id.ok_or_else(missing)?, "meta/archive_id")?;
    let mut meta = Vec::new();
    for row in tables.meta.iter(txn)? {
        let (key, value) = row?;
        let key = String::from_utf8_lossy(key);
        if !NOT_COPIED.contains(&key.as_ref()) {
            meta.push((key.into_owned(), rows::decode::<Plain>(value, "a row of meta")?));
        }
    }
    Ok(Line::new(HEADER)
        .with("schema", SCHEMA)
        .with("format", FORMAT)
        .with("archive_id", hex(&id))
        .with("meta", Plain::Map(meta))
        .with("counts", counts(tables, txn)?))
}

/// How many lines there are of each type.
fn counts(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Plain> {
    let mut counts = Vec::new();
    let mut items = 0u64;
    for row in tables.runs.iter(txn)? {
        let run: RunRow = rows::decode(row?.1, "a run")?;
        items += u64::from(run.len);
    }
    let (mut blobs, mut gone) = (0u64, 0u64);
    for table in [tables.segments, tables.tails] {
        for row in table.iter(txn)? {
            let group = Group::parse(row?.1)?;
            let removed = (0..group.len()).filter(|slot| group.codec(*slot) == GONE_CODEC).count();
            gone += removed as u64;
            blobs += (group.len() - removed) as u64;
        }
    }
    for layout in layouts::all() {
        counts.push((layout.line, tables.named(layout.table)?.len(txn)?));
    }
    counts.extend([(GONE, gone), (BLOB, blobs)]);
    counts.push((super::raw::RAW_RUN, tables.raw_runs.len(txn)?));
    counts.extend([(super::items::RUN, tables.runs.len(txn)?), (super::items::ITEM, items)]);
    let named = counts.into_iter().filter(|(_, count)| *count > 0);
    Ok(Plain::Map(named.map(|(name, count)| (name.to_owned(), count.into())).collect()))
}

/// What a header says.
pub struct Header {
    /// The rows of `meta`.
    pub meta: Vec<(String, Plain)>,
    /// How many lines of each type follow.
    pub counts: Vec<(String, u64)>,
}

impl Header {
    /// Reads the first line.
    pub fn of_line(mut line: Line) -> Result<Self> {
        if line.kind != HEADER {
            return Err(wrong("the first line is no header; this is no export of an archive"));
        }
        let schema = line.text("schema")?;
        if schema == MASKED_SCHEMA {
            let message = "secrets were masked in this export, so it isn't all of an archive; \
                           export the archive without --mask";
            return Err(Error::new(Code::WrongVersion, message));
        }
        if schema != SCHEMA {
            let message =
                format!("the export is of the schema {schema:?}; this vox reads {SCHEMA}");
            return Err(Error::new(Code::WrongVersion, message));
        }
        let format: u32 = line.number("format")?;
        if format != FORMAT {
            let message =
                format!("the export is of an archive of format {format}; this vox reads {FORMAT}");
            return Err(Error::new(Code::WrongVersion, message));
        }
        let id: [u8; 16] = line.hex("archive_id")?;
        let mut meta = match line.expect("meta")? {
            Plain::Map(meta) => meta,
            other => return Err(wrong(format!("\"meta\" is no object: {other:?}"))),
        };
        if let Some((key, _)) = meta.iter().find(|(key, _)| NOT_COPIED.contains(&key.as_str())) {
            return Err(wrong(format!("\"meta\" can't say {key:?}")));
        }
        meta.push(("archive_id".to_owned(), Plain::Bytes(id.to_vec())));
        let counts = match line.expect("counts")? {
            Plain::Map(counts) => counts
                .into_iter()
                .map(|(name, count)| match count {
                    Plain::Unsigned(count) => Ok((name, count)),
                    other => Err(wrong(format!("{name:?} is no count: {other:?}"))),
                })
                .collect::<Result<_>>()?,
            other => return Err(wrong(format!("\"counts\" is no object: {other:?}"))),
        };
        line.done()?;
        Ok(Self { meta, counts })
    }
}
