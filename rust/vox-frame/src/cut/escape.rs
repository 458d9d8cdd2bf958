//! Item bytes back to the inside of a JSON string, in the two ways to escape it.

use super::string::surrogate_at;

/// Takes bytes in their order.
pub(super) trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Compares what it takes with what is expected, so that nothing is held twice.
pub(super) struct Same<'a> {
    left: Option<&'a [u8]>,
}

impl<'a> Same<'a> {
    pub(super) fn as_expected(expected: &'a [u8]) -> Self {
        Self { left: Some(expected) }
    }

    /// Whether exactly the expected bytes came.
    pub(super) fn is_whole(&self) -> bool {
        self.left.is_some_and(<[u8]>::is_empty)
    }
}

impl Sink for Same<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.left = self.left.and_then(|left| left.strip_prefix(bytes));
    }
}

/// Appends `item` as the inside of a JSON string as `JSON.stringify` and serde_json write it.
pub(super) fn encode_text(item: &[u8], out: &mut impl Sink) {
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
pub(super) fn encode_ascii(item: &[u8], out: &mut impl Sink) -> Option<()> {
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
