//! Keeping the bytes of a source: its stretches become raw runs.

use std::collections::HashSet;

use heed::{PutFlags, RwTxn};
use rayon::prelude::*;
use vox_format::{
    keys::{self, Domain},
    raw::{FileRow, Head, RawRun, Record, RunCut},
    segment::STORED,
};
use vox_types::{BlobRef, Code, CutForm, Error, RecordRef, Result};

use super::{Applying, NewCut, NewRest, NewStretch};
use crate::{
    blobs, cores,
    fault::Fallible,
    purge::tombstones,
    raw::{self, FileStretch, Parts, SHORTEST_REST, samples},
    spine::cursors,
};

/// The rest of a stretch, compressed.
pub(crate) struct Body {
    codec: u8,
    bytes: Vec<u8>,
    rest_len: u32,
}

/// Compresses the rests of `stretches` on all cores, and drops them.
pub(super) fn prepare(stretches: &mut [NewStretch]) -> Result<Vec<Body>> {
    let compress = |stretch: &mut NewStretch| {
        let rest = std::mem::take(&mut stretch.rest);
        let rest_len = rest.len() as u32;
        let (codec, bytes) = match stretch.domain {
            Domain::Content => blobs::compress_rest(&rest, None)?,
            // What is compressed doesn't shrink again.
            Domain::Stored => (STORED, rest),
        };
        Ok(Body { codec, bytes, rest_len })
    };
    cores::on_all(|| stretches.par_iter_mut().map(compress).collect::<Result<_>>())?
}

/// Which runs hold the stretches of a batch.
#[derive(Default)]
pub(super) struct Kept(Vec<(FileStretch, Vec<Record>)>);

