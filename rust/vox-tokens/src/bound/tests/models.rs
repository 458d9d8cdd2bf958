//! Models on characters, the slow and obvious way, over small vocabularies that are drawn: never
//! more tokens than `contracts/counting.md` proves.

use std::collections::BTreeSet;

use proptest::prelude::*;

type Vocabulary = BTreeSet<String>;

fn vocabulary() -> impl Strategy<Value = Vocabulary> {
    proptest::collection::btree_set("[aé漢x]{1,3}", 0..10)
}

/// The proven number of symbols where an unknown character becomes its bytes.
fn with_bytes(vocabulary: &Vocabulary, word: &str) -> usize {
    word.chars().map(|c| if vocabulary.contains(&c.to_string()) { 1 } else { c.len_utf8() }).sum()
}

/// The proven number of symbols where an unknown character is one token.
fn with_unknown(word: &str) -> usize {
    word.chars().count()
}

/// Merges neighbours while their joined text is in the vocabulary, the shortest one first.
fn merged(vocabulary: &Vocabulary, word: &str, bytes: bool) -> usize {
    let mut symbols: Vec<String> = Vec::new();
    for c in word.chars().map(String::from) {
        if bytes && !vocabulary.contains(&c) {
            symbols.extend(c.bytes().map(|byte| format!("<0x{byte:02X}>")));
        } else {
            symbols.push(c);
        }
    }
    let joined = |pair: &[String]| format!("{}{}", pair[0], pair[1]);
    while let Some((at, whole)) = (0..symbols.len().saturating_sub(1))
        .map(|at| (at, joined(&symbols[at..at + 2])))
        .filter(|(_, whole)| vocabulary.contains(whole))
        .min_by_key(|(at, whole)| (whole.len(), *at))
    {
        symbols.splice(at..at + 2, [whole]);
    }
    symbols.len()
}

/// The tokens of the path with the best score, where a piece has the score that `score` says and
/// a character that is no piece a worse one than all.
fn best_path(
    vocabulary: &Vocabulary,
    word: &str,
    score: impl Fn(&str) -> i64,
    bytes: bool,
) -> usize {
    let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
    let mut best: Vec<Option<(i64, usize)>> = vec![None; word.len() + 1];
    best[0] = Some((0, 0));
    for (number, &from) in ends.iter().enumerate() {
        let Some((so_far, tokens)) = best[from] else { continue };
        for (length, &to) in ends[number + 1..].iter().enumerate() {
            let piece = &word[from..to];
            let (gain, more) = match vocabulary.contains(piece) {
                true => (score(piece), 1),
                false if length == 0 => (-1_000, if bytes { piece.len() } else { 1 }),
                false => continue,
            };
            if best[to].is_none_or(|(other, _)| so_far + gain > other) {
                best[to] = Some((so_far + gain, tokens + more));
            }
        }
    }
    best[word.len()].map_or(0, |(_, tokens)| tokens)
}

/// The longest match first; a word in which a place has none is one unknown token.
fn longest_match(vocabulary: &Vocabulary, word: &str) -> usize {
    let (mut rest, mut tokens) = (word, 0);
    while !rest.is_empty() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
        let Some(end) = ends.rev().find(|&end| vocabulary.contains(&rest[..end])) else { return 1 };
        rest = &rest[end..];
        tokens += 1;
    }
    tokens
}

proptest! {
    #[test]
    fn merging_characters_stays_below(vocabulary in vocabulary(), word in "[aé漢xq🙂]{0,12}") {
        let tokens = merged(&vocabulary, &word, true);
        prop_assert!(tokens <= with_bytes(&vocabulary, &word), "{}", tokens);
        let tokens = merged(&vocabulary, &word, false);
        prop_assert!(tokens <= with_unknown(&word), "{}", tokens);
    }

    #[test]
    fn the_best_path_stays_below(
        vocabulary in vocabulary(),
        word in "[aé漢xq🙂]{0,12}",
        salt in any::<u32>(),
    ) {
        let score = |piece: &str| {
            -piece.bytes().fold(i64::from(salt), |sum, byte| (sum * 31 + i64::from(byte)) % 97)
        };
        let tokens = best_path(&vocabulary, &word, score, true);
        prop_assert!(tokens <= with_bytes(&vocabulary, &word), "{}", tokens);
        let tokens = best_path(&vocabulary, &word, score, false);
        prop_assert!(tokens <= with_unknown(&word), "{}", tokens);
    }

    #[test]
    fn the_longest_match_stays_below(vocabulary in vocabulary(), word in "[aé漢xq]{0,12}") {
        let tokens = longest_match(&vocabulary, &word);
        prop_assert!(tokens <= with_unknown(&word), "{}", tokens);
    }
}
