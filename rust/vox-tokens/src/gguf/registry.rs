//! The closed list of `tokenizer.ggml.pre` that llama.cpp knows, and what each means.

use super::split::{
    AFMOE, Before, DEEPSEEK_IDEOGRAPHS, DEEPSEEK_LETTERS, DEEPSEEK_SYMBOLS, Set, Stage, YOUTU,
};
use crate::{
    split::Pattern,
    unicode::class::{LETTER, PUNCTUATION},
};

/// What `tokenizer.ggml.pre` decides.
#[derive(Clone, Copy)]
pub struct Pre {
    /// How text is cut.
    pub stages: &'static [Stage],
    /// A piece that is a token isn't merged.
    pub ignore_merges: bool,
    /// Symbols are characters, spaces are `▁`, and what is no token falls back to bytes; else
    /// symbols are bytes.
    pub characters: bool,
    /// `▁` stands for the space.
    pub escape: bool,
    /// A piece of newlines that is a token isn't merged.
    pub newlines_whole: bool,
    /// A word begins at each `▁`, and one is put before each line.
    pub metaspace: bool,
}

const BYTES: Pre = Pre {
    stages: &[],
    ignore_merges: false,
    characters: false,
    escape: false,
    newlines_whole: false,
    metaspace: false,
};

const CHARACTERS: Pre = Pre { stages: &[Stage::Lines], characters: true, escape: true, ..BYTES };

const GPT2: Stage = Stage::Pattern(Pattern::Gpt2);
const DIGIT: Stage = Stage::Pattern(Pattern::Number);
const NUMBERS: Stage = Stage::Pattern(Pattern::Numbers);
const NEWLINE: Stage = Stage::Each(Set::Ranges(&[(0xa, 0xa), (0xd, 0xd)]));
const SENTENCES: Stage = Stage::Runs(Before::Blank, Set::Not("(|.,!?…。，、।۔،)"));

const DEFAULT: &[Stage] = &[
    Stage::Runs(Before::Nothing, Set::Classes(PUNCTUATION, "$+<=>^~|")),
    GPT2,
    NUMBERS,
    Stage::ThreeDigits,
];
const DEEPSEEK_V3: &[Stage] = &[Stage::Pattern(Pattern::DeepSeek3)];
const STARCODER: &[Stage] = &[Stage::Pattern(Pattern::StarCoder)];
const JUST_GPT2: &[Stage] = &[GPT2];
const JUST_LLAMA3: &[Stage] = &[Stage::Pattern(Pattern::Llama3)];
const JUST_QWEN2: &[Stage] = &[Stage::Pattern(Pattern::Qwen2)];
const JUST_GPT4O: &[Stage] = &[Stage::Pattern(Pattern::O200kWithoutMarks)];

const fn plain(stages: &'static [Stage]) -> Pre {
    Pre { stages, ..BYTES }
}

const fn whole(stages: &'static [Stage]) -> Pre {
    Pre { stages, ignore_merges: true, ..BYTES }
}

