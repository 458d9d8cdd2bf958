//! How many symbols a text is before anything merges, character by character.

use std::{collections::HashMap, sync::Arc};

use super::normal::{self, Form};

/// How many symbols one character becomes at most, whatever stands around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cost {
    /// In a text in which normalising cannot combine it with a neighbour.
    pub alone: u32,
    /// In any text.
    pub joined: u32,
    /// Whether normalising never combines it with what stands before it.
    pub starts: bool,
}

/// A bound on the tokens of any text: so many symbols at the start, so many for each character.
/// Models only ever merge symbols, or take a longer piece in place of several.
#[derive(Clone)]
pub struct Symbols {
    start: u64,
    costs: Costs,
}

#[derive(Clone)]
enum Costs {
    /// One for each byte of UTF-8.
    Bytes,
    Table(Arc<Table>),
}

/// Costs by code point, in pages of 256; equal pages are kept once.
struct Table {
    pages: Vec<[Cost; PAGE]>,
    page_of: Vec<u16>,
    ascii: Option<u32>,
}

const PAGE: usize = 256;
const CODE_POINTS: usize = char::MAX as usize + 1;

impl Symbols {
    /// One symbol for each byte of UTF-8: byte-level models that don't normalise.
    pub fn bytes() -> Self {
        Self { start: 0, costs: Costs::Bytes }
    }

    /// `cost` symbols for each character, at least 1: models whose normaliser looks at one
    /// character at a time.
    ///
    /// `cost` is asked for every code point, so this takes some milliseconds: keep what it gives.
    /// It has to cover
    /// - what the character becomes in normalising, and for each of these its symbols: 1 if it is
    ///   known in every form it can take (first or last of a word), else what stands for an
    ///   unknown one: the bytes of the form, or 1 for the unknown token;
    /// - what is put before a piece or a segment, where one may begin with this character.
    pub fn by_character(mut cost: impl FnMut(char) -> u32) -> Self {
        Self::table(|c| {
            let cost = cost(c).max(1);
            Cost { alone: cost, joined: cost, starts: true }
        })
    }

    /// One symbol for each byte of UTF-8 after normalising to `form`.
    pub fn normalized_bytes(form: Form) -> Self {
        Self::table(|c| normal::cost(form, c))
    }

    /// The same with `symbols` more at the start of a text.
    pub fn with_start(self, symbols: u64) -> Self {
        Self { start: self.start + symbols, ..self }
    }

    /// The same with `symbols` more for each character: what is put before each piece, when any
    /// character may begin one.
    pub fn with_piece(self, symbols: u32) -> Self {
        let before = self.clone();
        let more = Self::table(|c| {
            let cost = before.cost(c);
            Cost { alone: cost.alone + symbols, joined: cost.joined + symbols, ..cost }
        });
        Self { start: self.start, ..more }
    }

    fn table(mut cost: impl FnMut(char) -> Cost) -> Self {
        // A surrogate is no character and never looked up.
        let nothing = Cost { alone: 0, joined: 0, starts: true };
        let mut pages: Vec<[Cost; PAGE]> = Vec::new();
        let mut known = HashMap::new();
        let mut last = 0_u16;
        let page_of = (0..CODE_POINTS / PAGE)
            .map(|page| {
                let costs: [Cost; PAGE] = std::array::from_fn(|at| {
                    char::from_u32((page * PAGE + at) as u32).map_or(nothing, &mut cost)
                });
                // Most are as the one before, which is quicker to see than to look up.
                if pages.get(usize::from(last)) != Some(&costs) {
                    last = *known.entry(costs).or_insert_with(|| {
                        pages.push(costs);
                        (pages.len() - 1) as u16
                    });
                }
                last
            })
            .collect();
        let mut table = Table { pages, page_of, ascii: None };
        let first = table.cost('\0');
        let same = |c: u8| table.cost(c as char) == first;
        if first.alone == first.joined && first.starts && (0..128).all(same) {
            table.ascii = Some(first.joined);
        }
        Self { start: 0, costs: Costs::Table(Arc::new(table)) }
    }

    /// Symbols before the first character.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// What `c` costs.
    pub fn cost(&self, c: char) -> Cost {
        match &self.costs {
            Costs::Bytes => {
                let bytes = c.len_utf8() as u32;
                Cost { alone: bytes, joined: bytes, starts: true }
            }
            Costs::Table(table) => table.cost(c),
        }
    }

    /// What each ASCII character costs, if all cost the same.
    pub(super) fn ascii(&self) -> Option<u32> {
        match &self.costs {
            Costs::Bytes => Some(1),
            Costs::Table(table) => table.ascii,
        }
    }

    pub(super) fn are_bytes(&self) -> bool {
        matches!(self.costs, Costs::Bytes)
    }

    /// A bound on the tokens of `text`.
    pub fn bound(&self, text: &str) -> u64 {
        let mut bound = super::StreamBound::new(self.clone());
        bound.feed_str(text);
        bound.total()
    }
}

impl Table {
    fn cost(&self, c: char) -> Cost {
        let code = c as usize;
        self.pages[usize::from(self.page_of[code / PAGE])][code % PAGE]
    }
}
