//! A `tokenizer.json` as it is written.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;
use vox_types::{Code, Error, Result};

use crate::text::{cut_off, shown};

/// What decides counts. What doesn't is left out: `truncation` and `padding` (what is counted is
/// the whole text), `post_processor` (it adds tokens around a text), `decoder`.
#[derive(Deserialize)]
pub struct File<'a> {
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    pub added_tokens: Vec<AddedToken>,
    #[serde(default)]
    pub normalizer: Option<Value>,
    #[serde(default)]
    pub pre_tokenizer: Option<Value>,
    #[serde(borrow)]
    pub model: Model<'a>,
}

/// An entry of `added_tokens`. Its `id` is not looked at: the tokenizers library gives ids anew.
#[derive(Deserialize, Clone, PartialEq)]
pub struct AddedToken {
    pub content: String,
    pub single_word: bool,
    pub lstrip: bool,
    pub rstrip: bool,
    pub normalized: bool,
    pub special: bool,
}

/// `model`, whichever it is.
#[derive(Deserialize)]
pub struct Model<'a> {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(borrow)]
    pub vocab: Vocab<'a>,
    #[serde(borrow, default)]
    pub merges: Option<Vec<Merge<'a>>>,
    #[serde(default)]
    pub unk_token: Option<String>,
    #[serde(default)]
    pub unk_id: Option<usize>,
    #[serde(default)]
    pub dropout: Option<f64>,
    #[serde(default)]
    pub continuing_subword_prefix: Option<String>,
    #[serde(default)]
    pub end_of_word_suffix: Option<String>,
    #[serde(default)]
    pub fuse_unk: Option<bool>,
    #[serde(default)]
    pub byte_fallback: Option<bool>,
    #[serde(default)]
    pub ignore_merges: Option<bool>,
    #[serde(default)]
    pub max_input_chars_per_word: Option<u64>,
}

/// The kinds of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Bpe,
    Unigram,
    WordPiece,
    WordLevel,
}

impl<'a> File<'a> {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    ///
    /// `malformed` if they are no `tokenizer.json`; `unsupported` if it is of another version.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let file: Self =
            serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))?;
        match &file.version {
            Some(version) if version != "1.0" => Err(unsupported("version", version)),
            _ => Ok(file),
        }
    }
}

impl Model<'_> {
    /// What kind it is. Old files don't say; their fields tell.
    pub fn kind(&self) -> Result<Kind> {
        Ok(match self.kind.as_deref() {
            Some("BPE") => Kind::Bpe,
            Some("Unigram") => Kind::Unigram,
            Some("WordPiece") => Kind::WordPiece,
            Some("WordLevel") => Kind::WordLevel,
            Some(other) => return Err(unsupported("model", other)),
            None if self.merges.is_some() => Kind::Bpe,
            None if matches!(self.vocab, Vocab::Scored(_)) => Kind::Unigram,
            None if self.max_input_chars_per_word.is_some() => Kind::WordPiece,
            None => Kind::WordLevel,
        })
    }
}

/// `vocab`: tokens with ids, or, for Unigram, with scores in the order of ids.
pub enum Vocab<'a> {
    Ids(Vec<(Cow<'a, str>, u32)>),
    Scored(Vec<(Cow<'a, str>, f64)>),
}

/// An entry of `merges`: "left right" or ["left", "right"].
pub enum Merge<'a> {
    Joined(Cow<'a, str>),
    Pair(Cow<'a, str>, Cow<'a, str>),
}

/// Text that stays where it stands in the file, unless it is written with escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Vocab<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VocabVisitor;
        impl<'de> Visitor<'de> for VocabVisitor {
            type Value = Vocab<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("tokens with ids, or a list of tokens and scores")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut tokens = Vec::new();
                while let Some((Text(token), id)) = map.next_entry()? {
                    tokens.push((token, id));
                }
                Ok(Vocab::Ids(tokens))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut tokens = Vec::new();
                while let Some((Text(token), score)) = seq.next_element()? {
                    tokens.push((token, score));
                }
                Ok(Vocab::Scored(tokens))
            }
        }
        deserializer.deserialize_any(VocabVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Merge<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MergeVisitor;
        impl<'de> Visitor<'de> for MergeVisitor {
            type Value = Merge<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("two tokens, as a list or with a space between them")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Merge::Joined(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Merge::Joined(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let missing = || serde::de::Error::custom("a merge of less than two tokens");
                let Text(left) = seq.next_element()?.ok_or_else(missing)?;
                let Text(right) = seq.next_element()?.ok_or_else(missing)?;
                Ok(Merge::Pair(left, right))
            }
        }
        deserializer.deserialize_any(MergeVisitor)
    }
}

/// Judgement. Characters of what is said to be wrong, which may repeat parts of the file.
const LONGEST_REASON: usize = 400;

/// A file that contradicts itself or isn't what it should be.
pub fn malformed(what: impl fmt::Display) -> Error {
    let what = what.to_string();
    let what = cut_off(&what, LONGEST_REASON);
    Error::new(Code::Malformed, format!("a tokenizer.json is not sound: {what}"))
}

/// A part of a file that vox doesn't know.
pub fn unsupported(part: &str, name: &str) -> Error {
    Error::new(
        Code::Unsupported,
        format!(
            "a tokenizer.json has the {part} \"{}\", which vox can't reproduce; those it can are listed in contracts/tokenizers.md",
            shown(name)
        ),
    )
}
