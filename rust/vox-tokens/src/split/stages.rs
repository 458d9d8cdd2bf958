//! Cutting by one class of characters: what several patterns do before their main one.

use std::ops::ControlFlow;

use super::text::{HIGH, Text, within};
use crate::unicode::class::NUMBER;

/// Gives `part` every match and what lies between two: `false` with it. `starts` gives the highest bit of every
/// byte of a word where a match can begin; `matched` says where one ends that begins at a place,
/// and that place if there is none.
#[inline(always)]
pub fn isolate<'t, B>(
    text: Text<'t>,
    starts: impl Fn(u64) -> u64,
    matched: impl Fn(usize) -> usize,
    mut part: impl FnMut(Text<'t>, bool) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (mut start, mut at) = (0, 0);
    loop {
        at = text.find(at, &starts);
        if at == text.bytes.len() {
            break;
        }
        let end = matched(at);
        if end == at {
            at += text.class(at).1;
            continue;
        }
        if start < at {
            part(text.part(start, at), false)?;
        }
        part(text.part(at, end), true)?;
        (start, at) = (end, end);
    }
    if start < at { part(text.part(start, at), false) } else { ControlFlow::Continue(()) }
}

/// `\p{N}{1,most}`
#[inline(always)]
pub fn numbers<'t, B>(
    text: Text<'t>,
    most: usize,
    part: impl FnMut(Text<'t>, bool) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let matched = |at| {
        let mut end = at;
        for _ in 0..most {
            let (class, width) = text.class(end);
            if class & NUMBER == 0 {
                break;
            }
            end += width;
        }
        end
    };
    isolate(text, |word| (word & HIGH) | within(word, b'0', b'9'), matched, part)
}

/// Cuts out runs of characters beyond ASCII whose code points are in `set`.
#[inline(always)]
pub fn wide_runs<'t, B>(
    text: Text<'t>,
    set: impl Fn(u32) -> bool,
    part: impl FnMut(Text<'t>, bool) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let matched = |at| {
        let mut end = at;
        while end < text.bytes.len() && text.bytes[end] >= 0x80 {
            let (code, width) = text.code(end);
            if !set(code) {
                break;
            }
            end += width;
        }
        end
    };
    isolate(text, |word| word & HIGH, matched, part)
}
