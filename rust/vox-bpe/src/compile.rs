//! From a source to tables: which merges really happen, and tokens numbered in the order of
//! forming.

use std::{collections::HashMap, ops::Range};

use vox_types::{Code, Error, Result};

use crate::{
    Merging, Source,
    layout::{Layout, NONE, Sizes},
    merging, pairs, seam, trie,
};

/// A merge of a source: ids of both parts and of what they form.
struct Merge {
    left: u32,
    right: u32,
    token: u32,
}

/// The words of the compiled vocabulary.
///
/// # Errors
///
/// `malformed` if a merge or symbol names no token, or joins to something else than it says;
/// `unsupported` if there are more than 2,097,151 tokens.
pub fn compile(source: &Source) -> Result<Vec<u64>> {
    if source.tokens.len() >= NONE as usize {
        return Err(Error::new(
            Code::Unsupported,
            format!("a vocabulary of {} tokens: vox counts up to {NONE}", source.tokens.len()),
        ));
    }
    for &id in &source.symbols {
        text(source, id)?;
    }
    let merges = merges(source)?;
    let mut numbering = Numbering::new(source, merges.len());
    for (order, merge) in (1..).zip(&merges) {
        numbering.try_to_form(source, merge, order);
    }
    let ordered = merges.iter().zip(1..).any(|(merge, order)| numbering.breaks(merge, order));
    if ordered {
        numbering = Numbering::new(source, 0);
    }
    let formed = numbering.ids.len();
    if source.whole_pieces || ordered {
        numbering.add_others(source);
    }
    let merges = if ordered { in_order(source, &merges, &numbering) } else { Vec::new() };
    Ok(words(source, &numbering, formed, &merges))
}

/// The merges of a source that can happen although they come before what forms their parts, by
/// their place in [`Merging::List`] (of ranks, in their list). A piece that has none of the texts
/// they form is encoded as if they weren't there; without them the fast way is open.
///
/// # Errors
///
/// As [`compile`].
pub fn late(source: &Source) -> Result<Vec<usize>> {
    let merges = merges(source)?;
    let mut numbering = Numbering::new(source, merges.len());
    for (order, merge) in (1..).zip(&merges) {
        numbering.try_to_form(source, merge, order);
    }
    let breaks = |&at: &usize| numbering.breaks(&merges[at], at + 1);
    Ok((0..merges.len()).filter(breaks).collect())
}

/// The merges of a source, first one first.
fn merges(source: &Source) -> Result<Vec<Merge>> {
    match &source.merging {
        Merging::List(list) => list
            .iter()
            .map(|&[left, right, token]| {
                let joined = [text(source, left)?, text(source, right)?].concat();
                if joined != text(source, token)? {
                    return Err(malformed(format!(
                        "tokens {left} and {right} don't join to token {token}"
                    )));
                }
                Ok(Merge { left, right, token })
            })
            .collect(),
        Merging::Ranks => {
            let by_bytes: HashMap<&[u8], u32> =
                (0..).zip(&source.tokens).map(|(id, token)| (&token[..], id)).collect();
            let mut merges = Vec::new();
            for (token, bytes) in (0..).zip(&source.tokens) {
                for at in 1..bytes.len() {
                    let (left, right) = bytes.split_at(at);
                    if let (Some(&left), Some(&right)) = (by_bytes.get(left), by_bytes.get(right)) {
                        merges.push(Merge { left, right, token });
                    }
                }
            }
            Ok(merges)
        }
    }
}

fn text(source: &Source, id: u32) -> Result<&[u8]> {
    match source.tokens.get(id as usize) {
        Some(token) if !token.is_empty() => Ok(token),
        _ => Err(malformed(format!("token {id} is named, and there is none"))),
    }
}

fn malformed(what: String) -> Error {
    Error::new(Code::Malformed, format!("a vocabulary contradicts itself: {what}"))
}

/// Tokens by number: symbols first, then what merges form, in the order of forming.
struct Numbering {
    /// Id of each number.
    ids: Vec<u32>,
    /// Number of each id, or [`NONE`].
    numbers: Vec<u32>,
    /// By number: the place of the merge that formed it; 0 for symbols.
    formed_by: Vec<usize>,
    splits: Vec<u64>,
    pairs: pairs::Builder,
    symbols: u32,
}

impl Numbering {
    fn new(source: &Source, merges: usize) -> Self {
        let mut new = Self {
            ids: Vec::new(),
            numbers: vec![NONE; source.tokens.len()],
            formed_by: Vec::new(),
            splits: Vec::new(),
            pairs: pairs::Builder::new(merges.min(source.tokens.len())),
            symbols: 0,
        };
        for &id in &source.symbols {
            if new.numbers[id as usize] == NONE {
                let number = new.ids.len() as u32;
                new.add(id, seam::split(number, number, source.tokens[id as usize].len() as u32));
                new.formed_by.push(0);
            }
        }
        new.symbols = new.ids.len() as u32;
        new
    }

