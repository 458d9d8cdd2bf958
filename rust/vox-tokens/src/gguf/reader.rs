//! The metadata of a GGUF file, read from its beginning up to the tensors, which are never touched.
//!
//! The format: `gguf.md` in the documentation of ggml. Every length is held against what is left
//! of the file before memory is taken for it.

use std::{
    collections::BTreeMap,
    io::{BufReader, ErrorKind, Read},
};

use vox_types::{Code, Error, Result};

/// The first bytes of a file.
const MAGIC: &[u8; 4] = b"GGUF";

/// Judgement. The longest string that is kept in one piece: llama.cpp's own limit.
const LONGEST: u64 = 1 << 30;

/// Judgement. Bytes asked of the file at once.
const READ: usize = 1 << 18;

/// A list of byte strings, one after the other.
#[derive(Default, Debug, PartialEq)]
pub struct Strings {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Strings {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string at `at`.
    pub fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[at] as usize]
    }

    /// All of them, joined.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where each ends in [`Strings::bytes`].
    pub fn ends(&self) -> &[u64] {
        &self.ends
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.get(at))
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
    Floats(Vec<f32>),
    /// Several integers of 32 bits.
    Integers(Vec<i32>),
    /// Several bytes.
    Bytes(Vec<u8>),
}

/// The values by key, of the keys that were asked for.
pub type Metadata = BTreeMap<String, Value>;

/// Reads the metadata of a file of `size` bytes; what isn't `wanted` is skipped.
pub fn read(from: impl Read, size: u64, wanted: impl Fn(&str) -> bool) -> Result<Metadata> {
    let from = BufReader::with_capacity(READ, from);
    let mut file = File { from, at: 0, size, big: false };
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
        let key = String::from_utf8_lossy(&file.string("a key")?).into_owned();
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
    from: BufReader<R>,
    at: u64,
    size: u64,
    big: bool,
}

impl<R: Read> File<R> {
    fn left(&self) -> u64 {
        self.size.saturating_sub(self.at)
    }

    fn fill(&mut self, into: &mut [u8], what: &str) -> Result<()> {
        self.from.read_exact(into).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => malformed(self.at, format_args!("{what} breaks off")),
            _ => Error::new(
                Code::Io,
                format!("Reading the GGUF file failed at byte {}: {error}.", self.at),
            ),
        })?;
        self.at += into.len() as u64;
        Ok(())
    }

    fn bytes<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
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
    fn length(&mut self, each: u64, what: &str) -> Result<usize> {
        let at = self.at;
        let length = self.u64(what)?;
        if length.saturating_mul(each) > self.left() || length > LONGEST {
            let message =
                format_args!("{what} has a length of {length}, and {} bytes are left", self.left());
            return Err(malformed(at, message));
        }
        Ok(length as usize)
    }

    fn string(&mut self, what: &str) -> Result<Vec<u8>> {
        let length = self.length(1, what)?;
        let mut bytes = vec![0; length];
        self.fill(&mut bytes, what)?;
        Ok(bytes)
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
            8 => Value::String(self.string(key)?),
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
                    format_args!("{key} is of the unknown type {kind}"),
                ));
            }
        })
    }

    fn array(&mut self, kind: u32, key: &str) -> Result<Value> {
        Ok(match kind {
            0 | 1 | 7 => Value::Bytes(self.string(key)?),
            4 | 5 => {
                let length = self.length(4, key)?;
                let each = (0..length).map(|_| Ok(i32::from_le_bytes(self.number(key)?)));
                Value::Integers(each.collect::<Result<_>>()?)
            }
            6 => {
                let length = self.length(4, key)?;
                let each = (0..length).map(|_| Ok(f32::from_le_bytes(self.number(key)?)));
                Value::Floats(each.collect::<Result<_>>()?)
            }
            8 => Value::Strings(self.strings(key)?),
            _ => {
                let message = format!(
                    "The GGUF file's {key} is a list of type {kind}, which vox cannot use."
                );
                return Err(Error::new(Code::Unsupported, message));
            }
        })
    }

    fn strings(&mut self, key: &str) -> Result<Strings> {
        let count = self.length(8, key)?;
        let mut strings = Strings { bytes: Vec::new(), ends: Vec::with_capacity(count) };
        for _ in 0..count {
            let length = self.length(1, key)?;
            let start = strings.bytes.len();
            strings.bytes.resize(start + length, 0);
            self.fill(&mut strings.bytes[start..], key)?;
            strings.ends.push(strings.bytes.len() as u64);
        }
        Ok(strings)
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
            _ => Err(malformed(self.at, format_args!("{key} is of the unknown type {kind}"))),
        }
    }

    fn pass(&mut self, bytes: u64, key: &str) -> Result<()> {
        let passed = std::io::copy(&mut self.from.by_ref().take(bytes), &mut std::io::sink());
        match passed {
            Ok(passed) if passed == bytes => {
                self.at += bytes;
                Ok(())
            }
            Ok(_) => Err(malformed(self.at, format_args!("{key} breaks off"))),
            Err(error) => Err(Error::new(
                Code::Io,
                format!("Reading the GGUF file failed at byte {}: {error}.", self.at),
            )),
        }
    }
}
