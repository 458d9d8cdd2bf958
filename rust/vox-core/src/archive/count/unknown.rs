//! Reading and counting what isn't known.

use std::collections::HashMap;

use rayon::prelude::*;
use vox_store::cores;
use vox_tokens::kept::{ItemFacts, Kept};
use vox_types::{ContentHash, Result};

use super::{ItemTokens, Measure, NO_TEXT, known::Unknown};
use crate::{archive::Archive, chunks::Chunks};

/// Bytes that are read before they are counted; one item may be longer. Judgement.
const STEP: u64 = 16 << 20;
/// Bytes that one thread reads in one read transaction. Judgement.
const READ: u64 = 1 << 20;

impl Archive {
    /// Reads, counts and keeps what isn't known; what was found out of each item goes to `new`.
    pub(super) fn count_unknown(
        &self,
        unknown: &[Unknown],
        measure: &Measure<'_>,
        kept: Option<&Kept>,
        new: &mut Vec<(ItemFacts, u32)>,
        done: &mut ItemTokens,
    ) -> Result<bool> {
        // Copies are counted once.
        let mut first_of: HashMap<(ContentHash, bool), usize> = HashMap::new();
        let mut distinct: Vec<Unknown> = Vec::new();
        let same: Vec<usize> = unknown
            .iter()
            .map(|item| {
                *first_of.entry((item.hash, item.attachment)).or_insert_with(|| {
                    distinct.push(*item);
                    distinct.len() - 1
                })
            })
            .collect();
        let mut counts: Vec<Option<u32>> = Vec::with_capacity(distinct.len());
        let mut all_kept = true;
        for step in by_bytes(&distinct, STEP) {
            let parts: Vec<&[Unknown]> = by_bytes(step, READ).collect();
            let read = || parts.par_iter().map(|part| self.read(part)).collect::<Result<Vec<_>>>();
            let contents: Vec<Option<Vec<u8>>> = match parts.len() {
                1 => self.read(parts[0])?,
                _ => cores::on_all(read)??.into_iter().flatten().collect(),
            };
            // What isn't counted as text counts as the empty text first.
            let is_text =
                |item: &Unknown, bytes: &[u8]| !item.attachment || str::from_utf8(bytes).is_ok();
            let texts: Vec<&[u8]> = step
                .iter()
                .zip(&contents)
                .map(|(item, bytes)| match bytes {
                    Some(bytes) if is_text(item, bytes) => bytes.as_slice(),
                    _ => &[],
                })
                .collect();
            let counted = cores::on_all(|| (measure.count)(&texts))??;
            let here: Vec<Option<u32>> = step
                .iter()
                .zip(contents.iter().zip(counted))
                .map(|(item, (bytes, count))| {
                    let bytes = bytes.as_ref()?;
                    Some(if is_text(item, bytes) { count } else { NO_TEXT })
                })
                .collect();
            if let Some(kept) = kept {
                let of_contents: Vec<(ContentHash, u32)> = step
                    .iter()
                    .zip(&here)
                    .filter(|(item, _)| !item.attachment)
                    .filter_map(|(item, count)| Some((item.hash, (*count)?)))
                    .collect();
                all_kept &= kept.keep(&of_contents);
            }
            counts.extend(here);
        }
        for (item, first) in unknown.iter().zip(same) {
            match counts[first] {
                None => done.purged.push(item.place as u64),
                Some(NO_TEXT) => done.no_text.push(item.place as u64),
                Some(count) => done.tokens[item.place] = count,
            }
            new.extend(counts[first].map(|count| (item.facts, count)));
        }
        Ok(all_kept)
    }

    /// The bytes of `items`, checked against their hashes; none of one that was purged meanwhile.
    /// Found by the items' numbers, as blobs may have moved since.
    fn read(&self, items: &[Unknown]) -> Result<Vec<Option<Vec<u8>>>> {
        self.store.snapshot(|snapshot| {
            let mut blobs = snapshot.blobs();
            let mut chunks = Chunks::of(snapshot);
            items
                .iter()
                .map(|item| {
                    let (chunk, place) = chunks.at(item.facts.item)?;
                    if chunk.attributes_at(place).purged() {
                        return Ok(None);
                    }
                    Ok(Some(blobs.read(chunk.content_at(place))?.to_vec()))
                })
                .collect()
        })
    }
}

/// `items` in pieces of about `most` bytes.
fn by_bytes(items: &[Unknown], most: u64) -> impl Iterator<Item = &[Unknown]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let last = rest.iter().position(|item| {
            bytes += item.bytes;
            bytes >= most
        });
        let (piece, after) = rest.split_at(last.map_or(rest.len(), |last| last + 1));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
