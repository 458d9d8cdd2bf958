//! Models: what the tokens of a piece are.

pub mod bpe;
pub mod unigram;
pub mod word_level;
pub mod word_piece;

/// What SentencePiece writes for a space.
pub const WORD_MARK: char = '\u{2581}';

/// Where tokens go: they are counted, and kept if someone wants them.
pub struct Tokens<'a> {
    pub count: u64,
    pub ids: Option<&'a mut Vec<u32>>,
}

impl Tokens<'_> {
    #[inline]
    pub fn push(&mut self, id: u32) {
        self.count += 1;
        if let Some(ids) = &mut self.ids {
            ids.push(id);
        }
    }
}

/// The tokens that stand for single bytes in models with byte fallback.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ByteTokens(Vec<Option<u32>>);

impl ByteTokens {
    /// Looks `<0x00>` to `<0xFF>` up.
    pub fn find(id: impl Fn(&str) -> Option<u32>) -> Self {
        Self((0..=255_u8).map(|byte| id(&format!("<{byte:#04X}>"))).collect())
    }

    /// Whether every byte has a token.
    pub fn are_complete(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    pub fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)].is_some()
    }

    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied().flatten()
    }

    /// The tokens of all bytes, if each of them has one. Says whether.
    pub fn push(&self, bytes: &[u8], tokens: &mut Tokens) -> bool {
        let known = bytes.iter().all(|&byte| self.has(byte));
        if known {
            bytes
                .iter()
                .filter_map(|&byte| self.0[usize::from(byte)])
                .for_each(|id| tokens.push(id));
        }
        known
    }
}
