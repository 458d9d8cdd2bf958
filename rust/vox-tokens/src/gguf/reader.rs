//! The metadata of a GGUF file, read from its beginning up to the tensors, which are never touched.
//!
//! The format: `gguf.md` in the documentation of ggml. Every length is held against what is left
//! of the file before memory is taken for it.

use std::{collections::BTreeMap, io::Read, mem};

use vox_types::{Code, Error, Result};

use crate::text::shown;

/// The first bytes of a file.
const MAGIC: &[u8; 4] = b"GGUF";

/// Judgement. The longest string that is kept in one piece: llama.cpp's own limit.
const LONGEST: u64 = 1 << 30;

/// Judgement. Bytes asked of the file at once.
const READ: usize = 1 << 20;

/// A list of byte strings as it stands in a file: each behind its length of 64 bits. Nothing looks
/// into them before they are asked for.
#[derive(Default, Debug, PartialEq)]
pub struct Strings {
    count: usize,
    raw: Vec<u8>,
}

impl Strings {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// All of them with their lengths, little-endian.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.raw[..];
        (0..self.count).map_while(move |_| {
            let (length, after) = rest.split_first_chunk()?;
            let (string, after) = after.split_at_checked(u64::from_le_bytes(*length) as usize)?;
            rest = after;
            Some(string)
        })
    }
}

/// A list of numbers of 32 bits as it stands in a file.
#[derive(Default, Debug, PartialEq)]
pub struct Numbers {
    raw: Vec<u8>,
}

impl Numbers {
    /// All of them, little-endian.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.raw.len() / 4
    }

    /// All, in order, as integers.
    pub fn integers(&self) -> impl Iterator<Item = i32> {
        self.raw.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes))
    }

    /// All, in order, as floats.
    pub fn floats(&self) -> impl Iterator<Item = f32> {
        self.raw.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
    }
}

impl FromIterator<f32> for Numbers {
    fn from_iter<I: IntoIterator<Item = f32>>(numbers: I) -> Self {
        Self { raw: numbers.into_iter().flat_map(f32::to_le_bytes).collect() }
    }
}

/// A value of the metadata. Numbers of all widths are one kind: what reads them checks the range.
#[derive(Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Integer(i128),
    /// A float.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// Bytes that should be UTF-8.
    String(Vec<u8>),
    /// Several strings.
    Strings(Strings),
    /// Several floats.
    Floats(Numbers),
    /// Several integers of 32 bits.
    Integers(Numbers),
    /// Several bytes.
    Bytes(Vec<u8>),
}

/// The values by key, of the keys that were asked for.
pub type Metadata = BTreeMap<String, Value>;

/// Reads the metadata of a file of `size` bytes; what isn't `wanted` is skipped.
pub fn read(from: impl Read, size: u64, wanted: impl Fn(&str) -> bool) -> Result<Metadata> {
    let mut file = File { from, ahead: Vec::new(), next: 0, at: 0, size, big: false };
    if file.bytes::<4>("the magic number")? != *MAGIC {
        return Err(malformed(0, "it does not begin with GGUF"));
    }
    let version = file.bytes::<4>("the version")?;
    file.big = u32::from_le_bytes(version) & 0xffff == 0;
    let version = if file.big { u32::from_be_bytes(version) } else { u32::from_le_bytes(version) };
    if !(2..=3).contains(&version) {
        let message =
            format!("This GGUF file is of version {version}; vox reads 2 and 3. Convert it anew.");
        return Err(Error::new(Code::Unsupported, message));
    }
    file.u64("the number of tensors")?;
    let entries = file.u64("the number of entries")?;
    let mut metadata = Metadata::new();
    for _ in 0..entries {
        let at = file.at;
        file.drop_read();
        let key = String::from_utf8_lossy(file.string("a key")?).into_owned();
        if key.is_empty() {
            return Err(malformed(at, "a key is empty"));
        }
        let kind = file.u32("the type of a value")?;
        if wanted(&key) {
            let value = file.value(kind, &key)?;
            if metadata.insert(key, value).is_some() {
                return Err(malformed(at, "a key is there twice"));
            }
        } else {
            file.skip(kind, &key)?;
        }
    }
    Ok(metadata)
}

fn malformed(at: u64, what: impl std::fmt::Display) -> Error {
    let message = format!("This is no whole GGUF file: at byte {at}, {what}. Fetch it again.");
    Error::new(Code::Malformed, message)
}

/// A file, and how far it was read.
struct File<R> {
    from: R,
    /// Bytes of the file that are in memory, and which of them comes next.
    ahead: Vec<u8>,
    next: usize,
    /// Where in the file that one is.
    at: u64,
    size: u64,
    big: bool,
}

impl<R: Read> File<R> {
    fn left(&self) -> u64 {
        self.size.saturating_sub(self.at)
    }

    /// Lets go of what was read.
    fn drop_read(&mut self) {
        self.ahead.drain(..mem::take(&mut self.next));
    }

    /// Keeps what was read since then.
    fn keep_read(&mut self) -> Vec<u8> {
        let rest = self.ahead.split_off(mem::take(&mut self.next));
        mem::replace(&mut self.ahead, rest)
    }

    /// Goes on by `length` bytes, and gives them.
    fn take(&mut self, length: usize, what: &str) -> Result<&mut [u8]> {
        let end = self.next.saturating_add(length);
        while self.ahead.len() < end {
            let most = READ.max(end - self.ahead.len());
            self.ahead.reserve(most);
            match self.from.by_ref().take(most as u64).read_to_end(&mut self.ahead) {
                Ok(0) => {
                    return Err(malformed(self.at, format_args!("{} breaks off", shown(what))));
                }
                Ok(_) => {}
                Err(error) => return Err(self.failed(&error)),
            }
        }
        self.at += length as u64;
        let start = mem::replace(&mut self.next, end);
        Ok(&mut self.ahead[start..end])
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        let message = format!("Reading the GGUF file failed at byte {}: {error}.", self.at);
        Error::new(Code::Io, message)
    }

    fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, what)?);
        Ok(bytes)
    }

    /// `N` bytes in little-endian order.
    fn number<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut bytes = self.bytes::<N>(what)?;
        if self.big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.number(what)?))
    }

    fn u64(&mut self, what: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.number(what)?))
    }

    /// A length in elements of at least `each` bytes: the file has that many left.
    #[inline]
    fn length(&mut self, each: u64, what: &str) -> Result<usize> {
        let length = self.u64(what)?;
        self.check(length, each, what)
    }

    fn check(&self, length: u64, each: u64, what: &str) -> Result<usize> {
        if length.saturating_mul(each) > self.left() || length > LONGEST {
            let message = format_args!(
                "{} has a length of {length}, and {} bytes are left",
                shown(what),
                self.left()
            );
            return Err(malformed(self.at - 8, message));
        }
        Ok(length as usize)
    }

    fn string(&mut self, what: &str) -> Result<&[u8]> {
        let length = self.length(1, what)?;
        Ok(self.take(length, what)?)
    }

    fn value(&mut self, kind: u32, key: &str) -> Result<Value> {
        Ok(match kind {
            0 => Value::Integer(u8::from_le_bytes(self.number(key)?).into()),
            1 => Value::Integer(i8::from_le_bytes(self.number(key)?).into()),
            2 => Value::Integer(u16::from_le_bytes(self.number(key)?).into()),
            3 => Value::Integer(i16::from_le_bytes(self.number(key)?).into()),
            4 => Value::Integer(self.u32(key)?.into()),
            5 => Value::Integer(i32::from_le_bytes(self.number(key)?).into()),
            6 => Value::Float(f32::from_le_bytes(self.number(key)?).into()),
            7 => Value::Bool(self.bytes::<1>(key)? != [0]),
            8 => Value::String(self.string(key)?.to_vec()),
            9 => {
                let kind = self.u32(key)?;
                self.array(kind, key)?
            }
            10 => Value::Integer(self.u64(key)?.into()),
            11 => Value::Integer(i64::from_le_bytes(self.number(key)?).into()),
            12 => Value::Float(f64::from_le_bytes(self.number(key)?)),
            _ => {
                return Err(malformed(
                    self.at,
                    format_args!("{} is of the unknown type {kind}", shown(key)),
                ));
            }
        })
    }

    fn array(&mut self, kind: u32, key: &str) -> Result<Value> {
        Ok(match kind {
            0 | 1 | 7 => Value::Bytes(self.string(key)?.to_vec()),
            4 | 5 => Value::Integers(self.numbers(key)?),
            6 => Value::Floats(self.numbers(key)?),
            8 => Value::Strings(self.strings(key)?),
            _ => {
                let message = format!(
                    "The GGUF file's {} is a list of type {kind}, which vox cannot use.",
                    shown(key)
                );
                return Err(Error::new(Code::Unsupported, message));
            }
        })
    }

    fn numbers(&mut self, key: &str) -> Result<Numbers> {
        let length = self.length(4, key)?;
        let big = self.big;
        let raw = self.take(4 * length, key)?;
        if big {
            raw.as_chunks_mut::<4>().0.iter_mut().for_each(|number| number.reverse());
        }
        Ok(Numbers { raw: raw.to_vec() })
    }

    fn strings(&mut self, key: &str) -> Result<Strings> {
        let count = self.length(8, key)?;
        self.drop_read();
        for _ in 0..count {
            let big = self.big;
            let length = self.take(8, key)?;
            if big {
                length.reverse();
            }
            let mut bytes = [0; 8];
            bytes.copy_from_slice(length);
            let length = self.check(u64::from_le_bytes(bytes), 1, key)?;
            self.take(length, key)?;
        }
        Ok(Strings { count, raw: self.keep_read() })
    }

    fn skip(&mut self, kind: u32, key: &str) -> Result<()> {
        match kind {
            8 => {
                let length = self.length(1, key)?;
                self.pass(length as u64, key)
            }
            9 => {
                let kind = self.u32(key)?;
                if kind == 8 {
                    let count = self.length(8, key)?;
                    return (0..count).try_for_each(|_| self.skip(8, key));
                }
                let each = self.width(kind, key)?;
                let length = self.length(each, key)? as u64;
                self.pass(length * each, key)
            }
            _ => {
                let width = self.width(kind, key)?;
                self.pass(width, key)
            }
        }
    }

    fn width(&self, kind: u32, key: &str) -> Result<u64> {
        match kind {
            0 | 1 | 7 => Ok(1),
            2 | 3 => Ok(2),
            4..=6 => Ok(4),
            10..=12 => Ok(8),
            _ => Err(malformed(
                self.at,
                format_args!("{} is of the unknown type {kind}", shown(key)),
            )),
        }
    }

    /// Goes on by `bytes`, which nobody wants in memory.
    fn pass(&mut self, bytes: u64, key: &str) -> Result<()> {
        let there = bytes.min((self.ahead.len() - self.next) as u64);
        self.take(there as usize, key)?;
        let rest = bytes - there;
        if rest == 0 {
            return Ok(());
        }
        let mut stretch = self.from.by_ref().take(rest);
        match std::io::copy(&mut stretch, &mut std::io::sink()) {
            Ok(passed) if passed == rest => {
                self.at += rest;
                Ok(())
            }
            Ok(_) => Err(malformed(self.at, format_args!("{} breaks off", shown(key)))),
            Err(error) => Err(self.failed(&error)),
        }
    }
}
