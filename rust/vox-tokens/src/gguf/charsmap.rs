//! SentencePiece's compiled normaliser: which beginnings of a text become what.
//!
//! A double array whose entries are packed into 32 bits (Kanda 2018, "Space- and Time-Efficient
//! String Dictionaries"): base in bits 10 to 30, shifted by 8 if bit 9 is set; label in bits 0 to
//! 7; bit 8 says that a key ends. Behind it the replacements, each ended by a NUL.

use vox_types::{Code, Error, Result};

/// A compiled normaliser.
#[derive(Default)]
pub struct Charsmap {
    nodes: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    /// The one in `bytes`, which may be empty.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let parts = bytes.split_first_chunk::<4>().and_then(|(size, rest)| {
            let size = u32::from_le_bytes(*size) as usize;
            (size < rest.len()).then(|| rest.split_at(size))
        });
        let (nodes, replacements) = parts.ok_or_else(|| malformed("is cut off"))?;
        let node = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(Self {
            nodes: nodes.chunks_exact(4).map(node).collect(),
            replacements: replacements.to_vec(),
        })
    }

    /// What the longest key that `text` begins with becomes, and its length.
    pub fn longest(&self, text: &[u8]) -> Option<(&[u8], usize)> {
        let mut at = base(*self.nodes.first()?);
        let mut found = None;
        for (length, &byte) in (1..).zip(text) {
            let Some((next, value)) = self.step(at, byte) else { break };
            at = next;
            found = value.map(|value| (value, length)).or(found);
        }
        found.map(|(value, length)| (self.replacement(value), length))
    }

    /// Where `byte` leads, and the value of the key that ends there.
    fn step(&self, at: u32, byte: u8) -> Option<(u32, Option<u32>)> {
        let at = at ^ u32::from(byte);
        let node = *self.nodes.get(at as usize)?;
        if byte == 0 || node & (1 << 31 | 0xff) != u32::from(byte) {
            return None;
        }
        let next = at ^ base(node);
        let ends = node >> 8 & 1 != 0;
        let value =
            ends.then(|| self.nodes.get(next as usize)).flatten().map(|node| node & !(1 << 31));
        Some((next, value))
    }

    fn replacement(&self, from: u32) -> &[u8] {
        let rest = self.replacements.get(from as usize..).unwrap_or_default();
        &rest[..rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len())]
    }

    /// All keys and what they become.
    ///
    /// # Errors
    ///
    /// `malformed` if the array leads around in circles.
    pub fn each(&self, mut each: impl FnMut(&[u8], &[u8])) -> Result<()> {
        let Some(&root) = self.nodes.first() else { return Ok(()) };
        let mut open = vec![(base(root), Vec::new())];
        let mut left = (16 * self.nodes.len()).min(MOST_BEGINNINGS);
        while let Some((at, key)) = open.pop() {
            left = left.checked_sub(1).ok_or_else(|| malformed("leads around in circles"))?;
            for byte in 1..=u8::MAX {
                let Some((next, value)) = self.step(at, byte) else { continue };
                let key = [&key[..], &[byte]].concat();
                if let Some(value) = value {
                    each(&key, self.replacement(value));
                }
                open.push((next, key));
            }
        }
        Ok(())
    }
}

/// Judgement. Beginnings of keys that an array may have. Keys with the same end share it, so they
/// can be more than nodes, but hardly many times more: SentencePiece's own has 50,000 nodes.
const MOST_BEGINNINGS: usize = 1 << 22;

fn malformed(what: &str) -> Error {
    let message = format!(
        "This GGUF file's tokenizer.ggml.precompiled_charsmap {what}. Fetch the file again."
    );
    Error::new(Code::Malformed, message)
}

fn base(node: u32) -> u32 {
    (node >> 10) << ((node & (1 << 9)) >> 6)
}
