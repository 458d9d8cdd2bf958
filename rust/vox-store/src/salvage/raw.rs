//! Source bytes: raw runs that give what their hash says, and of others the records whose contents
//! were saved.

use std::collections::{BTreeMap, HashMap};

use vox_format::raw::RawRun;
use vox_types::{BlobRef, ContentHash, CutForm, Error, RecordRef, Result};

use super::{blobs::Blobs, report::Report, source::Source};
use crate::{blobs::decompress_rest, exchange::Builder, raw::Parts};

/// What is known of a raw run that was saved.
struct Saved {
    records: usize,
    source_len: u32,
    has_base: bool,
}

/// The raw runs that were saved.
#[derive(Default)]
pub struct RawRuns {
    known: BTreeMap<u64, Saved>,
    /// The rests of runs that were changed: before and after.
    changed: HashMap<u64, (Vec<u8>, Vec<u8>)>,
}

impl RawRuns {
    /// Whether a record was saved, or its place.
    pub fn has(&self, record: RecordRef) -> bool {
        let records = self.known.get(&record.run()).map_or(0, |run| run.records);
        usize::from(record.index()) < records
    }

    /// How many source bytes a run stands for.
    pub fn source_len(&self, run: u64) -> Option<u64> {
        self.known.get(&run).map(|run| run.source_len.into())
    }
}

/// Copies every raw run that can be read, those that others are based on first.
pub fn copy(
    source: &Source,
    blobs: &Blobs,
    builder: &mut Builder,
    report: &mut Report,
) -> Result<RawRuns> {
    let mut runs = RawRuns::default();
    let rows = source.keys("raw_runs", report);
    let mut later = Vec::new();
    for (with_base, (key, at)) in
        [false, true].into_iter().flat_map(|based| rows.iter().map(move |row| (based, row)))
    {
        let number = <[u8; 8]>::try_from(key.as_slice()).map(u64::from_be_bytes);
        let number = number.ok().filter(|number| *number < 1 << 47);
        let value = source.value(*at);
        let run = value.as_deref().map(RawRun::parse).and_then(Result::ok);
        let (Some(number), Some(run)) = (number, run) else {
            if !with_base {
                report.lost("raw_runs", key, "it can't be read");
            }
            continue;
        };
        if run.head.base.is_some() != with_base {
            continue;
        }
        match runs.save(source, number, &run, blobs, builder) {
            Ok(whole) => {
                report.saved("raw_runs", 1);
                if !whole {
                    report.lost("raw_runs", key, "contents of some of its records are lost");
                }
            }
            Err(error) if error.code == vox_types::Code::Damaged => later.push((key, error)),
            Err(error) => return Err(error),
        }
    }
    for (key, error) in later {
        report.lost("raw_runs", key, error.message);
    }
    Ok(runs)
}

