//! Where blobs are referred to: the one list of the tables whose rows hold references, and how each
//! row reads with other references.
//!
//! A table that isn't here names contents by their hashes, or not at all.

use vox_format::{
    chunk::Chunk,
    name::Target,
    raw::RawRun,
    rows::{self, QuarantineRow, TombstoneRow},
};
use vox_types::{BlobRef, Error, Result};

/// Gives the reference that takes the place of another.
pub type Moved<'m> = &'m mut dyn FnMut(BlobRef) -> Result<BlobRef>;

/// A row as it is written: key and value.
pub type Row = (Vec<u8>, Vec<u8>);

/// Reads a row with other references.
pub type Rewrite = fn(&[u8], &[u8], Moved<'_>) -> Result<Row>;

/// The tables that hold references of blobs, and how the rows of each are read.
const HOLDERS: [(&str, Rewrite); 6] = [
    ("chunks", chunk),
    ("raw_runs", raw_run),
    ("quarantine", quarantine),
    ("names", name),
    ("condemned", condemned),
    ("tombstones", tombstone),
];

/// How the rows of `table` in an archive of `format` are read with other references, and written in
/// the format of this build; none if they stay as they are.
pub fn rewrite(table: &str, format: u32) -> Option<Rewrite> {
    if format == 1 && table == "chunks" {
        return Some(chunk_of_format_1);
    }
    HOLDERS.iter().find(|(holder, _)| *holder == table).map(|(_, rewrite)| *rewrite)
}

fn chunk(key: &[u8], value: &[u8], moved: Moved<'_>) -> Result<Row> {
    Ok((key.to_vec(), Chunk::parse(value)?.with_blobs(moved)?))
}

fn chunk_of_format_1(key: &[u8], value: &[u8], moved: Moved<'_>) -> Result<Row> {
    Ok((key.to_vec(), Chunk::parse_format_1(value)?.with_blobs(moved)?))
}

fn raw_run(key: &[u8], value: &[u8], moved: Moved<'_>) -> Result<Row> {
    Ok((key.to_vec(), RawRun::parse(value)?.with_blobs(moved)?))
}

fn quarantine(key: &[u8], value: &[u8], moved: Moved<'_>) -> Result<Row> {
    let mut row: QuarantineRow = rows::decode(value, "a row of the quarantine")?;
    row.blob = row.blob.map(|blob| moved(BlobRef(blob)).map(|BlobRef(blob)| blob)).transpose()?;
    Ok((key.to_vec(), rows::encode(&row)?))
}

fn name(key: &[u8], value: &[u8], moved: Moved<'_>) -> Result<Row> {
    let target = match Target::decode(value)? {
        Target::Blob(blob) => Target::Blob(moved(blob)?),
        target => target,
    };
    Ok((key.to_vec(), target.encode()))
}

fn condemned(key: &[u8], value: &[u8], moved: Moved<'_>) -> Result<Row> {
    let blob = key.try_into().map(u64::from_be_bytes);
    let blob = blob.map_err(|_| Error::damaged("a key of condemned is no reference of a blob"))?;
    Ok((moved(BlobRef(blob))?.0.to_be_bytes().to_vec(), value.to_vec()))
}

fn tombstone(key: &[u8], value: &[u8], moved: Moved<'_>) -> Result<Row> {
    let row: TombstoneRow = rows::decode(value, "a tombstone")?;
    let row = TombstoneRow { blob: moved(BlobRef(row.blob))?.0, ..row };
    Ok((key.to_vec(), rows::encode(&row)?))
}
