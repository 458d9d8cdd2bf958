//! Hashes of a file's first and last blocks, to tell an appended file from a rewritten one.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use vox_types::{ContentHash, Error, Result};

use crate::source::{is_compressed, open_regular};

/// Size of a block.
pub const BLOCK_BYTES: u64 = 64 << 10;

/// How many blocks before the cursor are hashed.
const LAST_BLOCKS: u64 = 3;

/// Start and end of a block in the file, and the BLAKE3-256 of its bytes.
pub type Block = (u64, u64, [u8; 32]);

/// The first block of the file and the last three before `offset`, in their order.
///
/// Blocks begin at multiples of [`BLOCK_BYTES`]; the last one ends at `offset`. Of a zstd file,
/// in which offsets count decompressed bytes, the blocks are those before the end of the file.
pub fn block_hashes(path: &Path, offset: u64) -> Result<Vec<Block>> {
    let failed = |error| Error::io(&error, path);
    let mut file = open_regular(path)?;
    let length = file.metadata().map_err(failed)?.len();
    let compressed = is_compressed(path, &mut file).map_err(failed)?;
    let end = if compressed { length } else { offset.min(length) };
    block_starts(end)
        .map(|start| {
            let block_end = end.min(start + BLOCK_BYTES);
            let hash = hash_range(&mut file, start, block_end).map_err(failed)?;
            Ok((start, block_end, hash))
        })
        .collect()
}

/// Whether reading may go on after `blocks`, the answer of [`block_hashes`] at an earlier time:
/// they are unchanged, and a zstd file is as long as it was.
pub fn unchanged_prefix(path: &Path, blocks: &[Block]) -> Result<bool> {
    let failed = |error| Error::io(&error, path);
    let mut file = open_regular(path)?;
    let length = file.metadata().map_err(failed)?.len();
    let end = blocks.iter().map(|block| block.1).max().unwrap_or(0);
    let compressed = is_compressed(path, &mut file).map_err(failed)?;
    if length < end || compressed && length != end {
        return Ok(false);
    }
    for (start, block_end, hash) in blocks {
        if hash_range(&mut file, *start, *block_end).map_err(failed)? != *hash {
            return Ok(false);
        }
    }
    Ok(true)
}

fn block_starts(end: u64) -> impl Iterator<Item = u64> {
    let count = end.div_ceil(BLOCK_BYTES);
    let first = 0..count.min(1);
    let last = count.saturating_sub(LAST_BLOCKS).max(1)..count;
    first.chain(last).map(|block| block * BLOCK_BYTES)
}

/// The hash of the bytes from `start` up to `end`, or of fewer if the file ends before.
fn hash_range(file: &mut File, start: u64, end: u64) -> std::io::Result<[u8; 32]> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(end.saturating_sub(start)).read_to_end(&mut bytes)?;
    Ok(ContentHash::of(&bytes).0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_first_block_and_the_last_three_are_hashed() {
        let starts = |end| block_starts(end).map(|start| start / BLOCK_BYTES).collect::<Vec<_>>();
        assert_eq!(starts(0), Vec::<u64>::new());
        assert_eq!(starts(1), [0]);
        assert_eq!(starts(BLOCK_BYTES), [0]);
        assert_eq!(starts(3 * BLOCK_BYTES), [0, 1, 2]);
        assert_eq!(starts(10 * BLOCK_BYTES + 1), [0, 8, 9, 10]);
    }

    #[test]
    fn appending_leaves_the_prefix_unchanged_and_rewriting_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let text: Vec<u8> = (0..400_000u32).map(|n| (n / 251) as u8).collect();
        fs::write(&path, &text).unwrap();
        let blocks = block_hashes(&path, 390_000).unwrap();
        assert_eq!(blocks.last().unwrap().1, 390_000);

        fs::write(&path, [&text[..], b"more"].concat()).unwrap();
        assert!(unchanged_prefix(&path, &blocks).unwrap());

        let mut changed = text.clone();
        changed[389_999] ^= 1;
        fs::write(&path, &changed).unwrap();
        assert!(!unchanged_prefix(&path, &blocks).unwrap());

        fs::write(&path, &text[..389_999]).unwrap();
        assert!(!unchanged_prefix(&path, &blocks).unwrap());
    }

    #[test]
    fn a_compressed_file_is_unchanged_only_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl.zst");
        let frame = b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00";
        fs::write(&path, frame).unwrap();
        let blocks = block_hashes(&path, 0).unwrap();
        assert!(unchanged_prefix(&path, &blocks).unwrap());
        fs::write(&path, [&frame[..], frame].concat()).unwrap();
        assert!(!unchanged_prefix(&path, &blocks).unwrap());
    }
}