impl RawRuns {
    /// Saves a run; false if not all of it.
    fn save(
        &mut self,
        source: &Source,
        number: u64,
        run: &RawRun<'_>,
        blobs: &Blobs,
        builder: &mut Builder,
    ) -> Result<bool> {
        check_columns(run)?;
        let base = match run.head.base {
            Some(base) => Some((base, self.rest_of_base(source, base)?)),
            None => None,
        };
        let old_base = base.as_ref().map(|(_, (old, _))| old.as_slice());
        let rest = decompress_rest(run.head.codec, run.body, run.head.rest_len, old_base)?;
        let known = |blob: BlobRef| blobs.get(blob).filter(|saved| !saved.gone);
        let lost: Vec<usize> = run
            .cuts()?
            .iter()
            .enumerate()
            .filter(|(_, cut)| cut.form != CutForm::Hole && known(cut.blob).is_none())
            .map(|(place, _)| place)
            .collect();
        let mut found = |blob: BlobRef| match known(blob) {
            Some(saved) => builder.found(&saved.name()),
            None => Err(Error::damaged("a content is lost")),
        };
        let new_base = base.as_ref().map(|(_, (_, new))| new.as_slice());
        let base_changed = old_base != new_base;
        let value = if lost.is_empty() && !base_changed {
            run.with_blobs(&mut found)?
        } else {
            let mut parts = Parts::of(run, rest.clone())?;
            if !lost.is_empty() {
                match records_of(run, &lost)? {
                    Some(places) => drop(parts.remove(&places)?),
                    None => drop(parts.hollow()),
                }
            }
            for cut in parts.cuts.iter_mut().filter(|cut| cut.form != CutForm::Hole) {
                cut.blob = found(cut.blob)?;
            }
            let value = parts.encode(new_base)?;
            if parts.rest != rest {
                self.changed.insert(number, (rest.clone(), parts.rest));
            }
            value
        };
        let saved = RawRun::parse(&value)?;
        let rest = self.changed.get(&number).map_or(rest.as_slice(), |(_, new)| new);
        let given = saved.source(rest, |blob| builder.read(blob))?;
        if given.holes.is_empty() && ContentHash::of(&given.bytes) != run.head.hash {
            return Err(Error::damaged("its source bytes don't have the hash it claims"));
        }
        self.known.insert(
            number,
            Saved {
                records: run.record_count(),
                source_len: run.head.source_len,
                has_base: run.head.base.is_some(),
            },
        );
        let table = builder.generation().tables.raw_runs;
        builder.put(table, number.to_be_bytes().to_vec(), value)?;
        Ok(lost.is_empty())
    }

    /// The rest of a run that others are based on, as it was and as it is now.
    fn rest_of_base(&self, source: &Source, base: u64) -> Result<(Vec<u8>, Vec<u8>)> {
        let missing = || Error::damaged(format!("its base, raw run {base}, is lost"));
        self.known.get(&base).filter(|base| !base.has_base).ok_or_else(missing)?;
        if let Some(changed) = self.changed.get(&base) {
            return Ok(changed.clone());
        }
        let value = source.get("raw_runs", &base.to_be_bytes()).ok_or_else(missing)?;
        let run = RawRun::parse(&value)?;
        let rest = decompress_rest(run.head.codec, run.body, run.head.rest_len, None)?;
        Ok((rest.clone(), rest))
    }
}

/// The records in which the cuts at these places stand; none if one stands in no record.
fn records_of(run: &RawRun<'_>, cuts: &[usize]) -> Result<Option<Vec<usize>>> {
    let records = run.records()?;
    let mut places = Vec::new();
    let mut at = 0u64;
    for (place, cut) in run.cuts()?.iter().enumerate() {
        let start = at + u64::from(cut.gap);
        at = start + u64::from(cut.len);
        if cuts.binary_search(&place).is_ok() {
            let behind = records.partition_point(|record| u64::from(record.start) <= start);
            let record = behind.checked_sub(1).filter(|record| {
                records.get(*record).is_some_and(|record| at <= u64::from(record.end()))
            });
            let Some(record) = record else { return Ok(None) };
            if places.last() != Some(&record) {
                places.push(record);
            }
        }
    }
    Ok(Some(places))
}

/// An error if the places of records and cuts contradict each other.
fn check_columns(run: &RawRun<'_>) -> Result<()> {
    let wrong = || Error::damaged("its records and cuts contradict each other");
    let mut end = 0u64;
    for record in run.records()? {
        if u64::from(record.start) < end || record.len == 0 {
            return Err(wrong());
        }
        end = u64::from(record.start) + u64::from(record.len);
    }
    let (mut gaps, mut cut) = (0u64, 0u64);
    for one in run.cuts()? {
        gaps += u64::from(one.gap);
        cut += u64::from(one.len);
    }
    let rest = u64::from(run.head.rest_len);
    let source = u64::from(run.head.source_len);
    if end > source || gaps > rest || rest + cut != source {
        return Err(wrong());
    }
    Ok(())
}
