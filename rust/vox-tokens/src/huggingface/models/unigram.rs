//! Unigram: the tokens whose scores add up to the most.

use serde::{Deserialize, Serialize};

use super::{ByteTokens, Tokens};
use crate::trie::Trie;

/// What an unknown character scores below the lowest score of the vocabulary (SentencePiece's
/// `kUnkPenalty`).
const UNKNOWN_PENALTY: f64 = 10.0;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unigram {
    pub unknown: u32,
    /// The text of the unknown token; it is unknown too where it stands in a text.
    pub unknown_text: String,
    pub lowest_score: f64,
    /// With byte fallback what is unknown becomes its bytes.
    pub bytes: Option<ByteTokens>,
}

/// The best way found to a place in a text.
#[derive(Clone, Copy)]
struct Way {
    score: f64,
    /// Bytes of the last token; 0 if no way is known.
    length: u32,
    token: u32,
}

const NO_WAY: Way = Way { score: 0.0, length: 0, token: 0 };

/// Memory for one piece after the other.
#[derive(Default)]
pub struct Lattice {
    ways: Vec<Way>,
    /// Token and end of each step of the best way, last one first.
    path: Vec<(u32, usize)>,
}

impl Unigram {
    pub fn tokenise(
        &self,
        trie: Trie,
        scores: &[f64],
        piece: &str,
        lattice: &mut Lattice,
        tokens: &mut Tokens,
    ) {
        let Lattice { ways, path } = lattice;
        ways.clear();
        ways.resize(piece.len() + 1, NO_WAY);
        for (at, c) in piece.char_indices() {
            self.leave(trie, scores, &piece.as_bytes()[at..], c.len_utf8(), &mut ways[at..]);
        }
        path.clear();
        let mut end = piece.len();
        while end > 0 {
            let Way { token, length, .. } = ways[end];
            path.push((token, end));
            end -= length as usize;
        }
        self.give(trie, piece, path, tokens);
    }

    /// All tokens that begin at a place. Of ways with the same score the one found first stays.
    fn leave(&self, trie: Trie, scores: &[f64], rest: &[u8], character: usize, ways: &mut [Way]) {
        let here = ways[0].score;
        let mut offer = |length: usize, token: u32, score: f64| {
            let way = &mut ways[length];
            let score = score + here;
            if way.length == 0 || score > way.score {
                *way = Way { score, length: length as u32, token };
            }
        };
        let mut has_character = false;
        let mut unit = trie.root();
        for (length, &byte) in (1..).zip(rest) {
            let Some((next, token)) = trie.step(unit, byte) else { break };
            unit = next;
            if let Some(token) = token {
                has_character |= length == character;
                offer(length, token, scores[token as usize]);
            }
        }
        if !has_character {
            offer(character, self.unknown, self.lowest_score - UNKNOWN_PENALTY);
        }
    }

    /// Unknown ones side by side are one; if that is a token after all, then it is this.
    fn give(&self, trie: Trie, piece: &str, path: &[(u32, usize)], tokens: &mut Tokens) {
        let mut start = 0;
        let mut steps = path.iter().rev().copied().peekable();
        while let Some((token, mut end)) = steps.next() {
            if token != self.unknown {
                tokens.push(token);
                start = end;
                continue;
            }
            while let Some((_, further)) = steps.next_if(|&(token, _)| token == self.unknown) {
                end = further;
            }
            let text = &piece.as_bytes()[start..end];
            start = end;
            if let Some(token) = trie.get(text) {
                tokens.push(token);
            } else if !self.bytes.as_ref().is_some_and(|bytes| bytes.push(text, tokens)) {
                tokens.push(self.unknown);
            }
        }
    }
}
