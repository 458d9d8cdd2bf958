//! `gpt2` and `gemma4`: byte-pair encoding after cutting.

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow::{Break, Continue},
};

use vox_types::{Code, Error, Result};

use super::{
    metadata::Tokenizer,
    model::{Memory, Model},
    registry::{self, Pre},
    split::split,
    vocab::Vocab,
    wpm,
};
use crate::{
    bound::{Pairs, Symbols},
    bpe::{Bpe, Merging, Source, Vocabulary},
};

/// What stands for a space where spaces are escaped.
const SPACE: &str = "▁";

/// The same of one character.
pub fn escaped(c: char) -> char {
    if c == ' ' { '▁' } else { c }
}

/// A vocabulary of merges.
pub struct Merges {
    pre: Pre,
    vocabulary: Vocabulary,
    /// What symbols come out as that are no tokens, from the id `first` on.
    others: Vec<Box<[u32]>>,
    first: u32,
    /// Bytes in whose presence symbols may come out that are no tokens.
    absent: Box<[bool; 256]>,
    /// Byte tokens, for characters that are no symbols.
    bytes: Box<[Option<u32>; 256]>,
    /// Pieces of newlines that are tokens: by length.
    newlines: HashMap<usize, u32>,
    pairs: Pairs,
    symbols: Symbols,
    /// Space is dropped, and what is left is put in lower case.
    no_space: bool,
    lowercase: bool,
}

impl Merges {
    /// The vocabulary of a file.
    pub fn new(from: &Tokenizer, vocab: &Vocab) -> Result<Self> {
        let name = if from.model == "gemma4" { "gemma4" } else { &from.pre };
        let pre = registry::pre(name).ok_or_else(|| {
            Error::new(
                Code::Unsupported,
                format!(
                    "tokenizer.ggml.pre is {name:?}, which is none of those of llama.cpp that vox knows, so there is no \
                     exact count. Use a bound, or a newer vox."
                ),
            )
        })?;
        let mut texts = Texts::new(vocab, &pre);
        let merges = texts.merges(from)?;
        let symbols = texts.symbols();
        let others: Vec<Box<[u32]>> = texts.tokens[vocab.tokens.len()..]
            .iter()
            .map(|text| texts.spelled(text).into())
            .collect();
        let longer = texts.tokens[vocab.tokens.len()..].iter().any(|text| text.len() > 1);
        if pre.ignore_merges && longer {
            let message = "This GGUF's merges lead to what is no token, so there is no exact count. \
                           Use a bound.";
            return Err(Error::new(Code::Unsupported, message));
        }
        let mut absent = Box::new([longer || pre.characters; 256]);
        for text in &texts.tokens[vocab.tokens.len()..] {
            absent[usize::from(text[0])] = true;
        }
        let first = vocab.tokens.len() as u32;
        let source = Source {
            tokens: texts.tokens,
            symbols,
            merging: Merging::List(merges),
            whole_pieces: pre.ignore_merges,
        };
        let vocabulary = Vocabulary::compile(&source)?;
        let singles: HashMap<&[u8], u32> =
            source.symbols.iter().map(|&id| (&source.tokens[id as usize][..], id)).collect();
        let pairs = pairs(&source, &singles, pre.characters || longer);
        let newline_run = |length: usize| vocab.id(&b"\n".repeat(length)).map(|id| (length, id));
        let longest = vocab.tokens.iter().map(|text| text.len()).max().unwrap_or(0);
        let newlines = if pre.newlines_whole {
            (1..=longest).filter_map(newline_run).collect()
        } else {
            HashMap::new()
        };
        let bytes = Box::new(std::array::from_fn(|byte| vocab.byte(byte as u8)));
        let no_space = from.model == "whitespace";
        let lowercase = no_space && from.lowercase.unwrap_or(false);
        let symbols = if pre.characters {
            let cost = Symbols::by_character(|c| {
                let c = if pre.escape { escaped(c) } else { c };
                let c = if lowercase { wpm::lower(c) } else { c };
                match singles.get(c.encode_utf8(&mut [0; 4]).as_bytes()) {
                    Some(&id) if id < first && !longer => 1,
                    _ => c.len_utf8() as u32,
                }
            });
            // A `▁` may be put before any line, and one after each user-defined token.
            if pre.metaspace { cost.with_piece(3).with_start(3) } else { cost }
        } else {
            Symbols::bytes()
        };
        Ok(Self {
            pre,
            vocabulary,
            others,
            first,
            absent,
            bytes,
            newlines,
            pairs,
            symbols,
            no_space,
            lowercase,
        })
    }

