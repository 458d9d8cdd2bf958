//! The analyser gives what the plain reference gives, and takes whatever a text holds.

#![allow(clippy::unwrap_used, reason = "tests")]

#[allow(dead_code, reason = "other tests use the rest")]
mod reference;

use proptest::prelude::*;
use vox_search::analyse::{Scratch, Stream, Token, joins, words};

fn both(text: &[u8], scratch: &mut Scratch) -> [Vec<reference::Found>; 2] {
    let own = |stream, token: Token<'_>| {
        (stream, token.term.to_owned(), token.position, token.start, token.end)
    };
    let mut found = [Vec::new(), Vec::new()];
    words(text, scratch, |token| found[0].push(own(Stream::Words, token)));
    joins(text, scratch, |token| found[1].push(own(Stream::Joins, token)));
    found
}

fn terms(text: &str) -> (Vec<String>, Vec<String>) {
    let [words, joins] = both(text.as_bytes(), &mut Scratch::default());
    let terms = |found: Vec<reference::Found>| found.into_iter().map(|found| found.1).collect();
    (terms(words), terms(joins))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..Default::default() })]

    #[test]
    fn words_and_joins_are_those_of_the_reference(text in reference::texts()) {
        let found = both(&text, &mut Scratch::default());
        let expected = reference::analysis(&text);
        for (found, stream) in found.into_iter().zip([Stream::Words, Stream::Joins]) {
            let of_stream = expected.iter().filter(|found| found.0 == stream).cloned();
            prop_assert_eq!(found, of_stream.collect::<Vec<_>>());
        }
    }
}

#[test]
fn an_identifier_is_a_word_and_so_are_its_parts() {
    let (words, joins) = terms("fooBar in src/x.py:42, error[E0308]");
    let expected =
        ["foobar", "foo", "bar", "in", "src", "x", "py", "42", "error", "e0308"].map(str::to_owned);
    assert_eq!(words, expected);
    assert_eq!(joins, ["src/x", "x.py", "py:42", "error[e0308"]);
}

#[test]
fn scripts_without_spaces_are_words_of_two_characters() {
    let (words, joins) = terms("全文検索abc、ไทย");
    assert_eq!(words, ["全文", "文検", "検索", "索", "abc", "ไท", "ทย", "ย"]);
    assert_eq!(joins, ["abc、ไ"]);
}

#[test]
fn hostile_texts_are_analysed_in_one_pass() {
    let mut scratch = Scratch::default();
    let million = 1 << 20;
    for text in [
        vec![b'a'; million],
        vec![b'_'; million],
        vec![b' '; 10 * million],
        vec![0; million],
        vec![0xff; million],
        "中".repeat(million).into_bytes(),
        "\u{301}".repeat(million).into_bytes(),
        "aB".repeat(million).into_bytes(),
        "a.".repeat(million).into_bytes(),
        "\u{feff}a\0b".repeat(million / 8).into_bytes(),
    ] {
        let mut longest = 0;
        words(&text, &mut scratch, |token| longest = longest.max(token.term.len()));
        joins(&text, &mut scratch, |token| longest = longest.max(token.term.len()));
        assert!(longest <= 142, "{longest}");
    }
}
