//! `gpt2` and `gemma4`: byte-pair encoding after cutting.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::ControlFlow::{Break, Continue},
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};
use vox_types::{Code, Error, Result};

use super::{
    metadata::Tokenizer,
    model::{Memory, Model},
    registry::{self, Pre},
    split::{between_words, cut, split},
    vocab::Vocab,
    wpm,
};
use crate::{
    bound::{Pairs, Symbols},
    bpe::{Bpe, Merging, Source, Vocabulary},
    bytes,
    compiled::{Table, Tables},
    text::shown,
};

/// What stands for a space where spaces are escaped.
const SPACE: &str = "▁";

/// The same of one character.
pub fn escaped(c: char) -> char {
    if c == ' ' { '▁' } else { c }
}

/// What is kept of a file besides its vocabulary.
#[derive(Serialize, Deserialize)]
pub struct Plan {
    pre: String,
    /// What symbols come out as that are no tokens, from the id `first` on.
    others: Vec<Vec<u32>>,
    first: u32,
    /// What is merged may be no token, nor one symbol.
    longer: bool,
    /// Bytes in whose presence symbols may come out that are no tokens.
    absent: Vec<u8>,
    /// Characters that are symbols and no tokens.
    odd: Vec<char>,
    /// Byte tokens, for characters that are no symbols.
    bytes: Vec<Option<u32>>,
    /// Pieces of newlines that are tokens: by length.
    newlines: BTreeMap<usize, u32>,
    /// Space is dropped, and what is left is put in lower case.
    no_space: bool,
    lowercase: bool,
}

/// Compiles the vocabulary of a file, into the first table.
///
/// # Errors
///
/// `unsupported` if it has no exact count; `malformed` if it contradicts itself.
pub fn compile(from: &Tokenizer, vocab: &Vocab, tables: &mut Tables) -> Result<Plan> {
    let name = if from.model == "gemma4" { "gemma4" } else { &from.pre };
    let pre = pre(name)?;
    let mut texts = Texts::new(vocab, &pre);
    let merges = texts.merges(from)?;
    let symbols = texts.symbols();
    let first = vocab.tokens.len();
    let others = texts.tokens[first..].iter().map(|text| texts.spelled(text)).collect();
    let longer = texts.tokens[first..].iter().any(|text| text.len() > 1);
    if pre.ignore_merges && longer {
        let message = "This GGUF's merges lead to what is no token, so there is no exact count. \
                       Use a bound.";
        return Err(Error::new(Code::Unsupported, message));
    }
    let absent: BTreeSet<u8> = if longer || pre.characters {
        (0..=u8::MAX).collect()
    } else {
        texts.tokens[first..].iter().map(|text| text[0]).collect()
    };
    let odd = symbols.iter().filter(|&&id| id as usize >= first);
    let odd =
        odd.filter_map(|&id| std::str::from_utf8(&texts.tokens[id as usize]).ok()?.chars().next());
    let odd = odd.collect();
    let newlines = if pre.newlines_whole {
        let of_newlines = |text: &[u8]| text.iter().all(|&byte| byte == b'\n');
        let runs = vocab.tokens.iter().zip(0..).filter(|(text, _)| of_newlines(text));
        runs.map(|(text, id)| (text.len(), id)).collect()
    } else {
        BTreeMap::new()
    };
    let source = Source {
        tokens: texts.tokens,
        symbols,
        merging: Merging::List(merges),
        whole_pieces: pre.ignore_merges,
    };
    tables[0] = Vocabulary::compile(&source)?.as_words().to_vec();
    let no_space = from.model == "whitespace";
    Ok(Plan {
        pre: name.to_owned(),
        others,
        first: first as u32,
        longer,
        absent: absent.into_iter().collect(),
        odd,
        bytes: (0..=u8::MAX).map(|byte| vocab.byte(byte)).collect(),
        newlines,
        no_space,
        lowercase: no_space && from.lowercase.unwrap_or(false),
    })
}

