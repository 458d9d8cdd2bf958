//! Reading raw runs.

use heed::RoTxn;
use vox_format::raw::{RawRun, Source};
use vox_types::{Code, ContentHash, Error, RecordRef};

use crate::{
    blobs::{self, InOrder},
    fault::Fallible,
    tables::Tables,
};

/// A run in place.
pub fn run<'t>(tables: &Tables, txn: &'t RoTxn<'_>, run: u64) -> Fallible<RawRun<'t>> {
    match tables.raw_runs.get(txn, &run.to_be_bytes())? {
        Some(value) => Ok(RawRun::parse(value)?),
        None => Err(Error::new(Code::NotFound, format!("there is no raw run {run}")).into()),
    }
}

/// What is left of a run's source bytes without those that its cuts stand for.
pub fn rest(tables: &Tables, txn: &RoTxn<'_>, of: &RawRun<'_>) -> Fallible<Vec<u8>> {
    let base = match of.head.base {
        Some(base) => {
            let base = run(tables, txn, base)?;
            if base.head.base.is_some() {
                return Err(Error::damaged("the base of a raw run has a base itself").into());
            }
            Some(blobs::decompress(base.head.codec, base.body, base.head.rest_len)?)
        }
        None => None,
    };
    let (codec, rest_len) = (of.head.codec, of.head.rest_len);
    Ok(blobs::decompress_rest(codec, of.body, rest_len, base.as_deref())?)
}

/// The source bytes of a run, checked against their hash unless some were purged.
pub fn source(tables: &Tables, txn: &RoTxn<'_>, number: u64) -> Fallible<Source> {
    let run = run(tables, txn, number)?;
    let rest = rest(tables, txn, &run)?;
    let mut contents = InOrder::new(tables, txn);
    let source = run.source(&rest, |blob| contents.read(blob).map(<[u8]>::to_vec))?;
    if source.holes.is_empty() && ContentHash::of(&source.bytes) != run.head.hash {
        let message = format!("raw run {number} doesn't have the hash it claims");
        return Err(Error::damaged(message).into());
    }
    Ok(source)
}

/// What is left of a record without the bytes of its items; empty if the record is an item, or was
/// purged.
pub fn rest_of(tables: &Tables, txn: &RoTxn<'_>, record: RecordRef) -> Fallible<Vec<u8>> {
    let run = run(tables, txn, record.run())?;
    let place = run.record(record.index().into());
    let missing = || Error::damaged(format!("raw run {} lacks a record", record.run()));
    let range = run.rest_of(place.ok_or_else(missing)?)?;
    let mut rest = rest(tables, txn, &run)?;
    if range.start > range.end || range.end > rest.len() {
        return Err(missing().into());
    }
    rest.truncate(range.end);
    rest.drain(..range.start);
    Ok(rest)
}
