//! `llama`: SentencePiece's byte-pair encoding, where scores say what merges first.

use std::{cmp::Reverse, collections::BinaryHeap};

use serde::{Deserialize, Serialize};
use vox_types::Result;

use super::{
    bpe::escaped,
    defined::Token,
    metadata::Tokenizer,
    model::{Memory, Model},
    prefix::Prefix,
    vocab::Vocab,
};
use crate::{
    bound::Symbols,
    compiled::{self, Table, Tables},
    trie::{self, Trie},
};

const SPACE: char = '▁';

/// Judgement. Longer pieces are not remembered.
const REMEMBERED: usize = 48;

/// What is kept of a file besides its tables.
#[derive(Serialize, Deserialize)]
pub struct Plan {
    /// The tokens of bytes.
    bytes: Vec<u32>,
    /// A space is put before each text.
    led: bool,
    prefix: Prefix,
}

/// Compiles the vocabulary of a file. The tables: the trie of tokens; by id the place of its score
/// among all, the highest first, where equal scores are one place; which characters are neighbours.
pub fn compile(
    from: &Tokenizer,
    vocab: &Vocab,
    defined: &[Token],
    tables: &mut Tables,
) -> Result<Plan> {
    let bytes = vocab.bytes()?;
    let mut order: Vec<u32> = (0..vocab.tokens.len() as u32).collect();
    let score = |id: u32| vocab.scores[id as usize];
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut ranks = vec![0; order.len()];
    let mut rank = 0;
    for pair in order.windows(2) {
        // Not by total_cmp: 0.0 and -0.0 are equal.
        rank += u32::from(score(pair[0]) != score(pair[1]));
        ranks[pair[1] as usize] = rank;
    }
    let texts = vocab.tokens.iter().filter_map(|text| std::str::from_utf8(text).ok());
    let trie = trie::build(vocab.tokens.iter().map(|text| &**text).zip(0..));
    let led = from.add_space_prefix.unwrap_or(true);
    let before = if led { cost(Trie(&trie), SPACE) } else { 0 };
    let prefix = Prefix::new(|c| cost(Trie(&trie), c), before, defined);
    *tables = [trie, compiled::words(&ranks), neighbours(texts), Vec::new(), Vec::new()];
    Ok(Plan { bytes, led, prefix })
}

/// Symbols that a character is; a space is escaped.
fn cost(trie: Trie, c: char) -> u32 {
    let c = escaped(c);
    let known = trie.get(c.encode_utf8(&mut [0; 4]).as_bytes()).is_some();
    if known { 1 } else { c.len_utf8() as u32 }
}

/// A vocabulary of scores.
pub struct Scores {
    plan: Plan,
    trie: Table,
    ranks: Table,
    neighbours: Table,
}

impl Scores {
    /// The vocabulary that was compiled.
    pub fn new(plan: Plan, [trie, ranks, neighbours, ..]: [Table; 5]) -> Self {
        Self { plan, trie, ranks, neighbours }
    }

    /// Hands over pieces of which no two neighbours merge, escaped.
    fn pieces(&self, text: &str, led: bool, mut each: impl FnMut(&str) -> bool) {
        let mut piece = String::new();
        let mut before = None;
        let neighbours = Neighbours(self.neighbours.words());
        let space = (led && self.plan.led).then_some(' ');
        for c in space.into_iter().chain(text.chars()) {
            let c = escaped(c);
            if before.is_some_and(|before| !neighbours.meet(before, c)) {
                if !each(&piece) {
                    return;
                }
                piece.clear();
            }
            piece.push(c);
            before = Some(c);
        }
        if !piece.is_empty() {
            each(&piece);
        }
    }

