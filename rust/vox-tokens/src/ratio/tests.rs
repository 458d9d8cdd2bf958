//! The census against a slow and obvious one.

use proptest::prelude::*;

use super::{
    Census, Class, FEATURES, Family,
    census::{BEGIN, step},
};

fn count(census: &Census, name: &str) -> u64 {
    census.counts[FEATURES.iter().position(|feature| *feature == name).unwrap()]
}

#[test]
fn a_census_counts_places_in_words_and_runs() {
    let census = Census::of("The wordX 12345 a1b   x\n\n(é 中🙂)".as_bytes());
    let counted: Vec<_> = FEATURES
        .iter()
        .map(|feature| (*feature, count(&census, feature)))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(
        counted,
        [
            ("lower1", 1), // a
            ("lower2", 2), // h o
            ("lower3", 2), // e r
            ("lower4", 1), // d
            ("rare1", 2),  // w x
            ("upper1", 1),
            ("camel", 1),
            ("digit1", 2),
            ("digit2", 2),
            ("digit3", 1),
            ("digit_in_word", 1),
            ("letter_in_number", 1),
            ("space1", 5),
            ("space2", 1),
            ("space3", 1),
            ("line1", 1),
            ("line2", 1),
            ("bracket", 2),
            ("latin", 1),
            ("han", 1),
            ("astral", 1),
            ("continuation", 6),
        ]
    );
}

#[test]
fn content_is_told_apart() {
    for (text, class) in [
        ("One sentence after the other, as people write them.", Class::Prose),
        ("fn main() { let x = f(&y[0]); assert!(x > 3); }", Class::Code),
        (r#"{"role": "user", "content": "hello", "name": null}"#, Class::Json),
        ("数えるのは大切です。 count", Class::Cjk),
        ("iVBORw0KGgoAAAANSUhEUgAAAB4AAAAeCAYAAAA7MK6iAAAAAXNSR0IArs4c6Q", Class::Dense),
        ("        \n\n\t\t\t        }", Class::Blank),
        ("Слово за словом", Class::Alphabet),
        ("कोई शब्द", Class::Script),
        ("✅ done 🎉", Class::Symbols),
        ("", Class::Prose),
    ] {
        assert_eq!(Class::of(&Census::of(text.as_bytes())), class, "{text:?}");
    }
}

#[test]
fn an_empty_text_is_no_token() {
    for family in Family::all() {
        assert_eq!(family.estimate(&Census::of(b"")), 0, "{}", family.name);
    }
}

/// One byte after the other, in one go.
fn in_one_go(bytes: &[u8]) -> Census {
    let mut counts = [0; FEATURES.len()];
    let mut state = BEGIN;
    for &byte in bytes {
        state = step(state, byte);
        counts[usize::from(state)] += 1;
    }
    Census { counts }
}

proptest! {
    #[test]
    fn every_byte_is_counted_once(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(Census::of(&bytes).bytes(), bytes.len() as u64);
    }

    #[test]
    fn halves_that_are_gone_through_side_by_side_make_no_difference(
        text in "[a A1\n.\"é]{0,60}",
        long in "[a A1\n.]{0,9}",
    ) {
        for bytes in [text.clone(), text.repeat(20) + &long, long.repeat(300)] {
            prop_assert_eq!(Census::of(bytes.as_bytes()), in_one_go(bytes.as_bytes()));
        }
    }
}
