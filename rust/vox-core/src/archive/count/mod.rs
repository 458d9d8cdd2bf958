//! Tokens of items, counted inside the core: an item's bytes never leave it.
//!
//! Items are taken in blocks. What is kept of a block is looked up by the numbers of its items,
//! then by their contents; the rest is read, counted and kept. Whatever isn't kept, because a disk
//! is full or the archive was opened for reading only, is counted again the next time.

mod known;
mod unknown;

use std::sync::Arc;

use rayon::prelude::*;
use vox_store::{Snapshot, cores};
use vox_tokens::{
    Fingerprint,
    kept::{ItemFacts, Items, Kept, Stamp},
};
use vox_types::{ItemId, Result};

use self::known::{Known, by_content, look_up};
use super::{Archive, WindowView};
use crate::view;

/// Items that are looked up before any of them is counted. Judgement.
const BLOCK: usize = 1 << 16;
/// Items that one thread looks up in one read transaction. Judgement: some hundred microseconds.
const PART: usize = 1 << 12;
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

/// What is kept of a measure: counts by content, and by item.
struct Both {
    contents: Arc<Kept>,
    items: Arc<Items>,
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
