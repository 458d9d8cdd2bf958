//! Every pattern cuts every text as its regular expressions do when an engine backtracks.
#![no_main]

use std::{ops::ControlFlow, sync::LazyLock};

use fancy_regex::Regex;
use libfuzzer_sys::fuzz_target;
use vox_tokens::split::{Engine, PUBLISHED, Splitter};

static STAGES: LazyLock<Vec<Vec<Regex>>> = LazyLock::new(|| {
    let compile = |stage: &&str| Regex::new(stage).expect(stage);
    PUBLISHED.iter().map(|(_, stages)| stages.iter().map(compile).collect()).collect()
});

/// Where pieces of `text` end that `stage` makes of it, beside those that are there already.
fn cut(stage: &Regex, text: &str, ends: &[usize]) -> Vec<usize> {
    let (mut cut, mut start) = (Vec::new(), 0);
    for &end in ends {
        for found in stage.find_iter(&text[start..end]) {
            let Ok(found) = found else { return Vec::new() };
            cut.extend([start + found.start(), start + found.end()]);
        }
        cut.push(end);
        start = end;
    }
    cut.retain(|&end| end > 0);
    cut.dedup();
    cut
}

/// Where the pieces of `text` end.
fn ends(splitter: Splitter, text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let _ = splitter.for_each(text, |piece| {
        ends.push(ends.last().unwrap_or(&0) + piece.len());
        ControlFlow::<()>::Continue(())
    });
    ends
}

fuzz_target!(|text: &str| {
    for ((pattern, _), stages) in PUBLISHED.iter().zip(&*STAGES) {
        let whole = if text.is_empty() { Vec::new() } else { vec![text.len()] };
        let expected = stages.iter().fold(whole, |ends, stage| cut(stage, text, &ends));
        let ends = ends(Splitter::new(*pattern, Engine::Unicode16), text);
        assert_eq!(ends, expected, "{pattern:?}");
        let read_otherwise = self::ends(Splitter::new(*pattern, Engine::LlamaCpp), text);
        assert_eq!(read_otherwise.last().copied().unwrap_or(0), text.len(), "{pattern:?}");
    }
});
