//! What a text must hold for an atom of a query to match.

use std::ops::ControlFlow;

use super::scan::LONGEST_GAP;
use super::term::prefix;
use super::unicode::{DENSE, UPPER, VISIBLE, tables};
use super::{Scratch, Source, Stream, Token, scan};
use crate::query::{Atom, AtomKind};

/// What a text must hold for an atom to match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sought {
    /// These terms, at these positions from a common one. At least one, in order of offsets.
    Terms(Vec<Step>),
    /// This stretch of text; not empty.
    Literal {
        /// As it is written.
        text: String,
        /// Whether upper and lower case differ.
        case: bool,
    },
    /// What this expression matches.
    Regex {
        /// As it is written.
        pattern: String,
        /// Whether upper and lower case differ.
        case: bool,
    },
}

/// One of several terms that stand one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its position, from that of the first.
    pub offset: u32,
    /// What it is a term of.
    pub stream: Stream,
    /// The term, or the start of one.
    pub term: String,
    /// Whether any term that begins so will do.
    pub prefix: bool,
}

/// What a text must hold for `atom` to match. Words and phrases in which no word is are literals,
/// so that `->` finds arrows; what stands before the first word of others and after the last one
/// doesn't count.
pub fn sought(atom: &Atom) -> Sought {
    let text = &atom.text;
    match atom.kind {
        AtomKind::Regex => Sought::Regex { pattern: text.clone(), case: pattern_minds_case(text) },
        AtomKind::Literal => Sought::Literal { text: text.clone(), case: minds_case(text) },
        AtomKind::Word | AtomKind::Prefix | AtomKind::Phrase => {
            let steps = steps(atom.kind, text);
            if steps.is_empty() {
                return Sought::Literal { text: text.clone(), case: minds_case(text) };
            }
            Sought::Terms(steps)
        }
    }
}

/// Whether a literal minds case: it holds an upper-case letter.
pub fn minds_case(text: &str) -> bool {
    text.chars().any(|char| tables().kind(char) & UPPER != 0)
}

/// Whether an expression minds case: an upper-case letter stands in it as itself, not in the name
/// of a class or an escape (`\W`, `\p{Lu}`).
fn pattern_minds_case(pattern: &str) -> bool {
    struct Upper(bool);
    impl regex_syntax::ast::Visitor for Upper {
        type Output = bool;
        type Err = std::convert::Infallible;

        fn finish(self) -> Result<bool, Self::Err> {
            Ok(self.0)
        }

        fn visit_pre(&mut self, ast: &regex_syntax::ast::Ast) -> Result<(), Self::Err> {
            if let regex_syntax::ast::Ast::Literal(literal) = ast {
                self.0 |= tables().kind(literal.c) & UPPER != 0;
            }
            Ok(())
        }

        fn visit_class_set_item_pre(
            &mut self,
            item: &regex_syntax::ast::ClassSetItem,
        ) -> Result<(), Self::Err> {
            use regex_syntax::ast::ClassSetItem::{Literal, Range};
            let upper = |char| tables().kind(char) & UPPER != 0;
            self.0 |= match item {
                Literal(literal) => upper(literal.c),
                Range(range) => upper(range.start.c) || upper(range.end.c),
                _ => false,
            };
            Ok(())
        }
    }
    let Ok(ast) = regex_syntax::ast::parse::Parser::new().parse(pattern) else {
        return true; // Whoever compiles it says what is wrong.
    };
    let Ok(upper) = regex_syntax::ast::visit(&ast, Upper(false));
    upper
}

/// A word of the query.
struct Word {
    term: String,
    shape: Shape,
    /// The join with the next one.
    join: Option<String>,
    /// Where it ends in the query.
    end: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// A word of a script with spaces.
    Whole,
    /// The only character of its stretch, of a script without spaces.
    Single,
    /// Two neighbouring ones.
    Pair,
    /// The last one after a pair: the pair says it all.
    Tail,
}

fn steps(kind: AtomKind, text: &str) -> Vec<Step> {
    let mut words = words_of(text);
    let Some(last) = words.len().checked_sub(1) else { return Vec::new() };
    if kind == AtomKind::Phrase {
        words.iter_mut().for_each(|word| word.join = None);
    }
    let mut open = kind == AtomKind::Prefix && words[last].shape == Shape::Whole;
    if open && let Some(gap) = dangling_gap(&text[words[last].end..]) {
        // `foo/*` asks for what is joined to `foo` by a slash.
        words[last].join = Some(format!("{}{gap}", words[last].term));
        open = false;
    }

    let mut steps = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let offset = u32::try_from(at).unwrap_or(u32::MAX);
        let joined = word.join.is_some() || at > 0 && words[at - 1].join.is_some();
        let needed = match word.shape {
            Shape::Whole | Shape::Single => !joined,
            Shape::Pair => true,
            Shape::Tail => false,
        };
        if needed {
            let opened = open && at == last;
            let term = if opened { prefix(&word.term).to_owned() } else { word.term.clone() };
            let prefix = opened || word.shape == Shape::Single;
            steps.push(Step { offset, stream: Stream::Words, term, prefix });
        }
        if let Some(join) = &word.join {
            let opened = open && at + 1 == last;
            let right = &words[last].term;
            let cut = if opened { right.len() - prefix(right).len() } else { 0 };
            let term = join[..join.len() - cut].to_owned();
            let prefix = opened || at == last;
            steps.push(Step { offset, stream: Stream::Joins, term, prefix });
        }
    }
    let first = steps.first().map_or(0, |step| step.offset);
    steps.iter_mut().for_each(|step| step.offset -= first);
    steps
}

