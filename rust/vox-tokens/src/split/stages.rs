//! Cutting by one class of characters: what several patterns do before their main one.

use std::ops::ControlFlow;

use super::text::Text;
use crate::unicode::class::{Class, NUMBER};

/// Gives `piece` every match and what lies between two. `matched` says where a match that begins
/// at a place ends, and that place if there is none.
#[inline(always)]
pub fn isolate<'t, B>(
    text: Text<'t>,
    matched: impl Fn(usize) -> usize,
    mut piece: impl FnMut(Text<'t>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (mut start, mut at) = (0, 0);
    while at < text.bytes.len() {
        let end = matched(at);
        if end == at {
            at += text.class(at).1;
            continue;
        }
        if start < at {
            piece(text.part(start, at))?;
        }
        piece(text.part(at, end))?;
        (start, at) = (end, end);
    }
    if start < at { piece(text.part(start, at)) } else { ControlFlow::Continue(()) }
}

/// Cuts out runs of at most `most` characters of `set`.
#[inline(always)]
pub fn runs<'t, B>(
    text: Text<'t>,
    set: Class,
    most: usize,
    piece: impl FnMut(Text<'t>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let matched = |at| {
        let mut end = at;
        for _ in 0..most {
            let (class, width) = text.class(end);
            if class & set == 0 {
                break;
            }
            end += width;
        }
        end
    };
    isolate(text, matched, piece)
}

/// `\p{N}{1,most}`
#[inline(always)]
pub fn numbers<'t, B>(
    text: Text<'t>,
    most: usize,
    piece: impl FnMut(Text<'t>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    runs(text, NUMBER, most, piece)
}

/// Cuts out runs of characters beyond ASCII whose code points are in `set`.
#[inline(always)]
pub fn wide_runs<'t, B>(
    text: Text<'t>,
    set: impl Fn(u32) -> bool,
    piece: impl FnMut(Text<'t>) -> ControlFlow<B>,
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
    isolate(text, matched, piece)
}
