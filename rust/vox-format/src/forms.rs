//! How an item's bytes stood in its source record: the forms of a cut.
//!
//! See "Cuts" in `contracts/archive-format.md`.

use base64::{Engine, engine::general_purpose::STANDARD};
use vox_types::CutForm;

/// Appends the source bytes that `item` was cut out as; None if they can't be had from it.
pub fn put(item: &[u8], form: CutForm, out: &mut impl Sink) -> Option<()> {
    match form {
        CutForm::Text => encode_text(item, out),
        CutForm::Ascii => encode_ascii(item, out)?,
        CutForm::Slice => match item {
            [b'{', inside @ .., b'}'] | [b'[', inside @ .., b']'] => out.put(inside),
            _ => return None,
        },
        CutForm::Base64 | CutForm::DataUrl => {
            // Pieces of a multiple of three bytes are encoded without padding between them.
            let mut encoded = [0; 4096];
            for piece in item.chunks(encoded.len() / 4 * 3) {
                let length = STANDARD.encode_slice(piece, &mut encoded).ok()?;
                out.put(&encoded[..length]);
            }
        }
        CutForm::Verbatim => out.put(item),
        CutForm::Hole => return None,
    }
    Some(())
}

/// Whether `item` in `form` gives exactly `source`.
pub fn stands_for(item: &[u8], form: CutForm, source: &[u8]) -> bool {
    let mut same = Same { left: Some(source) };
    put(item, form, &mut same).is_some() && same.left.is_some_and(<[u8]>::is_empty)
}

/// Takes bytes in their order.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Compares what it takes with what is expected, so that nothing is held twice.
struct Same<'a> {
    left: Option<&'a [u8]>,
}

impl Sink for Same<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.left = self.left.and_then(|left| left.strip_prefix(bytes));
    }
}

/// Appends `item` as the inside of a JSON string as `JSON.stringify` and serde_json write it.
fn encode_text(item: &[u8], out: &mut impl Sink) {
    let mut at = 0;
    while at < item.len() {
        let run = text_run(item, at);
        out.put(&item[at..run]);
        at = run;
        let Some(&byte) = item.get(at) else { return };
        if let Some(surrogate) = surrogate_at(&item[at..]) {
            push_unit(surrogate, out);
            at += 3;
        } else {
            match byte {
                0xed => out.put(&[byte]),
                _ => push_escape(byte, out),
            }
            at += 1;
        }
    }
}

/// The first byte from `at` on that may need an escape, or the length of `item`.
fn text_run(item: &[u8], mut at: usize) -> usize {
    let stop = |byte: u8| (byte == b'"') | (byte == b'\\') | (byte < 0x20) | (byte == 0xed);
    while let Some(block) = item[at..].first_chunk::<16>() {
        // Without branches, so that the compiler makes vector code of it.
        if block.iter().fold(false, |any, &byte| any | stop(byte)) {
            break;
        }
        at += 16;
    }
    at + item[at..].iter().position(|&byte| stop(byte)).unwrap_or(item.len() - at)
}

/// Appends `item` as Python's `json.dumps` writes it, all in ASCII; None if it isn't UTF-8 (or
/// a lone surrogate), which that form can't hold.
fn encode_ascii(item: &[u8], out: &mut impl Sink) -> Option<()> {
    let mut at = 0;
    while let Some(&byte) = item.get(at) {
        if byte < 0x80 {
            match byte {
                b'"' | b'\\' | 0x00..0x20 => push_escape(byte, out),
                0x7f => push_unit(0x7f, out),
                _ => out.put(&[byte]),
            }
            at += 1;
        } else if let Some(surrogate) = surrogate_at(&item[at..]) {
            push_unit(surrogate, out);
            at += 3;
        } else {
            let length = match byte {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                _ => 4,
            };
            let bytes = item.get(at..at + length)?;
            let point = u32::from(std::str::from_utf8(bytes).ok()?.chars().next()?);
            if point < 0x10000 {
                push_unit(point, out);
            } else {
                push_unit(0xd800 + ((point - 0x10000) >> 10), out);
                push_unit(0xdc00 + (point & 0x3ff), out);
            }
            at += length;
        }
    }
    Some(())
}

fn push_escape(byte: u8, out: &mut impl Sink) {
    match byte {
        b'"' => out.put(b"\\\""),
        b'\\' => out.put(b"\\\\"),
        0x08 => out.put(b"\\b"),
        0x0c => out.put(b"\\f"),
        b'\n' => out.put(b"\\n"),
        b'\r' => out.put(b"\\r"),
        b'\t' => out.put(b"\\t"),
        _ => push_unit(byte.into(), out),
    }
}

fn push_unit(unit: u32, out: &mut impl Sink) {
    let digit = |shift: u32| b"0123456789abcdef"[(unit >> shift & 0xf) as usize];
    out.put(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

/// The surrogate that `bytes` begins with in its WTF-8 form.
pub fn surrogate_at(bytes: &[u8]) -> Option<u32> {
    match bytes {
        [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, ..] => {
            Some(0xd000 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f))
        }
        _ => None,
    }
}
