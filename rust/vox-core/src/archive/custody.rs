//! The bytes of a source as stretches that are kept: records without their items, and all that
//! stands between them.

use std::ops::Range;

use rayon::prelude::*;
use vox_format::{
    keys::Domain,
    raw::{MAX_RECORDS, RUN_BYTES, Record},
};
use vox_frame::{Records, is_compressed_file, read_again, read_stored};
use vox_store::{
    append::{NewCut, NewStretch},
    cores,
};
use vox_types::{ContentHash, CutForm, Result};

use super::{Archive, import::SourceBatch, standing::SourceFile, standing::path_bytes};

/// The bytes of a compressed file are kept in pieces of so many. Judgement.
const STORED_PIECE: usize = 4 << 20;

/// Bytes of a record that a blob gives back.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlobCut {
    /// Their place in the record.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// A place among the blobs of the append.
    pub blob: usize,
    /// How the blob's bytes stand there.
    pub form: CutForm,
}

/// Records that make a stretch of the buffer of [`Records`].
struct Span {
    bytes: Range<usize>,
    records: Range<usize>,
}

impl Archive {
    /// All bytes of `file` up to `end` that `batch` is the first to bring, and behind the last
    /// record the torn tail. `cuts` are those of each record.
    pub(super) fn stretches(
        &self,
        file: &SourceFile,
        batch: &SourceBatch,
        end: u64,
        cuts: &[Vec<BlobCut>],
    ) -> Result<Vec<NewStretch>> {
        let records = &*batch.records;
        let mut stretches = Vec::new();
        let buffer = records.buffer_start()..records.buffer_start() + records.buffer().len() as u64;
        for wanted in self.not_kept(file, batch, end)? {
            let held = wanted.start.max(buffer.start)..wanted.end.min(buffer.end);
            if held.is_empty() {
                read_plain(file, wanted, false, &mut stretches)?;
                continue;
            }
            read_plain(file, wanted.start..held.start, false, &mut stretches)?;
            let place = |offset: u64| (offset - buffer.start) as usize;
            let spans = divide(records, place(held.start)..place(held.end));
            let build = |span: Span| build(records, cuts, span);
            stretches.append(&mut cores::on_all(|| spans.into_par_iter().map(build).collect())?);
            read_plain(file, held.end..wanted.end, false, &mut stretches)?;
        }
        if batch.last {
            read_plain(file, end..batch.read_to.max(end), true, &mut stretches)?;
        }
        self.stored_bytes(file, batch, &mut stretches)?;
        Ok(stretches)
    }

    /// What of the bytes before `end` isn't kept yet.
    fn not_kept(
        &self,
        file: &SourceFile,
        batch: &SourceBatch,
        end: u64,
    ) -> Result<Vec<Range<u64>>> {
        let mut missing = Vec::new();
        let mut at = batch.start;
        if file.unchanged && !batch.restore_purged {
            let path = path_bytes(&file.path);
            let stretches = self.store.snapshot(|snapshot| match snapshot.cursor(path)? {
                Some(cursor) => snapshot.raw_stretches(path, cursor.reading, Domain::Content),
                None => Ok(Vec::new()),
            })?;
            for kept in stretches.iter().filter(|kept| !kept.row.torn && kept.offset < end) {
                if kept.offset > at {
                    missing.push(at..kept.offset);
                }
                at = at.max(kept.end());
            }
        }
        if at < end {
            missing.push(at..end);
        }
        Ok(missing)
    }

