//! What the metadata of a GGUF file says about its model and its tokenizer.

use std::{fs, io::Read, path::Path};

use vox_types::{Code, Error, Result};

use super::reader::{self, Metadata, Numbers, Strings, Value};
use crate::{Fingerprint, text::shown};

/// The keys that decide counts.
#[derive(Default)]
pub struct Tokenizer {
    /// `tokenizer.ggml.model`
    pub model: String,
    /// `tokenizer.ggml.pre`
    pub pre: String,
    /// `general.architecture`
    pub architecture: String,
    /// `general.name`
    pub name: String,
    /// Texts of tokens.
    pub tokens: Strings,
    /// Scores, if there are any.
    pub scores: Option<Numbers>,
    /// Types, if there are any.
    pub types: Option<Numbers>,
    /// Merges, if there are any.
    pub merges: Option<Strings>,
    /// `tokenizer.ggml.add_space_prefix`
    pub add_space_prefix: Option<bool>,
    /// `tokenizer.ggml.remove_extra_whitespaces`
    pub remove_extra_whitespaces: bool,
    /// `tokenizer.ggml.precompiled_charsmap`
    pub charsmap: Vec<u8>,
    /// `tokenizer.ggml.normalizer.lowercase`
    pub lowercase: Option<bool>,
    /// `tokenizer.ggml.normalizer.strip_accents`
    pub strip_accents: Option<bool>,
    /// `tokenizer.ggml.unknown_token_id`
    pub unknown: Option<u32>,
    /// Which marks of filling in the middle the file names.
    pub named_tokens: Vec<&'static str>,
}

/// What framing needs to know beside the counts of contents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Framing {
    /// A token is put before a prompt: `tokenizer.ggml.add_bos_token`, or what llama.cpp takes
    /// where the file doesn't say.
    pub add_bos: bool,
    /// A token is put behind a prompt: `tokenizer.ggml.add_eos_token`, or the same.
    pub add_eos: bool,
    /// `tokenizer.ggml.bos_token_id`
    pub bos: Option<u32>,
    /// `tokenizer.ggml.eos_token_id`
    pub eos: Option<u32>,
    /// `tokenizer.chat_template`
    pub chat_template: Option<String>,
    /// `<architecture>.context_length`: tokens that the model was trained on at once.
    pub context_length: Option<u64>,
}

/// Reads the metadata of the file at `path`.
pub fn open(path: &Path) -> Result<(Tokenizer, Framing)> {
    let open = || {
        let file = fs::File::open(path)?;
        let size = file.metadata()?.len();
        Ok((file, size))
    };
    let (file, size) = open().map_err(|error| Error::io(&error, path))?;
    read(file, size)
        .map_err(|error| Error::new(error.code, format!("{}: {}", path.display(), error.message)))
}

