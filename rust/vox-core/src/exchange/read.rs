//! Importing.

use std::{
    collections::BTreeMap,
    io::{BufRead, Read},
    path::Path,
};

use vox_store::{blobs::MAX_BLOB, exchange::Import};
use vox_types::{Code, Error, Result};

use super::{TRAILER, json};

/// The longest line: that of the largest blob, of whose bytes few take more than three.
const MAX_LINE: u64 = 3 * MAX_BLOB as u64 + (1 << 20);

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// How many lines, header and trailer included.
    pub lines: u64,
    /// How many lines of each type, but for header and trailer.
    pub counts: BTreeMap<&'static str, u64>,
}

/// Reads lines of JSON into `target`: a missing or empty folder, or an archive without content.
/// Holds one line at a time, besides what `vox_store` needs.
///
/// Errors name the line. Then nothing is left behind.
pub fn import(from: &mut impl BufRead, target: &Path) -> Result<Imported> {
    let mut import = Import::begin(target)?;
    let mut hasher = blake3::Hasher::new();
    let mut bytes = Vec::new();
    for number in 1u64.. {
        bytes.clear();
        from.take(MAX_LINE).read_until(b'\n', &mut bytes).map_err(|error| failed(&error))?;
        let at = |error| in_line(number, error);
        if bytes.is_empty() {
            let message = "the file is cut off: its trailer is missing";
            return Err(at(Error::damaged(message)));
        }
        if bytes.len() as u64 == MAX_LINE {
            let message = format!("it is longer than {MAX_LINE} bytes");
            return Err(at(Error::new(Code::TooLarge, message)));
        }
        let mut line = json::read(&bytes).map_err(at)?;
        if line.kind == TRAILER {
            let (lines, hash) = (line.number::<u64>("lines"), line.hex("blake3"));
            let (lines, hash) = (lines.map_err(at)?, hash.map_err(at)?);
            line.done().map_err(at)?;
            if (lines, hash) != (number - 1, *hasher.finalize().as_bytes()) {
                let message = "the lines before the trailer aren't those that were exported";
                return Err(at(Error::damaged(message)));
            }
            bytes.clear();
            from.take(1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
            if !bytes.is_empty() {
                return Err(at(Error::damaged("something stands behind the trailer")));
            }
            return Ok(Imported { lines: number, counts: import.finish()? });
        }
        hasher.update(&bytes);
        import.line(line).map_err(at)?;
    }
    Err(Error::damaged("the file has no end"))
}

/// The error with its place. What is wrong with a line is damage, whatever part of it is.
fn in_line(number: u64, error: Error) -> Error {
    let code = match error.code {
        Code::InvalidArgument | Code::NotFound => Code::Damaged,
        code => code,
    };
    Error::new(code, format!("line {number}: {}", error.message))
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(Code::Io, format!("the export can't be read: {error}"))
}
