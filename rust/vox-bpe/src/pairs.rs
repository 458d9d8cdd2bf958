//! Which token two tokens form: a hash table of one word per merge.
//!
//! A slot holds left part, right part and what they form, 21 bits each from the top down; the bit
//! above them is set only in empty slots. Slots that collide follow one another.

use crate::layout::{NONE, TOKEN_BITS};

const EMPTY: u64 = u64::MAX;
/// Odd and without pattern: the golden ratio's fraction, as Knuth's multiplicative hashing takes.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A table with room for `merges`. Judgement: at five slots for two merges most of those that ask
/// for a pair that doesn't exist, the usual case, look at one cache line.
pub fn table(merges: usize) -> Vec<u64> {
    vec![EMPTY; merges * 5 / 2 + 8]
}

/// What `left` and `right` form, or [`NONE`].
#[inline(always)]
pub fn get(table: &[u64], left: u32, right: u32) -> u32 {
    let key = key(left, right);
    let mut at = home(key, table.len());
    loop {
        let slot = table[at];
        if slot >> TOKEN_BITS == key {
            return slot as u32 & NONE;
        }
        if slot == EMPTY {
            return NONE;
        }
        at += 1;
        if at == table.len() {
            at = 0;
        }
    }
}

/// Says that `left` and `right`, which formed nothing so far, form `token`.
pub fn insert(table: &mut [u64], left: u32, right: u32, token: u32) {
    let key = key(left, right);
    let mut at = home(key, table.len());
    while table[at] != EMPTY {
        at = (at + 1) % table.len();
    }
    table[at] = key << TOKEN_BITS | u64::from(token);
}

#[inline(always)]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << TOKEN_BITS | u64::from(right)
}

/// Takes the hash as a fraction of the table, so that its size need not be a power of two.
#[inline(always)]
fn home(key: u64, slots: usize) -> usize {
    ((u128::from(key.wrapping_mul(SPREAD)) * slots as u128) >> 64) as usize
}
