//! A run apart, so that records can be taken out of it and it can be put together again.

use std::ops::Range;

use vox_format::raw::{self, Head, RawRun, Record, RunCut};
use vox_types::{BlobRef, CutForm, Error, Result};

use crate::blobs;

/// The columns of a run and its rest as it is.
#[derive(Clone, Debug)]
pub struct Parts {
    pub head: Head,
    pub records: Vec<Record>,
    pub cuts: Vec<RunCut>,
    pub rest: Vec<u8>,
}

/// A piece of the source bytes: of the rest, or cut out of it.
enum Piece {
    Rest(Range<usize>),
    Cut(RunCut),
}

impl Parts {
    /// A run apart; `rest` is what [`rest`](super::rest) gives for it.
    pub fn of(run: &RawRun<'_>, rest: Vec<u8>) -> Result<Self> {
        Ok(Self { head: run.head, records: run.records()?, cuts: run.cuts()?, rest })
    }

    /// The value of the run; `base` is the rest of the run that the head names as its base.
    pub fn encode(&mut self, base: Option<&[u8]>) -> Result<Vec<u8>> {
        let (codec, body) = blobs::compress_rest(&self.rest, base)?;
        self.head.codec = codec;
        Ok(raw::encode(&self.head, &self.records, &self.cuts, &body))
    }

    /// Makes holes of the records at `places`, which ascend. Gives the blobs that their cuts named,
    /// as often as one did.
    pub fn remove(&mut self, places: &[usize]) -> Result<Vec<BlobRef>> {
        let missing = || Error::damaged("a raw run lacks a record that is to be removed");
        let crosses = || Error::damaged("a cut of a raw run crosses its record");
        let records = places.iter().map(|place| self.records.get(*place).copied());
        let mut records = records.collect::<Option<Vec<_>>>().ok_or_else(missing)?.into_iter();
        let mut next = records.next();
        let (mut removed, mut out) = (Vec::new(), Rebuilt::default());
        // Source bytes that were gone through, and where the last hole ends.
        let (mut at, mut hole_end) = (0, 0);
        for piece in self.pieces() {
            let end = at + piece.len();
            match piece {
                Piece::Cut(cut) => {
                    if let Some(record) = next.filter(|record| record.start < end) {
                        if record.start != at {
                            return Err(crosses());
                        }
                        hole_end = out.put_hole(record);
                        next = records.next();
                    }
                    if at >= hole_end {
                        out.put_cut(cut);
                    } else if end > hole_end {
                        return Err(crosses());
                    } else if cut.form != CutForm::Hole {
                        removed.push(cut.blob);
                    }
                    at = end;
                }
                Piece::Rest(rest) => {
                    let first = at;
                    let part = |from: u32, to: u32| {
                        self.rest.get(
                            rest.start + (from - first) as usize
                                ..rest.start + (to - first) as usize,
                        )
                    };
                    while at < end {
                        if at < hole_end {
                            at = hole_end.min(end);
                            continue;
                        }
                        let record = next.filter(|record| record.start < end);
                        let to = record.map_or(end, |record| record.start.max(at));
                        out.put_rest(part(at, to).ok_or_else(missing)?);
                        at = to;
                        if let Some(record) = record {
                            hole_end = out.put_hole(record);
                            next = records.next();
                        }
                    }
                }
            }
        }
        if next.is_some() {
            return Err(missing());
        }
        (self.cuts, self.rest) = (out.cuts, out.rest);
        self.head.rest_len = self.rest.len() as u32;
        Ok(removed)
    }

    /// Makes one hole of all source bytes. Gives what [`remove`](Self::remove) does.
    pub fn hollow(&mut self) -> Vec<BlobRef> {
        let len = self.head.source_len;
        let hole = RunCut { blob: BlobRef(0), gap: 0, len, form: CutForm::Hole };
        let cuts = std::mem::replace(&mut self.cuts, vec![hole]);
        self.rest = Vec::new();
        self.head.rest_len = 0;
        let named = cuts.into_iter().filter(|cut| cut.form != CutForm::Hole);
        named.map(|cut| cut.blob).collect()
    }

    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.cuts.len() * 2 + 1);
        let mut start = 0;
        for cut in &self.cuts {
            let gap_end = start + cut.gap as usize;
            pieces.push(Piece::Rest(start..gap_end));
            pieces.push(Piece::Cut(*cut));
            start = gap_end;
        }
        pieces.push(Piece::Rest(start..self.rest.len().max(start)));
        pieces
    }
}

impl Piece {
    fn len(&self) -> u32 {
        match self {
            Self::Rest(range) => range.len() as u32,
            Self::Cut(cut) => cut.len,
        }
    }
}

