//! The tables of character classes against the crate they come from.

use regex_automata::meta::Regex;
use vox_tokens::unicode::{
    Classes,
    class::{self, Class},
};

const CLASSES: [(&str, Class); 9] = [
    (r"[\p{Lu}\p{Lt}]", class::UPPER),
    (r"\p{Ll}", class::LOWER),
    (r"[\p{Lm}\p{Lo}]", class::CASELESS),
    (r"\p{M}", class::MARK),
    (r"\p{N}", class::NUMBER),
    (r"\p{P}", class::PUNCTUATION),
    (r"\p{S}", class::SYMBOL),
    (r"\s", class::SPACE),
    (r"\p{Han}", class::HAN),
];

/// Fails if `classes` has other characters of a class than `pattern` makes of it.
fn compare(classes: &Classes, pattern: impl Fn(&str) -> String) {
    for (property, class) in CLASSES {
        let regex = Regex::new(&pattern(property)).expect(property);
        for char in '\u{80}'..=char::MAX {
            let is = regex.is_match(char.encode_utf8(&mut [0; 4]).as_bytes());
            assert_eq!(classes.of(char.into()) & class != 0, is, "{property} {char:?}");
        }
        for byte in 0..0x80 {
            assert_eq!(
                classes.ascii(byte) & class != 0,
                regex.is_match(&[byte]),
                "{property} {byte}"
            );
        }
    }
}

#[test]
fn every_character_is_of_its_class_in_unicode_16() {
    compare(Classes::unicode_16(), str::to_owned);
}

#[test]
fn llama_cpp_has_unicode_15_1_and_no_case_beyond_ascii() {
    compare(Classes::llama_cpp(), |property| {
        let beyond = match property {
            r"[\p{Lu}\p{Lt}]" => "A-Z",
            r"\p{Ll}" => "a-z",
            r"[\p{Lm}\p{Lo}]" => r"\p{L}--[a-zA-Z]",
            // Blocks, whatever is in them.
            r"\p{Han}" => {
                return r"[㐀-䶿一-鿿\u{f900}-\u{faff}\u{20000}-\u{2a6df}\u{2a700}-\u{2ebef}\u{2f800}-\u{2fa1f}]".to_owned();
            }
            other => other,
        };
        format!(r"[[{beyond}]&&\p{{Age=15.1}}]")
    });
}
