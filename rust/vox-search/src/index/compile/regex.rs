//! What a text that an expression matches must have in the index: the literals that stand in
//! every match.

use regex_syntax::hir::{Class, Hir, HirKind};
use tantivy::query::{AllQuery, Query};
use vox_types::{Code, Error, Result};

use super::{super::fields::Fields, all, any, literal};
use crate::analyse::fold;

/// An expression with more alternatives is looked for everywhere. Judgement: each one costs a look
/// into the dictionary.
const MOST_ALTERNATIVES: usize = 64;
/// A class with more characters stands for anything. Judgement.
const MOST_CHARACTERS: u32 = 8;

/// A query for every text that `pattern` can match, in any case.
pub(super) fn compile(pattern: &str, fields: &Fields) -> Result<Box<dyn Query>> {
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(pattern);
    let hir = parsed.map_err(|error| {
        Error::new(Code::InvalidArgument, format!("/{pattern}/ can't be read: {error}"))
    })?;
    let need = need(&hir);
    Ok(match need.alternatives() {
        0..=MOST_ALTERNATIVES => need.query(fields),
        _ => Box::new(AllQuery),
    })
}

/// What stands in every match.
#[derive(PartialEq, Debug)]
enum Need {
    /// Nothing that is known.
    Anything,
    /// This, folded.
    Text(String),
    /// All of these.
    All(Vec<Need>),
    /// One of these.
    One(Vec<Need>),
}

impl Need {
    fn alternatives(&self) -> usize {
        match self {
            Self::Anything => 0,
            Self::Text(_) => 1,
            Self::All(needs) | Self::One(needs) => needs.iter().map(Self::alternatives).sum(),
        }
    }

    fn query(&self, fields: &Fields) -> Box<dyn Query> {
        let queries = |needs: &[Self]| needs.iter().map(|need| need.query(fields)).collect();
        match self {
            Self::Anything => Box::new(AllQuery),
            Self::Text(text) => literal::compile(text, fields),
            Self::All(needs) => all(queries(needs)),
            Self::One(needs) => any(queries(needs)),
        }
    }
}

/// What stands in every match of `hir`. Its depth is bounded by the parser.
fn need(hir: &Hir) -> Need {
    if let Some(text) = only(hir) {
        return if text.is_empty() { Need::Anything } else { Need::Text(text) };
    }
    match hir.kind() {
        HirKind::Capture(capture) => need(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => need(&repetition.sub),
        HirKind::Concat(parts) => {
            let (mut needs, mut text) = (Vec::new(), String::new());
            for part in parts {
                match only(part) {
                    Some(more) => text.push_str(&more),
                    None => {
                        needs.push(Need::Text(std::mem::take(&mut text)));
                        needs.push(need(part));
                    }
                }
            }
            needs.push(Need::Text(text));
            let nothing = Need::Text(String::new());
            needs.retain(|need| *need != Need::Anything && *need != nothing);
            if needs.is_empty() { Need::Anything } else { Need::All(needs) }
        }
        HirKind::Alternation(parts) => {
            let needs: Vec<_> = parts.iter().map(need).collect();
            if needs.contains(&Need::Anything) { Need::Anything } else { Need::One(needs) }
        }
        _ => Need::Anything,
    }
}

/// The one text, folded, that `hir` matches in any case, if it is one.
fn only(hir: &Hir) -> Option<String> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(String::new()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(text.chars().map(fold).collect())
        }
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            let first = fold(ranges.first()?.start());
            let one = ranges.iter().all(|range| {
                u32::from(range.end()) - u32::from(range.start()) < MOST_CHARACTERS
                    && (range.start()..=range.end()).all(|char| fold(char) == first)
            });
            one.then(|| first.to_string())
        }
        HirKind::Capture(capture) => only(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(only).collect(),
        _ => None,
    }
}
