//! Regular expressions.

use regex_automata::meta;
use regex_automata::util::syntax;
use vox_types::{Code, Error, Result};

use crate::query::Atom;

/// The largest automaton an expression may need, in bytes. Judgement: what people write needs a
/// thousandth.
const LARGEST: usize = 10 << 20;

/// Compiles the expression of `atom`. `^` and `$` match at lines, `.` doesn't match their ends.
/// Matching takes time linear in the text.
pub(super) fn compile(pattern: &str, case: bool, atom: &Atom) -> Result<meta::Regex> {
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
