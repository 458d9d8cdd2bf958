//! Spans of blobs that look like secrets, kept by rules and blob.
//!
//! A cache: the table isn't among [`crate::tables::Tables`], is made by the first scan and may be
//! missing. It belongs to its generation, as references of blobs do, so a compacted or migrated
//! archive begins without it. Blobs are scanned in the order of their references, in which new ones
//! come last: all before a mark are known. What rules are, this crate doesn't know.

use std::ops::Bound;

use heed::{RoTxn, RwTxn};
use rayon::prelude::*;
use vox_format::segment::{GONE, Group};
use vox_types::{BlobRef, Error, Result};

use crate::{
    Snapshot, Store,
    blobs::InOrder,
    cores,
    env::Generation,
    fault::Fallible,
    tables::{Table, Tables},
};

/// The name of the table.
pub(crate) const TABLE: &str = "secret_spans";
/// Raw bytes that one step reads, scans and commits; one blob may be longer. Judgement.
const STEP: u64 = 32 << 20;
/// The blob number of a mark's key: no blob has it.
const MARK: u64 = u64::MAX;
/// Bytes of a span.
const SPAN: usize = 10;

/// A stretch of a blob.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptSpan {
    /// Its first byte.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// The number of its rule.
    pub rule: u16,
}

/// Finds the spans of a text.
pub type Scan<'a> = dyn Fn(&[u8]) -> Vec<KeptSpan> + Sync + 'a;

/// What one step did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Scanned {
    /// Blobs that were read.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blobs that have spans.
    pub found: u64,
    /// Whether there is nothing left.
    pub done: bool,
}

fn key(version: u64, blob: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&version.to_be_bytes());
    key[8..].copy_from_slice(&blob.to_be_bytes());
    key
}

fn encode(spans: &[KeptSpan]) -> Vec<u8> {
    let mut out = Vec::with_capacity(spans.len() * SPAN);
    for span in spans {
        out.extend_from_slice(&span.start.to_le_bytes());
        out.extend_from_slice(&span.end.to_le_bytes());
        out.extend_from_slice(&span.rule.to_le_bytes());
    }
    out
}

fn decode(value: &[u8]) -> Option<Vec<KeptSpan>> {
    let (spans, []) = value.as_chunks::<SPAN>() else { return None };
    let spans = spans.iter().map(|[a, b, c, d, e, f, g, h, i, j]| KeptSpan {
        start: u32::from_le_bytes([*a, *b, *c, *d]),
        end: u32::from_le_bytes([*e, *f, *g, *h]),
        rule: u16::from_le_bytes([*i, *j]),
    });
    let spans: Vec<KeptSpan> = spans.collect();
    let in_order = spans.windows(2).all(|pair| pair[0].end <= pair[1].start);
    (in_order && spans.iter().all(|span| span.start < span.end)).then_some(spans)
}

/// The first blob that isn't known yet.
fn mark_of(table: Table, txn: &RoTxn<'_>, version: u64) -> heed::Result<u64> {
    let value = table.get(txn, &key(version, MARK))?;
    Ok(value.and_then(|value| value.try_into().ok()).map_or(0, u64::from_le_bytes))
}

impl Snapshot<'_> {
    /// What is kept of a blob; none if it isn't known, or what is kept makes no sense.
    pub fn secret_spans(&self, version: u64, blob: BlobRef) -> Result<Option<Vec<KeptSpan>>> {
        self.in_generation(|generation, txn| {
            let Some(table) = generation.spans_table() else { return Ok(None) };
            if blob.0 >= mark_of(table, txn, version)? {
                return Ok(None);
            }
            let value = table.get(txn, &key(version, blob.0))?;
            Ok(value.map_or(Some(Vec::new()), decode))
        })
    }
}

