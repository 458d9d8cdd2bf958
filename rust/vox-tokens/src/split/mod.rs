//! Pre-tokenising: cutting text into the pieces that are tokenized one by one.
//!
//! What is cut how is published as regular expressions. The common ones are written by hand here:
//! [`Pattern`] names them, [`rules`] says what each is made of, [`scan`] walks over a text once.

mod block;
mod cut;
mod finder;
mod pattern;
mod published;
mod regex;
mod rules;
mod scan;
mod stages;
mod text;

use std::ops::ControlFlow;

pub use finder::Finder;
pub use pattern::Pattern;
pub use published::PUBLISHED;
use scan::parts;
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
        self.parts(text, &mut |part, _| piece(part))
    }

    /// As [`Splitter::for_each`], and whether the last stage of the pattern matched the piece.
    fn parts<'t, B>(
        self,
        text: &'t str,
        part: &mut impl FnMut(&'t [u8], bool) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (classes, long_s) = match self.engine {
            Engine::Unicode16 => (Classes::unicode_16(), true),
            Engine::LlamaCpp => (Classes::llama_cpp(), false),
        };
        let text = Text { bytes: text.as_bytes(), classes, long_s };
        match self.pattern {
            Pattern::Gpt2 => parts::<rules::Gpt2, B>(text, part),
            Pattern::Cl100k => parts::<rules::Cl100k, B>(text, part),
            Pattern::Llama3 => parts::<rules::Llama3, B>(text, part),
            Pattern::Qwen2 => parts::<rules::Qwen2, B>(text, part),
            Pattern::Qwen2WithoutContractions => {
                parts::<rules::Qwen2WithoutContractions, B>(text, part)
            }
            Pattern::Qwen35 => parts::<rules::Qwen35, B>(text, part),
            Pattern::SeedCoder => parts::<rules::SeedCoder, B>(text, part),
            Pattern::LongNumbers => parts::<rules::LongNumbers, B>(text, part),
            Pattern::O200k => parts::<rules::O200k, B>(text, part),
            Pattern::O200kSingleDigits => parts::<rules::O200kSingleDigits, B>(text, part),
            Pattern::O200kWithoutMarks => parts::<rules::O200kWithoutMarks, B>(text, part),
            Pattern::O200kWithoutCase => parts::<rules::O200kWithoutCase, B>(text, part),
            Pattern::O200kWithoutCaseSingleDigits => {
                parts::<rules::O200kWithoutCaseSingleDigits, B>(text, part)
            }
            Pattern::Tekken => parts::<rules::Tekken, B>(text, part),
            Pattern::TekkenWithoutMarks => parts::<rules::TekkenWithoutMarks, B>(text, part),
            Pattern::KimiK2 => parts::<rules::KimiK2, B>(text, part),
            Pattern::KimiK2WithoutCase => parts::<rules::KimiK2WithoutCase, B>(text, part),
            Pattern::ExaoneMoe => parts::<rules::ExaoneMoe, B>(text, part),
            Pattern::Jais2 => parts::<rules::Jais2, B>(text, part),
            Pattern::K2Horizon => parts::<rules::K2Horizon, B>(Text { long_s: true, ..text }, part),
            Pattern::DeepSeekWords => parts::<rules::DeepSeekWords, B>(text, part),
            Pattern::SparkWords => parts::<rules::SparkWords, B>(text, part),
            Pattern::Number => stages::numbers(text, 1, |text, is| part(text.bytes, is)),
            Pattern::Numbers => stages::numbers(text, usize::MAX, |text, is| part(text.bytes, is)),
            Pattern::ThreeNumbers => stages::numbers(text, 3, |text, is| part(text.bytes, is)),
            Pattern::DeepSeekCjk => {
                stages::wide_runs(text, deepseek_cjk, |text, is| part(text.bytes, is))
            }
            Pattern::StarCoder => {
                stages::numbers(text, 1, |text, _| parts::<rules::Gpt2, B>(text, part))
            }
            Pattern::DeepSeek3 => stages::numbers(text, 3, |text, _| {
                stages::wide_runs(text, deepseek_cjk, |text, _| {
                    parts::<rules::DeepSeekWords, B>(text, part)
                })
            }),
            Pattern::MiniCpm5 => {
                stages::numbers(text, 3, |text, _| parts::<rules::LongNumbers, B>(text, part))
            }
        }
    }
}

/// `[一-龥぀-ゟ゠-ヿ]`
fn deepseek_cjk(code: u32) -> bool {
    matches!(code, 0x4e00..=0x9fa5 | 0x3040..=0x30ff)
}
