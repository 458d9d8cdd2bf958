//! A raw run: a stretch of a source file as what items give back of it and what is left. See
//! "raw_runs" in `contracts/archive-format.md`.

use std::ops::Range;

use vox_types::{BlobRef, ContentHash, CutForm, Error, Result};

use crate::{
    cursor::{put_header, take_array, take_header},
    forms,
    packed::{self, Column},
};

/// A run ends with the record that would take it past so many source bytes; a longer record stands
/// alone.
pub const RUN_BYTES: usize = 1 << 20;

/// Most records of a run.
pub const MAX_RECORDS: usize = u16::MAX as usize;

/// What stands before the columns of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// How the body is coded; the numbers are those of blobs.
    pub codec: u8,
    /// The run whose rest comes before this one's when it is decompressed.
    pub base: Option<u64>,
    /// Hash of the source bytes as they were read.
    pub hash: ContentHash,
    /// How many source bytes.
    pub source_len: u32,
    /// How many of them are left without the cuts.
    pub rest_len: u32,
}

/// A record within the source bytes of its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// Its first byte.
    pub start: u32,
    /// How many.
    pub len: u32,
}

impl Record {
    /// The place after its last byte.
    pub fn end(&self) -> u32 {
        self.start.saturating_add(self.len)
    }
}

/// Source bytes that a blob gives back, or that were purged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunCut {
    /// The blob; 0 of a hole.
    pub blob: BlobRef,
    /// Bytes of the rest since the cut before.
    pub gap: u32,
    /// How many source bytes it stands for.
    pub len: u32,
    /// How the blob's bytes stood there.
    pub form: CutForm,
}

/// The value of a run; at most [`MAX_RECORDS`] records.
pub fn encode(head: &Head, records: &[Record], cuts: &[RunCut], body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(128 + records.len() * 5 + cuts.len() * 10 + body.len());
    put_header(&mut out, records.len() as u16);
    out[1] = head.codec;
    out.extend_from_slice(&head.base.map_or(0, |base| base + 1).to_le_bytes());
    out.extend_from_slice(&head.hash.0);
    for number in [head.source_len, head.rest_len, cuts.len() as u32] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    packed::write(&mut out, records.iter().map(|record| record.start.into()));
    packed::write(&mut out, records.iter().map(|record| record.len.into()));
    packed::write(&mut out, cuts.iter().map(|cut| cut.blob.0));
    packed::write(&mut out, cuts.iter().map(|cut| cut.gap.into()));
    packed::write(&mut out, cuts.iter().map(|cut| cut.len.into()));
    packed::write(&mut out, cuts.iter().map(|cut| cut.form as u64));
    out.extend_from_slice(body);
    out
}

/// A run in place. Any bytes can be given to [`RawRun::parse`]; damage shows as an error, there or
/// later, or as wrong bytes, which the hash reveals.
#[derive(Clone, Copy, Debug)]
pub struct RawRun<'a> {
    /// What stands before the columns.
    pub head: Head,
    starts: Column<'a>,
    lens: Column<'a>,
    blobs: Column<'a>,
    gaps: Column<'a>,
    cut_lens: Column<'a>,
    forms: Column<'a>,
    /// The rest, coded.
    pub body: &'a [u8],
}

impl<'a> RawRun<'a> {
    /// Reads the columns of a run.
    pub fn parse(mut bytes: &'a [u8]) -> Result<Self> {
        let what = "a raw run";
        let rest = &mut bytes;
        let codec = rest.get(1).copied().unwrap_or(0);
        let records = take_header(rest, what)?;
        let base = u64::from_le_bytes(take_array(rest, what)?).checked_sub(1);
        let hash = ContentHash(take_array(rest, what)?);
        let mut word = || Ok::<_, Error>(u32::from_le_bytes(take_array(rest, what)?));
        let (source_len, rest_len, cuts) = (word()?, word()?, word()? as usize);
        let mut column = |n| Column::take(rest, n);
        let run = Self {
            head: Head { codec, base, hash, source_len, rest_len },
            starts: column(records)?,
            lens: column(records)?,
            blobs: column(cuts)?,
            gaps: column(cuts)?,
            cut_lens: column(cuts)?,
            forms: column(cuts)?,
            body: &[],
        };
        Ok(Self { body: rest, ..run })
    }