impl Applying<'_> {
    /// Stores the batch's stretches of its source.
    pub(super) fn raw(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        let Some(cursor) = &self.cursor else {
            return match self.prepared.batch.raw.is_empty() {
                true => Ok(()),
                false => Err(Error::new(
                    Code::InvalidArgument,
                    "bytes of a source came without its cursor",
                )
                .into()),
            };
        };
        let (source, reading) = (cursors::key(&cursor.path), cursor.reading);
        let before = raw::of_reading(self.tables, txn, &source, reading, Domain::Content)?;
        // A torn tail goes when the file was read further, or to its end once more.
        let passed = if cursor.size == u64::MAX { cursor.offset } else { u64::MAX };
        for torn in before.iter().filter(|stretch| stretch.row.torn && stretch.offset < passed) {
            let key = keys::raw_file(&source, reading, Domain::Content, torn.offset);
            self.tables.raw_files.delete(txn, &key)?;
            // No other file shares it.
            raw::delete_runs(self.tables, txn, &[torn.row.run])?;
        }
        let buried = self.buried_records(txn)?;
        for (stretch, body) in self.prepared.batch.raw.iter().zip(&self.prepared.runs) {
            let length = u64::from(stretch.length);
            if stretch.domain == Domain::Content {
                self.done.source_bytes += length;
            }
            if raw::is_kept(self.tables, txn, &source, reading, stretch.domain, stretch.offset)? {
                continue;
            }
            let start = |record: &Record| stretch.offset + u64::from(record.start);
            let places = (0..stretch.records.len())
                .filter(|place| buried.contains(&start(&stretch.records[*place])));
            let holes: Vec<usize> = places.collect();
            let run = match self.equal_run(txn, stretch, &holes)? {
                Some(run) => run,
                None => self.new_run(txn, stretch, body, &holes)?,
            };
            let after_gap = match stretch.offset.checked_sub(1) {
                Some(last) => {
                    let domain = stretch.domain;
                    let before = raw::stretch_at(self.tables, txn, &source, reading, domain, last)?;
                    before.is_none()
                }
                None => false,
            };
            let row = FileRow { run, length, torn: stretch.torn, after_gap };
            let key = keys::raw_file(&source, reading, stretch.domain, stretch.offset);
            self.tables.raw_files.put(txn, &key, &row.encode())?;
            let (domain, offset) = (stretch.domain, stretch.offset);
            let stored = FileStretch { cursor: source, reading, domain, offset, row };
            self.kept.0.push((stored, stretch.records.clone()));
        }
        Ok(())
    }

    /// Where the records start that bring something that was purged and stays so: nothing of them
    /// is kept but the place.
    fn buried_records(&self, txn: &RwTxn<'_>) -> Fallible<HashSet<u64>> {
        let mut buried = HashSet::new();
        let batch = &self.prepared.batch;
        if self.tables.tombstones.is_empty(txn)? || batch.restore_purged {
            return Ok(buried);
        }
        for item in batch.items.iter().flat_map(|items| &items.items) {
            let Some(NewRest::Record(offset)) = item.rest else { continue };
            let hash = self.prepared.blobs.hash(item.content);
            let row = tombstones::get(self.tables, txn, &hash)?;
            if row.is_some_and(|row| tombstones::buried(&row, item.created_at).is_some()) {
                buried.insert(offset);
            }
        }
        Ok(buried)
    }

    /// A run that holds the same bytes and records, and of which the same was purged.
    fn equal_run(
        &self,
        txn: &RwTxn<'_>,
        stretch: &NewStretch,
        holes: &[usize],
    ) -> Fallible<Option<u64>> {
        if stretch.torn {
            return Ok(None);
        }
        let Some(number) = samples::equal_to(self.tables, txn, &stretch.hash)? else {
            return Ok(None);
        };
        let run = raw::run(self.tables, txn, number)?;
        let same = run.records()? == stretch.records && run.removed()? == holes;
        Ok(same.then_some(number))
    }

    fn new_run(
        &mut self,
        txn: &mut RwTxn<'_>,
        stretch: &NewStretch,
        body: &Body,
        holes: &[usize],
    ) -> Fallible<u64> {
        let head = Head {
            codec: body.codec,
            base: None,
            hash: stretch.hash,
            source_len: stretch.length,
            rest_len: body.rest_len,
        };
        // Until it is known which blobs are referred to, cuts name their places in the batch.
        let cuts = stretch.cuts.iter().map(|cut| {
            let NewCut { blob, gap, len, form } = *cut;
            RunCut { blob: BlobRef(blob as u64), gap, len, form }
        });
        let cuts = cuts.collect();
        let mut parts = Parts { head, records: stretch.records.clone(), cuts, rest: Vec::new() };
        let unpack = || blobs::decompress(body.codec, &body.bytes, body.rest_len);
        if !holes.is_empty() {
            parts.rest = unpack()?;
            parts.remove(holes)?;
        }
        let mut contents = Vec::with_capacity(parts.cuts.len());
        for cut in parts.cuts.iter_mut().filter(|cut| cut.form != CutForm::Hole) {
            let place = cut.blob.0 as usize;
            let len = self.prepared.lengths[place].min(u32::MAX.into());
            contents.push((self.prepared.blobs.hash(place).prefix(), len as u32));
            cut.blob = self.writer.refer(txn, place)?;
        }
        let mut value = match holes.is_empty() {
            true => vox_format::raw::encode(&parts.head, &parts.records, &parts.cuts, &body.bytes),
            false => parts.encode(None)?,
        };
        let mut samples = Vec::new();
        if !contents.is_empty() && parts.head.rest_len >= SHORTEST_REST {
            samples = samples::choose(contents.into_iter());
            if let Some(base) = samples::base_for(self.tables, txn, &samples)? {
                if holes.is_empty() {
                    parts.rest = unpack()?;
                }
                parts.head.base = Some(base);
                let against = raw::rest(self.tables, txn, &raw::run(self.tables, txn, base)?)?;
                let smaller = parts.encode(Some(&against))?;
                if smaller.len() < value.len() {
                    value = smaller;
                    samples.clear();
                }
            }
        }
        let number = match self.tables.raw_runs.last(txn)? {
            Some((key, _)) => raw::number_of(key)? + 1,
            None => 0,
        };
        let key = number.to_be_bytes();
        self.tables.raw_runs.put_with_flags(txn, PutFlags::APPEND, &key, &value)?;
        if !stretch.torn {
            samples::remember(self.tables, txn, number, &stretch.hash, &samples)?;
        }
        self.done.run_bytes += value.len() as u64;
        Ok(number)
    }

    /// The record that starts at `offset` of the batch's source, if its bytes are kept.
    pub(super) fn record_at(&self, txn: &RwTxn<'_>, offset: u64) -> Fallible<Option<RecordRef>> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let behind = self.kept.0.partition_point(|(stretch, _)| {
            stretch.domain == Domain::Content && stretch.offset <= offset
        });
        if let Some((stretch, records)) = behind.checked_sub(1).map(|last| &self.kept.0[last])
            && offset < stretch.end()
        {
            let start = (offset - stretch.offset) as u32;
            let place = records.binary_search_by_key(&start, |record| record.start).ok();
            return Ok(place.map(|place| RecordRef::new(stretch.row.run, place as u16)));
        }
        let source = cursors::key(&cursor.path);
        let stretch =
            raw::stretch_at(self.tables, txn, &source, cursor.reading, Domain::Content, offset)?;
        let Some(stretch) = stretch else { return Ok(None) };
        let value = self.tables.raw_runs.get(txn, &stretch.row.run.to_be_bytes())?;
        let missing = || Error::damaged(format!("raw run {} is missing", stretch.row.run));
        let run = RawRun::parse(value.ok_or_else(missing)?)?;
        let place = run.record_at((offset - stretch.offset) as u32);
        Ok(place.map(|place| RecordRef::new(stretch.row.run, place as u16)))
    }
}
