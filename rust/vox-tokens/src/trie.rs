//! The tokens of a model by their bytes, as a double array of words that can be mapped; see
//! [`vox_bpe::trie`].

use vox_bpe::NONE;

/// The words of a trie of `keys`; of one that is there twice the last value counts. Empty ones are
/// left out. Values are below [`NONE`].
pub fn build<'k>(keys: impl IntoIterator<Item = (&'k [u8], u32)>) -> Vec<u64> {
    let mut sorted: Vec<(&[u8], u32)> =
        keys.into_iter().filter(|(key, _)| !key.is_empty()).collect();
    // Stable: equal keys stay in their order.
    sorted.sort_by_key(|(key, _)| *key);
    sorted.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = later.1;
        }
        same
    });
    vox_bpe::trie::build(&sorted)
}

/// A view of the words.
#[derive(Clone, Copy)]
pub struct Trie<'v>(pub &'v [u64]);

impl Trie<'_> {
    /// Where all walks begin.
    pub fn root(self) -> u64 {
        vox_bpe::trie::root(self.0)
    }

    /// Where `byte` leads, and the token that ends there.
    #[inline(always)]
    pub fn step(self, unit: u64, byte: u8) -> Option<(u64, Option<u32>)> {
        let next = vox_bpe::trie::step(self.0, unit, byte)?;
        let token = vox_bpe::trie::token(next);
        Some((next, (token != NONE).then_some(token)))
    }

    /// Where all of `bytes` lead.
    pub fn walk(self, mut unit: u64, bytes: &[u8]) -> Option<u64> {
        for &byte in bytes {
            unit = vox_bpe::trie::step(self.0, unit, byte)?;
        }
        Some(unit)
    }

    /// The token that is exactly `bytes`.
    pub fn get(self, bytes: &[u8]) -> Option<u32> {
        let token = vox_bpe::trie::token(self.walk(self.root(), bytes)?);
        (token != NONE).then_some(token)
    }

    /// The longest token that `text` begins with, and its length.
    pub fn longest(self, text: &[u8]) -> Option<(u32, usize)> {
        let mut unit = self.root();
        let mut found = None;
        for (length, &byte) in (1..).zip(text) {
            let Some((next, token)) = self.step(unit, byte) else { break };
            unit = next;
            found = token.map(|token| (token, length)).or(found);
        }
        found
    }

    /// How many bytes of `text` are the beginning of some token.
    pub fn reach(self, text: &[u8]) -> usize {
        let mut unit = self.root();
        for (at, &byte) in text.iter().enumerate() {
            match vox_bpe::trie::step(self.0, unit, byte) {
                Some(next) => unit = next,
                None => return at,
            }
        }
        text.len()
    }
}
