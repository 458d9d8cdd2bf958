//! Lines show what was found as it stands, with what stands around it.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::Range;

use proptest::prelude::*;
use vox_search::snippet::{Line, lines};

/// The lines of a text in which brackets stand around the marks.
fn of(marked: &str, count: usize, width: usize) -> Vec<String> {
    let (mut text, mut marks, mut start) = (String::new(), Vec::new(), 0);
    for char in marked.chars() {
        match char {
            '[' => start = text.len(),
            ']' => marks.push(start..text.len()),
            char => text.push(char),
        }
    }
    lines(text.as_bytes(), &marks, count, width).iter().map(shown).collect()
}

/// A line with brackets around its marks, and dots where something was left out.
fn shown(line: &Line) -> String {
    let mut text = line.text.clone();
    for mark in line.marks.iter().rev() {
        text.insert(mark.end, ']');
        text.insert(mark.start, '[');
    }
    let dots = |left_out| if left_out { "…" } else { "" };
    format!("{}:{}{text}{}", line.number, dots(line.before), dots(line.after))
}

#[test]
fn the_line_with_most_marks_is_shown_with_those_around_it() {
    let text = "one [a]\ntwo\n    three [a] and [b]\n\tfour\nfive\n";
    assert_eq!(of(text, 0, 80), ["3:    three [a] and [b]"]);
    assert_eq!(of(text, 1, 80), ["2:two", "3:    three [a] and [b]", "4:\tfour"]);
    assert_eq!(of(text, 9, 80).len(), 5);
    assert_eq!(of(text, 9, 80)[0], "1:one [a]");
}

#[test]
fn without_marks_it_is_the_first_line_with_something_in_it() {
    assert_eq!(of("\n  \nthree\nfour", 0, 80), ["3:three"]);
    assert_eq!(of("", 2, 80), ["1:"]);
    assert_eq!(of("\n", 2, 80), ["1:"]);
}

#[test]
fn a_long_line_is_cut_around_its_marks_and_another_at_its_end() {
    let text = "alpha beta gamma delta epsilon [zeta] eta theta iota\nkappa lambda my nu xi";
    assert_eq!(of(text, 1, 16), ["1:…[zeta] eta…", "2:kappa lambda my…"]);
}

#[test]
fn carriage_returns_end_lines_and_are_not_shown() {
    assert_eq!(of("a\r\n[b]\r\nc\r\n", 1, 80), ["1:a", "2:[b]", "3:c"]);
}

#[test]
fn a_mark_over_several_lines_is_shown_in_each() {
    assert_eq!(of("x\na [b\nc] d\ny", 1, 80), ["1:x", "2:a [b]", "3:[c] d"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..Default::default() })]

    #[test]
    fn lines_are_those_of_the_text(
        text in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80),
            "[ab \t\r\n中é]{0,80}".prop_map(String::into_bytes),
        ],
        at in prop::collection::vec((0..20_usize, 1..8_usize), 0..6),
        count in 0..4_usize,
        width in 0..30_usize,
    ) {
        let mut marks: Vec<Range<usize>> = Vec::new();
        let mut from = 0;
        for (skip, length) in at {
            let mark = from + skip..from + skip + length;
            if mark.end > text.len() {
                break;
            }
            from = mark.end;
            marks.push(mark);
        }
        let found = lines(&text, &marks, count, width);
        let all: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        prop_assert!(!found.is_empty() && found.len() <= 2 * count + 1);
        for (place, line) in found.iter().enumerate() {
            prop_assert_eq!(line.number, found[0].number + place);
            prop_assert!(line.text.chars().count() <= width.max(1));
            for mark in &line.marks {
                prop_assert!(line.text.get(mark.clone()).is_some_and(|text| !text.is_empty()));
            }
            let whole = all[line.number - 1];
            let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
            let torn = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
            let torn = marks.iter().any(|mark| torn(mark.start) || torn(mark.end));
            if let (Ok(whole), false) = (str::from_utf8(whole), torn) {
                prop_assert!(whole.contains(&line.text));
                prop_assert_eq!(whole == line.text, !line.before && !line.after);
            }
        }
    }
}
