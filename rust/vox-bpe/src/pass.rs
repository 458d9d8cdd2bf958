//! Pieces into tokens: one pass from the left, the longest token first, a step back where that
//! can't be.

use std::ops::Range;

use crate::{Vocabulary, layout::NONE, merging, seam, seams::Seams, trie, vocabulary::Tables};

/// Counts and encodes pieces. Cheap to make, for a text or for many.
#[derive(Clone, Copy)]
pub struct Bpe<'v> {
    tables: Tables<'v>,
}

/// Memory that passes use again and again.
#[derive(Default)]
pub struct Scratch {
    /// Tokens of the piece so far.
    tokens: Vec<u32>,
    /// One bit per place of a long piece that was found to be no seam.
    dead: Vec<u64>,
    /// Which pairs of tokens may be neighbours.
    seams: Seams,
}

/// A token that a text begins with, and where it ends.
#[derive(Clone, Copy)]
struct Prefix {
    token: u32,
    end: usize,
    /// How many bytes of the text decided that; more than there are if its end did.
    seen: usize,
}

/// Places of a piece that are no seams of its encoding.
trait Dead {
    fn has(&self, place: usize) -> bool;
    fn add(&mut self, place: usize);
}

/// Of a piece of at most 63 bytes.
struct Short(u64);

impl Dead for Short {
    #[inline(always)]
    fn has(&self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }

    fn add(&mut self, place: usize) {
        self.0 |= 1 << place;
    }
}

impl Dead for &mut Vec<u64> {
    #[inline(always)]
    fn has(&self, place: usize) -> bool {
        self[place / 64] >> (place % 64) & 1 == 1
    }

    fn add(&mut self, place: usize) {
        self[place / 64] |= 1 << (place % 64);
    }
}

