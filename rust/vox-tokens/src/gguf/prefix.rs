//! What bounds have to add for the space that is put before a text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::defined::Token;
use crate::bound::Symbols;

/// Symbols that stand before a text and before what follows a user-defined token.
#[derive(Serialize, Deserialize)]
pub struct Prefix {
    symbols: u32,
    /// What a character costs more because a user-defined token begins with it.
    more: Vec<(char, u32)>,
}

impl Prefix {
    /// `symbols` of them, where characters cost what `of` says.
    pub fn new(of: impl Fn(char) -> u32, symbols: u32, defined: &[Token]) -> Self {
        // A user-defined token is one token, and brings what is put before the text behind it: more
        // than its characters cost only if there are few of them. Then the first of them costs more.
        let mut more = BTreeMap::new();
        for text in defined.iter().map(|token| &token.text) {
            let cost: u32 = text.chars().map(|c| of(c).max(1)).sum();
            let lacks = (1 + symbols).saturating_sub(cost);
            if lacks > 0
                && let Some(first) = text.chars().next()
            {
                let more = more.entry(first).or_insert(0);
                *more = lacks.max(*more);
            }
        }
        Self { symbols, more: more.into_iter().collect() }
    }

    /// The bound, where characters cost what `of` says.
    pub fn symbols(&self, of: impl Fn(char) -> u32) -> Symbols {
        let more: BTreeMap<char, u32> = self.more.iter().copied().collect();
        Symbols::by_character(|c| of(c).max(1) + more.get(&c).copied().unwrap_or(0))
            .with_start(self.symbols.into())
    }
}
