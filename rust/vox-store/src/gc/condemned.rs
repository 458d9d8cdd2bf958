//! Blobs that nothing uses, and since when: `condemned`.

use heed::RoTxn;
use vox_format::rows;
use vox_types::{BlobRef, Error, Result};

use super::{mark::Marks, places::Bits, steps::Source};
use crate::{Store, env::Generation, events, fault::Fallible, tables::Tables};

/// Rows that one transaction changes. Judgement.
const BATCH: usize = 50_000;

/// When a collection last looked, as the latest that any has seen: `meta/collected_at`.
const LAST_LOOK: &[u8] = b"collected_at";

/// The row of a blob that was first found unused at `at`, UTC ms.
fn encode(at: i64) -> [u8; 8] {
    at.to_le_bytes()
}

/// Reads a row of `condemned`.
pub(crate) fn decode(key: &[u8], value: &[u8]) -> Result<(BlobRef, i64)> {
    match (key.try_into(), value.try_into()) {
        (Ok(key), Ok(value)) => Ok((BlobRef(u64::from_be_bytes(key)), i64::from_le_bytes(value))),
        _ => Err(Error::damaged("a row of condemned names no blob or no time")),
    }
}

/// The time for what is found unused now: never before what an earlier collection or the last
/// event says, so that a clock that was set back and is right again later makes nothing old.
fn first_seen(tables: &Tables, txn: &RoTxn<'_>, now: i64) -> Fallible<i64> {
    let looked = match tables.meta.get(txn, LAST_LOOK)? {
        Some(value) => rows::decode(value, "meta/collected_at")?,
        None => i64::MIN,
    };
    let last = events::next(tables, txn)?.saturating_sub(1);
    let event = events::since(tables, txn, last, 1)?.pop().map_or(i64::MIN, |(_, row)| row.at);
    Ok(now.max(looked).max(event))
}

/// What has been unused for how long.
#[derive(Default)]
pub(crate) struct Verdicts {
    /// Unused for long enough.
    pub doomed: Bits,
    /// Unused, not for long enough, and not in the table yet.
    fresh: Vec<BlobRef>,
    /// In the table and in use again, or gone.
    spared: Vec<BlobRef>,
    /// Unused, and not for long enough.
    pub waiting: u64,
}

/// Sorts what nothing uses by how long that has been so. What was first seen after `now` has a
/// time that a clock set wrong made; it waits.
pub(crate) fn judge(source: Source<'_>, marks: &Marks, now: i64, grace: i64) -> Result<Verdicts> {
    let len = marks.places.len();
    let mut known = Bits::of(len);
    let mut verdicts = Verdicts { doomed: Bits::of(len), ..Verdicts::default() };
    source.rows(source.generation().tables.condemned, |_, key, value| {
        let (blob, since) = decode(key, value)?;
        match marks.places.find(blob) {
            Some(place) if marks.is_unused(place) => {
                known.set(place);
                if now.checked_sub(since).is_some_and(|age| age >= grace) {
                    verdicts.doomed.set(place);
                }
            }
            Some(_) => verdicts.spared.push(blob),
            None => {}
        }
        Ok(())
    })?;
    for place in (0..len).filter(|place| marks.is_unused(*place)) {
        if grace <= 0 {
            verdicts.doomed.set(place);
        } else if !known.has(place) {
            verdicts.fresh.push(marks.places.blob(place));
        }
        verdicts.waiting += u64::from(!verdicts.doomed.has(place));
    }
    Ok(verdicts)
}

/// Writes down what is unused since now, and what is in use again.
pub(crate) fn write(
    store: &Store,
    generation: &Generation,
    verdicts: &Verdicts,
    now: i64,
) -> Result<()> {
    let changes = verdicts.spared.iter().map(|blob| (blob, false));
    let changes: Vec<_> = changes.chain(verdicts.fresh.iter().map(|blob| (blob, true))).collect();
    // At least once, so that the moment is written down.
    let mut rest = &changes[..];
    loop {
        let (part, others) = rest.split_at(rest.len().min(BATCH));
        super::write_to(store, generation, |txn| {
            let tables = &generation.tables;
            let at = first_seen(tables, txn, now)?;
            for (blob, fresh) in part {
                let key = blob.0.to_be_bytes();
                match fresh {
                    true => tables.condemned.put(txn, &key, &encode(at))?,
                    false => drop(tables.condemned.delete(txn, &key)?),
                }
            }
            tables.meta.put(txn, LAST_LOOK, &rows::encode(&at)?)?;
            Ok(())
        })?;
        rest = others;
        if rest.is_empty() {
            return Ok(());
        }
    }
}
