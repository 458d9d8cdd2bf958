//! Which token two tokens form: a hash table of one word per merge, and a filter before it.
//!
//! A slot holds left part, right part and what they form, 21 bits each from the top down; the bit
//! above them is set only in empty slots. Slots that collide follow one another.
//!
//! Most questions are about pairs that form nothing. The filter answers nearly all of these from a
//! place that stays in the nearer caches: two bits of one word are set for each pair there is.

use crate::layout::{NONE, TOKEN_BITS};

const EMPTY: u64 = u64::MAX;
/// Odd and without pattern: the golden ratio's fraction, as Knuth's multiplicative hashing takes.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// All pairs that form something.
#[derive(Clone, Copy)]
pub struct Pairs<'v> {
    pub slots: &'v [u64],
    pub filter: &'v [u64],
}

/// Pairs that are being put together.
pub struct Builder {
    pub slots: Vec<u64>,
    pub filter: Vec<u64>,
}

impl Builder {
    /// With room for `merges`. Judgement: at five slots for two merges most questions that pass the
    /// filter look at one cache line; at eight bits for a merge one in twenty passes in vain.
    pub fn new(merges: usize) -> Self {
        Self {
            slots: vec![EMPTY; merges * 5 / 2 + 8],
            filter: vec![0; (merges / 8 + 1).next_power_of_two()],
        }
    }

    /// Says that `left` and `right`, which formed nothing so far, form `token`.
    pub fn insert(&mut self, left: u32, right: u32, token: u32) {
        let key = key(left, right);
        let hash = key.wrapping_mul(SPREAD);
        let mut at = home(hash, self.slots.len());
        while self.slots[at] != EMPTY {
            at = (at + 1) % self.slots.len();
        }
        self.slots[at] = key << TOKEN_BITS | u64::from(token);
        let word = word(hash, self.filter.len());
        self.filter[word] |= bits(hash);
    }

    pub fn view(&self) -> Pairs<'_> {
        Pairs { slots: &self.slots, filter: &self.filter }
    }
}

impl Pairs<'_> {
    /// What `left` and `right` form, or [`NONE`].
    #[inline(always)]
    pub fn get(&self, left: u32, right: u32) -> u32 {
        let key = key(left, right);
        let hash = key.wrapping_mul(SPREAD);
        let bits = bits(hash);
        if self.filter[word(hash, self.filter.len())] & bits != bits {
            return NONE;
        }
        self.find(key, hash)
    }

    #[inline(always)]
    fn find(&self, key: u64, hash: u64) -> u32 {
        let mut at = home(hash, self.slots.len());
        loop {
            let slot = self.slots[at];
            if slot >> TOKEN_BITS == key {
                return slot as u32 & NONE;
            }
            if slot == EMPTY {
                return NONE;
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }
}

#[inline(always)]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << TOKEN_BITS | u64::from(right)
}

/// Takes the hash as a fraction of the table, so that its size need not be a power of two.
#[inline(always)]
fn home(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> 64) as usize
}

/// The filter's word: of a power of two.
#[inline(always)]
fn word(hash: u64, words: usize) -> usize {
    (hash >> 24) as usize & (words - 1)
}

/// The bits in it, from the hash's upper bits, which its word doesn't depend on.
#[inline(always)]
fn bits(hash: u64) -> u64 {
    1 << (hash >> 58) | 1 << (hash >> 52 & 63)
}