    /// Hands over the pieces of a text; those of characters are escaped.
    fn pieces(&self, text: &str, mut each: impl FnMut(&str) -> bool) {
        let mut go = |piece: &str| if each(piece) { Continue(()) } else { Break(()) };
        if self.no_space {
            let lower = |c: char| if self.lowercase { wpm::lower(c) } else { c };
            let words = text.split(wpm::is_space).filter(|word| !word.is_empty());
            let words = words.map(|word| word.chars().map(lower).collect::<String>());
            for word in words {
                if split(self.pre.stages, &word, &mut |piece| go(piece)).is_break() {
                    return;
                }
            }
        } else if !self.pre.metaspace {
            let escaped;
            let text = if self.pre.escape {
                escaped = text.replace(' ', SPACE);
                &escaped
            } else {
                text
            };
            let _ = split(self.pre.stages, text, &mut |piece| go(piece));
        } else {
            let escaped = text.replace(' ', SPACE);
            let _ = split(self.pre.stages, &escaped, &mut |line| {
                if line.starts_with('\n') {
                    return go(line);
                }
                let led = if line.starts_with(SPACE) {
                    line.to_owned()
                } else {
                    format!("{SPACE}{line}")
                };
                let mut start = 0;
                while start < led.len() {
                    let from = start + SPACE.len();
                    let end = led[from..].find(SPACE).map_or(led.len(), |at| from + at);
                    go(&led[start..end])?;
                    start = end;
                }
                Continue(())
            });
        }
    }

    /// One piece, in ids that are no tokens yet.
    fn merge(&self, piece: &str, bpe: &Bpe<'_>, memory: &mut Memory) {
        memory.merged.clear();
        if !self.pre.characters {
            bpe.encode(piece.as_bytes(), &mut memory.scratch, &mut memory.merged);
            return;
        }
        // What is no symbol parts what is.
        let mut start = 0;
        for (at, c) in piece.char_indices() {
            let end = at + c.len_utf8();
            if !bpe.is_symbol(&piece.as_bytes()[at..end]) {
                if start < at {
                    bpe.encode(
                        &piece.as_bytes()[start..at],
                        &mut memory.scratch,
                        &mut memory.merged,
                    );
                }
                let bytes = piece.as_bytes()[at..end].iter();
                memory.merged.extend(bytes.filter_map(|&byte| self.bytes[usize::from(byte)]));
                start = end;
            }
        }
        if start < piece.len() {
            bpe.encode(&piece.as_bytes()[start..], &mut memory.scratch, &mut memory.merged);
        }
    }

    fn whole(&self, piece: &str) -> Option<u32> {
        if !piece.starts_with('\n') {
            return None;
        }
        self.newlines.get(&piece.len()).copied().filter(|_| piece.bytes().all(|byte| byte == b'\n'))
    }
}

/// Which two bytes always merge, unless that is `unknown`.
fn pairs(source: &Source, singles: &HashMap<&[u8], u32>, unknown: bool) -> Pairs {
    let mut listed = HashSet::new();
    if let Merging::List(list) = &source.merging
        && !unknown
    {
        let single = |id: u32| source.tokens[id as usize].len() == 1;
        let both = list.iter().filter(|&&[left, right, _]| single(left) && single(right));
        listed.extend(both.map(|&[left, right, _]| (left, right)));
    }
    Pairs::new(|first, second| {
        let ids = (singles.get(&[first][..]), singles.get(&[second][..]));
        matches!(ids, (Some(&first), Some(&second)) if listed.contains(&(first, second)))
    })
}

impl Model for Merges {
    fn count(&self, text: &str, _: bool, memory: &mut Memory, limit: u64) -> u64 {
        let bpe = Bpe::new(&self.vocabulary);
        let mut count = 0;
        let plain = !text.bytes().any(|byte| self.absent[usize::from(byte)]);
        self.pieces(text, |piece| {
            count += if plain {
                bpe.count(piece.as_bytes(), &mut memory.scratch) as u64
            } else if self.whole(piece).is_some() {
                1
            } else {
                self.merge(piece, &bpe, memory);
                let tokens = |&id: &u32| {
                    id.checked_sub(self.first).map_or(1, |at| self.others[at as usize].len())
                };
                memory.merged.iter().map(tokens).sum::<usize>() as u64
            };
            count <= limit
        });
        count
    }

    fn encode(&self, text: &str, _: bool, memory: &mut Memory, ids: &mut Vec<u32>) {
        let bpe = Bpe::new(&self.vocabulary);
        self.pieces(text, |piece| {
            if let Some(id) = self.whole(piece) {
                ids.push(id);
                return true;
            }
            self.merge(piece, &bpe, memory);
            for &id in &memory.merged {
                match id.checked_sub(self.first) {
                    None => ids.push(id),
                    Some(at) => ids.extend(&self.others[at as usize]),
                }
            }
            true
        });
    }