#[derive(Default)]
struct Rebuilt {
    rest: Vec<u8>,
    cuts: Vec<RunCut>,
    gap: u32,
}

impl Rebuilt {
    fn put_rest(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        self.gap += bytes.len() as u32;
    }

    fn put_cut(&mut self, cut: RunCut) {
        self.cuts.push(RunCut { gap: self.gap, ..cut });
        self.gap = 0;
    }

    /// Puts a hole in the place of `record`; gives where it ends.
    fn put_hole(&mut self, record: Record) -> u32 {
        self.put_cut(RunCut { blob: BlobRef(0), gap: 0, len: record.len, form: CutForm::Hole });
        record.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vox_types::ContentHash;

    use super::*;

    /// Bytes between records, and a record of rests and cuts.
    type Part = (String, Vec<(String, Option<String>)>);

    proptest! {
        #[test]
        fn removed_records_are_holes_and_all_else_stays(
            parts in prop::collection::vec(("[ \n]{0,3}", prop::collection::vec(("[a-z]{0,9}", prop::option::of("[A-Z]{0,9}")), 0..4)), 0..8),
            base in any::<bool>(),
            removals in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let parts: Vec<Part> = parts;
            let (mut source, mut rest) = (Vec::new(), Vec::new());
            let (mut records, mut cuts, mut blobs) = (Vec::new(), Vec::new(), Vec::new());
            let mut owners = Vec::new();
            let mut gap = 0;
            for (between, record) in &parts {
                source.extend_from_slice(between.as_bytes());
                rest.extend_from_slice(between.as_bytes());
                let start = source.len() as u32;
                gap += between.len();
                for (text, cut) in record.iter().map(|(text, cut)| (format!("<{text}"), cut)) {
                    source.extend_from_slice(text.as_bytes());
                    rest.extend_from_slice(text.as_bytes());
                    gap += text.len();
                    if let Some(cut) = cut {
                        let blob = BlobRef(blobs.len() as u64);
                        let (len, form) = (cut.len() as u32, CutForm::Verbatim);
                        cuts.push(RunCut { blob, gap: gap as u32, len, form });
                        gap = 0;
                        owners.push(records.len());
                        blobs.push(cut.clone().into_bytes());
                        source.extend_from_slice(cut.as_bytes());
                    }
                }
                source.push(b'>');
                rest.push(b'>');
                gap += 1;
                records.push(Record { start, len: source.len() as u32 - start });
            }
            let head = Head {
                codec: 0,
                base: None,
                hash: ContentHash::of(&source),
                source_len: source.len() as u32,
                rest_len: rest.len() as u32,
            };
            let mut whole = Parts { head, records: records.clone(), cuts, rest };
            let mut places: Vec<usize> =
                removals.iter().filter(|_| !records.is_empty()).map(|index| index.index(records.len())).collect();
            places.sort_unstable();
            places.dedup();
            let mut expected = source.clone();
            for record in places.iter().map(|place| records[*place]) {
                expected[record.start as usize..record.end() as usize].fill(b' ');
            }
            let lost = (0..blobs.len()).filter(|blob| places.contains(&owners[*blob]));
            let lost: Vec<BlobRef> = lost.map(|blob| BlobRef(blob as u64)).collect();
            let half = places.len() / 2;
            let mut removed = whole.remove(&places[half..]).unwrap();
            removed.append(&mut whole.remove(&places).unwrap());
            removed.sort_unstable();
            prop_assert_eq!(removed, lost);

            let base = base.then_some(&b"what another run has left"[..]);
            let value = whole.encode(base).unwrap();
            let run = RawRun::parse(&value).unwrap();
            let rest = blobs::decompress_rest(run.head.codec, run.body, run.head.rest_len, base).unwrap();
            let content = |blob: BlobRef| Ok::<_, Error>(&blobs[blob.0 as usize]);
            let got = run.source(&rest, content).unwrap();
            prop_assert_eq!(got.bytes, expected);
            let holes: Vec<_> = places.iter().map(|place| records[*place].start as usize..records[*place].end() as usize).collect();
            prop_assert_eq!(got.holes, holes);
            for (place, record) in records.iter().enumerate() {
                let range = run.rest_of(*record).unwrap();
                let text: String = match places.contains(&place) {
                    true => String::new(),
                    false => parts[place].1.iter().map(|(text, _)| format!("<{text}")).collect::<String>() + ">",
                };
                prop_assert_eq!(&rest[range], text.as_bytes());
                prop_assert_eq!(run.record_at(record.start), Some(place));
            }
        }
    }
}
