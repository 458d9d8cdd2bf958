//! `t5`: a unigram model, which takes the tokens whose scores sum up to the most.

use std::sync::Arc;

use vox_types::{Code, Error, Result};

use super::{
    charsmap::Charsmap,
    defined::Defined,
    metadata::Tokenizer,
    model::{Memory, Model},
    spm::with_prefix,
    trie::Trie,
    vocab::{Vocab, kind},
};
use crate::bound::Symbols;

const SPACE: &[u8] = "▁".as_bytes();

/// What an unknown character scores less than the worst token.
const PENALTY: f32 = 10.0;

/// A vocabulary of probabilities.
pub struct Unigram {
    vocab: Arc<Vocab>,
    trie: Trie,
    defined: Trie,
    charsmap: Charsmap,
    unknown: u32,
    unknown_score: f64,
    led: bool,
    merge_spaces: bool,
    symbols: Symbols,
}

impl Unigram {
    /// The vocabulary of a file.
    pub fn new(from: &Tokenizer, vocab: &Arc<Vocab>, defined: &Defined) -> Result<Self> {
        let ids = || 0..vocab.tokens.len() as u32;
        let text = |id: u32| &*vocab.tokens[id as usize];
        let of = |mask: u8| move |&id: &u32| vocab.declared[id as usize] & mask != 0;
        let worst = ids()
            .filter(of(kind::NORMAL))
            .map(|id| vocab.scores[id as usize])
            .fold(f32::MAX, f32::min);
        let unknown = [from.unknown, Some(2)]
            .into_iter()
            .flatten()
            .find(|&id| (id as usize) < vocab.tokens.len());
        let unknown = unknown.ok_or_else(|| {
            Error::new(
                Code::Unsupported,
                "This GGUF's vocabulary has no token for what is unknown. Use a bound.",
            )
        })?;
        let matched = kind::NORMAL | kind::USER_DEFINED | kind::UNUSED;
        let charsmap = Charsmap::new(&from.charsmap)?;
        let led = from.add_space_prefix.unwrap_or(false);
        let before = u32::from(led || from.remove_extra_whitespaces);
        let costs = costs(&charsmap)?;
        let symbols = with_prefix(|c| costs.get(&c).copied().unwrap_or(1), before, defined);
        Ok(Self {
            trie: Trie::new(ids().filter(of(matched)).map(|id| (text(id), id))),
            defined: Trie::new(ids().filter(of(kind::USER_DEFINED)).map(|id| (text(id), id))),
            charsmap,
            unknown,
            unknown_score: f64::from(worst - PENALTY),
            led,
            merge_spaces: from.remove_extra_whitespaces,
            symbols,
            vocab: vocab.clone(),
        })
    }

    /// `text` as the model sees it.
    fn normalize(&self, text: &[u8]) -> Vec<u8> {
        let mut normal = Vec::with_capacity(text.len() + text.len() / 2);
        let (mut led, mut within) = (false, false);
        let mut rest = text;
        while !rest.is_empty() {
            let (part, length) = self.prefix(rest);
            for &byte in part {
                if byte == b' ' {
                    within = false;
                    if !self.merge_spaces {
                        normal.extend(SPACE);
                    }
                } else {
                    if !within && ((self.led && !led) || self.merge_spaces) {
                        normal.extend(SPACE);
                        led = true;
                    }
                    within = true;
                    normal.push(byte);
                }
            }
            rest = &rest[length..];
        }
        normal
    }

    /// What the beginning of `text` becomes, and how long it is.
    fn prefix<'a>(&'a self, text: &'a [u8]) -> (&'a [u8], usize) {
        // llama.cpp leaves as it is whatever a user-defined token could begin with.
        let kept = self.defined.walk(text);
        if kept > 0 {
            return (&text[..kept], kept);
        }
        if let Some(replaced) = self.charsmap.longest(text) {
            return replaced;
        }
        let length = units(text[0]);
        match text.get(..length) {
            Some(unit) if std::str::from_utf8(unit).is_ok() => (unit, length),
            _ => ("\u{fffd}".as_bytes(), 1),
        }
    }

    /// Hands over the tokens of `text` in order.
    fn each(&self, text: &str, mut each: impl FnMut(u32) -> bool) {
        let text = self.normalize(text.as_bytes());
        // The best way to each place of the stretch that is open, from its start on.
        let mut best: Vec<Best> = vec![Best::START];
        let (mut start, mut furthest) = (0, 0);
        let mut before = None;
        let mut at = 0;
        while at < text.len() {
            let unit = units(text[at]).min(text.len() - at);
            let score = best[at - start].score;
            let mut whole = false;
            let mut place = self.trie.root();
            for (end, &byte) in (at + 1..).zip(&text[at..]) {
                let Some(next) = self.trie.step(place, byte) else { break };
                place = next;
                let Some(token) = self.trie.value(place) else { continue };
                whole |= end - at == unit;
                let added = if self.vocab.is(token, kind::USER_DEFINED) {
                    0.0
                } else {
                    self.vocab.scores[token as usize].into()
                };
                Best { score: score + added, token, length: (end - at) as u32 }
                    .challenge(&mut best, end - start);
                furthest = furthest.max(end);
            }
            if !whole {
                let unknown = Best {
                    score: score + self.unknown_score,
                    token: self.unknown,
                    length: unit as u32,
                };
                unknown.challenge(&mut best, at + unit - start);
                furthest = furthest.max(at + unit);
            }
            at += unit;
            // Every way leads through this place: what is before it is settled.
            if furthest == at {
                let mut tokens = Vec::new();
                let mut end = at - start;
                while end > 0 {
                    tokens.push(best[end].token);
                    end -= best[end].length as usize;
                }
                for &token in tokens.iter().rev() {
                    // Unknown ones side by side are one.
                    if (token != self.unknown || before != Some(token)) && !each(token) {
                        return;
                    }
                    before = Some(token);
                }
                best = vec![Best { score: best[at - start].score, ..Best::START }];
                start = at;
            }
        }
    }
}

/// The best way to a place.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    token: u32,
    length: u32,
}

impl Best {
    const START: Self = Self { score: 0.0, token: 0, length: 0 };
    const NONE: Self = Self { score: f64::MIN, token: 0, length: 0 };

    fn challenge(self, best: &mut Vec<Self>, at: usize) {
        if best.len() <= at {
            best.resize(at + 1, Self::NONE);
        }
        if self.score > best[at].score {
            best[at] = self;
        }
    }
}

impl Model for Unigram {
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

    fn bound(&self, text: &str, _: bool, _: &mut Memory) -> u64 {
        // Each token has a character of what the model sees.
        self.normalize(text.as_bytes()).iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
    }

    fn symbols(&self) -> Symbols {
        self.symbols.clone()
    }
}

/// How many bytes a character has by its first.
fn units(first: u8) -> usize {
    match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0.. => 4,
        _ => 1,
    }
}

/// How many characters each character becomes at most, where that isn't 1.
fn costs(charsmap: &Charsmap) -> Result<std::collections::HashMap<char, u32>> {
    let mut costs = std::collections::HashMap::new();
    charsmap.each(|key, replacement| {
        let Ok(key) = std::str::from_utf8(key) else { return };
        let becomes = replacement.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u32;
        // All characters of the key but the first have at least 1 each.
        let first = becomes.saturating_sub(key.chars().count() as u32 - 1);
        if let Some(c) = key.chars().next().filter(|_| first > 1) {
            let cost = costs.entry(c).or_insert(1);
            *cost = first.max(*cost);
        }
    })?;
    Ok(costs)
}
