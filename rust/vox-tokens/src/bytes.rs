//! The characters that byte-level vocabularies write bytes as.

use std::sync::LazyLock;

/// By byte: itself if it is a printable character of Latin-1 other than a space, else one from
/// U+0100 on, in order (GPT-2's `bytes_to_unicode`).
pub static CHARS: LazyLock<[char; 256]> = LazyLock::new(|| {
    let mut next = 0x100;
    std::array::from_fn(|byte| {
        if matches!(byte as u8, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff) {
            char::from(byte as u8)
        } else {
            next += 1;
            char::from_u32(next - 1).unwrap_or_default()
        }
    })
});

/// The other way round, by code point.
static BYTES: LazyLock<[Option<u8>; 0x144]> = LazyLock::new(|| {
    let mut bytes = [None; 0x144];
    for (&c, byte) in CHARS.iter().zip(0..=u8::MAX) {
        bytes[c as usize] = Some(byte);
    }
    bytes
});

/// The byte that a character stands for.
pub fn of(c: char) -> Option<u8> {
    BYTES.get(c as usize).copied().flatten()
}

/// The bytes that a token stands for; none if one of its characters stands for none.
pub fn decode(token: &str) -> Option<Vec<u8>> {
    token.chars().map(of).collect()
}
