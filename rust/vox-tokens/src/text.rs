//! Bytes as text.

use std::borrow::Cow;

/// `bytes` as UTF-8: each maximal subpart that is none becomes U+FFFD, as Python's and WHATWG's
/// decoders do (Unicode 16.0, section 3.9, table 3-8).
pub fn valid(bytes: &[u8]) -> Cow<'_, str> {
    // The lossy reading goes byte by byte, the strict one doesn't.
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Judgement. Characters of a name that a message repeats: enough to know it by.
const SHOWN: usize = 80;

/// A name from a file as messages repeat it: on one line, without control characters, cut off if
/// it is long.
pub fn shown(name: &str) -> String {
    cut_off(name, SHOWN).chars().flat_map(char::escape_debug).collect()
}

/// The first `most` characters of a text, and a mark if there are more.
pub fn cut_off(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::{cut_off, shown};

    #[test]
    fn names_are_shown_on_one_line_and_cut_off_if_they_are_long() {
        assert_eq!(shown("qwen2"), "qwen2");
        assert_eq!(shown("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
        assert_eq!(shown(&"é".repeat(100_000)), format!("{}…", "é".repeat(80)));
        assert_eq!(cut_off("漢字", 2), "漢字");
        assert_eq!(cut_off("漢字", 1), "漢…");
    }
}
