//! The matcher says of every text what the plain reference says.

#![allow(clippy::unwrap_used, reason = "tests")]

#[allow(dead_code, reason = "other tests use the rest")]
mod reference;

use proptest::prelude::*;
use vox_search::matcher::{Matcher, Scratch};
use vox_search::query::{Atom, AtomKind, Node};
use vox_types::Code;

fn atom(kind: AtomKind, text: &str) -> Node {
    Node::Atom(Atom { kind, text: text.to_owned(), at: 0..text.len() })
}

fn matches(node: &Node, text: &str) -> bool {
    Matcher::new(node).unwrap().matches(text.as_bytes(), &mut Scratch::default())
}

fn marked(node: &Node, text: &str) -> Vec<String> {
    let marks = Matcher::new(node).unwrap().marks(text.as_bytes(), 100, &mut Scratch::default());
    marks.into_iter().map(|mark| text[mark].to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..Default::default() })]

    #[test]
    fn a_text_matches_if_the_reference_says_so(
        node in reference::nodes(),
        texts in prop::collection::vec(reference::texts(), 1..6),
    ) {
        let matcher = Matcher::new(&node).unwrap();
        let mut scratch = Scratch::default();
        for text in texts {
            let expected = reference::matches(&node, &text);
            prop_assert_eq!(matcher.matches(&text, &mut scratch), expected, "{:?}", text);
            let marks = matcher.marks(&text, 100, &mut scratch);
            if matches!(&node, Node::Atom(atom) if atom.kind != AtomKind::Regex) {
                prop_assert_eq!(!marks.is_empty(), expected);
            }
            prop_assert!(marks.windows(2).all(|two| two[0].end <= two[1].start));
            prop_assert!(marks.iter().all(|mark| mark.start < mark.end && mark.end <= text.len()));
        }
    }

    #[test]
    fn a_literal_is_found_wherever_it_stands(
        before in "[a-e s]{0,70}",
        literal in "[a-eksſ ]{1,8}",
        after in "[a-e s]{0,70}",
    ) {
        let node = atom(AtomKind::Literal, &literal);
        for written in [literal.clone(), literal.to_uppercase().replace("SS", "ß")] {
            let text = format!("{before}{written}{after}");
            prop_assert_eq!(matches(&node, &text), reference::matches(&node, text.as_bytes()));
        }
    }
}

#[test]
fn words_are_whole_and_their_case_does_not_count() {
    let node = atom(AtomKind::Word, "Error");
    assert_eq!(marked(&node, "an error, ERROR and errors"), ["error", "ERROR"]);
    assert_eq!(marked(&node, "my_error TypeError E_ERROR"), ["error", "Error", "ERROR"]);
}

#[test]
fn what_is_joined_in_the_query_is_joined_in_the_text() {
    let node = atom(AtomKind::Word, "src/x.py:42");
    assert!(matches(&node, "see /home/src/X.py:42: it fails"));
    for text in ["src/x.py", "src x.py:42", "src/x.py:421", "src/x.py::42", "lib/x.py:42 src/x.py"]
    {
        assert!(!matches(&node, text), "{text}");
    }
    assert_eq!(marked(&node, "at src/x.py:42."), ["src/x.py:42"]);
}

#[test]
fn literals_and_expressions_mind_case_if_they_hold_upper_case() {
    assert!(matches(&atom(AtomKind::Literal, "o w"), "Hello World"));
    assert!(!matches(&atom(AtomKind::Literal, "o W"), "hello world"));
    assert!(matches(&atom(AtomKind::Regex, r"h\w+o"), "HELLO"));
    assert!(!matches(&atom(AtomKind::Regex, r"H\w+o"), "hello"));
    assert!(matches(&atom(AtomKind::Regex, "^b$"), "a\nb\nc"));
}

#[test]
fn what_is_excluded_is_not_highlighted() {
    let not = Node::Not(Box::new(atom(AtomKind::Word, "b")));
    let node = Node::And(vec![atom(AtomKind::Word, "a"), not]);
    assert!(matches(&node, "a c") && !matches(&node, "a b"));
    assert_eq!(marked(&node, "a b a"), ["a", "a"]);
}

#[test]
fn an_expression_that_is_none_says_where_and_why() {
    for (pattern, said) in
        [("a(", "unclosed group"), ("(?=a)", "look-around"), ("x{1000}{1000}", "too large")]
    {
        let Err(error) = Matcher::new(&atom(AtomKind::Regex, pattern)) else { panic!("{pattern}") };
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(error.message.contains(said) && error.message.contains("column 1"), "{error}");
    }
    let Err(error) = Matcher::new(&atom(AtomKind::Literal, "")) else { panic!("empty") };
    assert_eq!(error.code, Code::InvalidArgument);
}

/// Each of these takes hours if anything in the matcher is quadratic.
#[test]
fn hostile_texts_are_matched_in_one_pass() {
    let million = 1 << 20;
    let texts = [
        vec![b'a'; million],
        b"a ".repeat(million),
        b"a.".repeat(million),
        vec![b' '; 10 * million],
        "中".repeat(million).into_bytes(),
        "\u{301}".repeat(million).into_bytes(),
        "s\u{212a}".repeat(million).into_bytes(),
        vec![0xff; million],
    ];
    let mut queries = vec![
        atom(AtomKind::Phrase, "a a b"),
        atom(AtomKind::Word, "a.a.b"),
        atom(AtomKind::Word, "b"),
        atom(AtomKind::Prefix, "ab"),
        atom(AtomKind::Word, "中文"),
        atom(AtomKind::Phrase, "中 中 文"),
        atom(AtomKind::Regex, "(a+)+b"),
        atom(AtomKind::Literal, "sksksksb"),
    ];
    queries.push(atom(AtomKind::Literal, &("a".repeat(500) + "b")));
    queries.push(atom(AtomKind::Literal, &("a.".repeat(500) + "b")));
    let mut scratch = Scratch::default();
    for query in queries {
        let matcher = Matcher::new(&query).unwrap();
        for text in &texts {
            assert!(!matcher.matches(text, &mut scratch), "{query:?}");
            assert!(matcher.marks(text, 10, &mut scratch).is_empty());
        }
    }
}
