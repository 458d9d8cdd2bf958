//! Bytes as text.

use std::borrow::Cow;

/// `bytes` as UTF-8: each maximal subpart that is none becomes U+FFFD, as Python's and WHATWG's
/// decoders do (Unicode 16.0, section 3.9, table 3-8).
pub fn valid(bytes: &[u8]) -> Cow<'_, str> {
    // The lossy reading goes byte by byte, the strict one doesn't.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