impl Store {
    /// Scans the next blobs that aren't known by the rules of `version`, and keeps what is found.
    /// Durable on return. Spans that other versions left go when a version begins.
    ///
    /// A blob that can't be read has no spans; `verify` finds it. `read_only` where the archive is.
    pub fn scan_secrets(&self, version: u64, scan: &Scan<'_>) -> Result<Scanned> {
        let (number, from, read) = self.read_in(|generation, txn| {
            let from = match generation.spans_table() {
                Some(table) => mark_of(table, txn, version)?,
                None => 0,
            };
            Ok((generation.number, from, unknown(&generation.tables, txn, from)?))
        })?;
        let Some(last) = read.last else { return Ok(Scanned { done: true, ..Scanned::default() }) };
        let spans = |(blob, bytes): &(BlobRef, Vec<u8>)| (*blob, scan(bytes));
        let found: Vec<(BlobRef, Vec<KeptSpan>)> =
            cores::on_all(|| read.contents.par_iter().map(spans).collect())?;
        let found: Vec<_> = found.into_iter().filter(|(_, spans)| !spans.is_empty()).collect();
        let (blobs, bytes) = (read.contents.len() as u64, read.bytes);
        let scanned = Scanned { blobs, bytes, found: found.len() as u64, done: read.all };
        let made = self.write(move |generation, txn| {
            // References are those of a generation, and another process may have been faster.
            if generation.number != number {
                return Ok(None);
            }
            let table = generation.make_spans_table(txn)?;
            if mark_of(table, txn, version)? != from {
                return Ok(None);
            }
            if from == 0 {
                table.clear(txn)?;
            }
            for (blob, spans) in &found {
                table.put(txn, &key(version, blob.0), &encode(spans))?;
            }
            table.put(txn, &key(version, MARK), &(last.0 + 1).to_le_bytes())?;
            Ok(Some(table))
        })?;
        match made {
            Some(table) => {
                let generation = self.current()?;
                if generation.number == number {
                    generation.has_spans_table(table);
                }
                Ok(scanned)
            }
            None => Ok(Scanned { done: false, ..scanned }),
        }
    }
}

/// Blobs that were read.
struct Read {
    contents: Vec<(BlobRef, Vec<u8>)>,
    bytes: u64,
    /// The last that was looked at; none if there was none.
    last: Option<BlobRef>,
    /// Whether nothing comes behind it.
    all: bool,
}

/// Reads the blobs from `from` on, up to [`STEP`].
fn unknown(tables: &Tables, txn: &RoTxn<'_>, from: u64) -> Fallible<Read> {
    let mut read = Read { contents: Vec::new(), bytes: 0, last: None, all: true };
    let mut reader = InOrder::new(tables, txn);
    let first = BlobRef(from);
    let from_here = first.segment().to_be_bytes();
    let onwards = (Bound::Included(from_here.as_slice()), Bound::Unbounded);
    let segments = tables.segments.range(txn, &onwards)?;
    for row in segments {
        let (segment, value) = row?;
        let short = |_| Error::damaged("a segment's key isn't 8 bytes long");
        let segment = u64::from_be_bytes(segment.try_into().map_err(short)?);
        if take(&mut read, &mut reader, BlobRef::new(segment, 0), first, &Group::parse(value)?)? {
            return Ok(read);
        }
    }
    for row in tables.tails.iter(txn)? {
        let (key, value) = row?;
        let short = || Error::damaged("a tail's key isn't 10 bytes long");
        let (segment, slot) = vox_format::keys::split_tail(key).ok_or_else(short)?;
        if take(&mut read, &mut reader, BlobRef::new(segment, slot), first, &Group::parse(value)?)?
        {
            return Ok(read);
        }
    }
    Ok(read)
}

/// Takes what `group`, whose first blob is `start`, has from `first` on. Whether it is enough.
fn take(
    read: &mut Read,
    reader: &mut InOrder<'_>,
    start: BlobRef,
    first: BlobRef,
    group: &Group<'_>,
) -> Fallible<bool> {
    for slot in 0..group.len() {
        let blob = BlobRef(start.0 + slot as u64);
        if blob < first {
            continue;
        }
        if read.bytes >= STEP {
            read.all = false;
            return Ok(true);
        }
        read.last = Some(blob);
        if group.codec(slot) == GONE {
            continue;
        }
        if let Ok(bytes) = reader.read(blob) {
            read.bytes += bytes.len() as u64;
            read.contents.push((blob, bytes.to_vec()));
        }
    }
    Ok(false)
}

/// Removes what is kept of `blobs`, whose content is gone.
pub(crate) fn forget(
    generation: &Generation,
    txn: &mut RwTxn<'_>,
    blobs: impl Iterator<Item = BlobRef>,
) -> Fallible<()> {
    let Some(table) = generation.spans_table() else { return Ok(()) };
    let Some(version) = table.first(txn)?.and_then(|(key, _)| key.first_chunk().copied()) else {
        return Ok(());
    };
    for blob in blobs {
        table.delete(txn, &key(u64::from_be_bytes(version), blob.0))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_as_it_was_and_nonsense_says_nothing() {
        let spans = vec![
            KeptSpan { start: 3, end: 9, rule: 1 },
            KeptSpan { start: 9, end: 400_000, rule: 65_535 },
        ];
        assert_eq!(decode(&encode(&spans)).unwrap(), spans);
        assert_eq!(decode(&[]), Some(Vec::new()));
        for wrong in [vec![0; 9], encode(&[spans[1], spans[0]]), vec![0; 10]] {
            assert_eq!(decode(&wrong), None);
        }
    }
}
