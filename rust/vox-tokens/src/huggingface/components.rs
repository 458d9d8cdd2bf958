//! Normalisers and pre-tokenisers as a file describes them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::Value;
use vox_types::Result;

use super::{
    find::Pattern,
    normalise::{Normaliser, bert::Bert, forms::Form, precompiled::Precompiled},
    parse::{malformed, unsupported},
    pre_tokenise::{Behaviour, PreTokeniser, Prepend},
};

/// Every `type` of `normalizer` that is covered.
pub const NORMALISERS: [&str; 14] = [
    "BertNormalizer",
    "ByteLevel",
    "Lowercase",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "Nmt",
    "Precompiled",
    "Prepend",
    "Replace",
    "Sequence",
    "Strip",
    "StripAccents",
];

/// Every `type` of `pre_tokenizer` that is covered.
pub const PRE_TOKENISERS: [&str; 12] = [
    "BertPreTokenizer",
    "ByteLevel",
    "CharDelimiterSplit",
    "Digits",
    "FixedLength",
    "Metaspace",
    "Punctuation",
    "Sequence",
    "Split",
    "UnicodeScripts",
    "Whitespace",
    "WhitespaceSplit",
];

/// What `ByteLevel` splits by.
pub const BYTE_LEVEL_PATTERN: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// A pattern of `Split` or `Replace`.
#[derive(Deserialize)]
enum PatternValue {
    String(String),
    Regex(String),
}

impl PatternValue {
    fn compile(self) -> Result<Pattern> {
        match self {
            Self::String(text) if text.is_empty() => Err(unsupported("pattern", "")),
            Self::String(text) => Ok(Pattern::literal(&text)),
            Self::Regex(regex) => Pattern::regex(&regex),
        }
    }
}

/// Reads one `normalizer` and adds it, or what it consists of, to `list`.
///
/// # Errors
///
/// `unsupported` if its type or pattern isn't covered; `malformed` if its fields are wrong.
pub fn normalisers(value: &Value, list: &mut Vec<Normaliser>) -> Result<()> {
    #[derive(Deserialize)]
    struct BertFields {
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    }
    #[derive(Deserialize)]
    struct PrecompiledFields {
        precompiled_charsmap: String,
    }
    #[derive(Deserialize)]
    struct PrependFields {
        prepend: String,
    }
    #[derive(Deserialize)]
    struct ReplaceFields {
        pattern: PatternValue,
        content: String,
    }
    #[derive(Deserialize)]
    struct StripFields {
        strip_left: bool,
        strip_right: bool,
    }
    list.push(match kind("normalizer", value, &NORMALISERS)? {
        "BertNormalizer" => {
            let bert: BertFields = fields(value)?;
            Normaliser::Bert(Bert {
                clean: bert.clean_text,
                chinese: bert.handle_chinese_chars,
                strip_accents: bert.strip_accents.unwrap_or(bert.lowercase),
                lowercase: bert.lowercase,
            })
        }
        "ByteLevel" => Normaliser::ByteLevel,
        "Lowercase" => Normaliser::Lowercase,
        "NFC" => Normaliser::Form(Form::Nfc),
        "NFD" => Normaliser::Form(Form::Nfd),
        "NFKC" => Normaliser::Form(Form::Nfkc),
        "NFKD" => Normaliser::Form(Form::Nfkd),
        "Nmt" => Normaliser::Nmt,
        "Precompiled" => {
            let PrecompiledFields { precompiled_charsmap } = fields(value)?;
            let bytes = STANDARD
                .decode(precompiled_charsmap)
                .map_err(|error| malformed(format!("its precompiled_charsmap: {error}")))?;
            Normaliser::Precompiled(Precompiled::new(&bytes)?)
        }
        "Prepend" => {
            let PrependFields { prepend } = fields(value)?;
            Normaliser::Prepend(prepend)
        }
        "Replace" => {
            let ReplaceFields { pattern, content } = fields(value)?;
            Normaliser::Replace { pattern: pattern.compile()?, content }
        }
        "Strip" => {
            let StripFields { strip_left, strip_right } = fields(value)?;
            Normaliser::Strip { left: strip_left, right: strip_right }
        }
        "StripAccents" => Normaliser::StripAccents,
        _ => {
            return parts(value, "normalizers")?
                .iter()
                .try_for_each(|part| normalisers(part, list));
        }
    });
    Ok(())
}

