//! Counting with kept counts: what is known is looked up, the rest is counted and kept.

use vox_types::{ContentHash, Result};

use super::{Cache, Kept};
use crate::{
    Tokenizer,
    batch::{self, Lanes, lanes, share},
};

/// Bytes that are counted before their counts are kept: so much is counted again after a kill.
/// Judgement.
const STEP: usize = 64 << 20;

/// What a count came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counted {
    /// The tokens of each item.
    pub tokens: Vec<u32>,
    /// How many of the items needn't be counted, as their counts were kept.
    pub known: u64,
    /// Whether all counts are kept now.
    pub kept: bool,
}

impl Cache {
    /// How many tokens each of `items` is.
    pub fn count(&self, tokenizer: &Tokenizer, items: &[&[u8]], lanes: Lanes) -> Result<Counted> {
        let kept = self.of(tokenizer.fingerprint());
        let mut tokens = vec![0; items.len()];
        let mut missing = kept.missing(items, lanes, &mut tokens);
        let known = (items.len() - missing.len()) as u64;
        let mut all_kept = true;
        // Equal contents side by side.
        missing.sort_unstable_by_key(|(hash, item)| (hash.0, *item));
        let mut distinct: Vec<&[(ContentHash, usize)]> =
            missing.chunk_by(|a, b| a.0 == b.0).collect();
        distinct.sort_unstable_by_key(|same| same[0].1);
        let bytes_of = |same: &[(ContentHash, usize)]| items[same[0].1];
        for step in steps(&distinct, |same| bytes_of(same).len()) {
            let bytes: Vec<&[u8]> = step.iter().map(|same| bytes_of(same)).collect();
            let counts = batch::count(tokenizer, &bytes, lanes)?;
            for (same, count) in step.iter().zip(&counts) {
                same.iter().for_each(|(_, item)| tokens[*item] = *count);
            }
            let hashes = step.iter().map(|same| same[0].0);
            all_kept &= kept.keep(&hashes.zip(counts).collect::<Vec<_>>());
        }
        Ok(Counted { tokens, known, kept: all_kept })
    }
}

/// `all` in steps of about [`STEP`] bytes.
fn steps<T>(all: &[T], bytes: impl Fn(&T) -> usize) -> impl Iterator<Item = &[T]> {
    let mut rest = all;
    std::iter::from_fn(move || {
        let mut taken = 0;
        let over = rest.iter().position(|item| {
            taken += bytes(item);
            taken >= STEP
        });
        let (step, after) = rest.split_at(over.map_or(rest.len(), |last| last + 1));
        rest = after;
        (!step.is_empty()).then_some(step)
    })
}

impl Kept {
    /// Puts the counts that are known into `tokens`; gives hash and place of all other items.
    fn missing(
        &self,
        items: &[&[u8]],
        lanes: Lanes,
        tokens: &mut [u32],
    ) -> Vec<(ContentHash, usize)> {
        let shares = share::whole(items, lanes.number());
        let looked_up = lanes::run(
            shares,
            lanes,
            || (),
            |(), share| {
                let hashes: Vec<ContentHash> = share.of(items).map(ContentHash::of).collect();
                let mut found = Vec::with_capacity(hashes.len());
                self.find(&hashes, &mut found);
                (share.first, hashes, found)
            },
        );
        let mut missing = Vec::new();
        for (first, hashes, found) in looked_up {
            for (item, (hash, found)) in (first..).zip(hashes.into_iter().zip(found)) {
                match found {
                    Some(count) => tokens[item] = count,
                    None => missing.push((hash, item)),
                }
            }
        }
        missing
    }
}
