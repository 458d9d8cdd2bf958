//! BPE: adjacent symbols merge in a fixed order.

use serde::{Deserialize, Serialize};
use vox_bpe::{Bpe, NONE, Scratch, merging};

use super::{ByteTokens, Tokens, WORD_MARK};
use crate::{
    merges::{Engine, Merges},
    trie::Trie,
};

/// What becomes of characters that the vocabulary doesn't have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unknown {
    /// Their bytes, with byte fallback.
    pub bytes: Option<ByteTokens>,
    /// Else this; without it they are dropped.
    pub token: Option<u32>,
    /// Unknown ones side by side are one.
    pub fuse: bool,
}

impl Unknown {
    /// Gives the tokens of an unknown character. `waiting` says that one of unknown ones before it
    /// still has to be given: it is only when something known follows, so that the bytes of
    /// others may come before it.
    fn push(&self, bytes: &[u8], waiting: &mut bool, tokens: &mut Tokens) {
        if self.bytes.as_ref().is_some_and(|known| known.push(bytes, tokens)) {
            return;
        }
        if let Some(token) = self.token {
            if *waiting && !self.fuse {
                tokens.push(token);
            }
            *waiting = true;
        }
    }

    fn settle(&self, waiting: &mut bool, tokens: &mut Tokens) {
        if std::mem::take(waiting) {
            self.token.into_iter().for_each(|token| tokens.push(token));
        }
    }

    /// Whether an unknown character always leaves something between its neighbours.
    pub fn always_parts(&self) -> bool {
        self.token.is_some() || self.bytes.as_ref().is_some_and(ByteTokens::are_complete)
    }
}

/// The tokens of a piece all of whose symbols are known.
pub fn tokenise(engine: &Engine<'_>, piece: &[u8], scratch: &mut Scratch, tokens: &mut Tokens) {
    if piece.is_empty() {
        return;
    }
    match &mut tokens.ids {
        None => tokens.count += engine.count(piece, scratch) as u64,
        Some(ids) => {
            let before = ids.len();
            engine.encode(piece, scratch, ids);
            tokens.count += (ids.len() - before) as u64;
        }
    }
}

/// Pieces are text whose symbols are characters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Characters {
    pub unknown: Unknown,
    /// Characters that stand before a [`WORD_MARK`] in some token, sorted. After any other nothing
    /// merges with the mark: what merges across it would be part of a token that has both.
    pub before_mark: Vec<char>,
}

impl Characters {
    /// What is unknown never merges, so known stretches between are encoded each for itself.
    pub fn tokenise(
        &self,
        merges: &Merges,
        piece: &str,
        scratch: &mut Scratch,
        tokens: &mut Tokens,
    ) {
        let symbols = Bpe::new(merges.vocabulary());
        let engine = merges.engine();
        let bytes = piece.as_bytes();
        let mut run = 0;
        let mut waiting = false;
        let mut before = WORD_MARK;
        for (at, c) in piece.char_indices() {
            let end = at + c.len_utf8();
            if c == WORD_MARK && self.before_mark.binary_search(&before).is_err() {
                tokenise(&engine, &bytes[run..at], scratch, tokens);
                run = at;
            }
            before = c;
            if symbols.is_symbol(&bytes[at..end]) {
                self.unknown.settle(&mut waiting, tokens);
                continue;
            }
            tokenise(&engine, &bytes[run..at], scratch, tokens);
            run = end;
            self.unknown.push(&bytes[at..end], &mut waiting, tokens);
        }
        self.unknown.settle(&mut waiting, tokens);
        tokenise(&engine, &bytes[run..], scratch, tokens);
    }
}

/// Everything that the fast engine can't do: symbols with prefixes or suffixes, merges of unknown
/// ones, pieces that are tokens as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ordered {
    pub unknown: Unknown,
    /// What every symbol but the first of a piece begins with.
    pub prefix: String,
    /// What the last symbol of a piece ends with.
    pub suffix: String,
    /// A piece that is a token is that.
    pub whole_pieces: bool,
}

impl Ordered {
    pub fn tokenise(
        &self,
        trie: Trie,
        merges: &[u64],
        piece: &str,
        symbols: &mut Vec<u32>,
        tokens: &mut Tokens,
    ) {
        if self.whole_pieces
            && let Some(token) = trie.get(piece.as_bytes())
        {
            tokens.push(token);
            return;
        }
        symbols.clear();
        self.symbols(trie, piece, symbols);
        merging::merge(merges, symbols);
        symbols.iter().filter(|&&token| token != NONE).for_each(|&token| tokens.push(token));
    }

    fn symbols(&self, trie: Trie, piece: &str, symbols: &mut Vec<u32>) {
        let mut symbols = Tokens { count: 0, ids: Some(symbols) };
        let mut waiting = false;
        let mut symbol = String::new();
        for (at, c) in piece.char_indices() {
            symbol.clear();
            if at > 0 {
                symbol.push_str(&self.prefix);
            }
            symbol.push(c);
            if at + c.len_utf8() == piece.len() {
                symbol.push_str(&self.suffix);
            }
            match trie.get(symbol.as_bytes()) {
                Some(token) => {
                    self.unknown.settle(&mut waiting, &mut symbols);
                    symbols.push(token);
                }
                None => self.unknown.push(symbol.as_bytes(), &mut waiting, &mut symbols),
            }
        }
        self.unknown.settle(&mut waiting, &mut symbols);
    }
}
