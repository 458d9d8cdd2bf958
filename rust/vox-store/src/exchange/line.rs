//! Lines: rows with names for their parts, and what they refer to by hash or text.

use vox_types::{BlobRef, Error, Result, SymbolNo};

use super::plain::Plain;
use crate::fault::Fallible;

/// A line of an export: its type and its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// What it is about.
    pub kind: String,
    /// The rest.
    pub fields: Vec<(String, Plain)>,
}

impl Line {
    /// A line without fields.
    pub fn new(kind: &str) -> Self {
        Self { kind: kind.to_owned(), fields: Vec::new() }
    }

    /// The same with one field more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Plain>) -> Self {
        self.fields.push((name.to_owned(), value.into()));
        self
    }

    /// The same with a field that is left out when it says nothing: null, false, 0, empty text.
    #[must_use]
    pub fn with_some(self, name: &str, value: impl Into<Plain>) -> Self {
        match value.into() {
            Plain::Null | Plain::Bool(false) | Plain::Unsigned(0) => self,
            Plain::Text(text) if text.is_empty() => self,
            value => self.with(name, value),
        }
    }

    /// Takes a field out, if it is there.
    pub fn take(&mut self, name: &str) -> Option<Plain> {
        let at = self.fields.iter().position(|(field, _)| field == name)?;
        Some(self.fields.remove(at).1)
    }

    /// Takes out a field that must be there.
    pub fn expect(&mut self, name: &str) -> Result<Plain> {
        let missing = || wrong(format!("a line of type {:?} lacks {name:?}", self.kind));
        self.fields
            .iter()
            .position(|(field, _)| field == name)
            .map(|at| self.fields.remove(at).1)
            .ok_or_else(missing)
    }

    /// Takes out a number that fits into `N`.
    pub fn number<N: TryFrom<u64>>(&mut self, name: &str) -> Result<N> {
        match self.expect(name)? {
            Plain::Unsigned(number) => N::try_from(number)
                .map_err(|_| wrong(format!("{name:?} is {number}, which is too large"))),
            other => Err(wrong(format!("{name:?} is no number: {other:?}"))),
        }
    }

    /// Takes out a number that may be missing and is 0 then.
    pub fn number_or_0<N: TryFrom<u64> + Default>(&mut self, name: &str) -> Result<N> {
        if self.fields.iter().any(|(field, _)| field == name) {
            self.number(name)
        } else {
            Ok(N::default())
        }
    }

    /// Takes out a number that may be negative.
    pub fn signed(&mut self, name: &str) -> Result<i64> {
        match self.expect(name)? {
            Plain::Signed(number) => Ok(number),
            Plain::Unsigned(number) => i64::try_from(number)
                .map_err(|_| wrong(format!("{name:?} is {number}, which is too large"))),
            other => Err(wrong(format!("{name:?} is no number: {other:?}"))),
        }
    }

    /// Takes out a text.
    pub fn text(&mut self, name: &str) -> Result<String> {
        match self.expect(name)? {
            Plain::Text(text) => Ok(text),
            other => Err(wrong(format!("{name:?} is no text: {other:?}"))),
        }
    }

    /// Takes out a flag that may be missing and is false then.
    pub fn flag(&mut self, name: &str) -> Result<bool> {
        match self.take(name) {
            None => Ok(false),
            Some(Plain::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong(format!("{name:?} is neither true nor false: {other:?}"))),
        }
    }

    /// Takes out bytes that are written as hexadecimal digits.
    pub fn hex<const N: usize>(&mut self, name: &str) -> Result<[u8; N]> {
        let bytes = of_hex(&self.text(name)?)?;
        let length = bytes.len();
        bytes.try_into().map_err(|_| wrong(format!("{name:?} has {length} of {N} bytes")))
    }

    /// An error if a field is left that nobody took.
    pub fn done(self) -> Result<()> {
        match self.fields.first() {
            None => Ok(()),
            Some((name, _)) => {
                Err(wrong(format!("a line of type {:?} has no {name:?}", self.kind)))
            }
        }
    }
}

/// Says what a row refers to.
pub trait Says {
    /// The hash of a blob, see [`blob_name`].
    fn blob(&mut self, blob: BlobRef) -> Fallible<String>;
    /// The text of a symbol.
    fn symbol(&mut self, symbol: SymbolNo) -> Fallible<String>;
}

/// Finds what a line refers to.
pub trait Finds {
    /// The blob that [`blob_name`] names.
    fn blob(&mut self, name: &str) -> Fallible<BlobRef>;
    /// The symbol of a text.
    fn symbol(&mut self, text: &str) -> Fallible<SymbolNo>;
}

/// What stands before the hash of a blob whose content was removed.
pub const GONE: &str = "gone:";

/// How a line names a blob.
pub fn blob_name(hash: &[u8; 32], gone: bool) -> String {
    format!("{}{}", if gone { GONE } else { "" }, hex(hash))
}

/// The hash of a blob's name, and whether its content was removed.
pub fn of_blob_name(name: &str) -> Result<([u8; 32], bool)> {
    let (digits, gone) = match name.strip_prefix(GONE) {
        Some(digits) => (digits, true),
        None => (name, false),
    };
    let bytes = of_hex(digits)?;
    let hash = bytes.try_into().map_err(|_| wrong(format!("{name:?} is no hash of 32 bytes")))?;
    Ok((hash, gone))
}

/// What is wrong with a line.
pub fn wrong(message: impl Into<String>) -> Error {
    Error::damaged(message)
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of lower-case hexadecimal digits.
pub fn of_hex(text: &str) -> Result<Vec<u8>> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    };
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    pairs
        .collect::<Option<_>>()
        .ok_or_else(|| wrong(format!("{text:?} is no row of hexadecimal digits")))
}