/// Reads the metadata of a file of `size` bytes.
pub fn read(from: impl Read, size: u64) -> Result<(Tokenizer, Framing)> {
    let mut metadata = reader::read(from, size, wanted)?;
    let mut keys = Keys(&mut metadata);
    if let Some(shard @ 1..) = keys.integer("split.no")? {
        let message = format!(
            "This is part {} of a GGUF model in several files; the tokenizer is in the first, whose name ends in 00001-of-…",
            shard + 1
        );
        return Err(Error::new(Code::Unsupported, message));
    }
    let architecture = keys.string("general.architecture")?.unwrap_or_default();
    let mut framing = Framing {
        add_bos: false,
        add_eos: false,
        bos: keys.id("tokenizer.ggml.bos_token_id")?,
        eos: keys.id("tokenizer.ggml.eos_token_id")?,
        chat_template: keys.string("tokenizer.chat_template")?,
        context_length: keys
            .integer(&format!("{architecture}.context_length"))?
            .and_then(|n| n.try_into().ok()),
    };
    let mut named_tokens = Vec::new();
    for (key, name) in NAMED {
        if keys.id(key)?.is_some() && !named_tokens.contains(&name) {
            named_tokens.push(name);
        }
    }
    let added = [
        keys.boolean("tokenizer.ggml.add_bos_token")?,
        keys.boolean("tokenizer.ggml.add_eos_token")?,
    ];
    let tokenizer = Tokenizer {
        model: keys.string("tokenizer.ggml.model")?.unwrap_or_default(),
        pre: keys.string("tokenizer.ggml.pre")?.unwrap_or_default(),
        name: keys.string("general.name")?.unwrap_or_default(),
        architecture,
        tokens: keys.strings("tokenizer.ggml.tokens")?.unwrap_or_default(),
        scores: keys.floats("tokenizer.ggml.scores")?,
        types: keys.integers("tokenizer.ggml.token_type")?,
        merges: keys.strings("tokenizer.ggml.merges")?,
        add_space_prefix: keys.boolean("tokenizer.ggml.add_space_prefix")?,
        remove_extra_whitespaces: keys
            .boolean("tokenizer.ggml.remove_extra_whitespaces")?
            .unwrap_or(false),
        charsmap: keys.bytes("tokenizer.ggml.precompiled_charsmap")?.unwrap_or_default(),
        lowercase: keys.boolean("tokenizer.ggml.normalizer.lowercase")?,
        strip_accents: keys.boolean("tokenizer.ggml.normalizer.strip_accents")?,
        unknown: keys.id("tokenizer.ggml.unknown_token_id")?,
        named_tokens,
    };
    (framing.add_bos, framing.add_eos) = tokenizer.added(added);
    Ok((tokenizer, framing))
}

/// Keys of marks of filling in the middle, new and old, and what they mark.
const NAMED: [(&str, &str); 9] = [
    ("tokenizer.ggml.fim_pre_token_id", "prefix"),
    ("tokenizer.ggml.fim_suf_token_id", "suffix"),
    ("tokenizer.ggml.fim_mid_token_id", "middle"),
    ("tokenizer.ggml.fim_pad_token_id", "padding"),
    ("tokenizer.ggml.fim_rep_token_id", "repository"),
    ("tokenizer.ggml.fim_sep_token_id", "file separator"),
    ("tokenizer.ggml.prefix_token_id", "prefix"),
    ("tokenizer.ggml.suffix_token_id", "suffix"),
    ("tokenizer.ggml.middle_token_id", "middle"),
];

/// Whether a key is looked at.
fn wanted(key: &str) -> bool {
    let other =
        ["tokenizer.huggingface.json", "tokenizer.rwkv.world", "tokenizer.ggml.suppress_tokens"];
    let tokenizer = key.starts_with("tokenizer.") && !key.starts_with("tokenizer.chat_template.");
    matches!(key, "general.architecture" | "general.name" | "split.no")
        || key.ends_with(".context_length")
        || (tokenizer && !other.contains(&key))
}

/// Values by key, each of the type it must have.
struct Keys<'m>(&'m mut Metadata);

macro_rules! typed {
    ($name:ident, $variant:ident, $type:ty) => {
        fn $name(&mut self, key: &str) -> Result<Option<$type>> {
            match self.0.remove(key) {
                None => Ok(None),
                Some(Value::$variant(value)) => Ok(Some(value)),
                Some(other) => Err(wrong_type(key, &other)),
            }
        }
    };
}

impl Keys<'_> {
    typed!(boolean, Bool, bool);
    typed!(integer, Integer, i128);
    typed!(strings, Strings, Strings);
    typed!(integers, Integers, Numbers);
    typed!(bytes, Bytes, Vec<u8>);

    fn string(&mut self, key: &str) -> Result<Option<String>> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::String(value)) => Ok(Some(String::from_utf8_lossy(&value).into_owned())),
            Some(other) => Err(wrong_type(key, &other)),
        }
    }

    fn id(&mut self, key: &str) -> Result<Option<u32>> {
        Ok(self.integer(key)?.and_then(|id| id.try_into().ok()))
    }

    fn floats(&mut self, key: &str) -> Result<Option<Numbers>> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::Floats(values)) => Ok(Some(values)),
            Some(Value::Integers(values)) => {
                Ok(Some(values.integers().map(|value| value as f32).collect()))
            }
            Some(other) => Err(wrong_type(key, &other)),
        }
    }
}

