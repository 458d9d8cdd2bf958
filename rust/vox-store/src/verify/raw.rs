//! Raw runs, the files that they make up, and the samples by which they are found.

use std::collections::BTreeMap;

use rayon::prelude::*;
use vox_format::{
    keys::Domain,
    raw::{RawRun, Source},
    segment::Group,
};
use vox_types::{BlobRef, ContentHash, Error, RecordRef};

use super::{
    blobs::Blobs,
    bodies,
    image::Image,
    report::{Finding, Kind, Reporter},
    slots::Slots,
    sources::Cursors,
};
use crate::{
    blobs::{decompress, decompress_rest},
    fault::Fault,
    raw::{FileStretch, samples},
};

/// Bytes of runs that are gathered for one round on all cores. Judgement.
const ROUND: usize = 8 << 20;

/// What is remembered of each raw run.
struct Known {
    records: usize,
    source_len: u32,
    has_base: bool,
}

/// Every raw run.
#[derive(Default)]
pub(super) struct RawRuns(BTreeMap<u64, Known>);

impl RawRuns {
    pub fn has(&self, record: RecordRef) -> bool {
        let records = self.0.get(&record.run()).map_or(0, |run| run.records);
        usize::from(record.index()) < records
    }
}

/// Reads every raw run and counts what its cuts refer to; with `bodies` each is put together and
/// hashed.
pub(super) fn read(
    image: &Image<'_>,
    report: &mut Reporter,
    blobs: &mut Blobs,
    bodies: bool,
) -> RawRuns {
    let mut known = RawRuns::default();
    let mut bases = Vec::new();
    let (mut round, mut round_bytes) = (Vec::new(), 0);
    image.rows("raw_runs", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("raw_runs", kind, message).key(key));
        };
        let Ok(number) = key.try_into().map(u64::from_be_bytes) else {
            return fault(Kind::Malformed, "the key is no number of a raw run".into());
        };
        let run = match RawRun::parse(&value) {
            Ok(run) => run,
            Err(error) => return fault(Kind::Malformed, error.message),
        };
        if let Err(message) = check_columns(&run) {
            fault(Kind::Malformed, message);
        }
        for blob in run.references().unwrap_or_default() {
            let place = blobs.slots.find(blob);
            match place.and_then(|place| blobs.slots.get_mut(place)) {
                Some(slot) if slot.gone => {
                    let name = bodies::name(blob);
                    fault(Kind::Dangling, format!("it names blob {name}, whose content is gone"));
                }
                Some(slot) => slot.references = slot.references.saturating_add(1),
                None => {
                    let name = bodies::name(blob);
                    fault(Kind::Dangling, format!("it names blob {name}, which isn't there"));
                }
            }
        }
        bases.extend(run.head.base.map(|base| (number, base)));
        let (records, source_len) = (run.record_count(), run.head.source_len);
        known.0.insert(number, Known { records, source_len, has_base: run.head.base.is_some() });
        if bodies {
            round_bytes += value.len();
            round.push((number, value));
            if round_bytes >= ROUND {
                check_bodies(image, report, &blobs.slots, &round);
                round.clear();
                round_bytes = 0;
            }
        }
    });
    check_bodies(image, report, &blobs.slots, &round);
    for (number, base) in bases {
        if known.0.get(&base).is_none_or(|base| base.has_base) {
            let message =
                format!("its base is raw run {base}, which isn't there or has one itself");
            let key = number.to_be_bytes();
            report.add(Finding::new("raw_runs", Kind::Dangling, message).key(&key));
        }
    }
    known
}

/// What is wrong with the places of records and cuts.
fn check_columns(run: &RawRun<'_>) -> Result<(), String> {
    let mut end = 0;
    for record in run.records().map_err(|error| error.message)? {
        if record.start < end || record.len == 0 {
            return Err(format!("a record starts at byte {}, before {end}", record.start));
        }
        end = record.end();
    }
    if end > run.head.source_len {
        return Err(format!("its records end at byte {end} of {}", run.head.source_len));
    }
    let (mut gaps, mut cut) = (0u64, 0u64);
    for one in run.cuts().map_err(|error| error.message)? {
        gaps += u64::from(one.gap);
        cut += u64::from(one.len);
    }
    let rest = u64::from(run.head.rest_len);
    if gaps > rest || rest + cut != u64::from(run.head.source_len) {
        return Err("its cuts and its rest don't come to its length".into());
    }
    Ok(())
}

/// Puts runs together and compares them with their hashes, on all cores.
fn check_bodies(image: &Image<'_>, report: &mut Reporter, slots: &Slots, round: &[(u64, Vec<u8>)]) {
    let look_at = |(number, value): &(u64, Vec<u8>)| {
        let outcome = RawRun::parse(value).and_then(|run| check_body(image, slots, &run));
        (*number, outcome)
    };
    let outcomes: Vec<_> = round.par_iter().map(look_at).collect();
    for (number, outcome) in outcomes {
        if let Err(error) = outcome {
            let key = number.to_be_bytes();
            report.add(Finding::new("raw_runs", Kind::Content, error.message).key(&key));
        }
    }
}

