//! WordPiece: the longest token first, with a prefix on every token that doesn't begin its word.

use serde::{Deserialize, Serialize};

use super::Tokens;
use crate::trie::Trie;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WordPiece {
    pub unknown: u32,
    /// What tokens within a word begin with.
    pub prefix: String,
    /// A longer word is unknown.
    pub longest_word: u64,
}

impl WordPiece {
    pub fn tokenise(&self, trie: Trie, piece: &str, found: &mut Vec<u32>, tokens: &mut Tokens) {
        found.clear();
        let fits = piece.len() as u64 <= self.longest_word
            || piece.chars().count() as u64 <= self.longest_word;
        if fits && self.find(trie, piece.as_bytes(), found) {
            found.iter().for_each(|&id| tokens.push(id));
        } else {
            tokens.push(self.unknown);
        }
    }

    fn find(&self, trie: Trie, piece: &[u8], found: &mut Vec<u32>) -> bool {
        let within = trie.walk(trie.root(), self.prefix.as_bytes());
        let mut at = 0;
        while at < piece.len() {
            let start = if at == 0 { Some(trie.root()) } else { within };
            let Some(mut unit) = start else { return false };
            let mut longest = None;
            for (end, &byte) in (at + 1..).zip(&piece[at..]) {
                let Some((next, token)) = trie.step(unit, byte) else { break };
                unit = next;
                longest = token.map(|id| (id, end)).or(longest);
            }
            let Some((id, end)) = longest else { return false };
            found.push(id);
            at = end;
        }
        true
    }
}
