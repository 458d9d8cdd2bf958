//! A guess at tokens from a length.

/// A quick guess at tokens, ⌈length / 4⌉ + 1: for lists and meters, never for a cap. Judgement.
pub fn quick_estimate(length: usize) -> u32 {
    u32::try_from(length.div_ceil(4) + 1).unwrap_or(u32::MAX)
}
