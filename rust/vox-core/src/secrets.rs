//! Secrets of items: where they stand, and texts without them.
//!
//! What was scanned before is kept in the archive ([`vox_store::secrets`]); anything else is
//! scanned when it is asked for, so no masking depends on what is kept.

use vox_format::{chunk::Chunk, preview::preview};
use vox_secrets::{Masked, Scanner, Span};
use vox_store::{
    Snapshot,
    secrets::{KeptSpan, Scanned},
};
use vox_types::{BlobRef, Code, Error, ItemId, ItemKind, Result};

use crate::archive::Archive;

/// How much of an unknown item is scanned for its preview: far more than any preview shows, and a
/// secret that begins in it. Judgement.
const START: usize = 64 << 10;

/// Where the secrets of `text` are, the bytes of `blob`: as they are kept, or scanned now.
pub fn spans_of(snapshot: &Snapshot<'_>, blob: BlobRef, text: &[u8]) -> Result<Vec<Span>> {
    let scanner = Scanner::standard()?;
    Ok(match kept(snapshot, blob)? {
        Some(spans) => spans,
        None => scanner.spans(text),
    })
}

/// `text`, the bytes of `blob`, with its secrets masked.
pub fn masked_text<'t>(
    snapshot: &Snapshot<'_>,
    blob: BlobRef,
    text: &'t [u8],
) -> Result<Masked<'t>> {
    let rules = Scanner::standard()?.rules();
    Ok(Masked::new(text, &spans_of(snapshot, blob, text)?, rules))
}

/// `text`, of which nothing is kept, such as a title, with its secrets masked.
pub fn masked_line(text: &str) -> Result<String> {
    let scanner = Scanner::standard()?;
    let spans = scanner.spans(text.as_bytes());
    let masked = Masked::new(text.as_bytes(), &spans, scanner.rules());
    // Spans begin and end at characters.
    Ok(String::from_utf8_lossy(&masked.text).into_owned())
}

fn kept(snapshot: &Snapshot<'_>, blob: BlobRef) -> Result<Option<Vec<Span>>> {
    let version = Scanner::standard()?.rules().version();
    let kept = snapshot.secret_spans(version, blob)?;
    let span = |kept: KeptSpan| Span {
        start: kept.start as usize,
        end: kept.end as usize,
        rule: kept.rule,
    };
    Ok(kept.map(|spans| spans.into_iter().map(span).collect()))
}

impl Archive {
    /// Scans what isn't known yet and keeps what is found; `goes_on` is asked between the steps,
    /// each of which is durable. Gives sums over all of them.
    pub fn scan_secrets(
        &self,
        mut goes_on: impl FnMut(&Scanned) -> Result<bool>,
    ) -> Result<Scanned> {
        let scanner = Scanner::standard()?;
        let scan = |text: &[u8]| {
            let kept = |span: Span| KeptSpan {
                start: span.start as u32,
                end: span.end as u32,
                rule: span.rule,
            };
            scanner.spans(text).into_iter().map(kept).collect()
        };
        let mut all = Scanned::default();
        loop {
            let step = self.store().scan_secrets(scanner.rules().version(), &scan)?;
            all.blobs += step.blobs;
            all.bytes += step.bytes;
            all.found += step.found;
            all.done = step.done;
            if all.done || !goes_on(&all)? {
                return Ok(all);
            }
        }
    }

    /// The item's secrets: start, end and the name of the rule of each, in order.
    ///
    /// Errors: `not_found`, `purged`, `damaged`.
    pub fn item_secrets(&self, item: ItemId) -> Result<Vec<(usize, usize, &'static str)>> {
        let rules = Scanner::standard()?.rules();
        self.store().snapshot(|snapshot| {
            let Some((blob, _)) = place(snapshot, item)? else { return Err(purged(item)) };
            let spans = match kept(snapshot, blob)? {
                Some(spans) => spans,
                None => spans_of(snapshot, blob, &snapshot.blob(blob)?)?,
            };
            Ok(spans.iter().map(|span| (span.start, span.end, rules.id(span.rule))).collect())
        })
    }

    /// The item's bytes with its secrets masked; none if it has none.
    ///
    /// Errors: `not_found`, `purged`, `damaged`.
    pub fn masked_item(&self, item: ItemId) -> Result<Option<Vec<u8>>> {
        self.store().snapshot(|snapshot| {
            let Some((blob, _)) = place(snapshot, item)? else { return Err(purged(item)) };
            if kept(snapshot, blob)?.is_some_and(|spans| spans.is_empty()) {
                return Ok(None);
            }
            masked(snapshot, blob, usize::MAX)
        })
    }

    /// For each of `items` how it begins with its secrets masked; none if its own preview has none.
    ///
    /// Errors: `not_found`, `damaged`.
    pub fn masked_previews(&self, items: &[ItemId]) -> Result<Vec<Option<String>>> {
        self.store().snapshot(|snapshot| {
            items
                .iter()
                .map(|item| {
                    let Some((blob, text)) = place(snapshot, *item)? else { return Ok(None) };
                    if !text || kept(snapshot, blob)?.is_some_and(|spans| spans.is_empty()) {
                        return Ok(None);
                    }
                    Ok(masked(snapshot, blob, START)?.map(|text| preview(&text)))
                })
                .collect()
        })
    }
}

/// The first `most` bytes of `blob` with their secrets masked; none if they have none.
fn masked(snapshot: &Snapshot<'_>, blob: BlobRef, most: usize) -> Result<Option<Vec<u8>>> {
    let text = snapshot.blob(blob)?;
    let scanner = Scanner::standard()?;
    let start = &text[..text.len().min(most)];
    let spans = match kept(snapshot, blob)? {
        Some(spans) => spans.into_iter().filter(|span| span.start < start.len()).collect(),
        None => scanner.spans(start),
    };
    if spans.is_empty() {
        return Ok(None);
    }
    Ok(Some(Masked::new(start, &spans, scanner.rules()).text.into_owned()))
}

/// The blob of an item and whether it is shown as text; none if it was purged.
fn place(snapshot: &Snapshot<'_>, item: ItemId) -> Result<Option<(BlobRef, bool)>> {
    let missing = || Error::new(Code::NotFound, format!("there is no item {item}"));
    let (first, chunk) = snapshot.chunk(item.run(), item.position())?.ok_or_else(missing)?;
    let chunk = Chunk::parse(chunk)?;
    let place = (item.position() - first) as usize;
    if place >= chunk.len() {
        return Err(missing());
    }
    let attributes = chunk.attributes_at(place);
    if attributes.purged() {
        return Ok(None);
    }
    let text = attributes.kind()? != ItemKind::Attachment;
    Ok(Some((chunk.content_at(place), text)))
}

fn purged(item: ItemId) -> Error {
    Error::new(Code::Purged, format!("item {item} was purged; only its hash is left"))
}
