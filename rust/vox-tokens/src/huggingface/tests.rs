//! What can't be seen from Python.

use proptest::prelude::*;
use serde_json::json;

use super::from_bytes;
use crate::{
    Tokenizer,
    bound::{Form as BoundForm, Symbols},
    bytes,
    huggingface::normalise::forms::Form,
    unicode::{Classes, class::NUMBER},
};

/// Byte-level BPE with a known pattern, form C and added tokens.
fn byte_level(late: bool) -> Tokenizer {
    let mut vocab: serde_json::Map<String, serde_json::Value> =
        bytes::CHARS.iter().zip(0..).map(|(c, id)| (c.to_string(), json!(id))).collect();
    let mut merges = vec![["t", "h"], ["th", "e"], ["Ġ", "the"], ["a", "b"], ["1", "2"]];
    if late {
        // It comes before what forms its left part.
        merges.insert(0, ["ab", "c"]);
    }
    for [left, right] in &merges {
        let id = vocab.len();
        vocab.entry(format!("{left}{right}")).or_insert(json!(id));
    }
    let pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
    let added = |content: &str, special: bool| {
        json!({"id": 0, "content": content, "single_word": false, "lstrip": false,
               "rstrip": false, "normalized": false, "special": special})
    };
    let file = json!({
        "added_tokens": [added("e the", false), added("<tool>", false), added("<s>", true)],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false},
            {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false},
        ]},
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
    });
    from_bytes(file.to_string().as_bytes(), None).expect("sound")
}

const PARTS: [&str; 16] = [
    "the",
    " the",
    "<tool>",
    "e the",
    "<s>",
    "e",
    "\u{301}",
    " ",
    "\n",
    "abc",
    "ab",
    "1",
    "12",
    "\u{1112}\u{1161}",
    "\u{11ab}",
    "漢",
];

proptest! {
    #[test]
    fn tokens_of_both_sides_of_a_cut_are_those_of_the_whole(
        parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..30),
        from in 0..60_usize,
    ) {
        let text = parts.concat();
        let tokenizer = byte_level(false);
        if let Some(place) = tokenizer.cut(text.as_bytes(), from) {
            let (left, right) = text.as_bytes().split_at(place);
            prop_assert_eq!(
                [tokenizer.encode(left), tokenizer.encode(right)].concat(),
                tokenizer.encode(text.as_bytes())
            );
        }
    }
}

#[test]
fn a_merge_that_comes_before_what_forms_its_parts_still_happens() {
    let tokenizer = byte_level(true);
    let count = |text: &str| tokenizer.count(text.as_bytes());
    assert_eq!([count("ab"), count("abc"), count("xabcab"), count("the ab")], [1, 1, 3, 3]);
}

#[test]
fn long_texts_are_cut_somewhere() {
    let text = "one line of words\n".repeat(100);
    assert!(byte_level(false).cut(text.as_bytes(), 500).is_some());
}

/// The bound's normal forms are of a newer Unicode than the library's.
#[test]
fn the_bound_of_form_c_covers_characters_that_the_library_leaves_as_they_are() {
    let symbols = Symbols::normalized_bytes(BoundForm::Nfc);
    for c in (0..=0x10_ffff).filter_map(char::from_u32) {
        let cost = symbols.cost(c);
        if Form::Nfc.has(c.encode_utf8(&mut [0; 4])) {
            assert!(cost.alone.min(cost.joined) >= c.len_utf8() as u32, "{c:?}");
        }
    }
}

#[test]
fn numbers_that_the_pattern_does_not_know_lie_beyond_the_first_plane() {
    for c in ('\0'..='\u{ffff}').filter(|c| c.is_numeric()) {
        assert_ne!(Classes::unicode_16().of(c.into()) & NUMBER, 0, "{c:?}");
    }
}
