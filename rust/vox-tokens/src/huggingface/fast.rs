//! The fast way through: pre-tokenisers that are together a pattern vox knows by heart.

use std::sync::Arc;

use serde_json::Value;

use super::components::BYTE_LEVEL_PATTERN;
use crate::{
    ByteLevel, Normal,
    merges::Merges,
    split::{Engine, Pattern, Splitter},
    unicode::{Classes, class::NUMBER},
};

/// Byte-level BPE over a known pattern.
pub struct Fast {
    pub encoding: Arc<ByteLevel>,
    /// Puts a space before a stretch that doesn't begin with one.
    pub prefix: bool,
    /// Numbers are those of the standard library, which knows newer ones than the pattern.
    digits: bool,
}

impl Fast {
    /// The fast way for a `pre_tokenizer`, if there is one.
    pub fn new(pre_tokenizer: Option<&Value>, merges: &Arc<Merges>) -> Option<Self> {
        let mut steps = Vec::new();
        flatten(pre_tokenizer?, &mut steps)?;
        let (last, before) = steps.split_last()?;
        if last["type"] != "ByteLevel" {
            return None;
        }
        let prefix = last["add_prefix_space"].as_bool()?;
        if prefix && !before.is_empty() {
            return None;
        }
        let mut stages = before.iter().map(|step| stage(step)).collect::<Option<Vec<_>>>()?;
        if last["use_regex"].as_bool().unwrap_or(true) {
            stages.push(BYTE_LEVEL_PATTERN);
        }
        let splitter = Splitter::new(Pattern::of(&stages)?, Engine::Unicode16);
        Some(Self {
            encoding: Arc::new(ByteLevel::new(Normal::None, splitter, merges.clone())),
            prefix,
            digits: before.iter().any(|step| step["type"] == "Digits"),
        })
    }

    /// Whether every text goes this way as it is.
    pub fn is_plain(&self) -> bool {
        !self.prefix && !self.digits
    }

    /// Whether a text may go this way.
    pub fn fits(&self, text: &str) -> bool {
        // Numbers that Unicode 16 doesn't have lie beyond the first plane.
        !self.digits
            || !text.bytes().any(|byte| byte >= 0xf0)
            || text.chars().all(|c| is_old(c) || !c.is_numeric())
    }
}

fn is_old(c: char) -> bool {
    c < '\u{10000}' || Classes::unicode_16().of(c.into()) & NUMBER != 0
}

/// All steps of a `pre_tokenizer` in their order.
fn flatten<'v>(value: &'v Value, steps: &mut Vec<&'v Value>) -> Option<()> {
    if value["type"] != "Sequence" {
        steps.push(value);
        return Some(());
    }
    value["pretokenizers"].as_array()?.iter().try_for_each(|part| flatten(part, steps))
}

/// The pattern that a step cuts by, if it drops nothing.
fn stage(step: &Value) -> Option<&str> {
    if step["type"] == "Digits" {
        return Some(if step["individual_digits"] == true { r"\p{N}" } else { r"\p{N}+" });
    }
    if step["type"] != "Split" {
        return None;
    }
    let pattern = step["pattern"]["Regex"].as_str()?;
    let keeps_all = match step["behavior"].as_str()? {
        "Isolated" => true,
        // What the pattern doesn't match is dropped.
        "Removed" => step["invert"] == true && Pattern::of(&[pattern])?.covers(),
        _ => false,
    };
    keeps_all.then_some(pattern)
}
