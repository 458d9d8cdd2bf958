//! Tokens of items, counted inside the core: an item's bytes never leave it.
//!
//! Items are taken in blocks. What is kept of a block is looked up by the numbers of its items,
//! then by their contents; the rest is read, counted and kept. Whatever isn't kept, because a disk
//! is full or the archive was opened for reading only, is counted again the next time.

use std::{collections::HashMap, sync::Arc};

use rayon::prelude::*;
use vox_format::chunk::Chunk;
use vox_store::{Snapshot, cores};
use vox_tokens::{
    Fingerprint,
    kept::{Column, ItemFacts, Items, Kept, Stamp},
};
use vox_types::{Code, ContentHash, Error, ItemId, ItemKind, Result};

use super::{Archive, WindowView};
use crate::view;

/// Items that are looked up before any of them is counted. Judgement.
const BLOCK: usize = 1 << 16;
/// Items that one thread looks up in one read transaction. Judgement: some hundred microseconds.
const PART: usize = 1 << 12;
/// Bytes that are read before they are counted; one item may be longer. Judgement.
const STEP: u64 = 16 << 20;
/// Bytes that one thread reads in one read transaction. Judgement.
const READ: u64 = 1 << 20;

/// What stands in the column for an attachment that is no text.
const NO_TEXT: u32 = u32::MAX;

/// What counting items came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemTokens {
    /// The tokens of each item, in the order asked for.
    pub tokens: Vec<u32>,
    /// Places of those that were purged; they count 0.
    pub purged: Vec<u64>,
    /// Places of attachments that are no text, such as images; they count 0 here, as what they
    /// cost depends on the provider.
    pub no_text: Vec<u64>,
    /// How many needn't be counted, as their counts were kept.
    pub known: u64,
    /// Whether all counts are kept now.
    pub kept: bool,
}

/// What items are counted by.
#[derive(Clone, Copy)]
pub struct Measure<'a> {
    /// What counts are kept under; none: they aren't kept.
    pub fingerprint: Option<Fingerprint>,
    /// How many tokens each text is. Runs on a rayon pool.
    pub count: &'a CountTexts<'a>,
}

/// Counts the tokens of each text.
pub type CountTexts<'a> = dyn Fn(&[&[u8]]) -> Result<Vec<u32>> + Sync + 'a;

/// What is known of an item before it is counted.
enum Known {
    Tokens(u32),
    NoText,
    Purged,
    /// Its count is kept for its content, but not yet for the item.
    ByContent(ItemFacts, u32),
    Nothing(Unknown),
}

/// What is kept of a measure: counts by content, and by item.
struct Both {
    contents: Arc<Kept>,
    items: Arc<Items>,
}

/// An item that has to be read.
#[derive(Clone, Copy)]
struct Unknown {
    place: usize,
    facts: ItemFacts,
    hash: ContentHash,
    bytes: u64,
    attachment: bool,
}

impl Archive {
    /// How many tokens each of `items` is. Reads only: no write transaction is begun.
    ///
    /// Errors: `not_found` for an item that there isn't; `damaged` for one whose bytes can't be
    /// read or don't have their hash.
    pub fn count_items(&self, items: &[ItemId], measure: &Measure<'_>) -> Result<ItemTokens> {
        let kept = match measure.fingerprint {
            Some(fingerprint) => {
                let contents = self.counts.of(fingerprint);
                let owner = self.store.snapshot(|snapshot| snapshot.archive_id())?;
                let items = contents.items(owner);
                Some(Both { contents, items })
            }
            None => None,
        };
        let mut done =
            ItemTokens { tokens: vec![0; items.len()], kept: true, ..Default::default() };
        // Neighbours in a run stand in one chunk and one page.
        let mut order: Vec<usize> = (0..items.len()).collect();
        if !items.is_sorted() {
            order.sort_by_key(|place| items[*place]);
        }
        for block in order.chunks(BLOCK) {
            self.count_block(items, block, measure, kept.as_ref(), &mut done)?;
        }
        done.purged.sort_unstable();
        done.no_text.sort_unstable();
        Ok(done)
    }

    /// The items at `count` positions of a view from `start` on.
    pub fn view_item_ids(
        &self,
        view: &mut WindowView,
        start: u64,
        count: u64,
    ) -> Result<Vec<ItemId>> {
        self.store.snapshot(|snapshot| {
            let ordinals = view.view.ordinals(snapshot, start, count)?;
            view::item_ids(snapshot, view.window, &ordinals)
        })
    }