    /// The bytes that a compressed file has itself: some with each batch, the rest with the last.
    fn stored_bytes(
        &self,
        file: &SourceFile,
        batch: &SourceBatch,
        stretches: &mut Vec<NewStretch>,
    ) -> Result<()> {
        if !is_compressed_file(&file.path)? {
            return Ok(());
        }
        // A batch holds less of the file than it decompresses to.
        let (start, end) = (batch.start, if batch.last { u64::MAX } else { batch.records.end });
        let pieces = |offset: u64| offset.div_ceil(STORED_PIECE as u64) * STORED_PIECE as u64;
        let range = pieces(start).min(file.size())..pieces(end.min(file.size())).min(file.size());
        read_stored(&file.path, range, STORED_PIECE, |offset, bytes| {
            stretches.push(plain(Domain::Stored, offset, false, bytes));
            Ok(())
        })
    }
}

/// Reads bytes that no buffer holds.
fn read_plain(
    file: &SourceFile,
    range: Range<u64>,
    torn: bool,
    stretches: &mut Vec<NewStretch>,
) -> Result<()> {
    read_again(&file.path, range, RUN_BYTES, |offset, bytes| {
        stretches.push(plain(Domain::Content, offset, torn, bytes));
        Ok(())
    })
}

/// A stretch without records.
fn plain(domain: Domain, offset: u64, torn: bool, bytes: Vec<u8>) -> NewStretch {
    NewStretch {
        domain,
        offset,
        torn,
        hash: ContentHash::of(&bytes),
        length: bytes.len() as u32,
        records: Vec::new(),
        cuts: Vec::new(),
        rest: bytes,
    }
}

/// Divides `range` of the buffer into stretches of at most [`RUN_BYTES`]; a longer record stands
/// alone. A record that isn't wholly within the range counts as bytes between records.
fn divide(records: &Records, range: Range<usize>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut put = |bytes: Range<usize>, record: Option<usize>| {
        if bytes.is_empty() {
            return;
        }
        let number = record.map_or(0..0, |record| record..record + 1);
        match spans.last_mut() {
            Some(span)
                if bytes.end - span.bytes.start <= RUN_BYTES
                    && span.records.len() < MAX_RECORDS =>
            {
                span.bytes.end = bytes.end;
                if record.is_some() {
                    let first =
                        if span.records.is_empty() { number.start } else { span.records.start };
                    span.records = first..number.end;
                }
            }
            _ => spans.push(Span { bytes, records: number }),
        }
    };
    let between = |from: usize, to: usize, put: &mut dyn FnMut(Range<usize>, Option<usize>)| {
        for start in (from..to).step_by(RUN_BYTES) {
            put(start..to.min(start + RUN_BYTES), None);
        }
    };
    let mut at = range.start;
    for number in 0..records.len() {
        let Some((start, len)) = records.span(number) else { break };
        if start < at || start + len > range.end {
            continue;
        }
        between(at, start, &mut put);
        put(start..start + len, Some(number));
        at = start + len;
    }
    between(at, range.end, &mut put);
    spans
}

/// A stretch of the buffer without what blobs give back of it.
fn build(records: &Records, cuts: &[Vec<BlobCut>], span: Span) -> NewStretch {
    let bytes = &records.buffer()[span.bytes.clone()];
    let mut stretch = NewStretch {
        domain: Domain::Content,
        offset: records.buffer_start() + span.bytes.start as u64,
        torn: false,
        hash: ContentHash::of(bytes),
        length: bytes.len() as u32,
        records: Vec::with_capacity(span.records.len()),
        cuts: Vec::new(),
        rest: Vec::new(),
    };
    let mut at = 0;
    for number in span.records {
        let Some((start, len)) = records.span(number) else { break };
        let start = start - span.bytes.start;
        stretch.records.push(Record { start: start as u32, len: len as u32 });
        for cut in &cuts[number] {
            let gap = &bytes[at..start + cut.start];
            stretch.rest.extend_from_slice(gap);
            stretch.cuts.push(NewCut {
                blob: cut.blob,
                gap: gap.len() as u32,
                len: (cut.end - cut.start) as u32,
                form: cut.form,
            });
            at = start + cut.end;
        }
    }
    stretch.rest.extend_from_slice(&bytes[at..]);
    stretch
}
