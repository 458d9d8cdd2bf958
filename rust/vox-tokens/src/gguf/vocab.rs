//! The vocabulary of a GGUF file, with what llama.cpp makes of it when it loads it.

use std::{borrow::Cow, collections::HashMap};

use vox_bpe::NONE;
use vox_types::{Code, Error, Result};

use super::metadata::{Strips, Tokenizer};

/// What a token is; llama.cpp lets several hold at once.
pub mod kind {
    /// Stands for what is not in the vocabulary.
    pub const UNKNOWN: u8 = 1;
    /// Never used.
    pub const UNUSED: u8 = 2;
    /// Text.
    pub const NORMAL: u8 = 4;
    /// Steers the model; in content it is text.
    pub const CONTROL: u8 = 8;
    /// Matched in text before anything else.
    pub const USER_DEFINED: u8 = 16;
    /// One byte.
    pub const BYTE: u8 = 32;
    /// Swallows the space before it.
    pub const STRIPS_LEFT: u8 = 64;
    /// Swallows the space behind it.
    pub const STRIPS_RIGHT: u8 = 128;
}

/// Tokens by id, and ids by text.
pub struct Vocab<'f> {
    /// Texts by id.
    pub tokens: Vec<Cow<'f, [u8]>>,
    /// Scores by id.
    pub scores: Vec<f32>,
    /// What each is as the file says it, see [`kind`].
    pub declared: Vec<u8>,
    /// What each is in the end.
    pub kinds: Vec<u8>,
    ids: HashMap<Cow<'f, [u8]>, u32>,
}

impl<'f> Vocab<'f> {
    /// The vocabulary that a file holds.
    pub fn new(from: &'f Tokenizer) -> Result<Self> {
        let count = from.tokens.len();
        if count == 0 {
            return Err(malformed("it has no tokens".into()));
        }
        if count >= NONE as usize {
            let message = format!(
                "This GGUF's vocabulary has {count} tokens; vox counts up to {NONE}. Use a bound."
            );
            return Err(Error::new(Code::Unsupported, message));
        }
        let enough = |have: usize, what: &str| {
            if have >= count {
                Ok(())
            } else {
                Err(malformed(format!("{count} tokens have only {have} {what}")))
            }
        };
        let mut ids = HashMap::with_capacity(count);
        let mut tokens = Vec::with_capacity(count);
        for (id, text) in (0..).zip(from.tokens.iter()) {
            // So llama.cpp names what has no text.
            let text: Cow<[u8]> = if text.is_empty() {
                format!("[EMPTY_{id}]").into_bytes().into()
            } else {
                text.into()
            };
            if let Some(first) = ids.insert(text.clone(), id) {
                return Err(malformed(format!("tokens {first} and {id} are the same")));
            }
            tokens.push(text);
        }
        let scores = match &from.scores {
            None => vec![0.0; count],
            Some(scores) => {
                enough(scores.len(), "scores")?;
                scores.floats().take(count).collect()
            }
        };
        if scores.iter().any(|score| !score.is_finite()) {
            return Err(malformed("a score is no number or infinite".into()));
        }
        let declared = match &from.types {
            None => vec![kind::NORMAL; count],
            Some(types) => {
                enough(types.len(), "types")?;
                types.integers().take(count).map(declared).collect()
            }
        };
        let mut vocab = Self { tokens, scores, kinds: declared.clone(), declared, ids };
        vocab.override_kinds(from)?;
        vocab.strip(from.strips())?;
        Ok(vocab)
    }