impl<'v> Bpe<'v> {
    /// Uses a vocabulary.
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        Self { tables: vocabulary.tables() }
    }

    /// How many tokens a piece is.
    ///
    /// # Panics
    ///
    /// If the piece has a symbol that the vocabulary lacks; one with all bytes lacks none.
    #[inline]
    pub fn count(&self, piece: &[u8], scratch: &mut Scratch) -> usize {
        let (first, whole) = self.first(piece);
        if whole != NONE { 1 } else { self.run(piece, first, scratch) }
    }

    /// The ids of a piece's tokens, appended to `ids`.
    ///
    /// # Panics
    ///
    /// If the piece has a symbol that the vocabulary lacks; one with all bytes lacks none.
    pub fn encode(&self, piece: &[u8], scratch: &mut Scratch, ids: &mut Vec<u32>) {
        let (first, whole) = self.first(piece);
        if whole != NONE {
            ids.push(self.tables.ids[whole as usize]);
            return;
        }
        self.run(piece, first, scratch);
        ids.extend(
            scratch
                .tokens
                .iter()
                .filter(|&&token| token != NONE)
                .map(|&token| self.tables.ids[token as usize]),
        );
    }

    /// Whether a piece is one token, told without merging: always if the vocabulary is fast, and
    /// else only where pieces count as a whole.
    #[inline]
    pub fn is_token(&self, piece: &[u8]) -> bool {
        self.first(piece).1 != NONE
    }

    /// Whether these bytes are a symbol of the vocabulary.
    pub fn is_symbol(&self, bytes: &[u8]) -> bool {
        let mut unit = trie::root(self.tables.trie);
        for &byte in bytes {
            match trie::step(self.tables.trie, unit, byte) {
                Some(next) => unit = next,
                None => return false,
            }
        }
        trie::token(unit) < self.tables.sizes.symbols
    }

    /// Whether two symbols, given by their bytes, merge: then they are never neighbours in an
    /// encoding.
    pub fn merges(&self, left: &[u8], right: &[u8]) -> bool {
        let Tables { pairs, merges, .. } = self.tables;
        let (left, right) = (self.first(left).1, self.first(right).1);
        pairs.get(left, right) != NONE || merging::get(merges, left, right).is_some()
    }

    /// The longest formed token that `rest` begins with, and the token that it is as a whole.
    #[inline(always)]
    fn first(&self, rest: &[u8]) -> (Prefix, u32) {
        let Tables { sizes, trie, .. } = self.tables;
        let mut unit = trie::root(trie);
        let mut longest = Prefix { token: NONE, end: 0, seen: rest.len() + 1 };
        for (at, &byte) in rest.iter().enumerate() {
            let Some(next) = trie::step(trie, unit, byte) else {
                return (Prefix { seen: at + 1, ..longest }, NONE);
            };
            unit = next;
            let token = trie::token(unit);
            if token < sizes.formed {
                (longest.token, longest.end) = (token, at + 1);
            }
        }
        let whole = trie::token(unit);
        let counts = whole < sizes.formed || sizes.whole_pieces == 1;
        (longest, if counts { whole } else { NONE })
    }

    /// Encodes a piece that is no token as a whole into `scratch.tokens`, and counts them.
    fn run(&self, piece: &[u8], first: Prefix, scratch: &mut Scratch) -> usize {
        let Scratch { tokens, dead, seams } = scratch;
        tokens.clear();
        if piece.is_empty() {
            return 0;
        }
        if self.tables.sizes.merges > 0 {
            return self.merge(piece, tokens);
        }
        if piece.len() < 64 {
            self.pass(piece, first, tokens, seams, Short(0));
        } else {
            dead.clear();
            dead.resize(piece.len() / 64 + 1, 0);
            self.pass(piece, first, tokens, seams, dead);
        }
        tokens.len()
    }

    /// Tries the longest token first. A place from which no token leads on is no seam: then the
    /// token before it is too long.
    fn pass(
        &self,
        piece: &[u8],
        first: Prefix,
        tokens: &mut Vec<u32>,
        seams: &mut Seams,
        mut dead: impl Dead,
    ) {
        let Tables { sizes, splits, pairs, shorter, .. } = self.tables;
        let length = |token: u32| seam::length(splits[token as usize]);
        // The place, and what is tried there.
        let mut at = 0;
        let Prefix { mut token, mut end, mut seen } = first;
        let mut stepped_back = false;
        loop {
            assert!(token != NONE, "the vocabulary lacks the symbol at byte {at} of a piece");
            let may_follow = |before: &u32| {
                seams.hold(*before, token, || {
                    seam::holds(pairs, splits, sizes.symbols, *before, token, NONE)
                })
            };
            if !dead.has(end) && tokens.last().is_none_or(may_follow) {
                let repeats = tokens.last() == Some(&token) && !stepped_back;
                tokens.push(token);
                if repeats {
                    end = repeat(piece, at..end, seen, tokens);
                }
                at = end;
                if at == piece.len() {
                    return;
                }
                (Prefix { token, end, seen }, _) = self.first(&piece[at..]);
                end += at;
                continue;
            }
            token = shorter[token as usize];
            while token == NONE {
                stepped_back = true;
                dead.add(at);
                let Some(before) = tokens.pop() else { break };
                at -= length(before);
                token = shorter[before as usize];
            }
            end = at + if token == NONE { 0 } else { length(token) };
        }
    }

    /// The symbol that `rest` begins with, and what follows it.
    #[inline(always)]
    fn symbol<'p>(&self, rest: &'p [u8]) -> (u32, &'p [u8]) {
        let Tables { sizes, trie, .. } = self.tables;
        let mut unit = trie::root(trie);
        for (at, &byte) in rest.iter().enumerate() {
            let Some(next) = trie::step(trie, unit, byte) else { break };
            unit = next;
            if trie::token(unit) < sizes.symbols {
                return (trie::token(unit), &rest[at + 1..]);
            }
        }
        panic!("the vocabulary lacks a symbol of a piece");
    }

    fn merge(&self, piece: &[u8], tokens: &mut Vec<u32>) -> usize {
        let mut rest = piece;
        while !rest.is_empty() {
            let (symbol, after) = self.symbol(rest);
            tokens.push(symbol);
            rest = after;
        }
        merging::merge(self.tables.merges, tokens);
        tokens.iter().filter(|&&token| token != NONE).count()
    }
}

/// After a token that follows its like: as long as the bytes that decided for it come again, so
/// does the token. Adds these, and gives the place behind the last.
fn repeat(piece: &[u8], last: Range<usize>, seen: usize, tokens: &mut Vec<u32>) -> usize {
    let (length, token) = (last.len(), tokens[tokens.len() - 1]);
    let again = shared(&piece[last.start..], &piece[last.end..]);
    let Some(beyond) = again.checked_sub(seen) else { return last.end };
    let times = beyond / length + 1;
    tokens.resize(tokens.len() + times, token);
    last.end + times * length
}

/// How many bytes two texts have in common from their start on.
fn shared(left: &[u8], right: &[u8]) -> usize {
    const WORD: usize = size_of::<u64>();
    let word = |bytes: &[u8; WORD]| u64::from_le_bytes(*bytes);
    let (lefts, rights) = (left.as_chunks().0, right.as_chunks().0);
    let whole = lefts.iter().zip(rights).take_while(|(left, right)| left == right).count();
    if let (Some(left), Some(right)) = (lefts.get(whole), rights.get(whole)) {
        return whole * WORD + (word(left) ^ word(right)).trailing_zeros() as usize / 8;
    }
    let rest = left[whole * WORD..].iter().zip(&right[whole * WORD..]);
    whole * WORD + rest.take_while(|(left, right)| left == right).count()
}