    fn bound(&self, text: &str, _: bool, _: &mut Memory) -> u64 {
        let bpe = Bpe::new(&self.vocabulary);
        let mut bound = 0;
        let plain = !text.bytes().any(|byte| self.absent[usize::from(byte)]);
        self.pieces(text, |piece| {
            bound += if plain && bpe.is_token(piece.as_bytes()) {
                1
            } else if self.pre.characters {
                let cost = |c: char| u64::from(self.symbols.cost(c).joined);
                piece.chars().map(cost).sum()
            } else {
                self.pairs.bound(piece.as_bytes())
            };
            true
        });
        bound
    }

    fn symbols(&self) -> Symbols {
        self.symbols.clone()
    }
}

/// Texts that merging knows: tokens first, then parts and results of merges that are none.
struct Texts<'v> {
    vocab: &'v Vocab,
    /// Symbols are bytes, and texts are written in the alphabet of GPT-2.
    alphabet: Option<Alphabet>,
    tokens: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, u32>,
}

impl<'v> Texts<'v> {
    fn new(vocab: &'v Vocab, pre: &Pre) -> Self {
        let alphabet = (!pre.characters).then(Alphabet::new);
        let mut texts = Self {
            vocab,
            alphabet,
            tokens: Vec::new(),
            ids: HashMap::with_capacity(vocab.tokens.len()),
        };
        for (id, text) in (0..).zip(&vocab.tokens) {
            // What isn't written in the alphabet never comes out of merging.
            let plain = texts.plain(text).unwrap_or_default();
            if !plain.is_empty() {
                texts.ids.insert(plain.clone(), id);
            }
            texts.tokens.push(plain);
        }
        texts
    }

    fn plain(&self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        match &self.alphabet {
            None => Some(text.as_bytes().to_vec()),
            Some(alphabet) => alphabet.bytes(text),
        }
    }

    fn id(&mut self, plain: Vec<u8>) -> u32 {
        *self.ids.entry(plain).or_insert_with_key(|plain| {
            self.tokens.push(plain.clone());
            self.tokens.len() as u32 - 1
        })
    }

    /// The merges of a file: parts and result.
    fn merges(&mut self, from: &Tokenizer) -> Result<Vec<[u32; 3]>> {
        let mut merges = Vec::new();
        let Some(list) = &from.merges else {
            // Kimi K2 has none: its tokens are what pieces are as a whole, or bytes.
            return if from.pre == "kimi-k2" { Ok(merges) } else { Err(no_merges()) };
        };
        for merge in list.iter() {
            let gap = merge.iter().skip(1).position(|&byte| byte == b' ');
            let Some(gap) = gap.map(|at| at + 1) else { continue };
            let parts = [&merge[..gap], &merge[gap + 1..]].map(|part| self.plain(part));
            // What isn't written in the alphabet, or is empty, never meets.
            let [Some(left), Some(right)] = parts else { continue };
            if left.is_empty() || right.is_empty() {
                continue;
            }
            let joined = [&left[..], &right[..]].concat();
            merges.push([self.id(left), self.id(right), self.id(joined)]);
        }
        Ok(merges)
    }

    /// What merging starts from.
    fn symbols(&mut self) -> Vec<u32> {
        if self.alphabet.is_some() {
            return (0..=u8::MAX).map(|byte| self.id(vec![byte])).collect();
        }
        let one =
            |text: &[u8]| std::str::from_utf8(text).is_ok_and(|text| text.chars().count() == 1);
        (0..).zip(&self.tokens).filter(|(_, text)| one(text)).map(|(id, _)| id).collect()
    }

    /// What a text that is no token comes out as.
    fn spelled(&self, plain: &[u8]) -> Vec<u32> {
        match &self.alphabet {
            None => plain.iter().filter_map(|&byte| self.vocab.byte(byte)).collect(),
            Some(alphabet) => {
                let written: String =
                    plain.iter().map(|&byte| alphabet.characters[usize::from(byte)]).collect();
                written.bytes().filter_map(|byte| self.vocab.id(&[byte])).collect()
            }
        }
    }
}

fn no_merges() -> Error {
    let message = "This GGUF file has no tokenizer.ggml.merges, which its kind of tokenizer needs. Convert it anew.";
    Error::new(Code::Malformed, message)
}

/// How GPT-2 writes bytes as visible characters: those that are printable in Latin-1 as
/// themselves, the others from U+0100 on.
struct Alphabet {
    characters: [char; 256],
    bytes: HashMap<char, u8>,
}

impl Alphabet {
    fn new() -> Self {
        let mut next = 256;
        let characters = std::array::from_fn(|byte| match byte {
            0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => char::from(byte as u8),
            _ => {
                next += 1;
                char::from_u32(next - 1).unwrap_or_default()
            }
        });
        Self { characters, bytes: characters.into_iter().zip(0..=255).collect() }
    }

    fn bytes(&self, text: &str) -> Option<Vec<u8>> {
        text.chars().map(|c| self.bytes.get(&c).copied()).collect()
    }
}