    /// How many records.
    pub fn record_count(&self) -> usize {
        self.starts.len()
    }

    /// The record at `index`.
    pub fn record(&self, index: usize) -> Option<Record> {
        let narrow = |column: Column<'_>| u32::try_from(column.get(index)).ok();
        if index >= self.record_count() {
            return None;
        }
        Some(Record { start: narrow(self.starts)?, len: narrow(self.lens)? })
    }

    /// Every record, in the order of their places.
    pub fn records(&self) -> Result<Vec<Record>> {
        let missing = || Error::damaged("a record of a raw run has no place in it");
        (0..self.record_count()).map(|index| self.record(index).ok_or_else(missing)).collect()
    }

    /// The record that starts at `start`.
    pub fn record_at(&self, start: u32) -> Option<usize> {
        let (mut low, mut high) = (0, self.record_count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.starts.get(middle).cmp(&start.into()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The record that the source byte at `place` is of.
    pub fn record_around(&self, place: u32) -> Option<usize> {
        let (mut low, mut high) = (0, self.record_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.starts.get(middle) <= place.into() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let last = low.checked_sub(1)?;
        self.record(last).filter(|record| place < record.end()).map(|_| last)
    }

    /// The records that were purged, by their places.
    pub fn removed(&self) -> Result<Vec<usize>> {
        let (mut at, mut removed) = (0u32, Vec::new());
        for cut in self.cuts()? {
            at = at.saturating_add(cut.gap);
            if cut.form == CutForm::Hole {
                removed.extend(self.record_at(at));
            }
            at = at.saturating_add(cut.len);
        }
        Ok(removed)
    }

    /// How many cuts.
    pub fn cut_count(&self) -> usize {
        self.blobs.len()
    }

    /// The cut at `index`.
    pub fn cut(&self, index: usize) -> Result<RunCut> {
        let narrow = |column: Column<'_>| {
            let wide = || Error::damaged("a cut of a raw run is too long");
            u32::try_from(column.get(index)).map_err(|_| wide())
        };
        let form = self.forms.get(index);
        let unknown = || Error::damaged(format!("a cut of a raw run has the form {form}"));
        let number = u8::try_from(form).ok().and_then(CutForm::from_number);
        Ok(RunCut {
            blob: BlobRef(self.blobs.get(index)),
            gap: narrow(self.gaps)?,
            len: narrow(self.cut_lens)?,
            form: number.ok_or_else(unknown)?,
        })
    }

    /// Every cut, in the order of their places.
    pub fn cuts(&self) -> Result<Vec<RunCut>> {
        (0..self.cut_count()).map(|index| self.cut(index)).collect()
    }

    /// Every blob that a cut names, as often as one does.
    pub fn references(&self) -> Result<Vec<BlobRef>> {
        let mut cuts = self.cuts()?;
        cuts.retain(|cut| cut.form != CutForm::Hole);
        Ok(cuts.into_iter().map(|cut| cut.blob).collect())
    }

    /// The value of the run with other references; its body is taken over as it stands.
    pub fn with_blobs(&self, mut moved: impl FnMut(BlobRef) -> Result<BlobRef>) -> Result<Vec<u8>> {
        let mut cuts = self.cuts()?;
        for cut in cuts.iter_mut().filter(|cut| cut.form != CutForm::Hole) {
            cut.blob = moved(cut.blob)?;
        }
        Ok(encode(&self.head, &self.records()?, &cuts, self.body))
    }

    /// Where in the rest the bytes of `record` stand that aren't cut out of it.
    pub fn rest_of(&self, record: Record) -> Result<Range<usize>> {
        let (mut source, mut rest) = (0u64, 0u64);
        let (start, end) = (u64::from(record.start), u64::from(record.end()));
        // A place behind the last cut, and inside the gap that it falls into.
        let mut first = None;
        for cut in self.cuts()? {
            let gap_end = source + u64::from(cut.gap);
            if first.is_none() && start <= gap_end {
                first = Some(rest + start.saturating_sub(source));
            }
            if let Some(first) = first
                && end <= gap_end
            {
                return Ok(first as usize..(rest + (end - source.min(end))) as usize);
            }
            rest += u64::from(cut.gap);
            source = gap_end + u64::from(cut.len);
        }
        let first = first.unwrap_or(rest + start.saturating_sub(source));
        Ok(first as usize..(rest + end.saturating_sub(source)) as usize)
    }

    /// The source bytes, given the `rest` and what the blobs hold, and the holes in them, which are
    /// filled with spaces.
    pub fn source<C: AsRef<[u8]>, E: From<Error>>(
        &self,
        rest: &[u8],
        mut content: impl FnMut(BlobRef) -> Result<C, E>,
    ) -> Result<Source, E> {
        let short = || Error::damaged("the rest of a raw run doesn't go with its cuts");
        let source_len = self.head.source_len as usize;
        let mut out = Source { bytes: Vec::new(), holes: Vec::new() };
        // A damaged length must not reserve gigabytes.
        out.bytes.reserve(source_len.min(4 * RUN_BYTES));
        let mut left = rest;
        for cut in self.cuts()? {
            let (before, after) = left.split_at_checked(cut.gap as usize).ok_or_else(short)?;
            out.bytes.extend_from_slice(before);
            left = after;
            let start = out.bytes.len();
            let end = start + cut.len as usize;
            if end > source_len {
                return Err(short().into());
            }
            if cut.form == CutForm::Hole {
                out.bytes.resize(end, b' ');
                out.holes.push(start..end);
            } else {
                let item = content(cut.blob)?;
                let put = forms::put(item.as_ref(), cut.form, &mut out.bytes);
                if put.is_none() || out.bytes.len() != end {
                    let what = format!("a cut of a raw run doesn't go with blob {:?}", cut.blob);
                    return Err(Error::damaged(what).into());
                }
            }
        }
        out.bytes.extend_from_slice(left);
        if out.bytes.len() != source_len || rest.len() != self.head.rest_len as usize {
            return Err(short().into());
        }
        Ok(out)
    }
}

/// Source bytes of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// All of them, with spaces for what was purged.
    pub bytes: Vec<u8>,
    /// Which of them were purged.
    pub holes: Vec<Range<usize>>,
}

/// What a row of `raw_files` tells of a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileRow {
    /// The run that holds it.
    pub run: u64,
    /// How many bytes.
    pub length: u64,
    /// Whether it is the torn tail behind the last whole record, which goes when the file grows.
    pub torn: bool,
    /// Whether bytes before it were read without being kept.
    pub after_gap: bool,
}

impl FileRow {
    /// The stored value.
    pub fn encode(&self) -> [u8; 17] {
        let mut value = [0; 17];
        value[..8].copy_from_slice(&self.run.to_le_bytes());
        value[8..16].copy_from_slice(&self.length.to_le_bytes());
        value[16] = u8::from(self.torn) | u8::from(self.after_gap) << 1;
        value
    }

    /// Reads a stored value.
    pub fn decode(value: &[u8]) -> Result<Self> {
        let value: &[u8; 17] = value
            .try_into()
            .map_err(|_| Error::damaged("a row of raw_files isn't 17 bytes long"))?;
        let word = |i| crate::cursor::u64_at(value, i);
        let flag = |bit: u8| value[16] >> bit & 1 == 1;
        Ok(Self { run: word(0), length: word(1), torn: flag(0), after_gap: flag(1) })
    }
}
