//! What every kind of model in a GGUF does with a text that has no user-defined tokens.

use std::collections::HashMap;

use crate::{bound::Symbols, bpe::Scratch};

/// A kind of model. `led` says that what is put before a text is put before this one: it is the
/// first, or a user-defined token is before it.
pub trait Model: Send + Sync {
    /// How many tokens `text` is. May stop above `limit`.
    fn count(&self, text: &str, led: bool, memory: &mut Memory, limit: u64) -> u64;

    /// The tokens of `text`, appended to `ids`.
    fn encode(&self, text: &str, led: bool, memory: &mut Memory, ids: &mut Vec<u32>);

    /// A tight bound on the tokens of `text`; `symbols` are those of this model.
    fn bound(&self, text: &str, led: bool, memory: &mut Memory, symbols: &Symbols) -> u64;

    /// How many symbols texts are at most, user-defined tokens included. Takes some milliseconds.
    fn symbols(&self) -> Symbols;

    /// See [`crate::Encoding::cut`]; user-defined tokens don't matter here.
    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let _ = (bytes, from);
        None
    }
}

/// A model that hands over the tokens of a text in order.
pub trait InOrder: Send + Sync {
    /// Hands over the tokens of `text` until `each` says that it is enough.
    fn each(&self, text: &str, memory: &mut Memory, each: impl FnMut(u32) -> bool);

    /// See [`Model::bound`].
    fn bound(&self, text: &str, memory: &mut Memory) -> u64 {
        InOrder::count(self, text, memory, u64::MAX)
    }

    /// See [`Model::count`].
    fn count(&self, text: &str, memory: &mut Memory, limit: u64) -> u64 {
        let mut count = 0;
        self.each(text, memory, |_| {
            count += 1;
            count <= limit
        });
        count
    }

    /// See [`Model::symbols`].
    fn symbols(&self) -> Symbols;

    /// See [`Model::cut`].
    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let _ = (bytes, from);
        None
    }
}

impl<M: InOrder> Model for M {
    fn count(&self, text: &str, _: bool, memory: &mut Memory, limit: u64) -> u64 {
        InOrder::count(self, text, memory, limit)
    }

    fn encode(&self, text: &str, _: bool, memory: &mut Memory, ids: &mut Vec<u32>) {
        self.each(text, memory, |id| {
            ids.push(id);
            true
        });
    }

    fn bound(&self, text: &str, _: bool, memory: &mut Memory, _: &Symbols) -> u64 {
        InOrder::bound(self, text, memory)
    }

    fn symbols(&self) -> Symbols {
        InOrder::symbols(self)
    }

    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        InOrder::cut(self, bytes, from)
    }
}

/// Memory of one thread, used again for each text.
#[derive(Default)]
pub struct Memory {
    /// Of merging.
    pub scratch: Scratch,
    /// Ids of one piece.
    pub merged: Vec<u32>,
    /// Pieces that came before.
    pub known: Known,
}

/// Judgement. Pieces that one thread remembers: some megabytes.
const KNOWN: usize = 1 << 16;

/// Ids of pieces that came before.
#[derive(Default)]
pub struct Known {
    pieces: HashMap<Box<str>, (u32, u32)>,
    ids: Vec<u32>,
}

impl Known {
    /// The ids of a piece that is remembered.
    pub fn get(&self, piece: &str) -> Option<&[u32]> {
        self.pieces.get(piece).map(|&(start, end)| &self.ids[start as usize..end as usize])
    }

    /// The ids of a piece; `make` appends them if they aren't remembered.
    pub fn get_or(&mut self, piece: &str, make: impl FnOnce(&mut Vec<u32>)) -> &[u32] {
        let known = self.pieces.get(piece).copied();
        let (start, end) = known.unwrap_or_else(|| {
            if self.pieces.len() >= KNOWN {
                self.pieces.clear();
                self.ids.clear();
            }
            let start = self.ids.len() as u32;
            make(&mut self.ids);
            let both = (start, self.ids.len() as u32);
            self.pieces.insert(piece.into(), both);
            both
        });
        &self.ids[start as usize..end as usize]
    }
}
