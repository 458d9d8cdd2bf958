//! The fast way: text cut by a hand-written splitter, pieces counted as bytes.

mod batch;
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
    bpe::{Bpe, Scratch},
    merges::Merges,
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
    merges: Arc<Merges>,
    symbols: OnceLock<Symbols>,
    pairs: OnceLock<Pairs>,
}

impl ByteLevel {
    /// Normalises, cuts and merges, in this order.
    pub fn new(normal: Normal, splitter: Splitter, merges: Arc<Merges>) -> Self {
        Self { normal, splitter, merges, symbols: OnceLock::new(), pairs: OnceLock::new() }
    }

    /// Which bytes merge; asked for when a bound is.
    fn pairs(&self) -> &Pairs {
        self.pairs.get_or_init(|| {
            let bpe = Bpe::new(self.merges.vocabulary());
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

impl Worker for ByteLevelWorker {
    fn count(&mut self, text: &str, limit: u64) -> u64 {
        let Self { encoding, scratch, counts, .. } = self;
        let engine = encoding.merges.engine();
        let text = encoding.normalised(text);
        batch::total(encoding.splitter, &text, limit, counts, |piece| engine.count(piece, scratch))
    }

    fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        let Self { encoding, scratch, .. } = self;
        let engine = encoding.merges.engine();
        let _ = encoding.splitter.for_each(&encoding.normalised(text), |piece| {
            engine.encode(piece, scratch, ids);
            ControlFlow::<()>::Continue(())
        });
    }

    fn tight_bound(&mut self, text: &str) -> u64 {
        let Self { encoding, scratch, bounds, .. } = self;
        let engine = encoding.merges.engine();
        let pairs = encoding.pairs();
        let text = encoding.normalised(text);
        batch::total(encoding.splitter, &text, u64::MAX, bounds, |piece| {
            engine.bound(piece, scratch, |piece| pairs.bound(piece) as usize)
        })
    }
}
