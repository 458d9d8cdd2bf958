//! A bound over chunks of bytes, in constant memory.

use super::Symbols;

/// Adds up the symbols of a text that comes in chunks. Where the chunks are cut makes no
/// difference. What is no UTF-8 counts as U+FFFD for each maximal subpart.
#[derive(Clone)]
pub struct StreamBound {
    symbols: Symbols,
    total: u64,
    /// What the last character costs less than was added, if nothing joins it.
    saving: u32,
    /// The beginning of a character whose rest hasn't come.
    open: [u8; 4],
    open_len: usize,
}

impl StreamBound {
    /// Of an empty text so far.
    pub fn new(symbols: Symbols) -> Self {
        Self { total: symbols.start(), symbols, saving: 0, open: [0; 4], open_len: 0 }
    }

    /// The text goes on with `bytes`.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while self.open_len > 0 {
            let Some((&byte, rest)) = bytes.split_first() else { return };
            self.open[self.open_len] = byte;
            let joined = self.open;
            match std::str::from_utf8(&joined[..=self.open_len]) {
                Ok(text) => {
                    self.open_len = 0;
                    self.feed_str(text);
                }
                Err(error) if error.error_len().is_none() => self.open_len += 1,
                // What was open is a whole maximal subpart; `byte` is looked at anew.
                Err(_) => {
                    self.open_len = 0;
                    self.feed_char(char::REPLACEMENT_CHARACTER);
                    continue;
                }
            }
            bytes = rest;
        }
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.feed_str(text),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            if let Ok(text) = std::str::from_utf8(valid) {
                self.feed_str(text);
            }
            match error.error_len() {
                Some(invalid) => {
                    self.feed_char(char::REPLACEMENT_CHARACTER);
                    bytes = &rest[invalid..];
                }
                None => {
                    self.open[..rest.len()].copy_from_slice(rest);
                    self.open_len = rest.len();
                    return;
                }
            }
        }
    }

    /// The bound on what was fed so far, as if nothing came after it.
    pub fn total(&self) -> u64 {
        if self.open_len == 0 {
            return self.total - u64::from(self.saving);
        }
        let mut ended = self.clone();
        ended.open_len = 0;
        ended.feed_char(char::REPLACEMENT_CHARACTER);
        ended.total()
    }

    /// `text` follows; nothing is open.
    pub(super) fn feed_str(&mut self, text: &str) {
        if self.symbols.are_bytes() {
            self.total += text.len() as u64;
            return;
        }
        let Some(ascii) = self.symbols.ascii() else {
            return text.chars().for_each(|c| self.feed_char(c));
        };
        for block in Blocks(text) {
            if block.is_ascii() {
                self.total += u64::from(ascii) * block.len() as u64;
                self.total -= u64::from(self.saving);
                self.saving = 0;
            } else {
                block.chars().for_each(|c| self.feed_char(c));
            }
        }
    }

    fn feed_char(&mut self, c: char) {
        let cost = self.symbols.cost(c);
        if cost.starts {
            self.total -= u64::from(self.saving);
            self.saving = cost.joined - cost.alone;
        } else {
            self.saving = 0;
        }
        self.total += u64::from(cost.joined);
    }
}

/// A text in blocks of about 64 bytes, cut between characters; none is empty.
struct Blocks<'a>(&'a str);

impl<'a> Iterator for Blocks<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let mut end = BLOCK.min(self.0.len());
        while !self.0.is_char_boundary(end) {
            end += 1;
        }
        let (block, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(block)
    }
}

const BLOCK: usize = 64;
