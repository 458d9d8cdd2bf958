//! Regular expressions.

use regex_automata::meta;
use regex_automata::util::syntax;
use regex_syntax::hir::{Hir, HirKind};
use vox_types::{Code, Error, Result};

use super::needle::Needle;
use crate::query::Atom;

/// The largest automaton an expression may need, in bytes. Judgement: what people write needs a
/// thousandth.
const LARGEST: usize = 10 << 20;

/// An expression, and the longest stretch of text that stands in whatever it matches. Most texts
/// don't hold that, and looking for it is many times faster than an automaton that knows Unicode.
pub(super) struct Pattern {
    pub(super) regex: meta::Regex,
    needed: Option<Needle>,
}

impl Pattern {
    pub(super) fn new(pattern: &str, case: bool, atom: &Atom) -> Result<Self> {
        let regex = compile(pattern, case, atom)?;
        let hir = regex_syntax::ParserBuilder::new().utf8(false).build().parse(pattern);
        let needed = hir.ok().and_then(|hir| longest(&hir));
        Ok(Self { regex, needed: needed.map(|needed| Needle::new(&needed, case)) })
    }

    /// Whether it's worth asking the automaton.
    pub(super) fn may_match(&self, text: &[u8]) -> bool {
        self.needed.as_ref().is_none_or(|needed| needed.find(text, 0).is_some())
    }
}

/// The longest literal in all matches of `hir`, whose depth the parser bounds.
fn longest(hir: &Hir) -> Option<String> {
    match hir.kind() {
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
        HirKind::Capture(capture) => longest(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => longest(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(longest).max_by_key(String::len),
        _ => None,
    }
}

/// Compiles the expression of `atom`. `^` and `$` match at lines, `.` doesn't match their ends.
/// Matching takes time linear in the text.
fn compile(pattern: &str, case: bool, atom: &Atom) -> Result<meta::Regex> {
    let syntax = syntax::Config::new().case_insensitive(!case).multi_line(true).utf8(false);
    let config = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(LARGEST));
    meta::Regex::builder().syntax(syntax).configure(config).build(pattern).map_err(|error| {
        let column = atom.at.start + 1;
        let why = match (error.syntax_error(), error.size_limit()) {
            (Some(syntax), _) => {
                let text = syntax.to_string();
                let line = text.lines().last().unwrap_or_default();
                format!("isn't valid: {}", line.trim_start_matches("error: "))
            }
            (None, Some(_)) => "is too large: make its repetitions shorter".to_owned(),
            (None, None) => format!("can't be compiled: {error}"),
        };
        Error::new(
            Code::InvalidArgument,
            format!("the expression /{pattern}/ at column {column} of the query {why}"),
        )
    })
}
