//! Hand-written splitters against the published patterns, run by a regex engine that backtracks.

use std::ops::ControlFlow;

use fancy_regex::Regex;
use proptest::prelude::*;
use vox_tokens::split::{Engine, PUBLISHED, Pattern, Splitter};

/// What `pattern` makes of `text`.
fn pieces(pattern: Pattern, engine: Engine, text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let done = Splitter::new(pattern, engine).for_each(text, |piece| {
        pieces.push(std::str::from_utf8(piece).expect("whole characters"));
        ControlFlow::<()>::Continue(())
    });
    assert!(done.is_continue());
    pieces
}

/// What `stages` make of `text`: matches, and what is between them.
fn expected<'t>(stages: &[Regex], text: &'t str) -> Vec<&'t str> {
    stages.iter().fold(vec![text], |pieces, stage| {
        pieces.into_iter().flat_map(|piece| isolated(stage, piece)).collect()
    })
}

fn isolated<'t>(stage: &Regex, text: &'t str) -> Vec<&'t str> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    for found in stage.find_iter(text) {
        let found = found.expect("no limit is reached");
        pieces.extend([&text[start..found.start()], found.as_str()]);
        start = found.end();
    }
    pieces.push(&text[start..]);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

type Compiled = Vec<(Pattern, Vec<Regex>)>;

fn compiled<'p>(
    patterns: impl IntoIterator<Item = &'p (Pattern, &'p [&'p str])>,
    reading: impl Fn(&str) -> String,
) -> Compiled {
    let compile = |stage: &&str| Regex::new(&reading(stage)).expect(stage);
    let pattern =
        |(name, stages): &(Pattern, &[&str])| (*name, stages.iter().map(compile).collect());
    patterns.into_iter().map(pattern).collect()
}

