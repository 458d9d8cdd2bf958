//! One step of cutting.

use std::ops::ControlFlow;

use super::{
    Before, Each, Set,
    look::{look, run},
    sets::isolate,
};
use crate::{
    split::{Engine, Pattern, Splitter},
    unicode::class::{NUMBER, SPACE},
};

/// One step of cutting. What it doesn't match stays in pieces between the matches.
#[derive(Clone, Copy, PartialEq)]
pub enum Stage {
    /// A published pattern as llama.cpp reads it.
    Pattern(Pattern),
    /// Each character of a set.
    Each(Set),
    /// Each run of a set, and what may precede it.
    Runs(Before, Set),
    /// Runs of the first of several sets that has a character.
    FirstOf(&'static [Set]),
    /// Groups of three digits of ASCII.
    ThreeDigits,
    /// A cut behind each group of three numbers, counted from the right.
    FromRight,
    /// `(?=(\d{3})+(?!\d))`: a cut wherever three, six, … digits of ASCII are left.
    Thousands,
    /// Space at the end.
    LastSpace,
    /// `[^\n]+|[\n]+`
    Lines,
    /// Chameleon's images, sentinels and indentation.
    Sentinels,
    /// Chameleon's images.
    Images,
    /// `[\t\n]|    |  `
    Indents,
}

impl Stage {
    /// Hands each piece of `text` to `each`.
    pub fn split<'t>(&self, text: &'t str, each: &mut Each<'_, 't>) -> ControlFlow<()> {
        match *self {
            Self::Pattern(pattern) => Splitter::new(pattern, Engine::LlamaCpp)
                .for_each(text, |piece| each(std::str::from_utf8(piece).unwrap_or_default())),
            Self::Each(set) => isolate(text, |_, here| set.has(here).then_some(here.end), each),
            Self::Runs(before, set) => isolate(
                text,
                |at, here| {
                    let led = match before {
                        Before::Nothing => false,
                        Before::Blank => here.byte(b' '),
                        Before::Space => here.is(SPACE),
                    };
                    let led = led.then(|| (here.end, set.run(text, here.end)));
                    let led = led.filter(|&(start, end)| end > start).map(|(_, end)| end);
                    led.or_else(|| set.has(here).then(|| set.run(text, at)))
                },
                each,
            ),
            Self::FirstOf(sets) => isolate(
                text,
                |at, here| sets.iter().find(|set| set.has(here)).map(|set| set.run(text, at)),
                each,
            ),
            Self::ThreeDigits => isolate(
                text,
                |at, _| {
                    let digits = text.as_bytes().get(at..at + 3)?;
                    digits.iter().all(u8::is_ascii_digit).then_some(at + 3)
                },
                each,
            ),
            Self::FromRight => from_right(text, each),
            Self::Thousands => thousands(text, each),
            Self::LastSpace => {
                let space = |here: char| look(here.encode_utf8(&mut [0; 4]), 0).is(SPACE);
                let (before, after) = text.split_at(text.trim_end_matches(space).len());
                [before, after].into_iter().filter(|piece| !piece.is_empty()).try_for_each(each)
            }
            Self::Lines => {
                let newline = |at: usize| {
                    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n)
                };
                let other =
                    |at: usize| at + text[at..].bytes().take_while(|&byte| byte == b'\n').count();
                let mut at = 0;
                while at < text.len() {
                    let end = if text.as_bytes()[at] == b'\n' { other(at) } else { newline(at) };
                    each(&text[at..end])?;
                    at = end;
                }
                ControlFlow::Continue(())
            }
            Self::Sentinels => isolate(
                text,
                |at, _| sentinel(&text.as_bytes()[at..]).map(|length| at + length),
                each,
            ),
            Self::Images => {
                isolate(text, |at, _| image(&text.as_bytes()[at..]).map(|length| at + length), each)
            }
            Self::Indents => isolate(
                text,
                |at, here| {
                    let blanks = text.as_bytes()[at..]
                        .iter()
                        .take(4)
                        .take_while(|&&byte| byte == b' ')
                        .count();
                    match blanks {
                        4 => Some(at + 4),
                        2 | 3 => Some(at + 2),
                        _ => (here.byte(b'\t') || here.byte(b'\n')).then_some(here.end),
                    }
                },
                each,
            ),
        }
    }
}

/// Cuts behind each group of three numbers, counted from the right; what is before the numbers
/// stays with their first group.
fn from_right<'t>(text: &'t str, each: &mut Each<'_, 't>) -> ControlFlow<()> {
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        let here = look(text, at);
        if !here.is(NUMBER) {
            at = here.end;
            continue;
        }
        let mut left = text[at..run(text, at, NUMBER)].chars().count();
        while left > 0 {
            let group = if left.is_multiple_of(3) { 3 } else { left % 3 };
            at = (0..group).fold(at, |end, _| look(text, end).end);
            each(&text[start..at])?;
            start = at;
            left -= group;
        }
    }
    if start < text.len() { each(&text[start..]) } else { ControlFlow::Continue(()) }
}

fn thousands<'t>(text: &'t str, each: &mut Each<'_, 't>) -> ControlFlow<()> {
    let bytes = text.as_bytes();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        for cut in (at..end).filter(|cut| (end - cut) % 3 == 0) {
            if cut > start {
                each(&text[start..cut])?;
            }
            start = cut;
        }
        at = end;
    }
    if start < text.len() { each(&text[start..]) } else { ControlFlow::Continue(()) }
}

/// The length of `<sentinel:[0-9]+>`.
fn sentinel(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"<sentinel:")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && rest.get(digits) == Some(&b'>')).then_some(10 + digits + 1)
}

/// The length of `IMGIMG[A-I]{1,4}Z`.
fn image(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"IMGIMG")?;
    let letters = rest.iter().take(4).take_while(|byte| matches!(byte, b'A'..=b'I')).count();
    (letters > 0 && rest.get(letters) == Some(&b'Z')).then_some(6 + letters + 1)
}
