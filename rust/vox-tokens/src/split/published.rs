//! How patterns are written where they are published.

use super::Pattern;

/// Every known way to write a pattern: as stages, each of which cuts what the one before left.
/// A pattern has several entries if it is written in several ways.
pub static PUBLISHED: &[(Pattern, &[&str])] = &[
    // openai/gpt-2, src/encoder.py; tokenizers, ByteLevel.
    (Pattern::Gpt2, &[GPT2]),
    // llama.cpp, whose splitter treats the rest as `\s+` would.
    (Pattern::Gpt2, &[GPT2_LLAMA_CPP]),
    // tiktoken, r50k_base and p50k_base.
    (
        Pattern::Gpt2,
        &[r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"],
    ),
    // tiktoken, cl100k_base.
    (
        Pattern::Cl100k,
        &[
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        ],
    ),
    // meta-llama/Llama-3, tokenizer.json.
    (Pattern::Llama3, &[LLAMA3]),
    // Qwen/Qwen2, tokenizer.json.
    (
        Pattern::Qwen2,
        &[
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    // inclusionAI/Ling, tokenizer.json.
    (
        Pattern::Qwen2,
        &[
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
        ],
    ),
    // llama.cpp, ufakzeka.
    (
        Pattern::Qwen2WithoutContractions,
        &[r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"],
    ),
    // Qwen/Qwen3.5, tokenizer.json.
    (
        Pattern::Qwen35,
        &[
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    // ByteDance-Seed/Seed-Coder, tokenizer.json.
    (
        Pattern::SeedCoder,
        &[
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\r\n]+|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
        ],
    ),
    // tiktoken, o200k_base; openai/gpt-oss and meta-llama/Llama-4, tokenizer.json.
    (
        Pattern::O200k,
        &[
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    (
        Pattern::O200kSingleDigits,
        &[
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    // mistralai/Mistral-Nemo, tokenizer.json.
    (
        Pattern::Tekken,
        &[
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    // moonshotai/Kimi-K2, tokenization_kimi.py.
    (
        Pattern::KimiK2,
        &[
            r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    // LGAI-EXAONE/K-EXAONE, tokenizer.json.
    (
        Pattern::ExaoneMoe,
        &[
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+",
        ],
    ),
    // inceptionai/Jais-2, tokenizer.json.
    (
        Pattern::Jais2,
        &[
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}",
        ],
    ),
    // bigcode/starcoder, tokenizer.json: Digits and ByteLevel.
    (Pattern::StarCoder, &[NUMBER, GPT2]),
    (Pattern::StarCoder, &[NUMBER, GPT2_LLAMA_CPP]),
    (Pattern::Number, &[NUMBER]),
    (Pattern::Numbers, &[r"\p{N}+"]),
    // deepseek-ai/DeepSeek-V3, tokenizer.json.
    (Pattern::DeepSeek3, &[THREE_NUMBERS, DEEPSEEK_CJK, DEEPSEEK_WORDS]),
    (Pattern::ThreeNumbers, &[THREE_NUMBERS]),
    (Pattern::DeepSeekCjk, &[DEEPSEEK_CJK]),
    (Pattern::DeepSeekWords, &[DEEPSEEK_WORDS]),
    // llama.cpp, spark2_5.
    (
        Pattern::SparkWords,
        &[
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+|[\r\n]|\\s+(?!\\S)|\\s+",
        ],
    ),
    // openbmb/MiniCPM5, tokenizer.json.
    (Pattern::MiniCpm5, &[THREE_NUMBERS, LONG_NUMBERS]),
    (Pattern::LongNumbers, &[LONG_NUMBERS]),
];

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const GPT2_LLAMA_CPP: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const LONG_NUMBERS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const NUMBER: &str = r"\p{N}";
const THREE_NUMBERS: &str = r"\p{N}{1,3}";
const DEEPSEEK_CJK: &str = "[一-龥\u{3040}-ゟ゠-ヿ]+";
const DEEPSEEK_WORDS: &str = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";
