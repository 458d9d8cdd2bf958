//! Whether two tokens may stand side by side.

use crate::{
    layout::{NONE, TOKEN_BITS},
    pairs::Pairs,
};

/// How a token was formed: left part, right part, length in bytes. A symbol is its own parts.
#[inline(always)]
pub fn split(left: u32, right: u32, bytes: u32) -> u64 {
    u64::from(left) << 43 | u64::from(right) << 22 | u64::from(bytes)
}

/// The left part of a token.
#[inline(always)]
pub fn left_part(split: u64) -> u32 {
    (split >> 43) as u32
}

/// The right part of a token.
#[inline(always)]
pub fn right_part(split: u64) -> u32 {
    (split >> 22) as u32 & NONE
}

/// The bytes of a token.
#[inline(always)]
pub fn length(split: u64) -> usize {
    split as usize & ((1 << (64 - 2 * TOKEN_BITS)) - 1)
}

/// Whether the encoding of the joined text of two tokens is these two, looking at merges that
/// form tokens below `limit`.
///
/// Undoes the merges that formed the two, latest first, and asks at each stage whether the tokens
/// that then met at the seam would have merged before the one that was undone. Of merges of the
/// same rank the leftmost comes first: one across the seam loses against its like to the left, and
/// wins against its like to the right.
#[inline(always)]
pub fn holds(
    pairs: Pairs<'_>,
    splits: &[u64],
    symbols: u32,
    mut left: u32,
    mut right: u32,
    mut limit: u32,
) -> bool {
    loop {
        // NONE is above every limit.
        if pairs.get(left, right) < limit {
            return false;
        }
        let later = left.max(right);
        if later < symbols {
            return true;
        }
        // Without a branch on which of the two it is: nothing would predict that.
        let split = splits[later as usize];
        let is_left = left > right;
        limit = later + u32::from(!is_left);
        (left, right) = (
            if is_left { right_part(split) } else { left },
            if is_left { right } else { left_part(split) },
        );
    }
}