/// What `tokenizer.ggml.pre` means.
fn pre(name: &str) -> Result<Pre> {
    registry::pre(name).ok_or_else(|| {
        let message = format!(
            "tokenizer.ggml.pre is \"{}\", which is none of those of llama.cpp that vox knows, so there is no \
             exact count. Use a bound, or a newer vox.",
            shown(name)
        );
        Error::new(Code::Unsupported, message)
    })
}

/// A vocabulary of merges.
pub struct Merges {
    pre: Pre,
    plan: Plan,
    vocabulary: Vocabulary,
    absent: Box<[bool; 256]>,
    pairs: OnceLock<Pairs>,
}

impl Merges {
    /// The vocabulary that was compiled.
    ///
    /// # Errors
    ///
    /// `malformed` if the table isn't what compiling writes.
    pub fn new(plan: Plan, [vocabulary, ..]: [Table; 5]) -> Result<Self> {
        let mut absent = Box::new([false; 256]);
        for &byte in &plan.absent {
            absent[usize::from(byte)] = true;
        }
        let vocabulary = Vocabulary::open(Arc::new(vocabulary))?;
        Ok(Self { pre: pre(&plan.pre)?, plan, vocabulary, absent, pairs: OnceLock::new() })
    }

    /// Which two bytes always merge; asked for when a bound is.
    fn pairs(&self) -> &Pairs {
        self.pairs.get_or_init(|| {
            let bpe = Bpe::new(&self.vocabulary);
            Pairs::new(|first, second| !self.plan.longer && bpe.merges(&[first], &[second]))
        })
    }

    /// Hands over the pieces of a text; those of characters are escaped.
    fn pieces(&self, text: &str, mut each: impl FnMut(&str) -> bool) {
        let mut go = |piece: &str| if each(piece) { Continue(()) } else { Break(()) };
        if self.plan.no_space {
            let lower = |c: char| if self.plan.lowercase { wpm::lower(c) } else { c };
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
                memory.merged.extend(bytes.filter_map(|&byte| self.plan.bytes[usize::from(byte)]));
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
        self.plan
            .newlines
            .get(&piece.len())
            .copied()
            .filter(|_| piece.bytes().all(|byte| byte == b'\n'))
    }
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
                    id.checked_sub(self.plan.first)
                        .map_or(1, |at| self.plan.others[at as usize].len())
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
                match id.checked_sub(self.plan.first) {
                    None => ids.push(id),
                    Some(at) => ids.extend(&self.plan.others[at as usize]),
                }
            }
            true
        });
    }

    fn bound(&self, text: &str, _: bool, _: &mut Memory, symbols: &Symbols) -> u64 {
        let bpe = Bpe::new(&self.vocabulary);
        let mut bound = 0;
        let plain = !text.bytes().any(|byte| self.absent[usize::from(byte)]);
        self.pieces(text, |piece| {
            bound += if plain && bpe.is_token(piece.as_bytes()) {
                1
            } else if self.pre.characters {
                piece.chars().map(|c| u64::from(symbols.cost(c).joined)).sum()
            } else {
                self.pairs().bound(piece.as_bytes())
            };
            true
        });
        bound
    }

    fn symbols(&self) -> Symbols {
        if !self.pre.characters {
            return Symbols::bytes();
        }
        let bpe = Bpe::new(&self.vocabulary);
        let cost = Symbols::by_character(|c| {
            let c = if self.pre.escape { escaped(c) } else { c };
            let c = if self.plan.lowercase { wpm::lower(c) } else { c };
            let known = bpe.is_symbol(c.encode_utf8(&mut [0; 4]).as_bytes());
            let is_token = known && !self.plan.longer && !self.plan.odd.contains(&c);
            if is_token { 1 } else { c.len_utf8() as u32 }
        });
        // A `▁` may be put before any line, and one after each user-defined token.
        if self.pre.metaspace { cost.with_piece(3).with_start(3) } else { cost }
    }

    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        if self.plan.no_space {
            between_words(bytes, from)
        } else {
            cut(self.pre.stages, bytes, from)
        }
    }
}

