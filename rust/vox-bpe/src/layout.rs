//! Where each table of a compiled vocabulary lies: words of 64 bits, little-endian, each table on
//! a cache line of its own.
//!
//! | table | words | what |
//! |---|---|---|
//! | header | 16 | magic, version, sizes |
//! | splits | 1 per token | left part (21 bits), right part (21), length in bytes (22) |
//! | pairs | any | what two tokens merge into; see `pairs` |
//! | filter | any | which pairs are certainly none; see `pairs` |
//! | trie | 1 per unit | all tokens by their bytes; see `trie` |
//! | merges | 2 per slot | all pairs with their order, only where it isn't that of forming |
//! | shorter | ½ per token | the longest token that is a proper prefix, or `NONE` |
//! | ids | ½ per token | the publisher's id |

use std::ops::Range;

use vox_types::{Code, Error, Result};

/// Words of a cache line, on which tables are aligned.
pub const LINE: usize = 8;
/// Words of the header.
const HEADER: usize = 16;
const MAGIC: u64 = u64::from_le_bytes(*b"vox-bpe\0");
/// Rises with every change of a table's meaning, of [`crate::trie`] too: whoever keeps compiled
/// vocabularies or tries asks for the same version.
pub const VERSION: u32 = 1;

/// Bits of a token's number.
pub const TOKEN_BITS: u32 = 21;
/// No token.
pub const NONE: u32 = (1 << TOKEN_BITS) - 1;

/// The sizes that the header holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// Tokens in all.
    pub tokens: u32,
    /// Of these the first: symbols, then what merges form, in the order of forming.
    pub formed: u32,
    /// Of these the first: what merging starts from.
    pub symbols: u32,
    /// Slots of the table of pairs.
    pub pairs: u32,
    /// Words of the filter before it.
    pub filter: u32,
    /// Units of the trie.
    pub units: u32,
    /// Slots of the table of ordered merges; 0 if tokens form in order.
    pub merges: u32,
    /// 1 if a piece that is a token as a whole is that token.
    pub whole_pieces: u32,
    /// Bytes of the longest token.
    pub longest: u32,
}

/// Where each table lies, in words.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The sizes it follows from.
    pub sizes: Sizes,
    pub splits: Range<usize>,
    pub pairs: Range<usize>,
    pub filter: Range<usize>,
    pub trie: Range<usize>,
    pub merges: Range<usize>,
    pub shorter: Range<usize>,
    pub ids: Range<usize>,
    /// Words in all.
    pub words: usize,
}

impl Layout {
    /// The layout that sizes lead to.
    pub fn of(sizes: Sizes) -> Self {
        let mut next = HEADER;
        let mut table = |words: usize| {
            let start = next;
            next = (start + words).next_multiple_of(LINE);
            start..start + words
        };
        let tokens = sizes.tokens as usize;
        Self {
            sizes,
            splits: table(tokens),
            pairs: table(sizes.pairs as usize),
            filter: table(sizes.filter as usize),
            trie: table(sizes.units as usize),
            merges: table(2 * sizes.merges as usize),
            shorter: table(tokens.div_ceil(2)),
            ids: table(tokens.div_ceil(2)),
            words: next,
        }
    }

    /// The header's words.
    pub fn header(&self) -> [u64; HEADER] {
        let s = &self.sizes;
        let mut words = [0; HEADER];
        words[0] = MAGIC;
        words[1] = VERSION.into();
        let sizes = [
            s.tokens,
            s.formed,
            s.symbols,
            s.pairs,
            s.filter,
            s.units,
            s.merges,
            s.whole_pieces,
            s.longest,
        ];
        for (word, size) in words[2..].iter_mut().zip(sizes) {
            *word = u64::from(size);
        }
        words
    }

    /// The layout that a header tells.
    ///
    /// # Errors
    ///
    /// `malformed` if these are not the words of a compiled vocabulary of this version, whole.
    pub fn read(words: &[u64]) -> Result<Self> {
        let Some(header) = words.get(..HEADER) else {
            return Err(malformed("it is cut off in its header"));
        };
        if header[..2] != [MAGIC, VERSION.into()] {
            return Err(malformed("it is none, or one of another version"));
        }
        let size = |at: usize| {
            u32::try_from(header[2 + at]).map_err(|_| malformed("a size in its header is wrong"))
        };
        let layout = Self::of(Sizes {
            tokens: size(0)?,
            formed: size(1)?,
            symbols: size(2)?,
            pairs: size(3)?,
            filter: size(4)?,
            units: size(5)?,
            merges: size(6)?,
            whole_pieces: size(7)?,
            longest: size(8)?,
        });
        if layout.words != words.len() {
            return Err(malformed("its header tells of another size"));
        }
        Ok(layout)
    }
}

fn malformed(what: &str) -> Error {
    Error::new(
        Code::Malformed,
        format!("a compiled vocabulary can't be used: {what}; compile it again"),
    )
}
