//! Snippets show what was found, cut where characters and words end.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::Range;

use proptest::prelude::*;
use vox_search::snippet::{Snippet, cut};

/// The snippet of a text in which brackets stand around the marks.
fn of(marked: &str, width: usize) -> Snippet {
    let (mut text, mut marks, mut start) = (String::new(), Vec::new(), 0);
    for char in marked.chars() {
        match char {
            '[' => start = text.len(),
            ']' => marks.push(start..text.len()),
            char => text.push(char),
        }
    }
    cut(text.as_bytes(), &marks, width)
}

/// A snippet with brackets around its marks, and dots where something was left out.
fn shown(snippet: &Snippet) -> String {
    let mut shown = snippet.text.clone();
    for mark in snippet.marks.iter().rev() {
        shown.insert(mark.end, ']');
        shown.insert(mark.start, '[');
    }
    let dots = |left_out| if left_out { "…" } else { "" };
    format!("{}{shown}{}", dots(snippet.before), dots(snippet.after))
}

#[test]
fn a_short_text_is_shown_whole() {
    assert_eq!(shown(&of("an [error] here", 80)), "an [error] here");
    assert_eq!(shown(&of("", 80)), "");
}

#[test]
fn a_long_text_is_cut_between_words_around_the_mark() {
    let text = "one two three four five six [seven] eight nine ten eleven twelve";
    assert_eq!(shown(&of(text, 24)), "…six [seven] eight nine…");
}

#[test]
fn the_stretch_with_most_marks_is_shown() {
    let text = "[a] lorem ipsum dolor sit amet consectetur [a] x [b] lorem ipsum dolor sit amet";
    assert!(shown(&of(text, 20)).contains("[a] x [b]"));
}

#[test]
fn without_marks_the_start_is_shown() {
    assert_eq!(shown(&of("  \n one two three", 8)), "one two…");
}

#[test]
fn lines_become_one_and_the_line_is_told() {
    let snippet = of("first\nsecond\n\tthe [third]\r\n\n  fourth", 200);
    assert_eq!(shown(&snippet), "first second the [third] fourth");
    let snippet = of(&format!("{}\n[here]", "x ".repeat(200)), 6);
    assert_eq!((shown(&snippet).as_str(), snippet.line), ("…[here]", 2));
}

#[test]
fn a_combining_mark_stays_with_its_letter() {
    let text = format!("{}[b]{}", "e\u{301}".repeat(40), "e\u{301}".repeat(40));
    for width in 1..30 {
        let snippet = of(&text, width);
        assert!(!snippet.text.starts_with('\u{301}'), "{width}");
        assert!(text.replace(['[', ']'], "")[snippet.range.end..].starts_with('e'), "{width}");
    }
}

#[test]
fn a_mark_longer_than_the_snippet_is_cut() {
    let snippet = of(&format!("[{}]", "long ".repeat(100)), 20);
    assert_eq!(shown(&snippet), "[long long long long]…");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..Default::default() })]

    #[test]
    fn whatever_is_cut_the_snippet_is_of_the_text(
        pieces in prop::collection::vec(
            prop_oneof![
                3 => "[a-c]{1,9}".prop_map(String::into_bytes),
                2 => "[ \n\t]{1,3}".prop_map(String::into_bytes),
                2 => "[中é\u{301}\u{200d}👍]{1,4}".prop_map(String::into_bytes),
                1 => prop::collection::vec(any::<u8>(), 1..3),
            ],
            0..40,
        ),
        at in prop::collection::vec((0..60_usize, 1..8_usize), 0..6),
        width in 0..60_usize,
    ) {
        let text = pieces.concat();
        let starts: Vec<usize> = boundaries(&text);
        let mut marks: Vec<Range<usize>> = Vec::new();
        let mut from = 0;
        for (skip, length) in at {
            let (start, end) = (from + skip, from + skip + length);
            if end < starts.len() {
                marks.push(starts[start]..starts[end]);
                from = end;
            }
        }
        let snippet = cut(&text, &marks, width);
        let characters = |bytes: &[u8]| boundaries(bytes).len() - 1;
        prop_assert!(characters(&text[snippet.range.clone()]) <= width.max(1));
        prop_assert!(starts.contains(&snippet.range.start) && starts.contains(&snippet.range.end));
        let plain = |bytes: &[u8]| {
            let lossy: String = bytes.utf8_chunks().map(|chunk| {
                chunk.valid().to_owned() + &"\u{fffd}".repeat(chunk.invalid().len())
            }).collect();
            lossy.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        prop_assert_eq!(&snippet.text, &plain(&text[snippet.range.clone()]));
        for mark in &snippet.marks {
            prop_assert!(snippet.text.get(mark.clone()).is_some_and(|text| !text.is_empty()));
        }
        prop_assert!(snippet.marks.windows(2).all(|two| two[0].end <= two[1].start));
        let letter = |mark: &Range<usize>| text[mark.start].is_ascii_lowercase();
        if !marks.is_empty() && marks.iter().all(letter) {
            prop_assert!(!snippet.marks.is_empty());
        }
    }
}

/// Where characters begin, and the end; each byte that isn't UTF-8 is one.
fn boundaries(text: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    for chunk in text.utf8_chunks() {
        for length in chunk.valid().chars().map(char::len_utf8) {
            starts.push(starts.last().unwrap() + length);
        }
        for _ in chunk.invalid() {
            starts.push(starts.last().unwrap() + 1);
        }
    }
    starts
}
