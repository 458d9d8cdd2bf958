use proptest::prelude::*;

use super::*;
use crate::split::{Engine, PUBLISHED, Splitter};

fn matches(regex: &Regex, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let _ = regex.each_match(text, |range| {
        found.push(range);
        ControlFlow::<()>::Continue(())
    });
    found
}

/// Against fancy-regex, which backtracks.
fn compare(regex: &Regex, twin: &fancy_regex::Regex, text: &str) {
    let expected: Vec<_> =
        twin.find_iter(text).map(|found| found.expect("no limit is reached").range()).collect();
    assert_eq!(matches(regex, text), expected, "{} in {text:?}", twin.as_str());
}

/// Patterns that no splitter is written for.
const OTHERS: &[&str] = &[
    " ?[^(\\s|[.,!?…。，、।۔،])]+",
    "[\r\n]",
    r"\s+$",
    r"^\s+|[^\s]+$",
    r"\p{L}+(?!\p{N})|\p{N}+(?=x)|\s+",
    r"(?:[0-9][0-9][0-9]|\s{1,2}(?!\S)|\s)",
    r"(\p{Lu}?\p{Ll}+|'(?i:re|ve|s)|\p{N}{2,4}?)",
    r"[一-龥ࠀ-一가-퟿]+",
    r"\(|\)|[|]|\[(?:a|b)\]",
];

#[test]
fn automata_find_what_backtracking_finds() {
    let patterns = OTHERS.iter().copied().chain(
        PUBLISHED.iter().filter(|(_, stages)| stages.len() == 1).map(|(_, stages)| stages[0]),
    );
    let all: Vec<_> = patterns
        .filter_map(|pattern| {
            let lines =
                pattern.replace('^', "(?m:^)").replace("[(?m:^)", "[^").replace('$', "(?m:$)");
            let lines = if OTHERS.contains(&pattern) { &lines } else { pattern };
            Some((Regex::new(pattern).ok()?, fancy_regex::Regex::new(lines).expect(lines)))
        })
        .collect();
    for pattern in OTHERS {
        Regex::new(pattern).expect(pattern);
    }
    assert!(all.len() >= OTHERS.len() + 15, "hardly any pattern is accepted");
    let text = prop::collection::vec(
        prop::sample::select(&[
            "a", "B", "x", "s", "ſ", "é", "中", "\u{301}", "1", "23", "٣", " ", "  ", "\t",
            "\u{3000}", "\n", "\r", "'", "re", "!", ".", "(", ")", "|", "[a]", "€", "\0",
        ]),
        0..30,
    );
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() };
    proptest!(config, |(text in text)| {
        let text = text.concat();
        all.iter().for_each(|(regex, twin)| compare(regex, twin, &text));
    });
}

#[test]
fn what_could_differ_is_refused() {
    for (pattern, reason) in [
        (r"\p{L}++x", "possessive"),
        (r"(?>a+)b", "can't be matched"),
        (r"\p{L}(?=\p{N}\p{N})x|a", "it looks ahead in the middle"),
        (r"\p{L}+(?=\p{N}\p{N})", "more than one character"),
        (r"\p{L}+\p{N}+(?!\S)", "after more than one repeated class"),
        (r"(?<=a)b", "it looks around"),
        (r"(a)\1", "refers back"),
        (r"\w+", r"\w"),
        (r"\bfoo", "the edge of a word"),
        (r"[[:alpha:]]+", "POSIX"),
        (r"(?s:.)", "a flag other than i"),
        (r"(?i:straße)", "beyond ASCII"),
        (r"(?i:'ss)", "ligature"),
        (r"\p{Punct}", "the class Punct"),
        (r"a*", "the empty text"),
        (r"[a--b]", "difference"),
        (r"a{2}?", "optional"),
    ] {
        let error = Regex::new(pattern).expect_err(pattern);
        assert_eq!(error.code, Code::Unsupported);
        assert!(error.to_string().contains(reason), "{pattern}: {error}");
    }
}

#[test]
fn known_patterns_are_the_same_by_hand_and_as_automata() {
    let text = "It's 2024:\n\n  naïve  Übergrößen\t(re)START…  12345 中文かな\r\n .foo/bar  ";
    for (pattern, stages) in PUBLISHED {
        let [stage] = stages else { continue };
        let Ok(regex) = Regex::new(stage) else { continue };
        let mut by_hand = Vec::new();
        let mut start = 0;
        let splitter = Splitter::new(*pattern, Engine::Unicode16);
        let _ = splitter.parts(text, &mut |part, matched| {
            if matched {
                by_hand.push(start..start + part.len());
            }
            start += part.len();
            ControlFlow::<()>::Continue(())
        });
        if !stage.ends_with(r"[^\s\p{L}\p{N}]+|\s+(?!\S)") {
            assert_eq!(by_hand, matches(&regex, text), "{pattern:?}");
        }
    }
}

#[test]
fn many_alternatives_are_no_more_work_than_their_length() {
    let words: Vec<_> = (0..50_000).map(|n| format!("w{n}")).collect();
    let pattern = words.join("|");
    // Whether they fit an automaton or not is known at once.
    if let Ok(regex) = Regex::new(&pattern) {
        assert_eq!(matches(&regex, "a w12 w4999"), [2..4, 6..8]);
    }
    let regex = Regex::new(&words[..2_000].join("|")).expect("it fits");
    assert_eq!(matches(&regex, "a w12 w1999"), [2..4, 6..8]);
}