    fn count_block(
        &self,
        items: &[ItemId],
        block: &[usize],
        measure: &Measure<'_>,
        kept: Option<&Both>,
        done: &mut ItemTokens,
    ) -> Result<()> {
        let column = match kept {
            Some(kept) => kept.items.read(|stamp| self.is_past(stamp))?,
            None => None,
        };
        let look_up = |part: &[usize]| {
            self.store.snapshot(|snapshot| {
                let mut known = look_up(snapshot, items, part, column.clone())?;
                if let Some(kept) = kept {
                    by_content(&mut known, &kept.contents);
                }
                Ok(known)
            })
        };
        let looked_up: Vec<Vec<Known>> = match block.len() {
            0..=PART => vec![look_up(block)?],
            _ => cores::on_all(|| block.par_chunks(PART).map(look_up).collect::<Result<_>>())??,
        };
        drop(column);
        let mut unknown = Vec::new();
        let mut new: Vec<(ItemFacts, u32)> = Vec::new();
        for (place, known) in block.iter().zip(looked_up.into_iter().flatten()) {
            match known {
                Known::Tokens(count) => done.tokens[*place] = count,
                Known::NoText => done.no_text.push(*place as u64),
                Known::Purged => done.purged.push(*place as u64),
                Known::ByContent(facts, count) => {
                    done.tokens[*place] = count;
                    new.push((facts, count));
                }
                Known::Nothing(item) => {
                    unknown.push(item);
                    continue;
                }
            }
            done.known += 1;
        }
        if !unknown.is_empty() {
            let kept = kept.map(|kept| &*kept.contents);
            done.kept &= self.count_unknown(&unknown, measure, kept, &mut new, done)?;
        }
        if !new.is_empty() {
            done.kept &= match (kept, self.stamp()?) {
                (Some(kept), Some(stamp)) => {
                    kept.items.keep(&stamp, |stamp| self.is_past(stamp), &mut new)?
                }
                _ => false,
            };
        }
        Ok(())
    }

    /// Reads, counts and keeps what isn't known; what was found out of each item goes to `new`.
    fn count_unknown(
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
            let mut chunks = Chunks { snapshot, open: None };
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

    /// The last event there is now.
    fn stamp(&self) -> Result<Option<Stamp>> {
        self.store.snapshot(|snapshot| match snapshot.last_event()? {
            Some(sequence) => Ok(stamp_of(snapshot, sequence)?),
            None => Ok(None),
        })
    }

    /// Whether the archive has the event that `stamp` names.
    fn is_past(&self, stamp: &Stamp) -> Result<bool> {
        self.store.snapshot(|snapshot| Ok(stamp_of(snapshot, stamp.sequence)? == Some(*stamp)))
    }
}

fn stamp_of(snapshot: &Snapshot<'_>, sequence: u64) -> Result<Option<Stamp>> {
    Ok(snapshot.event_hash(sequence)?.and_then(|hash| {
        let proof = *hash.0.first_chunk()?;
        Some(Stamp { sequence, proof })
    }))
}

/// What is known, by their numbers, of the items at the places `part`, in their order.
fn look_up(
    snapshot: &Snapshot<'_>,
    items: &[ItemId],
    part: &[usize],
    mut column: Option<Column<'_>>,
) -> Result<Vec<Known>> {
    let mut chunks = Chunks { snapshot, open: None };
    let mut known = Vec::with_capacity(part.len());
    for &place in part {
        let item = items[place];
        let (chunk, index) = chunks.at(item)?;
        let attributes = chunk.attributes_at(index);
        if attributes.purged() {
            known.push(Known::Purged);
            continue;
        }
        let bytes = chunk.byte_len().get(index);
        let facts = ItemFacts { item, row: bytes ^ chunk.created_at().get(index).rotate_left(32) };
        known.push(match column.as_mut().and_then(|column| column.get(&facts)) {
            Some(NO_TEXT) => Known::NoText,
            Some(count) => Known::Tokens(count),
            None => Known::Nothing(Unknown {
                place,
                facts,
                hash: snapshot.content_hash(chunk.content_at(index))?,
                bytes,
                attachment: attributes.kind()? == ItemKind::Attachment,
            }),
        });
    }
    Ok(known)
}

/// Looks up by their contents what isn't known by the items' numbers. Attachments aren't: whether
/// one is text isn't kept there.
fn by_content(known: &mut [Known], kept: &Kept) {
    let mut asked: Vec<(&mut Known, Unknown)> = known
        .iter_mut()
        .filter_map(|known| match known {
            Known::Nothing(item) if !item.attachment => {
                let item = *item;
                Some((known, item))
            }
            _ => None,
        })
        .collect();
    let hashes: Vec<ContentHash> = asked.iter().map(|(_, item)| item.hash).collect();
    let mut found = Vec::with_capacity(hashes.len());
    kept.find(&hashes, &mut found);
    for ((known, item), found) in asked.iter_mut().zip(found) {
        if let Some(count) = found {
            **known = Known::ByContent(item.facts, count);
        }
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

/// The chunk that was read last: the next item most often stands in it too.
struct Chunks<'s, 't> {
    snapshot: &'s Snapshot<'t>,
    open: Option<(u32, u32, Chunk<'t>)>,
}

impl<'t> Chunks<'_, 't> {
    /// The chunk that holds `item`, and its place there.
    fn at(&mut self, item: ItemId) -> Result<(&Chunk<'t>, usize)> {
        let holds = |(run, first, chunk): &(u32, u32, Chunk<'t>)| {
            let place = item.position().checked_sub(*first)? as usize;
            (*run == item.run() && place < chunk.len()).then_some(place)
        };
        let missing = || Error::new(Code::NotFound, format!("there is no item {item}"));
        if self.open.as_ref().and_then(holds).is_none() {
            let found = self.snapshot.chunk(item.run(), item.position())?;
            let (first, bytes) = found.ok_or_else(missing)?;
            self.open = Some((item.run(), first, Chunk::parse(bytes)?));
        }
        let open = self.open.as_ref().ok_or_else(missing)?;
        let place = holds(open).ok_or_else(missing)?;
        Ok((&open.2, place))
    }
}
