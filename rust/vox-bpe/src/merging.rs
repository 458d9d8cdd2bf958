//! Merging as its definition says it, with a heap: for vocabularies in which a merge comes before
//! what forms its parts.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::layout::{NONE, TOKEN_BITS};

/// Two words per merge, sorted by the first: left part and right part; order and what they form.
pub fn table(merges: &[(u32, u32, u32, u32)]) -> Vec<u64> {
    let mut slots: Vec<[u64; 2]> = merges
        .iter()
        .map(|&(left, right, order, token)| {
            [key(left, right), u64::from(order) << 32 | u64::from(token)]
        })
        .collect();
    slots.sort_unstable();
    // Of a pair that stands twice, the first in order counts.
    slots.dedup_by_key(|slot| slot[0]);
    slots.concat()
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << TOKEN_BITS | u64::from(right)
}

/// Order and result of merging two tokens.
pub fn get(table: &[u64], left: u32, right: u32) -> Option<(u32, u32)> {
    let key = key(left, right);
    let (mut low, mut high) = (0, table.len() / 2);
    while low < high {
        let middle = low.midpoint(high);
        if table[2 * middle] < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (table.get(2 * low) == Some(&key)).then(|| {
        let value = table[2 * low + 1];
        ((value >> 32) as u32, value as u32)
    })
}

/// Merges `tokens` until nothing merges, in n log n steps. What was merged into its left
/// neighbour is [`NONE`] afterwards.
pub fn merge(table: &[u64], tokens: &mut [u32]) {
    let end = tokens.len();
    let mut next: Vec<usize> = (1..=end).collect();
    let mut previous: Vec<usize> = (0..end).map(|at| at.wrapping_sub(1)).collect();
    let mut waiting = BinaryHeap::new();
    let offer = |tokens: &[u32], left: usize, right: usize, waiting: &mut BinaryHeap<_>| {
        if let Some((order, token)) = get(table, tokens[left], tokens[right]) {
            waiting.push(Reverse((order, left, token, (tokens[left], right, tokens[right]))));
        }
    };
    for at in 1..end {
        offer(tokens, at - 1, at, &mut waiting);
    }
    while let Some(Reverse((_, left, token, (was_left, right, was_right)))) = waiting.pop() {
        if tokens[left] != was_left || next[left] != right || tokens[right] != was_right {
            continue;
        }
        tokens[left] = token;
        tokens[right] = NONE;
        next[left] = next[right];
        if next[left] < end {
            previous[next[left]] = left;
            offer(tokens, left, next[left], &mut waiting);
        }
        if previous[left] < end {
            offer(tokens, previous[left], left, &mut waiting);
        }
    }
}
