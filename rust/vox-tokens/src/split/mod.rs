//! Pre-tokenising: cutting text into the pieces that are tokenized one by one.
//!
//! What is cut how is published as regular expressions. The common ones are written by hand here:
//! [`Pattern`] names them, [`rules`] says what each is made of, [`scan`] walks over a text once.

mod cut;
mod pattern;
mod published;
mod rules;
mod scan;
mod stages;
mod text;

use std::ops::ControlFlow;

pub use pattern::Pattern;
pub use published::PUBLISHED;
use rules::Rules;
use text::Text;

use crate::unicode::Classes;

/// Whose reading of a pattern is meant: they differ in what characters are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// Rust's regex crates, as tiktoken uses them, and Oniguruma, as tokenizers does: Unicode 16.
    Unicode16,
    /// llama.cpp's own: Unicode 15.1, no case beyond ASCII.
    LlamaCpp,
}

/// A pattern, as an engine reads it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Splitter {
    pattern: Pattern,
    engine: Engine,
}

impl Splitter {
    /// Cuts as `engine` does with `pattern`.
    pub fn new(pattern: Pattern, engine: Engine) -> Self {
        Self { pattern, engine }
    }

    /// Calls `piece` with one piece of `text` after the other until it breaks. Pieces are whole
    /// characters, none is empty, and together they are the text.
    ///
    /// Takes time linear in the length of `text`, whatever is in it.
    #[inline]
    pub fn for_each<'t, B>(
        self,
        text: &'t str,
        mut piece: impl FnMut(&'t [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (classes, long_s) = match self.engine {
            Engine::Unicode16 => (Classes::unicode_16(), true),
            Engine::LlamaCpp => (Classes::llama_cpp(), false),
        };
        let text = Text { bytes: text.as_bytes(), classes, long_s };
        let piece = &mut piece;
        match self.pattern {
            Pattern::Gpt2 => by::<rules::Gpt2, B>(text, piece),
            Pattern::Cl100k => by::<rules::Cl100k, B>(text, piece),
            Pattern::Llama3 => by::<rules::Llama3, B>(text, piece),
            Pattern::Qwen2 => by::<rules::Qwen2, B>(text, piece),
            Pattern::Qwen2WithoutContractions => {
                by::<rules::Qwen2WithoutContractions, B>(text, piece)
            }
            Pattern::Qwen35 => by::<rules::Qwen35, B>(text, piece),
            Pattern::SeedCoder => by::<rules::SeedCoder, B>(text, piece),
            Pattern::O200k => by::<rules::O200k, B>(text, piece),
            Pattern::O200kSingleDigits => by::<rules::O200kSingleDigits, B>(text, piece),
            Pattern::O200kWithoutMarks => by::<rules::O200kWithoutMarks, B>(text, piece),
            Pattern::O200kWithoutCase => by::<rules::O200kWithoutCase, B>(text, piece),
            Pattern::Tekken => by::<rules::Tekken, B>(text, piece),
            Pattern::TekkenWithoutMarks => by::<rules::TekkenWithoutMarks, B>(text, piece),
            Pattern::KimiK2 => by::<rules::KimiK2, B>(text, piece),
            Pattern::KimiK2WithoutCase => by::<rules::KimiK2WithoutCase, B>(text, piece),
            Pattern::ExaoneMoe => by::<rules::ExaoneMoe, B>(text, piece),
            Pattern::Jais2 => by::<rules::Jais2, B>(text, piece),
            Pattern::StarCoder => {
                stages::numbers(text, 1, |text| by::<rules::Gpt2, B>(text, piece))
            }
            Pattern::DeepSeek3 => stages::numbers(text, 3, |text| {
                stages::wide_runs(text, deepseek_cjk, |text| by::<rules::DeepSeek, B>(text, piece))
            }),
            Pattern::MiniCpm5 => {
                stages::numbers(text, 3, |text| by::<rules::LongNumbers, B>(text, piece))
            }
        }
    }
}

fn by<'t, R: Rules, B>(
    text: Text<'t>,
    piece: &mut impl FnMut(&'t [u8]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    scan::pieces::<R, B>(text, piece)
}

/// `[一-龥぀-ゟ゠-ヿ]`
fn deepseek_cjk(code: u32) -> bool {
    matches!(code, 0x4e00..=0x9fa5 | 0x3040..=0x30ff)
}