fn check_body(image: &Image<'_>, slots: &Slots, run: &RawRun<'_>) -> Result<(), Error> {
    let base = match run.head.base.and_then(|base| image.get("raw_runs", &base.to_be_bytes())) {
        Some(value) => {
            let base = RawRun::parse(&value)?;
            Some(decompress(base.head.codec, base.body, base.head.rest_len)?)
        }
        None => None,
    };
    let (codec, rest_len) = (run.head.codec, run.head.rest_len);
    let rest = decompress_rest(codec, run.body, rest_len, base.as_deref())?;
    let mut contents = Contents { image, slots, group: None, frame: None };
    let Source { bytes, holes } = run.source(&rest, |blob| contents.read(blob))?;
    if holes.is_empty() && ContentHash::of(&bytes) != run.head.hash {
        return Err(Error::damaged("its source bytes don't have the hash it claims"));
    }
    Ok(())
}

/// Reads the blobs of a run, most of which stand in one group and some in one frame.
struct Contents<'a, 'f> {
    image: &'a Image<'f>,
    slots: &'a Slots,
    group: Option<(usize, Vec<u8>)>,
    /// Group, first byte and length of the frame that was decompressed last, and what it holds.
    frame: Option<((usize, usize, usize), Vec<u8>)>,
}

impl Contents<'_, '_> {
    fn read(&mut self, blob: BlobRef) -> Result<Vec<u8>, Error> {
        let name = || bodies::name(blob);
        let missing = || Error::damaged(format!("blob {} isn't there", name()));
        let index = self.slots.find(blob).ok_or_else(missing)?;
        let place = self.slots.group_of(index);
        let span = self.slots.group(place).ok_or_else(missing)?;
        if self.group.as_ref().is_none_or(|(held, _)| *held != place) {
            let value = self.image.get(span.table(), &span.key()).ok_or_else(missing)?;
            self.group = Some((place, value));
        }
        let (_, value) = self.group.as_ref().ok_or_else(missing)?;
        let placed = Group::parse(value)?.placed(index - span.start)?;
        let start = placed.frame.as_ptr() as usize - value.as_ptr() as usize;
        // An empty frame begins where the next one does.
        let key = (place, start, placed.frame.len());
        if self.frame.as_ref().is_none_or(|(held, _)| *held != key) {
            let frame_len = u32::try_from(placed.frame_len).map_err(|_| missing())?;
            self.frame = Some((key, decompress(placed.codec, placed.frame, frame_len)?));
        }
        let range = placed.at as usize..(placed.at + u64::from(placed.raw_len)) as usize;
        let found = self.frame.as_ref().and_then(|(_, frame)| frame.get(range));
        Ok(found.ok_or_else(missing)?.to_vec())
    }
}

/// Checks that the stretches of each reading of a file follow each other.
pub(super) fn check_files(
    image: &Image<'_>,
    report: &mut Reporter,
    cursors: &Cursors,
    runs: &RawRuns,
) {
    let mut last: Option<FileStretch> = None;
    image.rows("raw_files", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("raw_files", kind, message).key(key));
        };
        let stretch = match FileStretch::decode(key, &value) {
            Ok(stretch) => stretch,
            Err(Fault::Vox(error)) => return fault(Kind::Malformed, error.message),
            Err(_) => return fault(Kind::Malformed, "the row can't be read".into()),
        };
        if !cursors.has(&stretch.cursor) {
            fault(Kind::Dangling, "the cursor of its source isn't there".into());
        }
        let (number, length) = (stretch.row.run, stretch.row.length);
        match runs.0.get(&number) {
            None => fault(Kind::Dangling, format!("it names raw run {number}, which isn't there")),
            Some(run) if u64::from(run.source_len) != length => {
                let has = run.source_len;
                fault(Kind::Differs, format!("it has {length} bytes, but its raw run {has}"));
            }
            Some(_) => {}
        }
        let place = |stretch: &FileStretch| (stretch.cursor, stretch.reading, stretch.domain);
        let before = last.filter(|last| place(last) == place(&stretch));
        let end = before.map_or(0, |before| before.end());
        if stretch.offset < end || stretch.offset > end && !stretch.row.after_gap {
            let message = format!("byte {end} should come next, not {}", stretch.offset);
            fault(Kind::Order, message);
        }
        if stretch.row.torn && stretch.domain != Domain::Content {
            fault(Kind::Malformed, "bytes of a compressed file are no torn tail".into());
        }
        last = Some(stretch);
    });
}

/// Checks that samples stand for runs that are there.
pub(super) fn check_samples(image: &Image<'_>, report: &mut Reporter, runs: &RawRuns) {
    image.rows("raw_samples", report, |report, key, value| {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("raw_samples", kind, message).key(key));
        };
        match samples::decode(&value) {
            _ if key.len() != 8 => fault(Kind::Malformed, "the key is no start of a hash".into()),
            Ok(run) if runs.0.contains_key(&run) => {}
            Ok(run) => fault(Kind::Dangling, format!("raw run {run} isn't there")),
            Err(_) => fault(Kind::Malformed, "the value is no number of a raw run".into()),
        }
    });
}
