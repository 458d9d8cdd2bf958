//! The fast way: text cut by a hand-written splitter, pieces counted as bytes.

mod memory;

use std::{
    borrow::Cow,
    ops::ControlFlow,
    sync::{Arc, OnceLock},
};

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use self::memory::Memory;
use crate::{
    Encoding, Worker,
    bound::{Form, Pairs, Symbols},
    bpe::{Bpe, Scratch, Vocabulary},
    split::Splitter,
};

/// What happens to text before it is cut.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Normal {
    /// Nothing.
    None,
    /// Normalization form C.
    C,
}

/// Byte-level byte-pair encoding. Its vocabulary has all 256 bytes.
pub struct ByteLevel {
    normal: Normal,
    splitter: Splitter,
    vocabulary: Vocabulary,
    symbols: OnceLock<Symbols>,
    pairs: OnceLock<Pairs>,
}

impl ByteLevel {
    /// Normalises, cuts and merges, in this order.
    pub fn new(normal: Normal, splitter: Splitter, vocabulary: Vocabulary) -> Self {
        Self { normal, splitter, vocabulary, symbols: OnceLock::new(), pairs: OnceLock::new() }
    }

    /// Which bytes merge; asked for when a bound is.
    fn pairs(&self) -> &Pairs {
        self.pairs.get_or_init(|| {
            let bpe = Bpe::new(&self.vocabulary);
            Pairs::new(|first, second| bpe.merges(&[first], &[second]))
        })
    }

    fn normalised<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.normal {
            Normal::C if !text.is_ascii() && is_nfc_quick(text.chars()) != IsNormalized::Yes => {
                Cow::Owned(text.nfc().collect())
            }
            Normal::None | Normal::C => Cow::Borrowed(text),
        }
    }
}

impl Encoding for ByteLevel {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(ByteLevelWorker {
            encoding: self,
            scratch: Scratch::default(),
            counts: Memory::default(),
            bounds: Memory::default(),
        })
    }

    fn symbols(&self) -> Symbols {
        let symbols = || match self.normal {
            Normal::None => Symbols::bytes(),
            Normal::C => Symbols::normalized_bytes(Form::Nfc),
        };
        self.symbols.get_or_init(symbols).clone()
    }

    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        self.splitter.cut(bytes, from)
    }
}

struct ByteLevelWorker {
    encoding: Arc<ByteLevel>,
    scratch: Scratch,
    counts: Memory,
    bounds: Memory,
}

/// Cuts `text`, and adds up what `each` says of pieces, given the text and where each starts and
/// ends, until that is more than `limit`.
#[inline(always)]
fn total(
    splitter: Splitter,
    text: &str,
    limit: u64,
    each: impl FnMut(&[u8], usize, usize) -> u64,
) -> u64 {
    let mut batch = Batch {
        text: text.as_bytes(),
        limit,
        each,
        ends: [0; BATCH],
        pieces: 0,
        start: 0,
        total: 0,
    };
    let mut end = 0;
    let stopped = splitter.for_each(text, |piece| {
        end += piece.len();
        batch.push(end)
    });
    if stopped.is_continue() {
        let _ = batch.flush();
    }
    batch.total
}

/// How many pieces are looked up at a time. Judgement: cutting and looking up each run at their
/// own pace, and what lies between them stays in the nearest cache.
const BATCH: usize = 64;

/// Pieces that are cut and wait for being looked up.
struct Batch<'t, F> {
    text: &'t [u8],
    limit: u64,
    each: F,
    ends: [usize; BATCH],
    pieces: usize,
    /// Where the first of them starts.
    start: usize,
    total: u64,
}

impl<F: FnMut(&[u8], usize, usize) -> u64> Batch<'_, F> {
    #[inline(always)]
    fn push(&mut self, end: usize) -> ControlFlow<()> {
        self.ends[self.pieces % BATCH] = end;
        self.pieces += 1;
        if self.pieces < BATCH { ControlFlow::Continue(()) } else { self.flush() }
    }

    #[inline(never)]
    fn flush(&mut self) -> ControlFlow<()> {
        for &end in &self.ends[..self.pieces] {
            self.total += (self.each)(self.text, self.start, end);
            self.start = end;
        }
        self.pieces = 0;
        if self.total > self.limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Worker for ByteLevelWorker {
    fn count(&mut self, text: &str, limit: u64) -> u64 {
        let Self { encoding, scratch, counts, .. } = self;
        let bpe = Bpe::new(&encoding.vocabulary);
        total(encoding.splitter, &encoding.normalised(text), limit, |text, start, end| {
            counts.of(text, start, end, |piece| bpe.count(piece, scratch))
        })
    }

    fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        let Self { encoding, scratch, .. } = self;
        let bpe = Bpe::new(&encoding.vocabulary);
        let _ = encoding.splitter.for_each(&encoding.normalised(text), |piece| {
            bpe.encode(piece, scratch, ids);
            ControlFlow::<()>::Continue(())
        });
    }

    fn tight_bound(&mut self, text: &str) -> u64 {
        let Self { encoding, bounds, .. } = self;
        let bpe = Bpe::new(&encoding.vocabulary);
        let pairs = encoding.pairs();
        total(encoding.splitter, &encoding.normalised(text), u64::MAX, |text, start, end| {
            bounds.of(text, start, end, |piece| {
                if bpe.is_token(piece) { 1 } else { pairs.bound(piece) as usize }
            })
        })
    }
}