/// What `pre` means, if llama.cpp knows it. A file without one has the name `default`.
pub fn pre(pre: &str) -> Option<Pre> {
    Some(match pre {
        "default" | "" => plain(DEFAULT),
        "minicpm5" => whole(&[Stage::Pattern(Pattern::MiniCpm5)]),
        "llama3" | "llama-v3" | "llama-bpe" | "falcon3" | "falcon-h1" | "pixtral" | "midm-2.0"
        | "lfm2" | "jina-v5-nano" | "glm4" | "glm5" => whole(JUST_LLAMA3),
        "chatglm-bpe" | "dbrx" | "smaug-bpe" => plain(JUST_LLAMA3),
        "deepseek-llm" => plain(&[
            NEWLINE,
            Stage::Runs(Before::Space, DEEPSEEK_LETTERS),
            Stage::Runs(Before::Space, DEEPSEEK_SYMBOLS),
            Stage::LastSpace,
            Stage::Runs(Before::Nothing, DEEPSEEK_IDEOGRAPHS),
            NUMBERS,
        ]),
        "deepseek-coder" => plain(&[
            NEWLINE,
            Stage::Runs(Before::Space, Set::Classes(LETTER, "")),
            Stage::Runs(Before::Space, Set::Classes(PUNCTUATION, "")),
            Stage::Runs(Before::Nothing, DEEPSEEK_IDEOGRAPHS),
            DIGIT,
        ]),
        "deepseek-v3" | "hunyuan-dense" | "joyai-llm" | "hy_v4" => plain(DEEPSEEK_V3),
        "spark2_5" => plain(&[
            Stage::Pattern(Pattern::ThreeNumbers),
            Stage::Pattern(Pattern::DeepSeekCjk),
            Stage::Pattern(Pattern::SparkWords),
            DIGIT,
        ]),
        "youtu" => {
            whole(&[Stage::FirstOf(YOUTU), Stage::Pattern(Pattern::O200kWithoutCaseSingleDigits)])
        }
        "falcon" => plain(&[
            Stage::Runs(Before::Nothing, Set::Classes(PUNCTUATION, "$+<=>^~|`")),
            GPT2,
            Stage::ThreeDigits,
        ]),
        "starcoder" | "refact" | "command-r" | "smollm" | "codeshell" | "exaone" | "minerva-7b"
        | "mellum2" => plain(STARCODER),
        "gpt-2" | "phi-2" | "jina-es" | "jina-de" | "gigachat" | "jina-v2-es" | "jina-v2-de"
        | "a.x-4.0" | "mellum" | "modern-bert" | "jina-v1-en" | "jina-v2-code" | "roberta-bpe"
        | "exaone4" | "mpt" | "olmo" | "jais" | "trillion" | "granite-docling" => plain(JUST_GPT2),
        "jais-2" => plain(&[Stage::Pattern(Pattern::Jais2)]),
        "gemma4" | "granite-embed-multi-311m" => Pre { newlines_whole: true, ..CHARACTERS },
        "mmbert" => Pre { newlines_whole: true, metaspace: true, ..CHARACTERS },
        "sarvam-moe" => CHARACTERS,
        "whitespace" => Pre {
            stages: &[Stage::Runs(Before::Nothing, Set::Not(""))],
            escape: false,
            ..CHARACTERS
        },
        "qwen2" | "deepseek-r1-qwen" | "kormo" | "f2llmv2" | "stablelm2" | "megrez" | "hunyuan"
        | "solar-open" | "grok-2" => plain(JUST_QWEN2),
        "qwen35" => plain(&[Stage::Pattern(Pattern::Qwen35)]),
        "poro-chat" | "bloom" | "gpt3-finnish" => plain(&[SENTENCES]),
        "viking" => plain(&[SENTENCES, DIGIT]),
        "tekken" => whole(&[Stage::Pattern(Pattern::TekkenWithoutMarks)]),
        "chameleon" => plain(&[
            Stage::Sentinels,
            Stage::Images,
            Stage::Indents,
            DIGIT,
            Stage::Each(Set::Classes(PUNCTUATION, "$+<=>^`|~")),
            GPT2,
        ]),
        "gpt-4o" | "llama4" | "kanana2" | "talkie" | "minimax-m2" => plain(JUST_GPT4O),
        "granite-embed-multi-97m" => whole(&[Stage::Pattern(Pattern::O200k)]),
        "tiny_aya" | "cohere2moe" => {
            plain(&[Stage::FromRight, Stage::Pattern(Pattern::O200kWithoutCase)])
        }
        "superbpe" => plain(&[NUMBERS, Stage::Thousands]),
        "bailingmoe" | "bailingmoe2" | "llada-moe" => plain(JUST_QWEN2),
        "seed-coder" => plain(&[Stage::Pattern(Pattern::SeedCoder)]),
        "kimi-k2" => plain(&[Stage::Pattern(Pattern::KimiK2WithoutCase)]),
        "ufakzeka" => plain(&[Stage::Pattern(Pattern::Qwen2WithoutContractions)]),
        "afmoe" => plain(&[
            Stage::FromRight,
            Stage::Runs(Before::Nothing, AFMOE),
            Stage::Pattern(Pattern::DeepSeekWords),
        ]),
        "laguna" => plain(&[Stage::Lines, Stage::Pattern(Pattern::Qwen2)]),
        "exaone-moe" => plain(&[Stage::Pattern(Pattern::ExaoneMoe)]),
        "k2-horizon" => plain(&[Stage::Pattern(Pattern::K2Horizon)]),
        _ => return None,
    })
}
