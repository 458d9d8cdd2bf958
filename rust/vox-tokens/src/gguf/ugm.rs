//! `t5`: a unigram model, which takes the tokens whose scores sum up to the most.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use vox_types::{Code, Error, Result};

use super::{
    charsmap::Charsmap,
    defined::Token,
    metadata::Tokenizer,
    model::{InOrder, Memory},
    prefix::Prefix,
    vocab::{Vocab, kind},
};
use crate::{
    bound::Symbols,
    compiled::{Table, Tables},
    trie::{self, Trie},
};

const SPACE: &[u8] = "▁".as_bytes();

/// What an unknown character scores less than the worst token.
const PENALTY: f32 = 10.0;

/// What is kept of a file besides its tables.
#[derive(Serialize, Deserialize)]
pub struct Plan {
    unknown: u32,
    /// The bits of a float, which JSON might round.
    unknown_score: u64,
    led: bool,
    merge_spaces: bool,
    /// How many characters each character becomes at most, where that isn't 1.
    costs: Vec<(char, u32)>,
    prefix: Prefix,
}

/// Compiles the vocabulary of a file. The tables: the trie of tokens that are matched, the trie of
/// user-defined ones, scores by id, the normaliser.
pub fn compile(
    from: &Tokenizer,
    vocab: &Vocab,
    defined: &[Token],
    tables: &mut Tables,
) -> Result<Plan> {
    let ids = || 0..vocab.tokens.len() as u32;
    let text = |id: u32| &*vocab.tokens[id as usize];
    let of = |mask: u8| move |&id: &u32| vocab.declared[id as usize] & mask != 0;
    let worst =
        ids().filter(of(kind::NORMAL)).map(|id| vocab.scores[id as usize]).fold(f32::MAX, f32::min);
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
    let score = |id: u32| match vocab.is(id, kind::USER_DEFINED) {
        true => 0.0,
        false => f64::from(vocab.scores[id as usize]),
    };
    let mut charsmap = from.charsmap.clone();
    // What is behind the end is never looked at.
    charsmap.resize(charsmap.len().next_multiple_of(8), 0);
    *tables = [
        trie::build(ids().filter(of(matched)).map(|id| (text(id), id))),
        trie::build(ids().filter(of(kind::USER_DEFINED)).map(|id| (text(id), id))),
        ids().map(|id| score(id).to_bits()).collect(),
        charsmap.as_chunks().0.iter().map(|chunk| u64::from_ne_bytes(*chunk)).collect(),
        Vec::new(),
    ];
    let led = from.add_space_prefix.unwrap_or(false);
    let merge_spaces = from.remove_extra_whitespaces;
    let costs = costs(&Charsmap::new(&from.charsmap)?)?;
    let of = |c: char| costs.get(&c).copied().unwrap_or(1);
    Ok(Plan {
        unknown,
        unknown_score: f64::from(worst - PENALTY).to_bits(),
        led,
        merge_spaces,
        prefix: Prefix::new(of, u32::from(led || merge_spaces), defined),
        costs: costs.into_iter().collect(),
    })
}

/// A vocabulary of probabilities.
pub struct Unigram {
    plan: Plan,
    unknown_score: f64,
    trie: Table,
    defined: Table,
    scores: Table,
    charsmap: Charsmap,
}

impl Unigram {
    /// The vocabulary that was compiled.
    ///
    /// # Errors
    ///
    /// `malformed` if the normaliser is cut off.
    pub fn new(plan: Plan, [trie, defined, scores, charsmap, _]: [Table; 5]) -> Result<Self> {
        let charsmap = Charsmap::new(charsmap.as_ref())?;
        let unknown_score = f64::from_bits(plan.unknown_score);
        Ok(Self { plan, unknown_score, trie, defined, scores, charsmap })
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
                    if !self.plan.merge_spaces {
                        normal.extend(SPACE);
                    }
                } else {
                    if !within && ((self.plan.led && !led) || self.plan.merge_spaces) {
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
        let kept = Trie(self.defined.words()).reach(text);
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
}

impl InOrder for Unigram {
    fn each(&self, text: &str, _: &mut Memory, mut each: impl FnMut(u32) -> bool) {
        let (trie, scores) = (Trie(self.trie.words()), self.scores.numbers());
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
            let mut place = trie.root();
            for (end, &byte) in (at + 1..).zip(&text[at..]) {
                let Some((next, token)) = trie.step(place, byte) else { break };
                place = next;
                let Some(token) = token else { continue };
                whole |= end - at == unit;
                let score = score + scores[token as usize];
                Best { score, token, length: (end - at) as u32 }.challenge(&mut best, end - start);
                furthest = furthest.max(end);
            }
            if !whole {
                let unknown = Best {
                    score: score + self.unknown_score,
                    token: self.plan.unknown,
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
                    if (token != self.plan.unknown || before != Some(token)) && !each(token) {
                        return;
                    }
                    before = Some(token);
                }
                best = vec![Best { score: best[at - start].score, ..Best::START }];
                start = at;
            }
        }
    }

    fn bound(&self, text: &str, _: &mut Memory) -> u64 {
        // Each token has a character of what the model sees.
        self.normalize(text.as_bytes()).iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
    }

    fn symbols(&self) -> Symbols {
        let costs: BTreeMap<char, u32> = self.plan.costs.iter().copied().collect();
        self.plan.prefix.symbols(|c| costs.get(&c).copied().unwrap_or(1))
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
fn costs(charsmap: &Charsmap) -> Result<BTreeMap<char, u32>> {
    let mut costs = BTreeMap::new();
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
