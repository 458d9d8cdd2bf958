//! Rules as data.

use regex_automata::{
    meta,
    util::syntax::{self, Config},
};
use regex_syntax::ParserBuilder;
use serde::Deserialize;
use vox_types::{Code, Error, Result};

/// The rules that ship.
const STANDARD: &str = include_str!("../../../contracts/secrets/rules.toml");
/// Counts up when the same rules find other spans, as the code around them changed.
const ENGINE: u32 = 1;
/// The longest match that a rule may allow: what one place of a text can cost. Judgement; a PEM
/// key of 8,192 bits is 6,500 bytes long.
const LONGEST: usize = 16 << 10;

/// What one kind of secret looks like.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name in answers and masked texts: lower case, digits and hyphens.
    pub id: String,
    /// What it finds, for people.
    pub what: String,
    /// Where the issuer describes the form.
    pub source: String,
    /// The pattern is tried where one of these stands.
    pub(crate) keywords: Vec<String>,
    /// How many bytes before a keyword a match may begin; 0: the keyword begins it.
    #[serde(default)]
    pub(crate) behind: usize,
    /// A pattern over bytes, without Unicode. The secret is its first group that took part, or all
    /// of it.
    pub(crate) pattern: String,
    #[serde(default)]
    pub(crate) ignore_case: bool,
    /// Whether a match may begin within a word.
    #[serde(default)]
    pub(crate) inside: bool,
    /// The least entropy of a secret, in bits for each byte.
    #[serde(default)]
    pub(crate) entropy: f32,
    /// Whether a secret has a digit, and a letter.
    #[serde(default)]
    pub(crate) digits: bool,
    /// Whether a secret is one that a machine made up: no words, paths or names.
    #[serde(default)]
    pub(crate) random: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Rule>,
}

/// A set of rules and its version.
#[derive(Clone, Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    version: u64,
}

impl Rules {
    /// The rules that ship.
    pub fn standard() -> Result<Self> {
        Self::parse(STANDARD)
    }

    /// The rules that `text` describes, as `contracts/secrets/README.md` says.
    ///
    /// Errors: `malformed`, with the rule and what is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let malformed = |what: String| Error::new(Code::Malformed, what);
        let File { rule: rules } = toml::from_str(text)
            .map_err(|error| malformed(format!("the rules for secrets can't be read: {error}")))?;
        if rules.len() > usize::from(u16::MAX) {
            return Err(malformed(format!("{} rules for secrets are too many", rules.len())));
        }
        for (place, rule) in rules.iter().enumerate() {
            let fault =
                |what: &str| malformed(format!("the rule {:?} for secrets: {what}", rule.id));
            if rules[..place].iter().any(|other| other.id == rule.id) {
                return Err(fault("another has the same id"));
            }
            let plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            if rule.id.is_empty() || !rule.id.bytes().all(plain) {
                return Err(fault("its id may have lower-case letters, digits and hyphens"));
            }
            if rule.keywords.is_empty() || rule.keywords.iter().any(|keyword| keyword.len() < 2) {
                return Err(fault("it needs keywords of two bytes or more"));
            }
            rule.longest().map_err(|what| fault(&what))?;
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&ENGINE.to_le_bytes()).update(text.as_bytes());
        let first = hasher.finalize().as_bytes().first_chunk().copied().unwrap_or_default();
        Ok(Self { rules, version: u64::from_be_bytes(first) })
    }

    /// Another number for each change of the rules or of how they are applied.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// All rules, in the order of their numbers.
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// The name of the rule with this number.
    pub fn id(&self, rule: u16) -> &str {
        self.rules.get(usize::from(rule)).map_or("unknown", |rule| &rule.id)
    }
}

impl Rule {
    /// The most bytes that a match has.
    pub(crate) fn longest(&self) -> std::result::Result<usize, String> {
        let mut parser = ParserBuilder::new().utf8(false).unicode(false).build();
        let parsed = parser.parse(&self.pattern).map_err(|error| error.to_string())?;
        match parsed.properties().maximum_len() {
            Some(longest) if longest <= LONGEST => Ok(longest),
            Some(longest) => Err(format!("a match may be {longest} bytes long, over {LONGEST}")),
            None => Err("a match may be of any length; give its repetitions a bound".into()),
        }
    }

    /// Its pattern, compiled.
    pub(crate) fn compile(&self) -> Result<meta::Regex> {
        let syntax: Config =
            syntax::Config::new().utf8(false).unicode(false).case_insensitive(self.ignore_case);
        meta::Regex::builder()
            .configure(meta::Config::new().utf8_empty(false).nfa_size_limit(Some(32 << 20)))
            .syntax(syntax)
            .build(&self.pattern)
            .map_err(|error| {
                Error::new(Code::Malformed, format!("the rule {:?} for secrets: {error}", self.id))
            })
    }
}
