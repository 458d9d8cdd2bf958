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
    let mut characters = name.chars();
    let mut shown: String = characters.by_ref().take(SHOWN).flat_map(char::escape_debug).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
