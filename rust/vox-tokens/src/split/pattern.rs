//! The patterns that vox knows by heart.

use super::PUBLISHED;

/// A published pattern, or several, each of which cuts what the one before left. Names are those
/// of the first well-known tokenizer that has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// GPT-2, p50k_base and r50k_base; `ByteLevel` of tokenizers.
    Gpt2,
    /// cl100k_base as tiktoken has it: white space at the end of the text is one piece.
    Cl100k,
    /// Llama 3, cl100k_base as first published; Dbrx, Smaug, ChatGLM4.
    Llama3,
    /// [`Pattern::Llama3`] with single digits: Qwen 2 and 3, StableLM 2, Grok 2.
    Qwen2,
    /// [`Pattern::Qwen2`] without contractions.
    Qwen2WithoutContractions,
    /// [`Pattern::Qwen2`] with marks in words.
    Qwen35,
    /// [`Pattern::Qwen2`] with no newlines at the end of punctuation.
    SeedCoder,
    /// [`Pattern::Llama3`] with numbers of any length: the last stage of MiniCPM 5.
    LongNumbers,
    /// o200k_base, GPT-4o, Llama 4.
    O200k,
    /// [`Pattern::O200k`] with single digits.
    O200kSingleDigits,
    /// [`Pattern::O200k`] with no marks in words, as llama.cpp cuts for GPT-4o.
    O200kWithoutMarks,
    /// [`Pattern::O200k`] without case, as llama.cpp cuts for Tiny Aya.
    O200kWithoutCase,
    /// [`Pattern::O200kSingleDigits`] without case, as llama.cpp cuts for Youtu.
    O200kWithoutCaseSingleDigits,
    /// Mistral's Tekken.
    Tekken,
    /// [`Pattern::Tekken`] with no marks in words, as llama.cpp cuts for it.
    TekkenWithoutMarks,
    /// Kimi K2: Han apart.
    KimiK2,
    /// [`Pattern::KimiK2`] without case and marks, as llama.cpp cuts for it.
    KimiK2WithoutCase,
    /// EXAONE MoE: words with single spaces between them are one piece.
    ExaoneMoe,
    /// Jais 2: white space in powers of two.
    Jais2,
    /// [`Pattern::Llama3`] with marks and joiners in words: K2 Horizon. `(?i:s)` is also the long
    /// s, whoever reads it.
    K2Horizon,
    /// The last stage of DeepSeek V3: words with marks, `.word`, punctuation; numbers are left.
    DeepSeekWords,
    /// [`Pattern::DeepSeekWords`] with each newline alone: Spark 2.5.
    SparkWords,
    /// `\p{N}`
    Number,
    /// `\p{N}+`
    Numbers,
    /// `\p{N}{1,3}`
    ThreeNumbers,
    /// Runs of the CJK ideographs and kana that DeepSeek V3 cuts out.
    DeepSeekCjk,
    /// [`Pattern::Number`], then [`Pattern::Gpt2`]: StarCoder, SmolLM, Command R, Refact, CodeShell.
    StarCoder,
    /// DeepSeek V3 and R1: [`Pattern::ThreeNumbers`], [`Pattern::DeepSeekCjk`],
    /// [`Pattern::DeepSeekWords`].
    DeepSeek3,
    /// MiniCPM 5: [`Pattern::ThreeNumbers`], [`Pattern::LongNumbers`].
    MiniCpm5,
}

impl Pattern {
    /// The pattern that `stages` are, as [`super::PUBLISHED`] writes them, if it is known.
    pub fn of(stages: &[&str]) -> Option<Self> {
        PUBLISHED.iter().find(|(_, published)| *published == stages).map(|(pattern, _)| *pattern)
    }

    /// Whether its matches, of all stages together, cover every text.
    pub fn covers(self) -> bool {
        !matches!(
            self,
            Self::DeepSeekWords
                | Self::SparkWords
                | Self::Number
                | Self::Numbers
                | Self::ThreeNumbers
                | Self::DeepSeekCjk
                | Self::DeepSeek3
        )
    }
}