    /// Tokens of these texts and kinds, without scores.
    #[cfg(test)]
    pub fn of(tokens: impl IntoIterator<Item = (&'f str, u8)>) -> Self {
        let (tokens, kinds): (Vec<Cow<[u8]>>, Vec<u8>) =
            tokens.into_iter().map(|(text, kind)| (text.as_bytes().into(), kind)).unzip();
        let ids = tokens.iter().cloned().zip(0..).collect();
        Self { scores: vec![0.0; kinds.len()], declared: kinds.clone(), kinds, tokens, ids }
    }

    /// The id of `text`.
    pub fn id(&self, text: &[u8]) -> Option<u32> {
        self.ids.get(text).copied()
    }

    /// Whether a token is of one of the kinds in `mask`.
    pub fn is(&self, id: u32, mask: u8) -> bool {
        self.kinds[id as usize] & mask != 0
    }

    /// The token that stands for one byte in vocabularies of characters.
    pub fn byte(&self, byte: u8) -> Option<u32> {
        self.id(format!("<0x{byte:02X}>").as_bytes())
    }

    /// All byte tokens, each with a fallback to the byte itself.
    pub fn bytes(&self) -> Result<Vec<u32>> {
        let token = |byte: u8| {
            self.byte(byte).or_else(|| self.id(&[byte])).ok_or_else(|| {
                Error::new(
                    Code::Unsupported,
                    format!(
                        "This GGUF's vocabulary has no token for the byte {byte:#04x}, and llama.cpp fails on text \
                         that needs it, so there is no exact count. Use a bound."
                    ),
                )
            })
        };
        (0..=u8::MAX).map(token).collect()
    }

    /// What llama.cpp overrides by the texts of tokens.
    fn override_kinds(&mut self, from: &Tokenizer) -> Result<()> {
        let set = |vocab: &mut Self, text: &str, change: fn(u8) -> u8| {
            if let Some(id) = vocab.id(text.as_bytes()) {
                let kind = &mut vocab.kinds[id as usize];
                *kind = change(*kind);
            }
        };
        let control = |kind: u8| kind | kind::CONTROL;
        for (key, candidates) in FILL_IN_THE_MIDDLE {
            if from.named_tokens.contains(&key) {
                continue;
            }
            let there: Vec<_> =
                candidates.iter().filter(|text| self.id(text.as_bytes()).is_some()).collect();
            let plain =
                |text: &str| self.id(text.as_bytes()).is_some_and(|id| !self.is(id, kind::CONTROL));
            match there[..] {
                [one] => set(self, one, control),
                [_, _, ..] if there.iter().any(|text| plain(text)) => {
                    let message = format!(
                        "Several tokens of this GGUF could be its {key} ({}), and which one llama.cpp takes is not \
                         defined, so there is no exact count. Use a bound.",
                        there.iter().map(|text| **text).collect::<Vec<_>>().join(", ")
                    );
                    return Err(Error::new(Code::Unsupported, message));
                }
                _ => {}
            }
        }
        for text in ENDS {
            set(self, text, control);
        }
        for text in ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"] {
            set(self, text, |_| kind::USER_DEFINED);
        }
        let has = |text: &str| self.id(text.as_bytes()).is_some();
        let calls = has("<|call|>") || has("<|calls|>");
        if calls && (has("<|return|>") || has("<|flush|>")) {
            set(self, "<|end|>", |_| kind::USER_DEFINED);
        }
        Ok(())
    }

    /// Which tokens swallow space around them.
    fn strip(&mut self, strips: Strips) -> Result<()> {
        match strips {
            Strips::Nothing => {}
            Strips::Before(text) => {
                if let Some(id) = self.id(text.as_bytes()) {
                    self.kinds[id as usize] |= kind::STRIPS_LEFT;
                }
            }
            Strips::Phi3 => {
                for kinds in &mut self.kinds {
                    if *kinds & (kind::CONTROL | kind::USER_DEFINED | kind::UNKNOWN) != 0 {
                        *kinds |= kind::STRIPS_RIGHT;
                    }
                }
                for text in ["</s>", "<unk>", "<s>", "<|endoftext|>"] {
                    let id = self.id(text.as_bytes()).ok_or_else(|| {
                        malformed(format!("it is of Phi-3 and lacks {text}, without which llama.cpp does not load it"))
                    })?;
                    let kinds = &mut self.kinds[id as usize];
                    *kinds &= !kind::STRIPS_RIGHT;
                    if text == "</s>" {
                        *kinds |= kind::STRIPS_RIGHT;
                    }
                }
            }
        }
        Ok(())
    }
}

fn declared(kind: i32) -> u8 {
    match kind {
        1 => kind::NORMAL,
        2 => kind::UNKNOWN,
        3 => kind::CONTROL,
        4 => kind::USER_DEFINED,
        5 => kind::UNUSED,
        6 => kind::BYTE,
        _ => 0,
    }
}

fn malformed(what: String) -> Error {
    let message = format!(
        "The vocabulary of this GGUF file contradicts itself: {what}. Fetch the file again."
    );
    Error::new(Code::Malformed, message)
}

/// Tokens that llama.cpp takes for marks of filling in the middle where the file names none: the
/// names of the key, and texts.
const FILL_IN_THE_MIDDLE: [(&str, &[&str]); 6] = [
    (
        "prefix",
        &[
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<｜fim▁begin｜>",
            "<PRE>",
            "▁<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
            "<|plamo:fim_prefix|>",
        ],
    ),
    (
        "suffix",
        &[
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<｜fim▁hole｜>",
            "<SUF>",
            "▁<SUF>",
            "<|code_suffix|>",
            "<|suffix|>",
            "<|plamo:fim_suffix|>",
        ],
    ),
    (
        "middle",
        &[
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<｜fim▁end｜>",
            "<MID>",
            "▁<MID>",
            "<|code_middle|>",
            "<|middle|>",
            "<|plamo:fim_middle|>",
        ],
    ),
    ("padding", &["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"]),
    ("repository", &["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"]),
    ("file separator", &["<|file_sep|>", "<|plamo:file_separator|>"]),
];

/// Tokens that end what is generated, and so are control tokens whatever the file says.
const ENDS: [&str; 23] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
    "<|ifm|im_end|>",
];
