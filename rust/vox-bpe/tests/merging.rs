//! Whatever the vocabulary and the text: what comes out is what merging by its definition gives.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;

use proptest::prelude::*;
use vox_bpe::{Bpe, Merging, Scratch, Source, Vocabulary};

/// The definition, word for word: as long as any adjacent pair merges, the first in order does,
/// the leftmost of equals.
fn slowly(source: &Source, piece: &[u8]) -> Vec<u32> {
    let id_of = |bytes: &[u8]| source.tokens.iter().position(|token| token == bytes);
    if source.whole_pieces
        && let Some(id) = id_of(piece)
    {
        return vec![id as u32];
    }
    let mut order: HashMap<(u32, u32), (usize, u32)> = HashMap::new();
    if let Merging::List(list) = &source.merging {
        for (rank, &[left, right, token]) in list.iter().enumerate() {
            order.entry((left, right)).or_insert((rank, token));
        }
    }
    let merge = |left: u32, right: u32| match source.merging {
        Merging::List(_) => order.get(&(left, right)).copied(),
        Merging::Ranks => {
            let bytes =
                [&source.tokens[left as usize][..], &source.tokens[right as usize]].concat();
            id_of(&bytes).map(|id| (id, id as u32))
        }
    };
    let mut tokens: Vec<u32> = piece.iter().map(|byte| id_of(&[*byte]).unwrap() as u32).collect();
    while let Some(((_, token), at)) = tokens
        .windows(2)
        .enumerate()
        .filter_map(|(at, pair)| Some((merge(pair[0], pair[1])?, at)))
        .min_by_key(|&((rank, _), at)| (rank, at))
    {
        tokens.splice(at..at + 2, [token]);
    }
    tokens
}

fn same_as_slowly(source: &Source, piece: &[u8]) -> Result<(), TestCaseError> {
    let vocabulary = Vocabulary::compile(source).unwrap();
    let bpe = Bpe::new(&vocabulary);
    let mut scratch = Scratch::default();
    let mut ids = Vec::new();
    bpe.encode(piece, &mut scratch, &mut ids);
    prop_assert_eq!(&ids, &slowly(source, piece), "fast: {}", vocabulary.is_fast());
    prop_assert_eq!(bpe.count(piece, &mut scratch), ids.len());
    prop_assert!(!bpe.is_token(piece) || ids.len() == 1);
    prop_assert!(bpe.is_token(piece) || ids.len() != 1 || !vocabulary.is_fast());
    Ok(())
}

/// Tokens of two to nine bytes, of few letters, so that they overlap in every way.
fn words() -> impl Strategy<Value = Vec<Vec<u8>>> {
    proptest::collection::vec(proptest::collection::vec(b'a'..=b'c', 2..9), 0..40)
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(b'a'..=b'c', 0..24),
        proptest::collection::vec(b'a'..=b'b', 50..200),
        // The same again and again, between other things.
        (
            proptest::collection::vec(b'a'..=b'c', 0..6),
            proptest::collection::vec(b'a'..=b'c', 1..4),
            0..60_usize,
            proptest::collection::vec(b'a'..=b'c', 0..6),
        )
            .prop_map(|(before, again, times, after)| {
                [before, again.repeat(times), after].concat()
            }),
    ]
}

/// The letters as symbols, and then `words`, each once.
fn tokens(words: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut tokens: Vec<Vec<u8>> = (b'a'..=b'c').map(|letter| vec![letter]).collect();
    for word in words {
        if !tokens.contains(&word) {
            tokens.push(word);
        }
    }
    tokens
}

/// What a trainer would give: each merge joins two tokens that are there already.
fn trained(picks: &[(usize, usize)]) -> Source {
    let mut tokens = tokens(Vec::new());
    let mut merges = Vec::new();
    for &(left, right) in picks {
        let (left, right) = (left % tokens.len(), right % tokens.len());
        let token = [&tokens[left][..], &tokens[right]].concat();
        if token.len() < 20 && !tokens.contains(&token) {
            merges.push([left as u32, right as u32, tokens.len() as u32]);
            tokens.push(token);
        }
    }
    Source { tokens, symbols: vec![0, 1, 2], merging: Merging::List(merges), whole_pieces: false }
}

/// Every way to split every token, in an order of its own: most such lists are not in order.
fn listed(tokens: Vec<Vec<u8>>, shuffle: u64, whole_pieces: bool) -> Source {
    let id_of = |bytes: &[u8]| tokens.iter().position(|token| token == bytes).map(|id| id as u32);
    let mut merges: Vec<[u32; 3]> = Vec::new();
    for token in &tokens {
        for at in 1..token.len() {
            if let (Some(left), Some(right)) = (id_of(&token[..at]), id_of(&token[at..])) {
                merges.push([left, right, id_of(token).unwrap()]);
            }
        }
    }
    merges.sort_by_key(|merge| {
        merge.iter().fold(shuffle, |sum, &id| {
            (sum ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        })
    });
    Source { tokens, symbols: vec![0, 1, 2], merging: Merging::List(merges), whole_pieces }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn ranks_in_any_order_merge_as_defined(words in words(), piece in piece()) {
        same_as_slowly(&Source::ranks(tokens(words)), &piece)?;
    }

    #[test]
    fn ranks_of_growing_tokens_merge_as_defined(mut words in words(), piece in piece()) {
        words.sort_by_key(Vec::len);
        same_as_slowly(&Source::ranks(tokens(words)), &piece)?;
    }

    #[test]
    fn trained_merges_are_fast_and_merge_as_defined(
        picks in proptest::collection::vec((0..60_usize, 0..60_usize), 0..60),
        piece in piece(),
    ) {
        let source = trained(&picks);
        prop_assert!(Vocabulary::compile(&source).unwrap().is_fast());
        same_as_slowly(&source, &piece)?;
    }

    #[test]
    fn lists_in_any_order_merge_as_defined(
        words in words(), shuffle: u64, whole: bool, piece in piece(),
    ) {
        same_as_slowly(&listed(tokens(words), shuffle, whole), &piece)?;
    }

    #[test]
    fn every_token_as_a_piece_merges_as_defined(words in words(), shuffle: u64, whole: bool) {
        let source = listed(tokens(words), shuffle, whole);
        for token in &source.tokens {
            same_as_slowly(&source, token)?;
        }
    }
}
