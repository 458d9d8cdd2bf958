//! Runs item by item: order, chains, lengths, references and previews.

use vox_format::{
    chunk::{Chunk, MAX_ITEMS},
    keys,
    preview_blocks::Texts,
};
use vox_types::{BlobRef, ChainHash, ItemId, ItemKind, Rest, RunNo};

use super::{
    blobs::Blobs,
    bodies::{self, preview_digest},
    image::Image,
    items::{Items, Tallies, Tally},
    raw::RawRuns,
    report::{Finding, Kind, Reporter},
    runs::Runs,
    symbols::Symbols,
};

/// Bits of an item's attributes that mean something.
const ATTRIBUTE_BITS: u64 = 0x7ff;

/// A walk over all chunks.
pub(super) struct Walk<'a, 'f> {
    pub image: &'a Image<'f>,
    pub blobs: &'a mut Blobs,
    pub raw_runs: &'a RawRuns,
    pub symbols: &'a Symbols,
    pub runs: &'a mut Runs,
    pub tallies: &'a mut Tallies,
    pub items: Items,
    /// Where the walk is.
    pub at: Option<Place>,
}

/// The end of what was read of a run.
pub(super) struct Place {
    run: RunNo,
    /// The position that comes next, if that is known.
    next: Option<u64>,
    /// The chain of the last item that isn't a side item, if that is known.
    chain: Option<ChainHash>,
    bytes: u64,
    tokens: u64,
    records: u64,
    /// Whether everything from the run's start on could be read.
    whole: bool,
}

impl Place {
    fn start(run: RunNo) -> Self {
        Self { run, next: Some(0), chain: None, bytes: 0, tokens: 0, records: 0, whole: true }
    }

    fn tally(&self) -> Option<Tally> {
        let chain = self.chain.filter(|_| self.whole)?;
        let Self { bytes, tokens, records, .. } = *self;
        Some(Tally { chain, bytes, tokens, records })
    }

    fn lose(&mut self) {
        self.next = None;
        self.chain = None;
        self.whole = false;
    }
}

impl Walk<'_, '_> {
    /// Walks over all chunks; gives what is remembered of the items.
    pub fn run(mut self, report: &mut Reporter) -> Items {
        let image = self.image;
        image.rows("chunks", report, |report, key, value| self.chunk(report, key, &value));
        if let Some(last) = self.at.take() {
            self.end_run(report, &last);
        }
        for run in self.runs.0.iter().filter(|run| !run.has_chunks && run.len > 0) {
            let message = format!("run {} has no chunk of its {} items", run.no, run.len);
            let key = keys::pair(run.no, 0);
            report.add(Finding::new("chunks", Kind::Missing, message).key(&key));
            report.incomplete("chunks");
        }
        report.count("items", self.items.len() as u64);
        self.items
    }

