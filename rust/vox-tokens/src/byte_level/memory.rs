//! What a worker remembers of pieces: how many tokens each is.
//!
//! One slot per hash, and the newest piece has it. A slot holds the whole piece: what is remembered
//! is never that of another one.

/// Words of a slot for short pieces, which most are; for longer ones a slot is a cache line. The
/// last word of each also holds the length and the count.
const SHORT: usize = 2;
const LONG: usize = 8;
/// Slots, as a power of two. Measured: 512 KiB each; touched only as
/// far as they are used.
const SHORT_BITS: u32 = 15;
const LONG_BITS: u32 = 13;

/// Where the length stands in a slot's last word, and above it the count.
const LENGTH_SHIFT: u32 = 48;
const COUNT_SHIFT: u32 = 56;

/// Counts of short and of longer pieces.
#[derive(Default)]
pub struct Memory {
    short: Slots<SHORT, SHORT_BITS>,
    long: Slots<LONG, LONG_BITS>,
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
        if length <= longest(SHORT) {
            self.short.of(text, start, length, count)
        } else if length <= longest(LONG) {
            self.long.of(text, start, length, count)
        } else {
            count(&text[start..end]) as u64
        }
    }
}

/// Bytes of the longest piece that a slot of so many words holds.
const fn longest(words: usize) -> usize {
    8 * words - 2
}

struct Slots<const WORDS: usize, const BITS: u32>(Box<[[u64; WORDS]]>);

impl<const WORDS: usize, const BITS: u32> Default for Slots<WORDS, BITS> {
    fn default() -> Self {
        Self(vec![[0; WORDS]; 1 << BITS].into())
    }
}

impl<const WORDS: usize, const BITS: u32> Slots<WORDS, BITS> {
    #[inline(always)]
    fn of(
        &mut self,
        text: &[u8],
        start: usize,
        length: usize,
        look: impl FnOnce(&[u8]) -> usize,
    ) -> u64 {
        let mut key = key(text, start, length);
        let place = self.place(&key);
        if same(&self.0[place], &key) {
            return count(&self.0[place]);
        }
        let found = look(&text[start..start + length]) as u64;
        key[WORDS - 1] |= found << COUNT_SHIFT;
        self.0[place] = key;
        found
    }

    /// The slot of a key, by the upper bits of a product: they depend on every byte.
    #[inline(always)]
    fn place(&self, key: &[u64; WORDS]) -> usize {
        let hash = key.iter().fold(0, |hash: u64, word| {
            (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        (hash >> (64 - BITS)) as usize
    }
}

/// Whether a slot is of the piece of a key.
#[inline(always)]
fn same<const WORDS: usize>(slot: &[u64; WORDS], key: &[u64; WORDS]) -> bool {
    let other = (0..WORDS - 1).fold(0, |other, at| other | (slot[at] ^ key[at]));
    other | (slot[WORDS - 1] ^ key[WORDS - 1]) << 8 == 0
}

/// The count in a slot.
#[inline(always)]
fn count<const WORDS: usize>(slot: &[u64; WORDS]) -> u64 {
    slot[WORDS - 1] >> COUNT_SHIFT
}

/// A piece's bytes and its length.
#[inline(always)]
fn key<const WORDS: usize>(text: &[u8], start: usize, length: usize) -> [u64; WORDS] {
    let mut words = words(text, start, length);
    words[WORDS - 1] |= (length as u64) << LENGTH_SHIFT;
    words
}

/// A piece's bytes, zeros behind them.
#[inline(always)]
fn words<const WORDS: usize>(text: &[u8], start: usize, length: usize) -> [u64; WORDS] {
    let Some(bytes) = text.get(start..start + 8 * WORDS) else {
        let mut padded = [[0; 8]; WORDS];
        padded.as_flattened_mut()[..length].copy_from_slice(&text[start..start + length]);
        return padded.map(u64::from_le_bytes);
    };
    let masks = const { &masks::<WORDS>() }[length % 64];
    std::array::from_fn(|at| {
        let word = bytes[8 * at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        word & masks[at]
    })
}

/// By the length of a piece: which bits of each word are its.
const fn masks<const WORDS: usize>() -> [[u64; WORDS]; 64] {
    let mut masks = [[0; WORDS]; 64];
    let mut length = 0;
    while length < 64 {
        let mut word = 0;
        while word < WORDS {
            masks[length][word] = match (length as u32).checked_sub(8 * word as u32) {
                None => 0,
                Some(bytes) if bytes < 8 => (1 << (8 * bytes)) - 1,
                Some(_) => u64::MAX,
            };
            word += 1;
        }
        length += 1;
    }
    masks
}
