//! A syntax check of one JSON value that can pause between two tokens and go on later.

use crate::strings::{Fault, string_end};

/// The deepest nesting of a record.
pub const MAX_DEPTH: usize = 512;

/// How far a [`Scanner`] came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scanned {
    /// The value ends before this index.
    Complete(usize),
    /// The bytes end between two tokens of the value; it may go on.
    Open,
    /// The bytes end inside a string, a number or a word.
    CutOff,
    /// The byte at this index can't follow.
    Broken(usize),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Expect {
    #[default]
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
}

/// The place in a JSON value between two tokens. A new one expects a value.
///
/// It accepts what RFC 8259 does, plus invalid UTF-8 inside strings.
#[derive(Clone, Default, Debug)]
pub struct Scanner {
    /// One bit for each level: set for an object.
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
    expect: Expect,
}

impl Scanner {
    /// Goes on at `bytes[at..]`. After [`Scanned::Open`] it may be called again with what
    /// follows; after any other answer the scanner is used up.
    pub fn scan(&mut self, bytes: &[u8], mut at: usize) -> Scanned {
        loop {
            let Some(&byte) = bytes.get(at) else { return Scanned::Open };
            if is_space(byte) {
                at += 1;
                continue;
            }
            match (self.expect, byte) {
                (Expect::CommaOrEnd, b',') => {
                    at += 1;
                    self.expect = if self.in_object() { Expect::Key } else { Expect::Value };
                }
                (Expect::Key | Expect::KeyOrEnd, b'"') => match string_end(bytes, at + 1) {
                    Ok(end) if bytes.get(end) == Some(&b':') => {
                        at = end + 1;
                        self.expect = Expect::Value;
                    }
                    Ok(end) => {
                        at = end;
                        self.expect = Expect::Colon;
                    }
                    Err(fault) => return fault.into(),
                },
                (Expect::Colon, b':') => {
                    at += 1;
                    self.expect = Expect::Value;
                }
                (Expect::Value | Expect::ValueOrEnd, b'{') => {
                    if !self.enter(true) {
                        return Scanned::TooDeep;
                    }
                    at += 1;
                    self.expect = Expect::KeyOrEnd;
                }
                (Expect::Value | Expect::ValueOrEnd, b'[') => {
                    if !self.enter(false) {
                        return Scanned::TooDeep;
                    }
                    at += 1;
                    self.expect = Expect::ValueOrEnd;
                }
                (Expect::CommaOrEnd | Expect::KeyOrEnd, b'}') if self.in_object() => {
                    at += 1;
                    self.depth -= 1;
                    self.expect = Expect::CommaOrEnd;
                    if self.depth == 0 {
                        return Scanned::Complete(at);
                    }
                }
                (Expect::CommaOrEnd | Expect::ValueOrEnd, b']') if !self.in_object() => {
                    at += 1;
                    self.depth -= 1;
                    self.expect = Expect::CommaOrEnd;
                    if self.depth == 0 {
                        return Scanned::Complete(at);
                    }
                }
                (Expect::Value | Expect::ValueOrEnd, _) => match scalar_end(bytes, at, byte) {
                    Ok(end) => {
                        at = end;
                        self.expect = Expect::CommaOrEnd;
                        if self.depth == 0 {
                            return Scanned::Complete(at);
                        }
                    }
                    Err(fault) => return fault.into(),
                },
                _ => return Scanned::Broken(at),
            }
        }
    }

    fn in_object(&self) -> bool {
        let level = self.depth.wrapping_sub(1) % MAX_DEPTH;
        self.depth > 0 && self.objects[level / 64] >> (level % 64) & 1 == 1
    }

    fn enter(&mut self, object: bool) -> bool {
        if self.depth == MAX_DEPTH {
            return false;
        }
        let (word, bit) = (self.depth / 64, self.depth % 64);
        self.objects[word] = self.objects[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
        true
    }
}

impl From<Fault> for Scanned {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Cut => Self::CutOff,
            Fault::Bad(at) => Self::Broken(at),
        }
    }
}

/// Whether JSON allows `byte` between tokens.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The first index from `at` on that isn't white space, or the length of `bytes`.
pub(crate) fn skip_space(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().position(|&byte| !is_space(byte)).unwrap_or(bytes.len() - at)
}

