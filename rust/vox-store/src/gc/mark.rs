//! What is in use: every place that keeps a blob is looked at, and counted.
//!
//! The roots are the rows of items (through their chunks), raw runs, quarantined stretches, names,
//! the rows of producers and holds. A tombstone keeps a slot's hash, never its content.
//!
//! The walk reads short transactions while writers go on. What they add meanwhile is either newer
//! than the walk or counted in the index, which is looked at again when a blob is to go. Where the
//! count of rows and that of the index differ after writes, the walk is repeated with the write
//! lock held, which decides.

use std::collections::HashSet;

use vox_format::{
    chunk::Chunk,
    cursor::u32_at,
    keys,
    leaf::Leaf,
    name::Target,
    raw::RawRun,
    rows::{self, QuarantineRow},
    segment::GONE,
};
use vox_types::{BlobRef, Code, Error, ItemId, Rest, Result};

use super::{
    places::{Bits, Places},
    steps::Source,
};
use crate::{
    blobs,
    env::Generation,
    fault::{Fallible, Fault},
    index::HashIndex,
    producers,
    raw::{self, FileStretch},
    tables::Tables,
};

/// What the walk knows of each blob: eight bytes and a bit, beside those of [`Places`]; and of raw
/// runs, those that nothing names.
pub(crate) struct Marks {
    pub places: Places,
    /// Places that refer to it, less what the index counts.
    difference: Vec<i32>,
    /// Holds, as the index counts them.
    holds: Vec<i32>,
    /// Whether a row or a name refers to it.
    used: Bits,
    /// Raw runs that neither an item nor a file names.
    pub unnamed_runs: HashSet<u64>,
    /// Items that were looked at.
    pub items: u64,
    /// Entries of the index whose blob is gone: a collection was interrupted.
    pub leftovers: u64,
}

/// Walks over the archive.
///
/// Errors: `damaged` if something refers to a blob that isn't there, or the index counts
/// other than there is.
pub(crate) fn mark(generation: &Generation) -> Result<Marks> {
    let steps = Source::Steps(generation);
    let version = || steps.step(|txn| Ok(txn.id()));
    let before = version()?;
    match Marks::read(steps) {
        Err(error) if error.code == Code::Damaged && version()? != before => {
            generation.write(|txn| Marks::read(Source::Held(generation, txn)).map_err(Fault::Vox))
        }
        marks => marks,
    }
}

impl Marks {
    fn read(source: Source<'_>) -> Result<Self> {
        let places = Places::read(source)?;
        let len = places.len();
        let mut marks = Self {
            places,
            difference: vec![0; len],
            holds: vec![0; len],
            used: Bits::of(len),
            unnamed_runs: HashSet::new(),
            items: 0,
            leftovers: 0,
        };
        let tables = source.generation().tables;
        marks.index(source)?;
        source.rows(tables.raw_runs, |txn, key, value| {
            let run = raw::number_of(key)?;
            marks.unnamed_runs.insert(run);
            for blob in RawRun::parse(value)?.references()? {
                marks.refer(&tables, txn, blob, || format!("raw run {run}"))?;
            }
            Ok(())
        })?;
        // Behind the runs: what names one came with it or later.
        source.rows(tables.chunks, |txn, key, value| marks.chunk(&tables, txn, key, value))?;
        source.rows(tables.raw_files, |_, key, value| {
            marks.unnamed_runs.remove(&FileStretch::decode(key, value)?.row.run);
            Ok(())
        })?;
        source.rows(tables.quarantine, |txn, key, value| {
            let row: QuarantineRow = rows::decode(value, "a quarantined stretch")?;
            let Some(blob) = row.blob else { return Ok(()) };
            let offset = key.get(16..24).and_then(|offset| offset.try_into().ok());
            let offset = offset.map_or(0, u64::from_be_bytes);
            let who = || format!("a stretch that was set aside at byte {offset} of its source");
            marks.refer(&tables, txn, BlobRef(blob), who)
        })?;
        for (table, named) in producers::named(&tables) {
            source.rows(table, |txn, key, value| {
                for kept in named(key, value)?.into_iter().filter(|kept| !kept.purged) {
                    let finder = HashIndex::of_blobs(&tables).finder(txn)?;
                    let found = blobs::find(&tables, &finder, txn, &kept.hash)?;
                    let who = || format!("a producer's row that names {:?}", kept.hash);
                    let nowhere = BlobRef(u64::MAX);
                    let blob = found.map_or(nowhere, |entry| BlobRef(entry.payload));
                    marks.refer(&tables, txn, blob, who)?;
                }
                Ok(())
            })?;
        }
        source.rows(tables.names, |txn, key, value| {
            let Target::Blob(blob) = Target::decode(value)? else { return Ok(()) };
            let who = || format!("the name {:?}", String::from_utf8_lossy(key));
            marks.is_there(&tables, txn, blob, who)?;
            if let Some(place) = marks.places.find(blob) {
                marks.used.set(place);
            }
            Ok(())
        })?;
        marks.compare(source)?;
        Ok(marks)
    }