/// The visible characters that `text` consists of, if it is one to three of them.
fn dangling_gap(text: &str) -> Option<&str> {
    let visible = text.chars().all(|char| tables().kind(char) & VISIBLE != 0);
    (visible && (1..=LONGEST_GAP).contains(&text.chars().count())).then_some(text)
}

/// The words of a query's text by position, without the parts of identifiers.
fn words_of(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut pair_ends = 0;
    let mut visit = |stream, token: Token<'_>| {
        let at = token.position as usize;
        match stream {
            Stream::Joins => words[at].join = Some(token.term.to_owned()),
            Stream::Words if at < words.len() => {}
            Stream::Words => {
                let mut chars = text[token.start..token.end].chars();
                let dense = chars.next().is_some_and(|char| tables().kind(char) & DENSE != 0);
                let shape = match (dense, chars.next()) {
                    (false, _) => Shape::Whole,
                    (true, Some(_)) => Shape::Pair,
                    (true, None) if token.end == pair_ends => Shape::Tail,
                    (true, None) => Shape::Single,
                };
                if shape == Shape::Pair {
                    pair_ends = token.end;
                }
                let term = token.term.to_owned();
                words.push(Word { term, shape, join: None, end: token.end });
            }
        }
        ControlFlow::Continue(())
    };
    let _: ControlFlow<()> =
        scan::<true, true>(Source::whole(text.as_bytes()), 0, &mut Scratch::default(), &mut visit);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of an atom: offset, `w` or `j`, term, and a star if it is a prefix.
    fn of(kind: AtomKind, text: &str) -> Vec<String> {
        let atom = Atom { kind, text: text.to_owned(), at: 0..0 };
        let Sought::Terms(steps) = sought(&atom) else { return vec!["literal".to_owned()] };
        let show = |step: Step| {
            let stream = if step.stream == Stream::Words { 'w' } else { 'j' };
            let star = if step.prefix { "*" } else { "" };
            format!("{}{stream} {}{star}", step.offset, step.term)
        };
        steps.into_iter().map(show).collect()
    }

    #[test]
    fn a_path_with_a_line_is_a_row_of_joins() {
        assert_eq!(of(AtomKind::Word, "src/x.py:42"), ["0j src/x", "1j x.py", "2j py:42"]);
        assert_eq!(of(AtomKind::Word, "crate::Path"), ["0j crate::path"]);
        assert_eq!(of(AtomKind::Word, "fooBar()"), ["0w foobar"]);
        assert_eq!(of(AtomKind::Word, "a====b.c"), ["0w a", "1j b.c"]);
    }

    #[test]
    fn a_phrase_is_a_row_of_words() {
        assert_eq!(of(AtomKind::Phrase, "src/x.py  Foo"), ["0w src", "1w x", "2w py", "3w foo"]);
    }

    #[test]
    fn the_last_word_of_a_prefix_is_open() {
        assert_eq!(of(AtomKind::Prefix, "Foo"), ["0w foo*"]);
        assert_eq!(of(AtomKind::Prefix, "src/x.p"), ["0j src/x", "1j x.p*"]);
        assert_eq!(of(AtomKind::Prefix, "a.src/"), ["0j a.src", "1j src/*"]);
        let long = "a".repeat(100);
        assert_eq!(of(AtomKind::Prefix, &long), [format!("0w {}*", "a".repeat(48))]);
        assert_eq!(of(AtomKind::Prefix, &long[..50]), [format!("0w {}*", "a".repeat(48))]);
    }

    #[test]
    fn scripts_without_spaces_are_found_by_pairs() {
        assert_eq!(of(AtomKind::Word, "文"), ["0w 文*"]);
        assert_eq!(of(AtomKind::Word, "中文字"), ["0w 中文", "1w 文字"]);
        assert_eq!(of(AtomKind::Prefix, "中文"), ["0w 中文"]);
        assert_eq!(of(AtomKind::Word, "foo中文bar"), ["0w foo", "1w 中文", "3w bar"]);
        assert_eq!(of(AtomKind::Word, "中文/foo"), ["0w 中文", "1j 文/foo"]);
        assert_eq!(of(AtomKind::Word, "foo/中文"), ["0j foo/中", "1w 中文"]);
        assert_eq!(of(AtomKind::Word, "foo/中"), ["0j foo/中"]);
    }

    #[test]
    fn what_holds_no_word_is_a_literal() {
        assert_eq!(of(AtomKind::Word, "->"), ["literal"]);
        assert_eq!(of(AtomKind::Phrase, "== !="), ["literal"]);
    }

    #[test]
    fn case_counts_where_an_upper_case_letter_stands_for_itself() {
        let case = |pattern: &str| match sought(&Atom {
            kind: AtomKind::Regex,
            text: pattern.to_owned(),
            at: 0..0,
        }) {
            Sought::Regex { case, .. } => case,
            other => panic!("{other:?}"),
        };
        assert!(case("Error") && case("[A-Z]x") && case("(?:a|B)"));
        assert!(!case(r"error\W+\p{Lu}\S") && !case("fehler"));
        assert!(minds_case("Ünder") && !minds_case("ünder_1"));
    }
}