/// How llama.cpp writes patterns for which it has splitters of its own, or that mean something
/// else to it.
const LLAMA_CPP: &[(Pattern, &[&str])] = &[
    (
        Pattern::O200kWithoutMarks,
        &[
            r"[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))+((?=[\p{L}])([^A-Z]))*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    (
        Pattern::O200k,
        &[
            r"[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))*((?=[\p{L}\p{M}])([^A-Z]))+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))+((?=[\p{L}\p{M}])([^A-Z]))*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    (
        Pattern::TekkenWithoutMarks,
        &[
            r"[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+|[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))+((?=[\p{L}])([^A-Z]))*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    // `\p{Lu}` and the like are `\p{L}` to it.
    (
        Pattern::O200kWithoutCase,
        &[
            r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    (
        Pattern::O200kWithoutCaseSingleDigits,
        &[
            r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
    // What its splitter for Kimi K2 does.
    (
        Pattern::KimiK2WithoutCase,
        &[
            r"[㐀-䶿一-鿿\u{f900}-\u{faff}\u{20000}-\u{2a6df}\u{2a700}-\u{2ebef}\u{2f800}-\u{2fa1f}]+|[^\r\n\p{L}\p{N}]?[\p{L}&&[^㐀-䶿一-鿿\u{f900}-\u{faff}\u{20000}-\u{2a6df}\u{2a700}-\u{2ebef}\u{2f800}-\u{2fa1f}]]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ],
    ),
];

/// Patterns that are about case, or Han, and mean something else to llama.cpp.
const NOT_OF_LLAMA_CPP: &[Pattern] =
    &[Pattern::O200k, Pattern::O200kSingleDigits, Pattern::Tekken, Pattern::KimiK2];

/// A pattern as llama.cpp reads it: characters of Unicode 15.1, and no long s.
fn read_by_llama_cpp(pattern: &str) -> String {
    let any_case = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
    let mut pattern = pattern
        .replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", any_case)
        .replace("'(?i:[sdmt]|ll|ve|re)", any_case);
    for class in ["L", "M", "N", "P", "S"] {
        let old = format!(r"[\p{{{class}}}&&\p{{Age=15.1}}]");
        pattern = pattern.replace(&format!(r"\p{{{class}}}"), &old);
    }
    pattern
}

/// Characters that patterns tell apart, and such as look like them.
const ALPHABET: &[&str] = &[
    "a",
    "s",
    "t",
    "re",
    "ll",
    "E",
    "S",
    "Ab",
    "XY",
    "Ǆ",
    "ǅ",
    "ß",
    "ſ",
    "é",
    "ʰ",
    "ª",
    "中",
    "一",
    "龥",
    "龦",
    "〇",
    "々",
    "⺀",
    "か",
    "ア",
    "ー",
    "゠",
    "가",
    "ا",
    "١",
    "Ⅷ",
    "½",
    "²",
    "1",
    "23",
    "4567",
    "\u{301}",
    "\u{20dd}",
    "\u{903}",
    " ",
    "  ",
    "\t",
    "\u{a0}",
    "\u{3000}",
    "\u{85}",
    "\u{200b}",
    "\u{feff}",
    "\u{2028}",
    "\n",
    "\r",
    "\r\n",
    "\u{b}",
    "\u{c}",
    "\0",
    "\u{1f}",
    "'",
    "'",
    "’",
    "!",
    "/",
    "-",
    "_",
    "(",
    "…",
    "。",
    "،",
    "$",
    "+",
    "`",
    "€",
    "😀",
    "\u{200d}",
    "\u{fe0f}",
    "\u{378}",
    "\u{e000}",
    "\u{10ffff}",
    "\u{1c89}",
    "\u{1fae9}",
    "K",
    "İ",
];

/// Texts of the alphabet, with runs.
fn text() -> impl Strategy<Value = String> {
    let run = (prop::sample::select(ALPHABET), prop_oneof![9 => 1..4_usize, 1 => 4..40_usize]);
    prop::collection::vec(run, 0..24)
        .prop_map(|runs| runs.iter().map(|(piece, count)| piece.repeat(*count)).collect())
}

/// Long texts, nearly all ASCII, as most are: what splitters go through in blocks.
fn ascii() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "s",
        "t",
        "re",
        "LL",
        "d",
        "Word",
        "camelCase",
        "ABC",
        "1",
        "23",
        "4567",
        "12345678",
    ]);
    let between = prop::sample::select(vec![
        " ", " ", " ", "  ", "    ", "\t", " \t", "\t ", "\n", "\n", "\r\n", "\n\n", "\u{b}", "'",
        "'", "'", "\"", ".", "-", "/", "//", "/*", "++", "_", "(", "\0", "\u{1f}", "\u{7f}", "~",
    ]);
    let rare = prop::sample::select(vec!["é", "ſ", "漢", "\u{301}", "\u{a0}", "²", "…", "ǅ"]);
    let part = prop_oneof![20 => word, 28 => between, 1 => rare];
    prop::collection::vec(part, 0..120).prop_map(|parts| parts.concat())
}

/// Fails if some pattern cuts some text otherwise than its regular expressions.
fn compare(all: &Compiled, engine: Engine) {
    let config = ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() };
    proptest!(config, |(text in prop_oneof![4 => text(), 3 => ascii(), 1 => "\\PC{0,40}"])| {
        for (pattern, stages) in all {
            let pieces = pieces(*pattern, engine, &text);
            prop_assert_eq!(pieces, expected(stages, &text), "{:?}", pattern);
        }
    });
}

#[test]
fn every_pattern_cuts_as_its_regular_expressions_do() {
    compare(&compiled(PUBLISHED, str::to_owned), Engine::Unicode16);
}

#[test]
fn every_pattern_cuts_as_llama_cpp_reads_its_regular_expressions() {
    let shared = PUBLISHED.iter().filter(|(pattern, _)| !NOT_OF_LLAMA_CPP.contains(pattern));
    compare(&compiled(shared.chain(LLAMA_CPP), read_by_llama_cpp), Engine::LlamaCpp);
}

#[test]
fn splitting_ends_when_it_is_told_to() {
    let mut seen = 0;
    let end = Splitter::new(Pattern::O200k, Engine::Unicode16).for_each("one two three", |_| {
        seen += 1;
        if seen == 2 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!((end, seen), (ControlFlow::Break("enough"), 2));
}

#[test]
fn a_pattern_is_found_by_how_it_is_written() {
    for (pattern, stages) in PUBLISHED {
        assert_eq!(Pattern::of(stages), Some(*pattern));
    }
    assert_eq!(Pattern::of(&[r"\s+"]), None);
}
