//! Queries: what a text asks for, and what is said of one that asks for nothing.

use proptest::prelude::*;
use vox_search::query::{Atom, AtomKind, Field, Node, Query, parse};
use vox_types::Code;

const NOW: i64 = 1_769_860_800_000;

fn query(text: &str) -> Query {
    parse(text, NOW).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A node as one line, with two letters for the kind of an atom.
fn line(node: &Node) -> String {
    let all = |nodes: &[Node]| nodes.iter().map(line).collect::<Vec<_>>().join(" ");
    match node {
        Node::Atom(Atom { kind, text, .. }) => format!("{}<{text}>", &format!("{kind:?}")[..2]),
        Node::And(nodes) => format!("(and {})", all(nodes)),
        Node::Or(nodes) => format!("(or {})", all(nodes)),
        Node::Not(node) => format!("(not {})", line(node)),
    }
}

fn text(query_text: &str) -> String {
    query(query_text).text.as_ref().map(line).unwrap_or_default()
}

/// Field, sign and values of each filter.
fn filters(text: &str) -> Vec<(Field, bool, Vec<String>)> {
    query(text).filters.into_iter().map(|f| (f.field, f.negated, f.values)).collect()
}

fn message(text: &str) -> String {
    let error = parse(text, NOW).expect_err(text);
    assert_eq!(error.code, Code::InvalidArgument);
    error.message
}

#[test]
fn words_side_by_side_must_all_occur() {
    assert_eq!(text("disk  full\terror"), "(and Wo<disk> Wo<full> Wo<error>)");
    assert_eq!(text("disk AND full"), "(and Wo<disk> Wo<full>)");
    assert_eq!(text("one"), "Wo<one>");
    assert_eq!(text("  "), "");
}

#[test]
fn or_binds_weaker_than_words_side_by_side_and_not_stronger() {
    assert_eq!(text("a b OR NOT c d"), "(or (and Wo<a> Wo<b>) (and (not Wo<c>) Wo<d>))");
    assert_eq!(text("a (b OR -c)"), "(and Wo<a> (or Wo<b> (not Wo<c>)))");
    assert_eq!(text("-(a OR b) c"), "(and (not (or Wo<a> Wo<b>)) Wo<c>)");
}

#[test]
fn groups_that_change_nothing_leave_no_trace() {
    assert_eq!(text("((a)) (b (c))"), "(and Wo<a> Wo<b> Wo<c>)");
    assert_eq!(text("(a OR b) OR (c OR d)"), "(or Wo<a> Wo<b> Wo<c> Wo<d>)");
    assert_eq!(text("NOT NOT a -(-b)"), "(and Wo<a> Wo<b>)");
}

#[test]
fn small_operators_are_words() {
    assert_eq!(text("and or not And"), "(and Wo<and> Wo<or> Wo<not> Wo<And>)");
}

#[test]
fn identifiers_paths_and_flags_are_one_word_each() {
    for word in [
        "src/x.py:42",
        "foo_bar",
        "crate::path",
        "E0308",
        "main()",
        "f(a,b)",
        "C:\\Users\\me",
        "role::Role",
        "http://host/a?b=c",
        "--json",
        "it's",
        "*args",
        "/usr/bin/python",
        "/help",
        "rol:tool",
        "Role:tool",
        "x*y",
        "a-b",
        "=>",
        "//",
    ] {
        assert_eq!(text(word), format!("Wo<{word}>"));
    }
}

#[test]
fn a_star_at_the_end_of_a_word_makes_it_a_beginning() {
    assert_eq!(text("conf* -tmp*"), "(and Pr<conf> (not Pr<tmp>))");
    assert_eq!(text(r"conf\*"), "Wo<conf*>");
    assert!(message("src/x.p*").contains("literal:\"src/x.p\""));
    assert!(message("a *onf*").starts_with("column 3 of the query: "));
}

#[test]
fn quotes_hold_a_phrase_and_escape_their_own_kind() {
    let phrases = r#"(and Ph<no space left> Ph<say "a\b" \d>)"#;
    assert_eq!(text(r#""no space left" "say \"a\\b\" \d""#), phrases);
    assert_eq!(text(r#"a"b c"d"#), "(and Wo<a> Ph<b c> Wo<d>)");
    assert_eq!(text(r#"5\" \(x"#), r#"(and Wo<5"> Wo<(x>)"#);
}

#[test]
fn literals_are_taken_as_they_are() {
    assert_eq!(text(r#"literal:"=> x""#), "Li<=> x>");
    assert_eq!(text("(a OR literal:foo->bar(1))"), "(or Wo<a> Li<foo->bar(1)>)");
}

#[test]
fn slashes_hold_a_regular_expression() {
    assert_eq!(text(r"/E\d+ (a|b)/ x"), r"(and Re<E\d+ (a|b)> Wo<x>)");
    assert_eq!(text(r"/a\/b/"), r"Re<a\/b>");
    assert_eq!(text(r#"regex:"a/b \"c\"" (/x/)"#), r#"(and Re<a/b "c"> Re<x>)"#);
}

#[test]
fn filters_of_one_field_are_alternatives() {
    assert_eq!(
        filters("role:tool role:user,assistant tool:Bash x"),
        [
            (Field::Role, false, vec!["tool".into(), "user".into(), "assistant".into()]),
            (Field::Tool, false, vec!["Bash".into()]),
        ]
    );
    assert_eq!(
        filters(r#"-tag:"a, b",c NOT is:trimmed"#),
        [
            (Field::Tag, true, vec!["a, b".into(), "c".into()]),
            (Field::Is, true, vec!["trimmed".into()]),
        ]
    );
}

#[test]
fn filters_leave_the_text_as_it_is() {
    assert_eq!(text("role:tool a AND kind:message OR b in:12"), "(or Wo<a> Wo<b>)");
    assert_eq!(text("role:tool"), "");
}

#[test]
fn times_bound_the_items() {
    let query = query("since:7d before:2026-01-31T12:00Z x");
    assert_eq!((query.since, query.before), (Some(NOW - 7 * 86_400_000), Some(NOW)));
}

#[test]
fn a_message_names_the_column_and_what_to_write() {
    for (text, column, says) in [
        ("é \"open", 3, "isn't closed"),
        ("a (b", 3, "isn't closed"),
        ("a b)", 4, "closes none"),
        ("a ()", 4, "nothing stands"),
        ("OR a", 1, "written or"),
        ("a AND", 3, "written and"),
        ("a OR OR b", 6, "written or"),
        ("a NOT", 3, "written not"),
        ("a -(b OR)", 7, "written or"),
        ("x \"\"", 3, "nothing stands"),
        ("a - b", 3, "right before"),
        ("x /a(b/", 5, "unclosed group"),
        ("x /usr/bin/", 7, "written \\/"),
        ("role:robot", 1, "user, assistant, system, tool"),
        ("a is:new", 3, "\"is:new\""),
        ("role: tool", 1, "needs a value"),
        ("literal:", 1, "needs a value"),
        ("tag:a,,b", 1, "needs a value"),
        ("tag:\"a\"b", 8, "space"),
        ("(a role:tool)", 4, "outside"),
        ("a OR role:tool", 6, "no alternative"),
        ("since:soon", 1, "no time"),
        ("-since:7d", 2, "before:"),
        ("since:7d since:8d", 10, "twice"),
    ] {
        let message = message(text);
        let place = format!("column {column} of the query: ");
        assert!(message.starts_with(&place), "{text}: {message}");
        assert!(message.contains(says), "{text}: {message}");
    }
}

#[test]
fn an_atom_knows_where_it_stands() {
    let Some(Node::And(nodes)) = query("é \"b c\" -literal:d").text else { panic!() };
    let places: Vec<_> = nodes
        .iter()
        .map(|node| match node {
            Node::Atom(atom) => atom.at.clone(),
            Node::Not(inside) => match &**inside {
                Node::Atom(atom) => atom.at.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(places, [0..2, 3..8, 10..19]);
}

#[test]
fn long_queries_are_read_or_refused_at_once() {
    assert!(message(&"(".repeat(1 << 20)).contains("deep"));
    assert!(message(&"a ".repeat(1 << 19)).contains("1024 words"));
    assert!(message(&"\"".repeat((1 << 20) + 1)).contains("nothing stands"));
    assert!(message(&"/".repeat(1 << 20)).contains("slash"));
    assert!(message(&"/x ".repeat(1 << 19)).contains("1024 words"));
    assert_eq!(text(&("NOT ".repeat(1 << 18) + "a")), "Wo<a>");
    assert_eq!(text(&"a".repeat(1 << 20)).len(), (1 << 20) + 4);
    assert_eq!(filters(&"role:tool ".repeat(1 << 10))[0].2.len(), 1 << 10);
}

/// A query tree as the text that a careful user would write for it.
fn written(node: &Node) -> String {
    let inside = |nodes: &[Node], between: &str| {
        format!("({})", nodes.iter().map(written).collect::<Vec<_>>().join(between))
    };
    match node {
        Node::Atom(Atom { kind, text, .. }) => {
            let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            match kind {
                AtomKind::Word => text.clone(),
                AtomKind::Prefix => format!("{text}*"),
                AtomKind::Phrase => quoted,
                AtomKind::Literal => format!("literal:{quoted}"),
                AtomKind::Regex => format!("regex:{quoted}"),
            }
        }
        Node::And(nodes) => inside(nodes, " "),
        Node::Or(nodes) => inside(nodes, " OR "),
        Node::Not(node) => format!("-{}", written(node)),
    }
}

/// Flat trees: no AND directly in an AND, no OR in an OR, no NOT in a NOT.
fn tree(depth: u32) -> BoxedStrategy<Node> {
    let atom = |kind, text: &str| {
        let text = proptest::string::string_regex(text).expect("a pattern");
        text.prop_map(move |text| Node::Atom(Atom { kind, text, at: 0..0 }))
    };
    let atoms = prop_oneof![
        atom(AtomKind::Word, "[a-zé検][a-z_./é検]{0,6}[a-z]"),
        atom(AtomKind::Prefix, "[a-zé_0-9]{1,6}"),
        atom(AtomKind::Phrase, "[a-z][ -~検]{0,8}"),
        atom(AtomKind::Literal, "[ -~検]{1,8}"),
        atom(AtomKind::Regex, "[a-z .\"/]{1,8}"),
    ];
    if depth == 0 {
        return atoms.boxed();
    }
    let not = |node| match node {
        Node::Not(_) => node,
        node => Node::Not(Box::new(node)),
    };
    let several = || prop::collection::vec(tree(depth - 1), 2..4);
    prop_oneof![
        2 => atoms,
        1 => tree(depth - 1).prop_map(not),
        1 => several().prop_map(|nodes| {
            let inside = |node| if let Node::And(inside) = node { inside } else { vec![node] };
            Node::And(nodes.into_iter().flat_map(inside).collect())
        }),
        1 => several().prop_map(|nodes| {
            let inside = |node| if let Node::Or(inside) = node { inside } else { vec![node] };
            Node::Or(nodes.into_iter().flat_map(inside).collect())
        }),
    ]
    .boxed()
}

/// How many atoms `node` has; each stands where it says.
fn count(node: &Node, text: &str) -> usize {
    match node {
        Node::Atom(atom) => {
            assert!(!text[atom.at.clone()].is_empty() && !atom.text.is_empty());
            1
        }
        Node::And(nodes) | Node::Or(nodes) => {
            assert!(nodes.len() > 1);
            nodes.iter().map(|node| count(node, text)).sum()
        }
        Node::Not(node) => count(node, text),
    }
}

proptest! {
    #[test]
    fn a_tree_that_is_written_down_is_read_as_itself(tree in tree(3)) {
        let text = written(&tree);
        let read = parse(&text, NOW);
        let read = read.map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(read.text.as_ref().map(line), Some(line(&tree)), "{}", text);
    }

    #[test]
    fn any_text_is_a_query_or_gets_a_message_with_a_column(
        text in prop_oneof![
            any::<String>(),
            "(AND|OR|NOT|role:|since:|literal:|regex:|[ ()\"/*\\\\a:,é検-]){0,30}",
        ],
    ) {
        match parse(&text, NOW) {
            Ok(query) => {
                let atoms = query.text.as_ref().map_or(0, |node| count(node, &text));
                prop_assert!(atoms <= 1_024);
            }
            Err(error) => {
                prop_assert!(error.message.starts_with("column "), "{}", error.message);
            }
        }
    }
}