    fn chunk(&mut self, report: &mut Reporter, key: &[u8], value: &[u8]) {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("chunks", kind, message).key(key));
        };
        let Some((run, first)) = keys::split_pair(key) else {
            return fault(Kind::Malformed, "the key is no place in a run".into());
        };
        let chunk = match Chunk::parse(value) {
            Ok(chunk) if chunk.is_empty() => {
                fault(Kind::Malformed, "the chunk is empty".into());
                None
            }
            Ok(chunk) => Some(chunk),
            Err(error) => {
                fault(Kind::Malformed, error.message);
                None
            }
        };
        if value.get(1).is_some_and(|reserved| *reserved != 0) {
            fault(Kind::Malformed, "the reserved byte of a chunk isn't 0".into());
        }
        let mut place = self.enter(report, key, run);
        if let Some(chunk) = chunk {
            self.check_place(report, key, &mut place, first, &chunk);
            self.check_items(report, key, &mut place, first, &chunk);
        } else {
            place.lose();
        }
        self.at = Some(place);
    }

    /// Goes on in `run`, or starts it and ends the one before.
    fn enter(&mut self, report: &mut Reporter, key: &[u8], run: RunNo) -> Place {
        match self.at.take() {
            Some(place) if place.run == run => return place,
            Some(before) => self.end_run(report, &before),
            None => {}
        }
        match self.runs.place(run).and_then(|place| self.runs.0.get_mut(place)) {
            Some(run) => run.has_chunks = true,
            None => {
                let message = format!("run {run} isn't there");
                report.add(Finding::new("chunks", Kind::Dangling, message).key(key));
            }
        }
        Place::start(run)
    }

    fn end_run(&mut self, report: &mut Reporter, end: &Place) {
        let Some(next) = end.next else { return };
        if let Ok(next) = u32::try_from(next) {
            self.tallies.fill(ItemId::new(end.run, next).0, || end.tally());
        }
        let Some(run) = self.runs.get(end.run) else { return };
        let key = end.run.to_be_bytes();
        if u64::from(run.len) != next {
            let message = format!("the run should have {} items, but has {next}", run.len);
            report.add(Finding::new("runs", Kind::Count, message).key(&key));
        }
        if end.chain.is_some_and(|chain| chain != run.chain) {
            let message = "its chain isn't that of its last item".to_owned();
            report.add(Finding::new("runs", Kind::Chain, message).key(&key));
        }
    }

    fn check_place(
        &self,
        report: &mut Reporter,
        key: &[u8],
        place: &mut Place,
        first: u32,
        chunk: &Chunk<'_>,
    ) {
        let mut fault = |kind, message: String| {
            report.add(Finding::new("chunks", kind, message).key(key));
        };
        let first = u64::from(first);
        if place.next != Some(first) {
            place.whole = false;
            place.chain = None;
        }
        if let Some(next) = place.next.filter(|next| *next != first) {
            fault(Kind::Order, format!("position {next} should come next, not {first}"));
        }
        let end = first + chunk.len() as u64;
        let len = self.runs.get(place.run).map_or(0, |run| run.len.into());
        if chunk.len() < MAX_ITEMS && end < len {
            let message = format!("it has {} items and isn't the run's last", chunk.len());
            fault(Kind::Count, message);
        }
        if place.chain.is_some_and(|chain| chain != chunk.chain_before()) {
            let message = "the chain before it isn't that of the item before it";
            fault(Kind::Chain, message.into());
        }
        place.chain = Some(chunk.chain_before());
        place.next = Some(end);
    }

    fn check_items(
        &mut self,
        report: &mut Reporter,
        key: &[u8],
        place: &mut Place,
        first: u32,
        chunk: &Chunk<'_>,
    ) {
        let mut previews = Texts::with_capacity(chunk.len());
        if let Err(error) = chunk.previews(0..chunk.len(), &mut previews) {
            report.add(Finding::new("chunks", Kind::Malformed, error.message).key(key));
            previews = Texts::default();
        }
        let mut prefixes = Vec::with_capacity(chunk.len());
        for index in 0..chunk.len() {
            let Some(position) = first.checked_add(index as u32) else { break };
            let item = ItemId::new(place.run, position);
            self.tallies.fill(item.0, || place.tally());
            let mut fault = |kind, message: String| {
                let message = format!("item {item}: {message}");
                report.add(Finding::new("chunks", kind, message).key(key));
            };
            self.check_columns(&mut fault, chunk, index, previews.get(index));
            let chain = self.chain(place.chain, chunk, index);
            if chain.is_none() {
                report.incomplete("chunks");
            }
            prefixes.push(chain.map_or(0, |chain| chain.prefix()));
            if !chunk.attributes_at(index).side() {
                place.chain = chain;
            }
            place.bytes = place.bytes.saturating_add(chunk.byte_len().get(index));
            if matches!(chunk.attributes_at(index).kind(), Ok(ItemKind::Record)) {
                place.records += 1;
            }
            place.tokens = place.tokens.saturating_add(chunk.token_estimate().get(index));
        }
        self.items.add(ItemId::new(place.run, first), &prefixes);
    }

    fn chain(
        &mut self,
        parent: Option<ChainHash>,
        chunk: &Chunk<'_>,
        index: usize,
    ) -> Option<ChainHash> {
        let attributes = chunk.attributes_at(index);
        let kind = attributes.kind().ok()?;
        let blob = self.blobs.slots.find(chunk.content_at(index))?;
        let content = self.blobs.hashes.get(self.image, &self.blobs.slots, blob)?;
        Some(parent?.child(attributes.role(), kind, &content))
    }

    fn check_columns(
        &mut self,
        fault: &mut impl FnMut(Kind, String),
        chunk: &Chunk<'_>,
        index: usize,
        preview: Option<&str>,
    ) {
        let raw = chunk.attributes().get(index);
        let attributes = chunk.attributes_at(index);
        let known = attributes.kind().and(attributes.fidelity().map(drop));
        if raw & !ATTRIBUTE_BITS != 0 || known.is_err() {
            fault(Kind::Malformed, format!("its attributes are {raw:#x}"));
        }
        let length = chunk.byte_len().get(index);
        let purged = attributes.purged();
        if purged
            && (chunk.rest_at(index).is_some() || preview.is_some_and(|text| !text.is_empty()))
        {
            fault(Kind::Differs, "it was purged, but has a preview or a record".into());
        }
        if let Some(slot) = self.refer(fault, "content", chunk.content_at(index), !purged) {
            let slot = self.blobs.slots.get(slot).copied().unwrap_or_default();
            if u64::from(slot.raw_len) != length {
                let message =
                    format!("its length is {length}, but its content has {}", slot.raw_len);
                fault(Kind::Differs, message);
            }
            if let Some(preview) = preview
                && !purged
                && slot.preview != 0
                && slot.preview != preview_digest(preview.as_bytes())
                && !is_binary_preview(preview, length)
            {
                fault(Kind::Preview, format!("its preview is {preview:?}, not its start"));
            }
        }
        match chunk.rest_at(index) {
            Some(Rest::Extra(extra)) => drop(self.refer(fault, "extra", extra, true)),
            Some(Rest::Record(record)) if !self.raw_runs.has(record) => {
                let (run, place) = (record.run(), record.index());
                let message =
                    format!("it comes from record {place} of raw run {run}, which isn't there");
                fault(Kind::Dangling, message);
            }
            _ => {}
        }
        let name = chunk.name().get(index);
        if !self.symbols.has(name) {
            fault(Kind::Dangling, format!("its name is symbol {name}, which isn't there"));
        }
        let tokens = chunk.token_estimate().get(index);
        if tokens > u32::MAX.into() {
            fault(Kind::Malformed, format!("its token estimate is {tokens}"));
        }
        let call = chunk.call().get(index);
        if call > u32::MAX.into() {
            fault(Kind::Malformed, format!("its call is {call}"));
        }
    }

    /// Counts a place that names `blob`, unless it names it for its hash only; gives the place of
    /// the blob.
    fn refer(
        &mut self,
        fault: &mut impl FnMut(Kind, String),
        what: &str,
        blob: BlobRef,
        counts: bool,
    ) -> Option<usize> {
        let place = self.blobs.slots.find(blob);
        match place.and_then(|place| self.blobs.slots.get_mut(place)) {
            Some(_) if !counts => {}
            Some(slot) if slot.gone => {
                let name = bodies::name(blob);
                fault(Kind::Dangling, format!("its {what} is blob {name}, whose content is gone"));
            }
            Some(slot) => slot.references = slot.references.saturating_add(1),
            None => {
                let name = bodies::name(blob);
                fault(Kind::Dangling, format!("its {what} is blob {name}, which isn't there"));
            }
        }
        place
    }
}

/// Whether `preview` is that of an item of `length` bytes that isn't text.
pub(crate) fn is_binary_preview(preview: &str, length: u64) -> bool {
    preview.starts_with('[') && preview.ends_with(&format!(", {length} bytes]"))
}
