//! A compiled vocabulary: one run of words, wherever it lies.

use std::{fmt, hint, sync::Arc};

use vox_types::{Code, Error, Result};

use crate::{
    Source, compile,
    layout::{LINE, Layout, Sizes},
    pairs::Pairs,
};

/// A vocabulary whose tables are used as they lie in memory or in a mapped file.
#[derive(Clone)]
pub struct Vocabulary {
    bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
    layout: Layout,
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary").field("sizes", &self.layout.sizes).finish_non_exhaustive()
    }
}

/// Words that own themselves, as bytes.
struct Owned(Vec<u64>);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl Vocabulary {
    /// Compiles a vocabulary: about a second for 200,000 tokens without optimisation, a fifth of
    /// that with it.
    ///
    /// # Errors
    ///
    /// `malformed` if a merge or symbol names no token, or joins to something else than it says;
    /// `unsupported` if there are more than 2,097,151 tokens.
    pub fn compile(source: &Source) -> Result<Self> {
        Self::open(Arc::new(Owned(compile::compile(source)?)))
    }

    /// Uses compiled bytes as they lie; reads only their header.
    ///
    /// The bytes must be what [`Vocabulary::as_bytes`] gave: damage within tables isn't looked for
    /// and leads to wrong counts or a panic. Whoever reads them from a file checks them before.
    ///
    /// # Errors
    ///
    /// `malformed` if the header is not that of a compiled vocabulary of this version and machine,
    /// or the bytes are cut off or don't start at a multiple of 8.
    pub fn open(bytes: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self> {
        let words: &[u64] = bytemuck::try_cast_slice((*bytes).as_ref()).map_err(|_| {
            Error::new(
                Code::Malformed,
                "a compiled vocabulary can't be used: its size or place is no multiple of 8 bytes; compile it again",
            )
        })?;
        let layout = Layout::read(words)?;
        Ok(Self { bytes, layout })
    }

    /// Reads through all tables once, so that they are in memory and near: about a millisecond for
    /// ten megabytes. Worth it before counting much; measured: a sixth faster over four megabytes.
    pub fn warm(&self) {
        hint::black_box(self.as_words().iter().step_by(LINE).fold(0, |all, word| all ^ word));
    }

    /// The compiled form, to be kept.
    pub fn as_bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// The same as words.
    pub fn as_words(&self) -> &[u64] {
        bytemuck::cast_slice(self.as_bytes())
    }

    /// How many tokens can come out.
    pub fn tokens(&self) -> usize {
        self.layout.sizes.tokens as usize
    }

    /// The bytes of the longest token.
    pub fn longest(&self) -> usize {
        self.layout.sizes.longest as usize
    }

    /// Whether merges come in the order of forming, so that the fast way is open. If not, counting
    /// takes n log n steps.
    pub fn is_fast(&self) -> bool {
        self.layout.sizes.merges == 0
    }

    /// The tables.
    pub(crate) fn tables(&self) -> Tables<'_> {
        let words = self.as_words();
        let layout = &self.layout;
        Tables {
            sizes: layout.sizes,
            splits: &words[layout.splits.clone()],
            pairs: Pairs {
                slots: &words[layout.pairs.clone()],
                filter: &words[layout.filter.clone()],
            },
            trie: &words[layout.trie.clone()],
            merges: &words[layout.merges.clone()],
            shorter: bytemuck::cast_slice(&words[layout.shorter.clone()]),
            ids: bytemuck::cast_slice(&words[layout.ids.clone()]),
        }
    }
}

/// Views of all tables; see `layout`.
#[derive(Clone, Copy)]
pub struct Tables<'v> {
    pub sizes: Sizes,
    pub splits: &'v [u64],
    pub pairs: Pairs<'v>,
    pub trie: &'v [u64],
    pub merges: &'v [u64],
    pub shorter: &'v [u32],
    pub ids: &'v [u32],
}
