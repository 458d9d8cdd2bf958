//! A stream gives the sum of the symbols of its text, wherever it is cut.

use std::sync::LazyLock;

use proptest::prelude::*;

use crate::{
    Tokenizer,
    bound::{Form, Pairs, StreamBound, Symbols},
    shipped, valid,
};

/// Bytes that are often UTF-8, often nearly, cut into chunks.
fn chunks() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = prop_oneof![
        "[a-z \n]{0,90}".prop_map(String::into_bytes),
        "\\PC{0,8}".prop_map(String::into_bytes),
        proptest::collection::vec(any::<u8>(), 0..6),
        proptest::sample::select(vec![
            b"\xe6".to_vec(),
            b"\xbc\xa2".to_vec(),
            b"\xf0\x9f".to_vec(),
            b"\x99\x82".to_vec(),
            b"\xed\xa0\x80".to_vec(),
            b"\xc0\xaf".to_vec(),
            "e\u{301}".into(),
            "\u{323}".into(),
        ]),
    ];
    proptest::collection::vec(piece, 0..12)
}

fn streamed(symbols: &Symbols, chunks: &[Vec<u8>]) -> u64 {
    let mut bound = StreamBound::new(symbols.clone());
    chunks.iter().for_each(|chunk| bound.feed(chunk));
    bound.total()
}

/// One character at a time, from the joined costs.
fn joined(symbols: &Symbols, text: &str) -> u64 {
    symbols.start() + text.chars().map(|c| u64::from(symbols.cost(c).joined)).sum::<u64>()
}

/// Made once, as that takes a while.
static SEVERAL: LazyLock<[Symbols; 3]> = LazyLock::new(|| {
    [
        Symbols::bytes(),
        Symbols::by_character(|c| c as u32 % 7).with_start(2),
        Symbols::normalized_bytes(Form::Nfc),
    ]
});

static SHIPPED: LazyLock<[Tokenizer; 3]> =
    LazyLock::new(|| crate::SHIPPED.map(|name| shipped(name).unwrap().unwrap()));

#[test]
fn symbols_are_added_up_by_character() {
    let cost = |c: char| if c.is_uppercase() { 2 } else { 0 };
    let symbols = Symbols::by_character(cost).with_start(5);
    assert_eq!(symbols.bound(""), 5);
    assert_eq!(symbols.bound("aB漢"), 5 + 1 + 2 + 1);
    assert_eq!(symbols.with_piece(1).bound("aB漢"), 5 + 2 + 3 + 2);
    assert_eq!(Symbols::bytes().with_piece(1).bound("a漢"), 2 + 4);
}

#[test]
fn a_total_may_be_asked_for_at_any_time() {
    let mut bound = StreamBound::new(Symbols::bytes());
    let mut totals = Vec::new();
    for &byte in "a漢".as_bytes() {
        bound.feed(&[byte]);
        totals.push(bound.total());
    }
    // A character that isn't whole would be U+FFFD, if that was all.
    assert_eq!(totals, [1, 4, 4, 4]);
    bound.feed(&"漢".as_bytes()[..2]);
    bound.feed(b"a");
    assert_eq!(bound.total(), 4 + 3 + 1);
}

#[test]
fn long_runs_are_added_up_in_blocks_as_by_character() {
    for symbols in [Symbols::normalized_bytes(Form::Nfc), Symbols::bytes().with_piece(2)] {
        for length in [63, 64, 65, 127, 128, 200] {
            let text = format!("{}\u{e9}{}", "a".repeat(length), "b".repeat(length));
            assert_eq!(
                symbols.bound(&text),
                text.chars().map(|c| u64::from(symbols.cost(c).alone)).sum::<u64>()
            );
        }
    }
}

proptest! {
    #[test]
    fn chunks_make_no_difference(chunks in chunks()) {
        let whole = chunks.concat();
        let text = valid(&whole);
        for symbols in SEVERAL.iter() {
            let bytes: Vec<_> = whole.iter().map(|&byte| vec![byte]).collect();
            prop_assert_eq!(streamed(symbols, &chunks), symbols.bound(&text));
            prop_assert_eq!(streamed(symbols, &bytes), symbols.bound(&text));
            prop_assert!(symbols.bound(&text) <= joined(symbols, &text));
        }
        prop_assert_eq!(streamed(&Symbols::bytes(), &chunks), text.len() as u64);
    }

    #[test]
    fn shipped_encodings_are_never_above_their_bounds(chunks in chunks()) {
        let text = chunks.concat();
        for tokenizer in SHIPPED.iter() {
            let mut stream = tokenizer.stream_bound();
            chunks.iter().for_each(|chunk| stream.feed(chunk));
            let (count, tight) = (tokenizer.count(&text), tokenizer.tight_bound(&text));
            prop_assert!(count <= tight && tight <= stream.total(), "{} {} {}", count, tight, stream.total());
        }
    }

    #[test]
    fn pairs_bound_what_merging_leaves(
        merges in proptest::collection::vec(("[abc]{1,3}", "[abc]{1,3}"), 0..12),
        piece in "[abc]{1,24}",
    ) {
        let pairs = Pairs::new(|first, second| {
            let pair = (char::from(first).to_string(), char::from(second).to_string());
            merges.contains(&pair)
        });
        let mut symbols: Vec<String> = piece.chars().map(String::from).collect();
        // The obvious way: the first merge of the list that there is, leftmost first, until none is.
        while let Some(at) = merges.iter().find_map(|(first, second)| {
            symbols.windows(2).position(|pair| pair[0] == *first && pair[1] == *second)
        }) {
            let second = symbols.remove(at + 1);
            symbols[at].push_str(&second);
        }
        let bound = pairs.bound(piece.as_bytes());
        prop_assert!(symbols.len() as u64 <= bound, "{:?} {}", symbols, bound);
        prop_assert!(bound <= piece.len() as u64);
    }
}
