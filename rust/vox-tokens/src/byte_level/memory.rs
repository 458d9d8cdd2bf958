//! What a worker remembers of short pieces: how many tokens each is.

/// Bytes of the longest piece that is remembered.
const LONGEST: usize = 14;
/// Slots, as a power of two. Measured: 512 KiB, which a core has in a cache of its own.
const BITS: u32 = 15;
const COUNT_SHIFT: u32 = 120;
const LENGTH_SHIFT: u32 = 112;

/// One slot per hash: 14 bytes of piece, its length, its count. Length 0: empty.
pub struct Memory {
    slots: Box<[u128]>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { slots: vec![0; 1 << BITS].into() }
    }
}

impl Memory {
    /// What `piece`, which lies in `text`, counts: as remembered, or from `count`.
    #[inline(always)]
    pub fn of(&mut self, text: &[u8], piece: &[u8], count: impl FnOnce() -> usize) -> u64 {
        if piece.len() > LONGEST {
            return count() as u64;
        }
        let key = key(text, piece);
        let slot = &mut self.slots[place(key)];
        if *slot << 8 == key << 8 {
            return (*slot >> COUNT_SHIFT) as u64;
        }
        let count = count() as u64;
        *slot = key | u128::from(count) << COUNT_SHIFT;
        count
    }
}

/// The bytes of a short piece and its length.
#[inline(always)]
fn key(text: &[u8], piece: &[u8]) -> u128 {
    let start = piece.as_ptr().addr() - text.as_ptr().addr();
    let bytes = match text[start..].first_chunk::<16>() {
        Some(chunk) => u128::from_le_bytes(*chunk),
        None => {
            let mut chunk = [0; 16];
            chunk[..piece.len()].copy_from_slice(piece);
            u128::from_le_bytes(chunk)
        }
    };
    let length = piece.len() as u32;
    bytes & ((1 << (8 * length)) - 1) | u128::from(length) << LENGTH_SHIFT
}

/// The slot of a key: the upper bits of both halves, each multiplied by an odd number.
#[inline(always)]
fn place(key: u128) -> usize {
    let low = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let high = ((key >> 64) as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    ((low ^ high.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}
