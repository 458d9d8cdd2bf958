//! Previews against a slow reference that reads the whole text.

use proptest::prelude::*;
use vox_format::preview::{MAX_PREVIEW, binary_preview, preview};

fn reference(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<&str> = text.split(blank).filter(|word| !word.is_empty()).collect();
    let mut line = words.join(" ");
    while line.len() > MAX_PREVIEW {
        line.pop();
    }
    line.trim_end().to_owned()
}

/// A lone surrogate, half a character, a line separator, a control character.
const SPECIAL: &[&[u8]] = &[b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xe2\x80\xa8", b"\0"];

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any::<Vec<u8>>(),
        "[a-z \\n\\t]{0,60}".prop_map(String::into_bytes),
        "\\PC{0,30}".prop_map(String::into_bytes),
        prop::sample::select(SPECIAL).prop_map(<[u8]>::to_vec),
        (1usize..300).prop_map(|length| vec![b' '; length]),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_preview_is_what_the_slow_reference_gives(bytes in pieces()) {
        prop_assert_eq!(preview(&bytes), reference(&bytes));
    }
}

#[test]
fn a_character_across_the_end_of_a_window_stays_whole() {
    for blanks in 250..260 {
        let text = format!("{}é€😀.", " ".repeat(blanks));
        assert_eq!(preview(text.as_bytes()), "é€😀.");
    }
}

#[test]
fn what_is_not_text_tells_its_type_and_size() {
    assert_eq!(binary_preview("image/png", 1234), "[image/png, 1234 bytes]");
    assert_eq!(binary_preview(&"x".repeat(500), 7).len(), MAX_PREVIEW);
}
