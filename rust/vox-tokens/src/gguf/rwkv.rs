//! `rwkv`: the longest token that the rest begins with, again and again.

use vox_types::{Code, Error, Result};

use super::{
    model::{Memory, Model},
    trie::Trie,
    vocab::Vocab,
};
use crate::bound::Symbols;

/// A vocabulary of byte strings.
pub struct Greedy {
    trie: Trie,
}

impl Greedy {
    /// The vocabulary of a file.
    pub fn new(vocab: &Vocab) -> Result<Self> {
        let texts: Vec<Vec<u8>> = vocab.tokens.iter().map(|text| unescape(text)).collect();
        let trie = Trie::new(
            texts
                .iter()
                .zip(0..)
                .map(|(text, id)| (&text[..], id))
                .filter(|(text, _)| !text.is_empty()),
        );
        if let Some(byte) = (0..=u8::MAX).find(|&byte| trie.longest(&[byte]).is_none()) {
            let message = format!(
                "This GGUF's vocabulary has no token for the byte {byte:#04x}, without which llama.cpp does not come to \
                 an end, so there is no exact count. Use a bound."
            );
            return Err(Error::new(Code::Unsupported, message));
        }
        Ok(Self { trie })
    }

    fn each(&self, text: &str, mut each: impl FnMut(u32) -> bool) {
        let mut rest = text.as_bytes();
        while let Some((id, length)) = self.trie.longest(rest) {
            if !each(id) {
                return;
            }
            rest = &rest[length..];
        }
    }
}

impl Model for Greedy {
    fn count(&self, text: &str, _: bool, _: &mut Memory, limit: u64) -> u64 {
        let mut count = 0;
        self.each(text, |_| {
            count += 1;
            count <= limit
        });
        count
    }

    fn encode(&self, text: &str, _: bool, _: &mut Memory, ids: &mut Vec<u32>) {
        self.each(text, |id| {
            ids.push(id);
            true
        });
    }

    fn bound(&self, text: &str, led: bool, memory: &mut Memory) -> u64 {
        self.count(text, led, memory, u64::MAX)
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
