//! Pieces are cut some at a time, then looked up together: each at its own pace, and what lies
//! between them stays in the nearest cache.

use std::ops::ControlFlow;

use super::memory::Memory;
use crate::split::Splitter;

/// How many pieces are looked up at a time. Judgement: few enough that stopping at a limit is soon.
const BATCH: usize = 64;

/// Cuts `text`, and adds up what `memory` or else `look` says of each piece, until that is more than
/// `limit`.
#[inline(always)]
pub fn total(
    splitter: Splitter,
    text: &str,
    limit: u64,
    memory: &mut Memory,
    look: impl FnMut(&[u8]) -> usize,
) -> u64 {
    let mut batch = Batch {
        text: text.as_bytes(),
        limit,
        memory,
        look,
        ends: [0; BATCH],
        pieces: 0,
        start: 0,
        total: 0,
    };
    let start = text.as_ptr().addr();
    let stopped =
        splitter.for_each(text, |piece| batch.push(piece.as_ptr_range().end.addr() - start));
    if stopped.is_continue() {
        let _ = batch.look_up();
    }
    batch.total
}

/// Pieces that are cut and wait for being looked up.
struct Batch<'t, F> {
    text: &'t [u8],
    limit: u64,
    memory: &'t mut Memory,
    look: F,
    ends: [usize; BATCH],
    pieces: usize,
    /// Where the first of them starts.
    start: usize,
    total: u64,
}

impl<F: FnMut(&[u8]) -> usize> Batch<'_, F> {
    #[inline(always)]
    fn push(&mut self, end: usize) -> ControlFlow<()> {
        self.ends[self.pieces % BATCH] = end;
        self.pieces += 1;
        if self.pieces < BATCH { ControlFlow::Continue(()) } else { self.look_up() }
    }

    #[inline(never)]
    fn look_up(&mut self) -> ControlFlow<()> {
        for &end in &self.ends[..self.pieces] {
            self.total += self.memory.of(self.text, self.start, end, &mut self.look);
            self.start = end;
        }
        self.pieces = 0;
        if self.total > self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