    fn add(&mut self, id: u32, split: u64) {
        self.numbers[id as usize] = self.ids.len() as u32;
        self.ids.push(id);
        self.splits.push(split);
    }

    /// Both parts' numbers, if both have one.
    fn parts(&self, merge: &Merge) -> Option<(u32, u32)> {
        let numbers = (self.numbers[merge.left as usize], self.numbers[merge.right as usize]);
        (numbers.0 != NONE && numbers.1 != NONE).then_some(numbers)
    }

    /// Gives a merge's token the next number if this merge is the one that forms it.
    fn try_to_form(&mut self, source: &Source, merge: &Merge, order: usize) {
        if self.numbers[merge.token as usize] != NONE {
            return;
        }
        let Some((left, right)) = self.parts(merge) else { return };
        if seam::holds(self.pairs.view(), &self.splits, self.symbols, left, right, NONE) {
            let bytes = source.tokens[merge.token as usize].len() as u32;
            self.pairs.insert(left, right, self.ids.len() as u32);
            self.add(merge.token, seam::split(left, right, bytes));
            self.formed_by.push(order);
        }
    }

    /// Whether this merge could happen although it isn't the one that forms its token: its parts
    /// are formed only after its turn, but before the token is formed otherwise.
    fn breaks(&self, merge: &Merge, order: usize) -> bool {
        let Some((left, right)) = self.parts(merge) else { return false };
        let later = left.max(right);
        let formed = self.numbers[merge.token as usize];
        formed > later
            && order < self.formed_by[later as usize]
            && seam::holds(self.pairs.view(), &self.splits, self.symbols, left, right, later + 1)
    }

    /// Numbers all tokens that have no number yet.
    fn add_others(&mut self, source: &Source) {
        for (id, token) in (0..).zip(&source.tokens) {
            if !token.is_empty() && self.numbers[id as usize] == NONE {
                let number = self.ids.len() as u32;
                self.add(id, seam::split(number, number, token.len() as u32));
            }
        }
    }
}

/// All merges, by numbers, with their order.
fn in_order(source: &Source, merges: &[Merge], numbering: &Numbering) -> Vec<u64> {
    let by_rank = matches!(source.merging, Merging::Ranks);
    let mut last = None;
    let mut order = 0;
    let slots: Vec<_> = merges
        .iter()
        .map(|merge| {
            let number = |id: u32| numbering.numbers[id as usize];
            // With ranks all merges into one token are of the same rank.
            if last.replace(merge.token) != Some(merge.token) || !by_rank {
                order += 1;
            }
            (number(merge.left), number(merge.right), order, number(merge.token))
        })
        .collect();
    merging::table(&slots)
}

/// Lays all tables out.
fn words(source: &Source, numbering: &Numbering, formed: usize, merges: &[u64]) -> Vec<u64> {
    let mut sorted: Vec<(&[u8], u32)> =
        (0..).zip(&numbering.ids).map(|(n, &id)| (&source.tokens[id as usize][..], n)).collect();
    sorted.sort_unstable();
    sorted.dedup_by_key(|(bytes, _)| *bytes);
    let units = trie::build(&sorted);
    let layout = Layout::of(Sizes {
        tokens: numbering.ids.len() as u32,
        formed: formed as u32,
        symbols: numbering.symbols,
        pairs: numbering.pairs.slots.len() as u32,
        filter: numbering.pairs.filter.len() as u32,
        units: units.len() as u32,
        merges: (merges.len() / 2) as u32,
        whole_pieces: u32::from(source.whole_pieces),
        longest: sorted.iter().map(|(bytes, _)| bytes.len() as u32).max().unwrap_or(0),
    });
    let mut words = vec![0; layout.words];
    let header = layout.header();
    words[..header.len()].copy_from_slice(&header);
    words[layout.splits.clone()].copy_from_slice(&numbering.splits);
    words[layout.pairs.clone()].copy_from_slice(&numbering.pairs.slots);
    words[layout.filter.clone()].copy_from_slice(&numbering.pairs.filter);
    words[layout.trie.clone()].copy_from_slice(&units);
    words[layout.merges.clone()].copy_from_slice(merges);
    let mut put = |range: Range<usize>, table: &[u32]| {
        bytemuck::cast_slice_mut(&mut words[range])[..table.len()].copy_from_slice(table);
    };
    put(layout.ids, &numbering.ids);
    put(layout.shorter, &shorter(&sorted, numbering.ids.len(), formed));
    words
}

/// By number: the longest formed token that is a proper prefix.
fn shorter(sorted: &[(&[u8], u32)], tokens: usize, formed: usize) -> Vec<u32> {
    let mut shorter = vec![NONE; tokens];
    let mut prefixes: Vec<(&[u8], u32)> = Vec::new();
    for &(bytes, number) in sorted {
        while prefixes.last().is_some_and(|(prefix, _)| !bytes.starts_with(prefix)) {
            prefixes.pop();
        }
        shorter[number as usize] = prefixes.last().map_or(NONE, |&(_, number)| number);
        if (number as usize) < formed {
            prefixes.push((bytes, number));
        }
    }
    shorter
}