fn wrong_type(key: &str, value: &Value) -> Error {
    let kind = match value {
        Value::Integer(_) => "an integer",
        Value::Float(_) => "a float",
        Value::Bool(_) => "a boolean",
        Value::String(_) => "a string",
        Value::Strings(_) => "a list of strings",
        Value::Floats(_) => "a list of floats",
        Value::Integers(_) => "a list of integers",
        Value::Bytes(_) => "a list of bytes",
    };
    let message = format!(
        "The GGUF file's {} is {kind}, which it cannot be. Fetch the file again.",
        shown(key)
    );
    Error::new(Code::Malformed, message)
}

/// Which tokens swallow space around them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Strips {
    /// None.
    Nothing,
    /// This one the space before it.
    Before(&'static str),
    /// Phi-3's special tokens the space behind them.
    Phi3,
}

impl Tokenizer {
    /// What llama.cpp concludes from the names of models.
    pub fn strips(&self) -> Strips {
        let name = self.name.to_ascii_lowercase();
        let has = |text: &str, known: &[&str]| known.iter().any(|known| text.contains(known));
        if has(&self.pre, &["jina-v2-de", "jina-v2-es", "jina-v2-code", "mmbert"])
            || has(&self.architecture, &["nomic-bert-moe", "jina-bert-v3"])
        {
            Strips::Before("<mask>")
        } else if has(&name, &["phi-3", "phi3"]) {
            Strips::Phi3
        } else if has(&name, &["modern-bert"]) {
            Strips::Before("[MASK]")
        } else {
            Strips::Nothing
        }
    }

    /// Whether a token is put before and behind a prompt, where the file says so or not.
    fn added(&self, [before, behind]: [Option<bool>; 2]) -> (bool, bool) {
        let starts = [
            "llama3",
            "llama-v3",
            "llama-bpe",
            "falcon3",
            "falcon-h1",
            "pixtral",
            "midm-2.0",
            "lfm2",
        ];
        let starts = [&starts[..], &["jina-v5-nano", "tekken", "chameleon"]].concat();
        match (&*self.model, &*self.pre) {
            // Whatever the file says.
            ("bert", _) => (true, true),
            ("gemma4", _) | ("gpt2", "gemma4" | "granite-embed-multi-311m") => {
                (true, behind.unwrap_or(false))
            }
            ("llama", _) => (before.unwrap_or(true), behind.unwrap_or(false)),
            ("t5", _) => (before.unwrap_or(false), behind.unwrap_or(true)),
            // It has neither.
            ("rwkv", _) => (false, false),
            (_, pre) => (before.unwrap_or(starts.contains(&pre)), behind.unwrap_or(false)),
        }
    }

    /// BLAKE3 of everything that decides counts.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        // The number goes up when the same keys give other counts.
        part(b"vox gguf tokenizer 2");
        part(self.model.as_bytes());
        part(self.pre.as_bytes());
        part(format!("{:?}", self.strips()).as_bytes());
        for strings in [Some(&self.tokens), self.merges.as_ref()] {
            match strings {
                None => part(b"none"),
                Some(strings) => part(strings.raw()),
            }
        }
        for numbers in [&self.scores, &self.types] {
            part(numbers.as_ref().map_or(&[], Numbers::raw));
        }
        part(&[u8::from(self.scores.is_some()), u8::from(self.types.is_some())]);
        part(&self.charsmap);
        let flags = [
            self.add_space_prefix,
            Some(self.remove_extra_whitespaces),
            self.lowercase,
            self.strip_accents,
        ];
        part(format!("{flags:?} {:?} {:?}", self.unknown, self.named_tokens).as_bytes());
        Fingerprint(*hasher.finalize().as_bytes())
    }
}
