//! Who reads an archive at this moment, as LMDB's lock file says: LMDB itself tells it only as
//! text, and through a pointer that heed keeps.

use std::{fs::File, io::Read, path::Path};

use vox_types::{Error, Result};

/// A read transaction of some process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ReaderSlot {
    /// The transaction whose state it reads.
    pub transaction: u64,
    /// The process.
    pub process: u32,
}

/// What a lock file starts with.
const MAGIC: u32 = 0xBEEF_C0DE;
/// A slot takes a cache line: transaction u64, process u32, thread.
const SLOT: usize = 64;
/// Where it says how many slots were ever in use.
const USED_AT: usize = 16;
/// The transaction of a slot that reads nothing now.
const IDLE: u64 = u64::MAX;

/// The read transactions in the lock file `lock`, which has `slots` slots, the oldest first; none
/// if the file looks otherwise than LMDB writes it on a machine of 64 bits.
pub fn active(lock: &Path, slots: usize) -> Result<Vec<ReaderSlot>> {
    let mut bytes = Vec::new();
    File::open(lock)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|error| Error::io(&error, lock))?;
    Ok(parse(&bytes, slots))
}

fn parse(bytes: &[u8], slots: usize) -> Vec<ReaderSlot> {
    let word = |at: usize| bytes.get(at..)?.first_chunk().copied().map(u32::from_ne_bytes);
    // The header holds mutexes, whose size depends on the system; the slots stand at the end.
    let header = bytes.len().checked_sub(slots * SLOT);
    let (Some(header @ 1..), true) = (header, word(0) == Some(MAGIC)) else { return Vec::new() };
    let used = word(USED_AT).map_or(0, |used| used as usize).min(slots);
    let mut found: Vec<ReaderSlot> = bytes[header..]
        .chunks_exact(SLOT)
        .take(used)
        .filter_map(|slot| {
            let transaction = u64::from_ne_bytes(*slot.first_chunk()?);
            let process = u32::from_ne_bytes(*slot[8..].first_chunk()?);
            (process != 0 && transaction != IDLE).then_some(ReaderSlot { transaction, process })
        })
        .collect();
    found.sort_unstable();
    found
}
