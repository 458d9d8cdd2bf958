//! `rwkv`: the longest token that the rest begins with, again and again.

use vox_types::{Code, Error, Result};

use super::{
    model::{InOrder, Memory},
    vocab::Vocab,
};
use crate::{
    bound::Symbols,
    compiled::{Table, Tables},
    trie::{self, Trie},
};

/// Puts the trie of a file's tokens into the first table.
pub fn compile(vocab: &Vocab, tables: &mut Tables) -> Result<()> {
    let texts: Vec<Vec<u8>> = vocab.tokens.iter().map(|text| unescape(text)).collect();
    let words = trie::build(texts.iter().map(|text| &text[..]).zip(0..));
    if let Some(byte) = (0..=u8::MAX).find(|&byte| Trie(&words).longest(&[byte]).is_none()) {
        let message = format!(
            "This GGUF's vocabulary has no token for the byte {byte:#04x}, without which llama.cpp does not come to \
             an end, so there is no exact count. Use a bound."
        );
        return Err(Error::new(Code::Unsupported, message));
    }
    tables[0] = words;
    Ok(())
}

/// A vocabulary of byte strings.
pub struct Greedy {
    trie: Table,
}

impl Greedy {
    /// The vocabulary that was compiled.
    pub fn new([trie, ..]: [Table; 5]) -> Self {
        Self { trie }
    }
}

impl InOrder for Greedy {
    fn each(&self, text: &str, _: &mut Memory, mut each: impl FnMut(u32) -> bool) {
        let trie = Trie(self.trie.words());
        let mut rest = text.as_bytes();
        while let Some((id, length)) = trie.longest(rest) {
            if !each(id) {
                return;
            }
            rest = &rest[length..];
        }
    }

    fn symbols(&self) -> Symbols {
        Symbols::bytes()
    }
}

/// Tokens are written with `\t`, `\n`, `\r`, `\xff`; a backslash before anything else is dropped.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        match bytes.next() {
            None => {}
            Some(b't') => plain.push(b'\t'),
            Some(b'n') => plain.push(b'\n'),
            Some(b'r') => plain.push(b'\r'),
            Some(b'x') => {
                if let (Some(high), Some(low)) = (bytes.next(), bytes.next()) {
                    plain.push((digit(high) << 4).wrapping_add(digit(low)));
                }
            }
            Some(other) => plain.push(other),
        }
    }
    plain
}

fn digit(byte: u8) -> u8 {
    if byte >= b'a' { byte - b'a' + 10 } else { byte.wrapping_sub(b'0') }
}
