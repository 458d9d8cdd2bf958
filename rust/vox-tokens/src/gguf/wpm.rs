//! `bert`: words, each cut into the longest tokens from the left.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::{
    metadata::Tokenizer,
    model::{InOrder, Memory},
    split::between_words,
    vocab::Vocab,
};
use crate::{
    bound::Symbols,
    compiled::{Table, Tables},
    trie::{self, Trie},
    unicode::{
        Classes,
        class::{Class, MARK, OTHER, PUNCTUATION, SPACE, SYMBOL},
    },
};

/// What a word begins with in the vocabulary.
const START: &str = "▁";

/// What is kept of a file besides the trie of its tokens.
#[derive(Serialize, Deserialize)]
pub struct Plan {
    unknown: u32,
    lowercase: bool,
    strip_accents: bool,
}

/// Compiles the vocabulary of a file; the trie is the first table.
pub fn compile(from: &Tokenizer, vocab: &Vocab, tables: &mut Tables) -> Plan {
    tables[0] = trie::build(vocab.tokens.iter().zip(0..).map(|(text, id)| (&**text, id)));
    let unknown = [from.unknown, Some(100)]
        .into_iter()
        .flatten()
        .find(|&id| (id as usize) < vocab.tokens.len());
    let lowercase = from.lowercase.unwrap_or(true);
    Plan {
        unknown: unknown.unwrap_or(u32::MAX),
        lowercase,
        strip_accents: from.strip_accents.unwrap_or(lowercase),
    }
}

/// A vocabulary of words and their parts.
pub struct Words {
    plan: Plan,
    trie: Table,
}

impl Words {
    /// The vocabulary that was compiled.
    pub fn new(plan: Plan, [trie, ..]: [Table; 5]) -> Self {
        Self { plan, trie }
    }

    /// Hands over each word, normalised, with its start.
    fn words(&self, text: &str, mut each: impl FnMut(&str) -> bool) {
        let mut word = String::from(START);
        for c in text.chars() {
            let c = if self.plan.strip_accents { base(c) } else { c };
            let class = class(c);
            let ends = class & SPACE != 0;
            if !ends
                && (c == '\0'
                    || c == '\u{fffd}'
                    || control(c)
                    || (self.plan.strip_accents && class & MARK != 0))
            {
                continue;
            }
            let alone =
                class & PUNCTUATION != 0 || (c < '\x7f' && class & SYMBOL != 0) || ideograph(c);
            if (ends || alone) && word.len() > START.len() {
                if !each(&word) {
                    return;
                }
                word.truncate(START.len());
            }
            if ends {
                continue;
            }
            word.push(if self.plan.lowercase { lower(c) } else { c });
            if alone {
                if !each(&word) {
                    return;
                }
                word.truncate(START.len());
            }
        }
        if word.len() > START.len() {
            each(&word);
        }
    }

    /// The tokens of one word, in `into`.
    fn parts(&self, word: &str, into: &mut Vec<u32>) {
        let trie = Trie(self.trie.words());
        into.clear();
        let mut rest = word.as_bytes();
        while !rest.is_empty() {
            let Some((id, length)) = trie.longest(rest) else {
                into.clear();
                break;
            };
            into.push(id);
            rest = &rest[length..];
        }
        if into.is_empty() {
            into.push(self.plan.unknown);
        }
    }
}

impl InOrder for Words {
    fn each(&self, text: &str, memory: &mut Memory, mut each: impl FnMut(u32) -> bool) {
        self.words(text, |word| {
            self.parts(word, &mut memory.merged);
            memory.merged.iter().all(|&id| each(id))
        });
    }

    fn symbols(&self) -> Symbols {
        // Each token of a word has a character of it, but one that is the start or a part of it.
        let alone = Trie(self.trie.words()).longest(START.as_bytes()).is_some();
        Symbols::by_character(|_| 1 + 3 * u32::from(alone))
    }

    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        between_words(bytes, from)
    }
}

/// The first character of the canonical decomposition.
fn base(c: char) -> char {
    if assigned(c) { std::iter::once(c).nfd().next().unwrap_or(c) } else { c }
}

/// The simple lower case.
pub fn lower(c: char) -> char {
    if assigned(c) { c.to_lowercase().next().unwrap_or(c) } else { c }
}

/// Whether llama.cpp takes `c` for space.
pub fn is_space(c: char) -> bool {
    class(c) & SPACE != 0
}

fn class(c: char) -> Class {
    let classes = Classes::llama_cpp();
    if c.is_ascii() { classes.ascii(c as u8) } else { classes.of(c.into()) }
}

/// Whether Unicode 15.1, which llama.cpp has, knows more of `c` than its code.
fn assigned(c: char) -> bool {
    class(c) & OTHER == 0
}

/// `\p{C}` but what is unassigned.
fn control(c: char) -> bool {
    matches!(u32::from(c),
        0x00..=0x1f | 0x7f..=0x9f | 0xad | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0x180e
        | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2064 | 0x2066..=0x206f | 0xe000..=0xf8ff | 0xfeff
        | 0xfff9..=0xfffb | 0x1_10bd | 0x1_10cd | 0x1_3430..=0x1_343f | 0x1_bca0..=0x1_bca3 | 0x1_d173..=0x1_d17a
        | 0xe_0001 | 0xe_0020..=0xe_007f | 0xf_0000..=0xf_fffd | 0x10_0000..=0x10_fffd)
}

/// The blocks whose characters are words of their own.
fn ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_b73f | 0x2_b740..=0x2_b81f
        | 0x2_b920..=0x2_ceaf | 0xf900..=0xfaff | 0x2_f800..=0x2_fa1f)
}
