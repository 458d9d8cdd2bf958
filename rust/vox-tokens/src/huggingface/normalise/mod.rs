//! Normalisers: what a text becomes before it is cut.

pub mod bert;
pub mod forms;
pub mod precompiled;

use bert::Bert;
use forms::Form;
use precompiled::Precompiled;
use unicode_normalization_alignments::char::is_combining_mark;

use super::{find::Pattern, text::Normal};
use crate::bytes;

/// One normaliser. A `Sequence` is a list of these.
#[derive(Debug)]
pub enum Normaliser {
    Bert(Bert),
    /// Every byte as the character that stands for it.
    ByteLevel,
    Form(Form),
    Lowercase,
    /// What Moses' scripts do to control characters and white space.
    Nmt,
    Precompiled(Precompiled),
    /// Puts this before a text that isn't empty.
    Prepend(String),
    Replace {
        pattern: Pattern,
        content: String,
    },
    /// Drops white space at the ends.
    Strip {
        left: bool,
        right: bool,
    },
    /// Drops combining marks.
    StripAccents,
}

impl Normaliser {
    /// Whether a text surely stays as it is.
    pub fn keeps(&self, text: &str) -> bool {
        match self {
            Self::Form(form) => form.has(text),
            _ => text.is_empty(),
        }
    }

    pub fn normalise(&self, normal: &mut Normal) {
        if normal.text.is_empty() {
            return;
        }
        match self {
            Self::Bert(bert) => bert.normalise(normal),
            Self::ByteLevel => normal.rewrite(0, |old, new| {
                for c in old.chars() {
                    for (at, byte) in c.encode_utf8(&mut [0; 4]).bytes().enumerate() {
                        new.push(bytes::CHARS[usize::from(byte)], isize::from(at > 0));
                    }
                }
            }),
            Self::Form(form) => form.normalise(normal),
            Self::Lowercase => bert::lowercase(normal),
            Self::Nmt => {
                normal.filter(|c| !nmt_drops(c));
                normal.map(nmt_maps);
            }
            Self::Precompiled(precompiled) => precompiled.normalise(normal),
            Self::Prepend(prefix) => normal.prepend(prefix),
            Self::Replace { pattern, content } => replace(normal, pattern, content),
            Self::Strip { left, right } => strip(normal, *left, *right),
            Self::StripAccents => normal.filter(|c| !is_accent(c)),
        }
    }
}

fn strip(normal: &mut Normal, left: bool, right: bool) {
    if right {
        normal.text.truncate(normal.text.trim_end().len());
    }
    if left {
        let kept = normal.text.trim_start().len();
        let dropped = normal.text.len() - kept;
        normal.text.drain(..dropped);
        normal.origin = normal.origin.saturating_sub(dropped);
    }
    normal.origin = normal.origin.min(normal.text.len());
}

/// Writes `content` for each match; it stems from where the match's last character does.
pub fn replace(normal: &mut Normal, pattern: &Pattern, content: &str) {
    let old = std::mem::take(&mut normal.text);
    let mut new = String::with_capacity(old.len());
    let mut new_origin = None;
    let mut done = 0;
    pattern.each_match(&old, |start, end| {
        if new_origin.is_none() && start >= normal.origin {
            new_origin = Some(new.len() + normal.origin - done);
        }
        new.push_str(&old[done..start]);
        if new_origin.is_none() && end > normal.origin {
            new_origin = Some(new.len());
        }
        new.push_str(content);
        done = end;
    });
    normal.origin = new_origin.unwrap_or_else(|| new.len() + normal.origin - done);
    new.push_str(&old[done..]);
    normal.text = new;
}

/// Control characters that `Nmt` drops.
pub fn nmt_drops(c: char) -> bool {
    matches!(c as u32, 0x1..=0x8 | 0xb | 0xe..=0x1f | 0x7f | 0x8f | 0x9f)
}

/// What `Nmt` takes for a space.
pub fn nmt_maps(c: char) -> char {
    match c as u32 {
        0x9
        | 0xa
        | 0xc
        | 0xd
        | 0x1680
        | 0x200b..=0x200f
        | 0x2028
        | 0x2029
        | 0x2581
        | 0xfeff
        | 0xfffd => ' ',
        _ => c,
    }
}

/// What `StripAccents` drops.
pub fn is_accent(c: char) -> bool {
    is_combining_mark(c)
}