/// Texts that merging knows: tokens first, then parts and results of merges that are none.
struct Texts<'v> {
    vocab: &'v Vocab<'v>,
    /// Symbols are bytes, and texts are written in the alphabet of GPT-2.
    of_bytes: bool,
    tokens: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, u32>,
}

impl<'v> Texts<'v> {
    fn new(vocab: &'v Vocab, pre: &Pre) -> Self {
        let mut texts = Self {
            vocab,
            of_bytes: !pre.characters,
            tokens: Vec::with_capacity(vocab.tokens.len()),
            ids: HashMap::with_capacity(vocab.tokens.len()),
        };
        for (id, text) in (0..).zip(&vocab.tokens) {
            let mut plain = Vec::with_capacity(text.len());
            // What isn't written in the alphabet never comes out of merging.
            if !texts.put(text, &mut plain) {
                plain.clear();
            }
            if !plain.is_empty() {
                texts.ids.insert(plain.clone(), id);
            }
            texts.tokens.push(plain);
        }
        texts
    }

    /// Appends what a text stands for; says whether it stands for something.
    fn put(&self, text: &[u8], plain: &mut Vec<u8>) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        if !self.of_bytes {
            plain.extend(text.as_bytes());
            return true;
        }
        text.chars().all(|c| bytes::of(c).map(|byte| plain.push(byte)).is_some())
    }

    fn id(&mut self, plain: &[u8]) -> u32 {
        if let Some(&id) = self.ids.get(plain) {
            return id;
        }
        let id = self.tokens.len() as u32;
        self.tokens.push(plain.to_vec());
        self.ids.insert(plain.to_vec(), id);
        id
    }

    /// The merges of a file: parts and result.
    fn merges(&mut self, from: &Tokenizer) -> Result<Vec<[u32; 3]>> {
        let Some(list) = &from.merges else {
            // Kimi K2 has none: its tokens are what pieces are as a whole, or bytes.
            return if from.pre == "kimi-k2" { Ok(Vec::new()) } else { Err(no_merges()) };
        };
        let mut merges = Vec::with_capacity(list.len());
        let mut joined = Vec::new();
        for merge in list.iter() {
            let gap = merge.iter().skip(1).position(|&byte| byte == b' ');
            let Some(gap) = gap.map(|at| at + 1) else { continue };
            joined.clear();
            let known = self.put(&merge[..gap], &mut joined);
            let seam = joined.len();
            // What isn't written in the alphabet, or is empty, never meets.
            if known
                && self.put(&merge[gap + 1..], &mut joined)
                && (1..joined.len()).contains(&seam)
            {
                let (left, right) = joined.split_at(seam);
                merges.push([self.id(left), self.id(right), self.id(&joined)]);
            }
        }
        Ok(merges)
    }

    /// What merging starts from.
    fn symbols(&mut self) -> Vec<u32> {
        if self.of_bytes {
            return (0..=u8::MAX).map(|byte| self.id(&[byte])).collect();
        }
        let one =
            |text: &[u8]| std::str::from_utf8(text).is_ok_and(|text| text.chars().count() == 1);
        (0..).zip(&self.tokens).filter(|(_, text)| one(text)).map(|(id, _)| id).collect()
    }

    /// What a text that is no token comes out as.
    fn spelled(&self, plain: &[u8]) -> Vec<u32> {
        if !self.of_bytes {
            return plain.iter().filter_map(|&byte| self.vocab.byte(byte)).collect();
        }
        let written: String = plain.iter().map(|&byte| bytes::CHARS[usize::from(byte)]).collect();
        written.bytes().filter_map(|byte| self.vocab.id(&[byte])).collect()
    }
}

fn no_merges() -> Error {
    let message = "This GGUF file has no tokenizer.ggml.merges, which its kind of tokenizer needs. Convert it anew.";
    Error::new(Code::Malformed, message)
}
