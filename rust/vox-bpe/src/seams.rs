//! What a thread found out about neighbours, so that it need not look again.

/// Slots, as a power of two: 64 KiB. Measured: helps most where pieces are long and of few tokens,
/// such as indentation.
const BITS: u32 = 13;

/// One slot per hash: left token, right token, and in the lowest bit whether they may be
/// neighbours.
pub struct Seams(Box<[u64]>);

impl Default for Seams {
    fn default() -> Self {
        // No token has these numbers.
        Self(vec![u64::MAX; 1 << BITS].into())
    }
}

impl Seams {
    /// Whether `left` and `right` may be neighbours: as remembered, or as `look` says.
    #[inline(always)]
    pub fn hold(&mut self, left: u32, right: u32, look: impl FnOnce() -> bool) -> bool {
        let key = u64::from(left) << 22 | u64::from(right) << 1;
        let slot = &mut self.0[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize];
        if *slot & !1 != key {
            *slot = key | u64::from(look());
        }
        *slot & 1 == 1
    }
}
