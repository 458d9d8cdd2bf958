//! Hand-written splitters against the published patterns, run by a regex engine that backtracks.

use std::ops::ControlFlow;

use fancy_regex::Regex;
use proptest::prelude::*;
use vox_tokens::split::{Engine, PUBLISHED, Pattern, Splitter};

/// What `pattern` makes of `text`.
fn pieces(pattern: Pattern, text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let done = Splitter::new(pattern, Engine::Unicode16).for_each(text, |piece| {
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

/// Every way to write a pattern, compiled.
fn compiled() -> Vec<(Pattern, Vec<Regex>)> {
    let compile = |stage: &&str| Regex::new(stage).expect(stage);
    PUBLISHED.iter().map(|(name, stages)| (*name, stages.iter().map(compile).collect())).collect()
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

#[test]
fn every_pattern_cuts_as_its_regular_expressions_do() {
    let all = compiled();
    let config = ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() };
    proptest!(config, |(text in prop_oneof![4 => text(), 1 => "\\PC{0,40}"])| {
        for (pattern, stages) in &all {
            prop_assert_eq!(pieces(*pattern, &text), expected(stages, &text), "{:?}", pattern);
        }
    });
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
