//! Exporting.

use std::io::{self, Write};

use vox_store::{Store, exchange::Line};
use vox_types::{Code, Error, Result};

use super::{TRAILER, json, masking::Masking};

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// How many lines, header and trailer included.
    pub lines: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Writes the archive as lines of JSON; see [`Store::export`]. With `mask` secrets are masked
/// wherever they stand; no archive can be made of that.
pub fn export(store: &Store, mask: bool, to: &mut impl Write) -> Result<Exported> {
    let mut masking = mask.then(Masking::new).transpose()?;
    let mut out = Hashed { to, hasher: blake3::Hasher::new(), bytes: 0 };
    let mut lines = 0;
    store.export(&mut |line| {
        lines += 1;
        let line = match &mut masking {
            Some(masking) => masking.line(line),
            None => line,
        };
        json::write(&line, &mut out).map_err(|error| failed(&error))
    })?;
    let trailer = Line::new(TRAILER)
        .with("lines", lines)
        .with("blake3", out.hasher.finalize().to_hex().as_str());
    json::write(&trailer, &mut out).map_err(|error| failed(&error))?;
    out.flush().map_err(|error| failed(&error))?;
    Ok(Exported { lines: lines + 1, bytes: out.bytes })
}

fn failed(error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::DiskFull,
        io::ErrorKind::InvalidData => Code::Damaged,
        _ => Code::Io,
    };
    Error::new(code, format!("the export can't be written: {error}"))
}

/// Hashes and counts what it hands on.
struct Hashed<'w, W> {
    to: &'w mut W,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<W: Write> Write for Hashed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
