//! A model with user-defined tokens before it.

use std::sync::{Arc, OnceLock};

use super::{
    defined::{Defined, Fragment},
    model::{Memory, Model},
};
use crate::{Encoding, Worker, bound::Symbols, encoding::first_cut};

/// The encoding of a GGUF file.
pub struct WithDefined {
    defined: Defined,
    model: Box<dyn Model>,
    symbols: OnceLock<Symbols>,
}

impl WithDefined {
    /// `defined` tokens are cut out, `model` does the rest.
    pub fn new(defined: Defined, model: Box<dyn Model>) -> Self {
        Self { defined, model, symbols: OnceLock::new() }
    }
}

impl Encoding for WithDefined {
    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(Hand { of: self, memory: Memory::default() })
    }

    fn symbols(&self) -> Symbols {
        self.cost().clone()
    }

    fn cut(&self, bytes: &[u8], from: usize) -> Option<usize> {
        first_cut(
            from,
            |from| self.model.cut(bytes, from),
            |place| !self.defined.touch(bytes, place),
        )
    }
}

impl WithDefined {
    fn cost(&self) -> &Symbols {
        self.symbols.get_or_init(|| self.model.symbols())
    }
}

struct Hand {
    of: Arc<WithDefined>,
    memory: Memory,
}

impl Hand {
    /// Adds up what `tokens` says of each stretch of text, and 1 for each user-defined token, until
    /// it is above `limit`.
    fn sum(
        &mut self,
        text: &str,
        limit: u64,
        tokens: impl Fn(&dyn Model, &str, bool, &mut Memory, u64) -> u64,
    ) -> u64 {
        let (mut sum, mut led) = (0, true);
        for fragment in self.of.defined.fragments(text) {
            sum += match fragment {
                Fragment::Token(_) => 1,
                Fragment::Text(start, end) => {
                    tokens(&*self.of.model, &text[start..end], led, &mut self.memory, limit - sum)
                }
            };
            led = matches!(fragment, Fragment::Token(_));
            if sum > limit {
                break;
            }
        }
        sum
    }
}

impl Worker for Hand {
    fn count(&mut self, text: &str, limit: u64) -> u64 {
        self.sum(text, limit, |model, text, led, memory, limit| {
            model.count(text, led, memory, limit)
        })
    }

    fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        let mut led = true;
        for fragment in self.of.defined.fragments(text) {
            match fragment {
                Fragment::Token(id) => ids.push(id),
                Fragment::Text(start, end) => {
                    self.of.model.encode(&text[start..end], led, &mut self.memory, ids);
                }
            }
            led = matches!(fragment, Fragment::Token(_));
        }
    }

    fn tight_bound(&mut self, text: &str) -> u64 {
        let of = self.of.clone();
        self.sum(text, u64::MAX, |model, text, led, memory, _| {
            model.bound(text, led, memory, of.cost())
        })
    }
}
