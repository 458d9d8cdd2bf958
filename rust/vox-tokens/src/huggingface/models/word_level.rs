//! WordLevel: a piece is a token or unknown.

use serde::{Deserialize, Serialize};

use super::Tokens;
use crate::trie::Trie;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WordLevel {
    pub unknown: u32,
}

impl WordLevel {
    pub fn tokenise(&self, trie: Trie, piece: &[u8], tokens: &mut Tokens) {
        tokens.push(trie.get(piece).unwrap_or(self.unknown));
    }
}