    /// Whether the blob at `place` has content that nothing uses.
    pub fn is_unused(&self, place: usize) -> bool {
        !self.used.has(place) && !self.places.gone.has(place) && self.holds.get(place) == Some(&0)
    }

    fn index(&mut self, source: Source<'_>) -> Result<()> {
        let tables = &source.generation().tables;
        source.rows(tables.blob_recent, |_, key, value| {
            let Some((_, payload)) = keys::split_wide_pair(key).filter(|_| value.len() == 8) else {
                return Err(Error::damaged("a row of blob_recent is no entry of an index").into());
            };
            let word = |i| u32_at(value, i) as i32;
            self.entry(payload, word(0).into(), word(1).into());
            Ok(())
        })?;
        source.rows(tables.blob_levels, |_, _, value| {
            for entry in Leaf::parse(value)?.entries() {
                self.entry(entry.payload, entry.references, entry.holds);
            }
            Ok(())
        })
    }

    fn entry(&mut self, payload: u64, references: i64, holds: i64) {
        let Some(place) = self.places.find(BlobRef(payload)) else { return };
        if self.places.gone.has(place) {
            self.leftovers += 1;
            return;
        }
        let narrow = |sum: i64| sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let difference = &mut self.difference[place];
        *difference = narrow(i64::from(*difference) - references);
        let held = &mut self.holds[place];
        *held = narrow(i64::from(*held) + holds);
    }

    fn chunk(
        &mut self,
        tables: &Tables,
        txn: &heed::RoTxn<'_>,
        key: &[u8],
        value: &[u8],
    ) -> Fallible<()> {
        let damaged = || Error::damaged("a key of chunks isn't 8 bytes long");
        let (run, first) = keys::split_pair(key).ok_or_else(damaged)?;
        let chunk = Chunk::parse(value)?;
        for place in 0..chunk.len() {
            let item = ItemId::new(run, first + place as u32);
            let who = || format!("item {item}");
            let rest = chunk.rest_at(place);
            if let Some(Rest::Record(record)) = rest {
                self.unnamed_runs.remove(&record.run());
            }
            if chunk.attributes_at(place).purged() {
                continue;
            }
            self.refer(tables, txn, chunk.content_at(place), who)?;
            if let Some(Rest::Extra(extra)) = rest {
                self.refer(tables, txn, extra, who)?;
            }
        }
        self.items += chunk.len() as u64;
        Ok(())
    }

    /// Counts a place that refers to `blob`; `who` names it.
    fn refer(
        &mut self,
        tables: &Tables,
        txn: &heed::RoTxn<'_>,
        blob: BlobRef,
        who: impl Fn() -> String,
    ) -> Fallible<()> {
        match self.places.find(blob).filter(|place| !self.places.gone.has(*place)) {
            Some(place) => {
                self.difference[place] = self.difference[place].saturating_add(1);
                self.used.set(place);
                Ok(())
            }
            None => self.is_there(tables, txn, blob, who),
        }
    }

    /// An error unless `blob` has content.
    fn is_there(
        &self,
        tables: &Tables,
        txn: &heed::RoTxn<'_>,
        blob: BlobRef,
        who: impl Fn() -> String,
    ) -> Fallible<()> {
        let there = match blobs::group_at(tables, txn, blob) {
            Ok((group, slot)) => slot < group.len() && group.codec(slot) != GONE,
            Err(Fault::Vox(_)) => false,
            Err(fault) => return Err(fault),
        };
        if there {
            return Ok(());
        }
        Err(Error::damaged(format!(
            "{} refers to blob {}, which has no content; nothing is collected before that is \
             cleared up (see `vox archive verify`)",
            who(),
            name(blob)
        ))
        .into())
    }

    /// An error if the index counts other than the walk did.
    fn compare(&self, source: Source<'_>) -> Result<()> {
        let differs = |place: &usize| self.difference[*place] != 0 || self.holds[*place] < 0;
        let Some(place) = (0..self.places.len()).find(differs) else { return Ok(()) };
        let blob = self.places.blob(place);
        let (difference, holds) = (self.difference[place], self.holds[place]);
        let sentence = match difference {
            0 => format!("the index counts {holds} holds"),
            _ => format!(
                "rows refer to it {} times {} than the index counts",
                difference.unsigned_abs(),
                if difference > 0 { "more" } else { "less" }
            ),
        };
        let archive = source.generation().archive().display();
        Err(Error::damaged(format!(
            "{archive}: blob {}: {sentence}; nothing is collected before `vox archive verify \
             --repair` has put that right",
            name(blob)
        )))
    }
}

/// How a blob is written in messages.
fn name(blob: BlobRef) -> String {
    format!("{}:{}", blob.segment(), blob.slot())
}