    /// The tokens of a piece.
    fn merge<'m>(&self, piece: &str, memory: &'m mut Memory) -> &'m [u32] {
        if piece.len() > REMEMBERED {
            memory.merged.clear();
            self.merge_anew(piece, &mut memory.merged);
            return &memory.merged;
        }
        memory.known.get_or(piece, |ids| self.merge_anew(piece, ids))
    }

    fn merge_anew(&self, piece: &str, ids: &mut Vec<u32>) {
        let (trie, ranks) = (Trie(self.trie.words()), self.ranks.values());
        let text = piece.as_bytes();
        let mut symbols: Vec<Symbol> = Vec::new();
        for (start, c) in piece.char_indices() {
            let (end, at) = (start + c.len_utf8(), symbols.len());
            let token = trie.get(&text[start..end]);
            symbols.push(Symbol { start, end, token, previous: at.wrapping_sub(1), next: at + 1 });
        }
        let count = symbols.len();
        let mut waiting = BinaryHeap::new();
        let offer = |symbols: &[Symbol], left: usize, right: usize, waiting: &mut BinaryHeap<_>| {
            let (start, end) = (symbols[left].start, symbols[right].end);
            if let Some(token) = trie.get(&text[start..end]) {
                waiting.push(Reverse((ranks[token as usize], left, right, end, token)));
            }
        };
        for right in 1..count {
            offer(&symbols, right - 1, right, &mut waiting);
        }
        while let Some(Reverse((_, left, right, end, token))) = waiting.pop() {
            // One of the two was merged with something else since.
            if symbols[left].end == symbols[left].start
                || symbols[left].next != right
                || symbols[right].end != end
            {
                continue;
            }
            let next = symbols[right].next;
            symbols[left].end = end;
            symbols[left].token = Some(token);
            symbols[left].next = next;
            symbols[right].end = symbols[right].start;
            if next < count {
                symbols[next].previous = left;
                offer(&symbols, left, next, &mut waiting);
            }
            let previous = symbols[left].previous;
            if previous < count {
                offer(&symbols, previous, left, &mut waiting);
            }
        }
        for symbol in symbols.iter().filter(|symbol| symbol.end > symbol.start) {
            match symbol.token {
                Some(token) => ids.push(token),
                None => ids.extend(
                    text[symbol.start..symbol.end]
                        .iter()
                        .map(|&byte| self.plan.bytes[usize::from(byte)]),
                ),
            }
        }
    }
}

struct Symbol {
    start: usize,
    /// `start` once it was merged into the symbol before it.
    end: usize,
    token: Option<u32>,
    previous: usize,
    next: usize,
}

impl Model for Scores {
    fn count(&self, text: &str, led: bool, memory: &mut Memory, limit: u64) -> u64 {
        let mut count = 0;
        self.pieces(text, led, |piece| {
            count += self.merge(piece, memory).len() as u64;
            count <= limit
        });
        count
    }

    fn encode(&self, text: &str, led: bool, memory: &mut Memory, ids: &mut Vec<u32>) {
        self.pieces(text, led, |piece| {
            ids.extend(self.merge(piece, memory));
            true
        });
    }

    fn bound(&self, text: &str, led: bool, memory: &mut Memory, symbols: &Symbols) -> u64 {
        let mut bound = 0;
        self.pieces(text, led, |piece| {
            bound += match memory.known.get(piece) {
                Some(ids) => ids.len() as u64,
                None => piece.chars().map(|c| u64::from(symbols.cost(c).joined)).sum(),
            };
            true
        });
        bound
    }

    fn symbols(&self) -> Symbols {
        let trie = Trie(self.trie.words());
        self.plan.prefix.symbols(|c| cost(trie, c))
    }

    /// Between characters that are neighbours in no token. What is put before a text would be put
    /// before the second part.
    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        if self.plan.led {
            return None;
        }
        let neighbours = Neighbours(self.neighbours.words());
        let known = |byte: u8| escaped(char::from(byte));
        let at = bytes
            .get(from..)?
            .windows(2)
            .position(|pair| pair.is_ascii() && !neighbours.meet(known(pair[0]), known(pair[1])))?;
        Some(from + at + 1)
    }
}

/// Which two characters stand side by side within a token. Where two don't, nothing ever merges
/// across. May say yes of two that don't.
#[derive(Clone, Copy)]
struct Neighbours<'t>(&'t [u64]);

/// Judgement. 4 million bits: a vocabulary of 260,000 tokens has about 200,000 such pairs.
const NEIGHBOUR_BITS: u32 = 22;

/// The bits of [`Neighbours`].
fn neighbours<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u64> {
    let mut bits = vec![0; 1 << (NEIGHBOUR_BITS - 6)];
    for text in texts {
        for (first, second) in text.chars().zip(text.chars().skip(1)) {
            let bit = Neighbours::bit(first, second);
            bits[bit / 64] |= 1 << (bit % 64);
        }
    }
    bits
}

impl Neighbours<'_> {
    #[inline]
    fn meet(self, first: char, second: char) -> bool {
        let bit = Self::bit(first, second);
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    fn bit(first: char, second: char) -> usize {
        let both = u64::from(u32::from(first)) << 32 | u64::from(u32::from(second));
        // The golden ratio's fraction, as Knuth's multiplicative hashing takes.
        (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - NEIGHBOUR_BITS)) as usize
    }
}
