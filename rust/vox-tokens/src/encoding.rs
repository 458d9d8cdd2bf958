//! What every kind of tokenizer offers.

use std::sync::Arc;

use crate::bound::Symbols;

/// Places looked at for one cut. Judgement: nearly every one will do; a text full of those that
/// won't is counted in one piece.
pub const CUTS_TRIED: usize = 64;

/// The first place that `cut` finds at or after `from` and that `fits`, which nearly every one
/// does.
pub fn first_cut(
    mut from: usize,
    cut: impl Fn(usize) -> Option<usize>,
    fits: impl Fn(usize) -> bool,
) -> Option<usize> {
    for _ in 0..CUTS_TRIED {
        let place = cut(from)?;
        if fits(place) {
            return Some(place);
        }
        from = place + 1;
    }
    None
}

/// How a tokenizer turns valid text into tokens. Shared by all threads.
pub trait Encoding: Send + Sync {
    /// What one thread needs of its own: buffers, and what it remembers of pieces it has seen.
    fn worker(self: Arc<Self>) -> Box<dyn Worker>;

    /// How many symbols a text is at most before anything merges: what a bound over a stream adds
    /// up. Called once for each bound, so what takes time to make is made once and cloned.
    fn symbols(&self) -> Symbols;

    /// A place at or after `from` where `bytes` may be cut: the tokens of both parts, one after the
    /// other, are those of the whole, whatever else stands in them. None if none is known.
    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let _ = (bytes, from);
        None
    }
}

/// One thread's use of an [`Encoding`]. What it remembers makes it faster, never different.
pub trait Worker: Send {
    /// How many tokens `text` is. May stop as soon as there are more than `limit`, and then
    /// answers any number above it that isn't above the true count.
    fn count(&mut self, text: &str, limit: u64) -> u64;

    /// The tokens themselves, appended to `ids`.
    fn encode(&mut self, text: &str, ids: &mut Vec<u32>);

    /// A bound on [`Worker::count`], never below it: a piece that is counted as one token (which a
    /// token that no merges lead to is not) counts 1, any other what [`crate::bound::Pairs`] says of
    /// its bytes, or its symbols before merging.
    fn tight_bound(&mut self, text: &str) -> u64;
}
