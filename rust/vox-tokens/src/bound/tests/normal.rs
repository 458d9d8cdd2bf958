//! Normal forms: no text becomes longer than its bound.

use std::sync::LazyLock;

use proptest::prelude::*;
use unicode_normalization::{UnicodeNormalization, char::compose};

use crate::bound::{Form, Symbols};

const FORMS: [Form; 4] = [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd];

fn normalised(form: Form, text: &str) -> String {
    match form {
        Form::Nfc => text.nfc().collect(),
        Form::Nfd => text.nfd().collect(),
        Form::Nfkc => text.nfkc().collect(),
        Form::Nfkd => text.nfkd().collect(),
    }
}

/// Made once, as that takes a while.
fn symbols(form: Form) -> &'static Symbols {
    static ALL: LazyLock<[Symbols; 4]> = LazyLock::new(|| FORMS.map(Symbols::normalized_bytes));
    &ALL[form as usize]
}

#[test]
fn every_character_alone_becomes_no_more_than_its_bound() {
    for form in FORMS {
        let symbols = symbols(form);
        for c in '\0'..=char::MAX {
            let bytes = normalised(form, c.encode_utf8(&mut [0; 4])).len() as u64;
            let bound = symbols.bound(c.encode_utf8(&mut [0; 4]));
            assert!(bytes <= bound, "{form:?} of {c:?}");
            assert!(bound == bytes || !symbols.cost(c).starts, "{form:?} of {c:?}");
        }
    }
}

#[test]
fn no_composition_has_more_bytes_than_its_parts() {
    let mut compositions = 0;
    for whole in '\0'..=char::MAX {
        let mut parts: Vec<char> = whole.nfd().collect();
        let Some(second) = parts.pop().filter(|_| !parts.is_empty()) else { continue };
        let first: Vec<char> = parts.into_iter().nfc().collect();
        if let [first] = first[..]
            && compose(first, second) == Some(whole)
        {
            compositions += 1;
            assert!(whole.len_utf8() <= first.len_utf8() + second.len_utf8(), "{whole:?}");
        }
    }
    // 11,172 of Hangul, and 960 others in Unicode 16.
    assert!(compositions > 12_000, "{compositions}");
}

#[test]
fn a_mark_between_letter_and_accent_is_in_the_bound() {
    let text = "\u{e9}\u{323}";
    assert_eq!(text.len(), 4);
    assert_eq!(normalised(Form::Nfc, text).len(), 5);
    assert_eq!(symbols(Form::Nfc).bound(text), 5);
}

#[test]
fn text_that_is_normal_already_is_bounded_by_its_bytes() {
    let text = "Żółć, naïve façade; 한국어 텍스트, 日本語 が; Việt";
    assert_eq!(normalised(Form::Nfc, text), text);
    assert_eq!(symbols(Form::Nfc).bound(text), text.len() as u64);
}

proptest! {
    #[test]
    fn no_text_becomes_longer_than_its_bound(
        text in prop_oneof![
            "\\PC{0,20}",
            // Letters that compose, decompose and exclude, and marks of several classes.
            "[ae\u{e9}\u{1ead}\u{1e69}\u{301}\u{323}\u{307}\u{31b}\u{345}\u{344}\u{958}\u{93c}\u{f73}\
             \u{fb2c}\u{5b0}\u{1100}\u{1161}\u{11a8}\u{ac00}\u{ac01}\u{2126}\u{fdfa}\u{3d2}\u{1d15e}]{0,12}",
        ],
    ) {
        for form in FORMS {
            let bytes = normalised(form, &text).len() as u64;
            prop_assert!(bytes <= symbols(form).bound(&text), "{:?} of {:?}", form, text);
        }
    }
}
