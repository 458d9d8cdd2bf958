//! What each of 64 bytes is, one bit for each.

use wide::i8x16;

/// Bit n is for byte n.
pub struct Bits {
    /// No ASCII.
    pub high: u64,
    pub upper: u64,
    pub lower: u64,
    pub digit: u64,
    /// U+0020.
    pub space: u64,
    /// CR and LF.
    pub newline: u64,
    /// White space of any kind.
    pub white: u64,
    pub apostrophe: u64,
    pub slash: u64,
}

impl Bits {
    #[inline(always)]
    pub fn new(block: &[u8; 64]) -> Self {
        let lanes = Lanes::new(block);
        let space = lanes.within(b' ', b' ');
        Self {
            high: lanes.high(),
            upper: lanes.within(b'A', b'Z'),
            lower: lanes.within(b'a', b'z'),
            digit: lanes.within(b'0', b'9'),
            space,
            newline: lanes.within(b'\n', b'\n') | lanes.within(b'\r', b'\r'),
            white: space | lanes.within(b'\t', b'\r'),
            apostrophe: lanes.within(b'\'', b'\''),
            slash: lanes.within(b'/', b'/'),
        }
    }
}

struct Lanes([i8x16; 4]);

impl Lanes {
    #[inline(always)]
    fn new(block: &[u8; 64]) -> Self {
        let byte = |at: usize| block[at] as i8;
        Self([0, 16, 32, 48].map(|lane| i8x16::new(std::array::from_fn(|at| byte(lane + at)))))
    }

    /// Which bytes are in `first..=last`, both ASCII; other bytes are negative.
    #[inline(always)]
    fn within(&self, first: u8, last: u8) -> u64 {
        let splat = |byte: u8| i8x16::splat(byte as i8);
        self.mask(|lane| match first == last {
            true => lane.simd_eq(splat(first)),
            false => lane.simd_gt(splat(first - 1)) & splat(last + 1).simd_gt(lane),
        })
    }

    #[inline(always)]
    fn high(&self) -> u64 {
        self.mask(|lane| lane)
    }

    /// Gathers the highest bit of each byte.
    #[inline(always)]
    fn mask(&self, lane: impl Fn(i8x16) -> i8x16) -> u64 {
        let [a, b, c, d] = self.0.map(|bytes| u64::from(lane(bytes).to_bitmask() & 0xffff));
        a | b << 16 | c << 32 | d << 48
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Bits;

    proptest! {
        #[test]
        fn each_bit_says_what_its_byte_is(block: [u8; 64]) {
            let bits = Bits::new(&block);
            for (at, byte) in block.iter().enumerate() {
                let has = |mask: u64| mask >> at & 1 == 1;
                prop_assert_eq!(has(bits.high), !byte.is_ascii());
                prop_assert_eq!(has(bits.upper), byte.is_ascii_uppercase());
                prop_assert_eq!(has(bits.lower), byte.is_ascii_lowercase());
                prop_assert_eq!(has(bits.digit), byte.is_ascii_digit());
                prop_assert_eq!(has(bits.space), *byte == b' ');
                prop_assert_eq!(has(bits.newline), matches!(byte, b'\r' | b'\n'));
                prop_assert_eq!(has(bits.white), matches!(byte, 9..=13 | b' '));
                prop_assert_eq!(has(bits.apostrophe), *byte == b'\'');
                prop_assert_eq!(has(bits.slash), *byte == b'/');
            }
        }
    }
}
