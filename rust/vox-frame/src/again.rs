//! Reading stretches of a source file once more, which a framer has passed over.

use std::{
    io::{Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
};

use vox_types::{Error, Result};

use crate::source::{Filled, Source, is_compressed, open_regular};

/// Whether the file at `path` is compressed, so that offsets don't count the bytes it has.
pub fn is_compressed_file(path: &Path) -> Result<bool> {
    is_compressed(path, &mut open_regular(path)?).map_err(|error| Error::io(&error, path))
}

/// Hands the (decompressed) bytes `range` of the file at `path` to `take` in pieces of at most
/// `piece` bytes, with the place of each. Fewer come if the file ends before.
pub fn read_again(
    path: &Path,
    range: Range<u64>,
    piece: usize,
    mut take: impl FnMut(u64, Vec<u8>) -> Result<()>,
) -> Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let mut source = Source::open(path, range.start)?;
    let (mut at, mut bytes) = (range.start, Vec::new());
    let mut filled = Filled::More;
    while at < range.end {
        let wanted = piece.min(usize::try_from(range.end - at).unwrap_or(usize::MAX));
        while bytes.len() < wanted && filled != Filled::End {
            let missing = wanted - bytes.len();
            filled = source.fill(&mut bytes, missing)?;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let rest = bytes.split_off(wanted.min(bytes.len()));
        let length = bytes.len() as u64;
        take(at, bytes)?;
        (at, bytes) = (at + length, rest);
    }
    Ok(())
}

/// The same for the bytes that a compressed file has itself.
pub fn read_stored(
    path: &Path,
    range: Range<u64>,
    piece: usize,
    mut take: impl FnMut(u64, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let failed = |error| Error::io(&error, path);
    let mut file = open_regular(path)?;
    file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
    let mut at = range.start;
    while at < range.end {
        let mut bytes = Vec::new();
        let wanted = (range.end - at).min(piece as u64);
        (&mut file).take(wanted).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let length = bytes.len() as u64;
        take(at, bytes)?;
        at += length;
    }
    Ok(())
}