/// Reads one `pre_tokenizer` and adds it, or what it consists of, to `list`.
///
/// # Errors
///
/// `unsupported` if its type or pattern isn't covered; `malformed` if its fields are wrong.
pub fn pre_tokenisers(value: &Value, list: &mut Vec<PreTokeniser>) -> Result<()> {
    #[derive(Deserialize)]
    struct ByteLevelFields {
        add_prefix_space: bool,
        #[serde(default = "yes")]
        use_regex: bool,
    }
    #[derive(Deserialize)]
    struct DelimiterFields {
        delimiter: char,
    }
    #[derive(Deserialize)]
    struct DigitsFields {
        individual_digits: bool,
    }
    #[derive(Deserialize)]
    struct FixedLengthFields {
        #[serde(default = "five")]
        length: usize,
    }
    #[derive(Deserialize)]
    struct MetaspaceFields {
        replacement: char,
        add_prefix_space: Option<bool>,
        #[serde(default = "always")]
        prepend_scheme: Prepend,
        split: Option<bool>,
    }
    #[derive(Deserialize)]
    struct PunctuationFields {
        #[serde(default = "isolated")]
        behavior: Behaviour,
    }
    #[derive(Deserialize)]
    struct SplitFields {
        pattern: PatternValue,
        behavior: Behaviour,
        invert: bool,
    }
    fn yes() -> bool {
        true
    }
    fn five() -> usize {
        5
    }
    fn always() -> Prepend {
        Prepend::Always
    }
    fn isolated() -> Behaviour {
        Behaviour::Isolated
    }
    list.push(match kind("pre_tokenizer", value, &PRE_TOKENISERS)? {
        "BertPreTokenizer" => PreTokeniser::Bert,
        "ByteLevel" => {
            let ByteLevelFields { add_prefix_space, use_regex } = fields(value)?;
            let pattern = if use_regex { Some(Pattern::regex(BYTE_LEVEL_PATTERN)?) } else { None };
            PreTokeniser::ByteLevel { add_prefix_space, pattern }
        }
        "CharDelimiterSplit" => {
            let DelimiterFields { delimiter } = fields(value)?;
            PreTokeniser::CharDelimiter(delimiter)
        }
        "Digits" => {
            let DigitsFields { individual_digits } = fields(value)?;
            PreTokeniser::Digits { individual: individual_digits }
        }
        "FixedLength" => match fields(value)? {
            FixedLengthFields { length: 0 } => return Err(malformed("a FixedLength of 0")),
            FixedLengthFields { length } => PreTokeniser::FixedLength(length),
        },
        "Metaspace" => {
            let metaspace: MetaspaceFields = fields(value)?;
            if metaspace.add_prefix_space == Some(false)
                && metaspace.prepend_scheme != Prepend::Never
            {
                return Err(malformed("add_prefix_space and prepend_scheme of Metaspace differ"));
            }
            PreTokeniser::Metaspace {
                replacement: metaspace.replacement,
                prepend: metaspace.prepend_scheme,
                split: metaspace.split.unwrap_or(true),
            }
        }
        "Punctuation" => {
            let PunctuationFields { behavior } = fields(value)?;
            PreTokeniser::Punctuation(behavior)
        }
        "Split" => {
            let SplitFields { pattern, behavior, invert } = fields(value)?;
            PreTokeniser::Split { pattern: pattern.compile()?, behaviour: behavior, invert }
        }
        "UnicodeScripts" => PreTokeniser::UnicodeScripts,
        "Whitespace" => PreTokeniser::Whitespace,
        "WhitespaceSplit" => PreTokeniser::WhitespaceSplit,
        _ => {
            return parts(value, "pretokenizers")?
                .iter()
                .try_for_each(|part| pre_tokenisers(part, list));
        }
    });
    Ok(())
}

/// The `type` of a component, if it is one of `known`.
fn kind<'v>(part: &str, value: &'v Value, known: &[&str]) -> Result<&'v str> {
    let kind = value["type"].as_str().ok_or_else(|| malformed(format!("a {part} without type")))?;
    if known.contains(&kind) { Ok(kind) } else { Err(unsupported(part, kind)) }
}

fn fields<'v, T: Deserialize<'v>>(value: &'v Value) -> Result<T> {
    T::deserialize(value).map_err(|error| malformed(format!("{}: {error}", value["type"])))
}

fn parts<'v>(value: &'v Value, name: &str) -> Result<&'v Vec<Value>> {
    value[name].as_array().ok_or_else(|| malformed(format!("a Sequence without {name}")))
}
