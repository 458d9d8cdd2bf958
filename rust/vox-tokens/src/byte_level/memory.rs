//! What a worker remembers of short pieces: how many tokens each is.

/// Bytes of the longest piece that is remembered.
const LONGEST: usize = 14;
/// Slots, as a power of two. Measured: 512 KiB, which a core has in a cache of its own.
const BITS: u32 = 15;
/// Where the length stands in a slot's upper word, and above it the count.
const LENGTH_SHIFT: u32 = 48;
const COUNT_SHIFT: u32 = 56;

/// One slot per hash: 14 bytes of piece, its length, its count. Length 0: empty.
pub struct Memory {
    slots: Box<[[u64; 2]]>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { slots: vec![[0; 2]; 1 << BITS].into() }
    }
}

impl Memory {
    /// What the piece `text[start..end]` counts: as remembered, or from `count`.
    #[inline(always)]
    pub fn of(
        &mut self,
        text: &[u8],
        start: usize,
        end: usize,
        count: impl FnOnce(&[u8]) -> usize,
    ) -> u64 {
        let length = end - start;
        if length > LONGEST {
            return count(&text[start..end]) as u64;
        }
        let [low, high] = key(text, start, length);
        let slot = &mut self.slots[place(low, high)];
        if (slot[0] ^ low) | (slot[1] ^ high) << 8 == 0 {
            return slot[1] >> COUNT_SHIFT;
        }
        let count = count(&text[start..end]) as u64;
        *slot = [low, high | count << COUNT_SHIFT];
        count
    }
}

/// The bytes of a short piece and its length.
#[inline(always)]
fn key(text: &[u8], start: usize, length: usize) -> [u64; 2] {
    let [low, high] = match text.get(start..start + 16) {
        Some(chunk) => words(chunk),
        None => {
            let mut chunk = [0; 16];
            chunk[..length].copy_from_slice(&text[start..start + length]);
            words(&chunk)
        }
    };
    let [low_mask, high_mask] = MASKS[length % 16];
    [low & low_mask, high & high_mask | (length as u64) << LENGTH_SHIFT]
}

#[inline(always)]
fn words(chunk: &[u8]) -> [u64; 2] {
    [0, 8].map(|at| chunk[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word)))
}

/// By length: which bytes are the piece's.
const MASKS: [[u64; 2]; 16] = {
    let mut masks = [[0; 2]; 16];
    let mut length = 0;
    while length < 16 {
        let mask = (1_u128 << (8 * length)) - 1;
        masks[length] = [mask as u64, (mask >> 64) as u64];
        length += 1;
    }
    masks
};

/// The slot of a key: upper bits of both words, each multiplied by an odd number without pattern.
#[inline(always)]
fn place(low: u64, high: u64) -> usize {
    let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ high.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (mixed >> (64 - BITS)) as usize
}