/// The index just after the string, number or word that begins with `first` at `at`.
fn scalar_end(bytes: &[u8], at: usize, first: u8) -> Result<usize, Fault> {
    match first {
        b'"' => string_end(bytes, at + 1),
        b'-' | b'0'..=b'9' => number_end(bytes, at),
        b't' => word_end(bytes, at, b"true"),
        b'f' => word_end(bytes, at, b"false"),
        b'n' => word_end(bytes, at, b"null"),
        _ => Err(Fault::Bad(at)),
    }
}

fn word_end(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, Fault> {
    for (index, expected) in (at..).zip(word) {
        match bytes.get(index) {
            None => return Err(Fault::Cut),
            Some(byte) if byte == expected => {}
            Some(_) => return Err(Fault::Bad(index)),
        }
    }
    Ok(at + word.len())
}

fn number_end(bytes: &[u8], mut at: usize) -> Result<usize, Fault> {
    if bytes[at] == b'-' {
        at += 1;
    }
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits_end(bytes, at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = digits_end(bytes, at)?;
    }
    Ok(at)
}

/// The end of one or more digits.
fn digits_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at) {
        None => Err(Fault::Cut),
        Some(b'0'..=b'9') => {
            Ok(at
                + bytes[at..].iter().position(|b| !b.is_ascii_digit()).unwrap_or(bytes.len() - at))
        }
        Some(_) => Err(Fault::Bad(at)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scan(bytes: &[u8]) -> Scanned {
        Scanner::default().scan(bytes, 0)
    }

    #[test]
    fn a_value_ends_where_its_last_bracket_closes() {
        assert_eq!(scan(br#"{"a":[1,-2.5e+3,true,null,"}"],"b":{}} x"#), Scanned::Complete(38));
        assert_eq!(scan(b"[]"), Scanned::Complete(2));
        assert_eq!(scan(b"\"a\" 1"), Scanned::Complete(3));
        assert_eq!(scan(b"12"), Scanned::Complete(2));
    }

    #[test]
    fn what_is_not_json_breaks_at_the_first_wrong_byte() {
        assert_eq!(scan(b"{abc}"), Scanned::Broken(1));
        assert_eq!(scan(b"{\"a\" 1}"), Scanned::Broken(5));
        assert_eq!(scan(b"[1,]"), Scanned::Broken(3));
        assert_eq!(scan(b"{\"a\":1,}"), Scanned::Broken(7));
        assert_eq!(scan(b"[1}"), Scanned::Broken(2));
        assert_eq!(scan(b"[01]"), Scanned::Broken(2));
        assert_eq!(scan(b"[1.]"), Scanned::Broken(3));
        assert_eq!(scan(b"[trux]"), Scanned::Broken(4));
        assert_eq!(scan(b"\0"), Scanned::Broken(0));
    }

    #[test]
    fn bytes_that_end_early_are_told_apart_by_where_they_end() {
        assert_eq!(scan(b"{\"a\":1"), Scanned::Open);
        assert_eq!(scan(b"{\"a\""), Scanned::Open);
        assert_eq!(scan(b"{\"a"), Scanned::CutOff);
        assert_eq!(scan(b"[tru"), Scanned::CutOff);
        assert_eq!(scan(b"[-"), Scanned::CutOff);
    }

    #[test]
    fn nesting_is_allowed_down_to_the_limit() {
        let nested = |depth| [b"[".repeat(depth), b"]".repeat(depth)].concat();
        assert_eq!(scan(&nested(MAX_DEPTH)), Scanned::Complete(2 * MAX_DEPTH));
        assert_eq!(scan(&nested(MAX_DEPTH + 1)), Scanned::TooDeep);
    }

    #[test]
    fn a_paused_value_goes_on_where_it_stopped() {
        let mut scanner = Scanner::default();
        assert_eq!(scanner.scan(b"{\"a\":[1,", 0), Scanned::Open);
        assert_eq!(scanner.scan(b"{}],", 0), Scanned::Open);
        assert_eq!(scanner.scan(b"\"b\":2} {", 0), Scanned::Complete(6));
    }

    fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
        let token = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"a\"",
            "\"\\n\\u00e9\"",
            "\"\\x\"",
            "1",
            "-0.5e3",
            "01",
            "true",
            "null",
            "nul",
            " ",
            "{\"a\":",
            "[]",
            "{}",
            "\"",
        ]);
        prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat().into_bytes())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn it_accepts_exactly_what_serde_json_does(bytes in nearly_json()) {
            let ours = matches!(scan(&bytes), Scanned::Complete(end) if skip_space(&bytes, end) == bytes.len());
            prop_assert_eq!(ours, serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok());
        }
    }
}
