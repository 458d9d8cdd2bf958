//! Counts by content: a table that finds a count by the hash of what was counted.
//!
//! An entry is two words: the first eight bytes of the hash, then the count and a check of it,
//! which is made of the count and four more bytes of the hash. So an entry answers only for a
//! content with which it shares 96 bits, and one that is torn, zero or damaged answers for none.
//! Eight entries are a set. A content stands in the set that its hash names, or in one of the next
//! three if that is full.

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use vox_types::ContentHash;

use super::{
    file::{Mapped, TableFile},
    header::{Header, Kind},
};
use crate::Fingerprint;

/// Words of an entry.
const ENTRY: usize = 2;
/// Words of a set: 128 bytes, two lines of the cache that are fetched together.
const SET: usize = 8 * ENTRY;
/// Sets that a content may stand in.
const PROBED: usize = 4;
/// Sets of a new table: 8,192 counts in 128 KiB. Judgement.
const FIRST_SETS: u64 = 1024;
/// Sets that are looked at to tell how full a table is. Hashes spread evenly, so the first ones
/// are as good as any; of 512 entries the share is known to some hundredths.
const SAMPLED: usize = 64;
/// Contents that are looked up together, so that the memory's answers overlap. Judgement.
const TOGETHER: usize = 16;
/// Sets that are written in one piece: 4 KiB.
const PIECE: usize = 32;

/// The table of one tokenizer.
pub(super) struct Contents {
    file: TableFile,
    most_sets: u64,
}

/// A content's place and proof.
#[derive(Clone, Copy)]
struct Key {
    tag: u64,
    proof: u32,
}

impl Key {
    fn of(hash: &ContentHash) -> Self {
        let [a, b, c, ..] = hash.0.as_chunks::<4>().0 else { return Self { tag: 1, proof: 0 } };
        let tag = u64::from(u32::from_le_bytes(*a)) | u64::from(u32::from_le_bytes(*b)) << 32;
        // Zero stands for no entry.
        Self { tag: tag.max(1), proof: u32::from_le_bytes(*c) }
    }

    /// The set it belongs into, of `sets`.
    fn set(tag: u64, sets: u64) -> usize {
        ((u128::from(tag) * u128::from(sets)) >> 64) as usize
    }

    fn value(self, count: u32) -> u64 {
        u64::from(count) | u64::from(self.proof ^ spread(count)) << 32
    }

    /// The count that an entry says of this content.
    fn count(self, tag: u64, value: u64) -> Option<u32> {
        let count = value as u32;
        (tag == self.tag && value == self.value(count)).then_some(count)
    }
}

/// Another number for each count: no change of the count alone passes the check.
fn spread(count: u32) -> u32 {
    count.wrapping_mul(0x9E37_79B1)
}

/// Bytes of so many sets. The last ones have others behind them to go on in.
fn body(sets: u64) -> u64 {
    sets.saturating_add(PROBED as u64 - 1).saturating_mul((SET * 8) as u64)
}

impl Contents {
    /// The table at `path`, of at most about `most_bytes`.
    pub fn at(path: PathBuf, fingerprint: Fingerprint, most_bytes: u64, writable: bool) -> Self {
        let header = Header { kind: Kind::Contents, fingerprint, owner: [0; 16] };
        let most_sets = (most_bytes / (SET as u64 * 8)).max(1);
        Self { file: TableFile::at(path, header, body, writable), most_sets }
    }

    /// What is known of the contents with these hashes, in their order, appended to `found`.
    pub fn find(&self, hashes: &[ContentHash], found: &mut Vec<Option<u32>>) {
        let Some(table) = self.file.current() else {
            found.resize(found.len() + hashes.len(), None);
            return;
        };
        let (words, sets) = (table.words(), table.capacity);
        for hashes in hashes.chunks(TOGETHER) {
            let mut keys = [Key { tag: 0, proof: 0 }; TOGETHER];
            let mut firsts = [0; TOGETHER];
            for ((hash, key), first) in hashes.iter().zip(&mut keys).zip(&mut firsts) {
                *key = Key::of(hash);
                *first = words[Key::set(key.tag, sets) * SET].load(Relaxed);
            }
            found.extend(keys.iter().zip(firsts).take(hashes.len()).map(|(key, first)| {
                let at = Key::set(key.tag, sets) * SET;
                // Most often a table is far from full, and the first entry is it.
                if first == key.tag
                    && let Some(count) = key.count(first, words[at + 1].load(Relaxed))
                {
                    return Some(count);
                }
                look(&words[at..at + PROBED * SET], *key)
            }));
        }
    }

    /// Keeps these counts. When the table is as large as it may be, each takes the place of
    /// another, in no order. Whether all were kept: not where nothing can be written.
    pub fn keep(&self, counts: &[(ContentHash, u32)]) -> io::Result<bool> {
        if counts.is_empty() || !self.file.writable() {
            return Ok(counts.is_empty());
        }
        let Some(table) = self.roomy(counts.len() as u64)? else { return Ok(false) };
        let mut new: Vec<(usize, Key, u32)> = counts
            .iter()
            .map(|(hash, count)| {
                let key = Key::of(hash);
                (Key::set(key.tag, table.capacity), key, *count)
            })
            .collect();
        new.sort_unstable_by_key(|(set, key, _)| (*set, key.tag));
        for piece in new.chunk_by(|a, b| a.0 / PIECE == b.0 / PIECE) {
            let first = piece[0].0 / PIECE * PIECE;
            let end = (first + PIECE + PROBED - 1) * SET;
            let here = &table.words()[first * SET..end.min(table.words().len())];
            let old: Vec<u64> = here.iter().map(|word| word.load(Relaxed)).collect();
            let mut new = old.clone();
            for (set, key, count) in piece {
                let at = (set - first) * SET;
                put(&mut new[at..at + PROBED * SET], *key, *count);
            }
            let changed = |i: &usize| old[*i] != new[*i];
            let (Some(from), Some(last)) =
                ((0..new.len()).find(changed), (0..new.len()).rfind(changed))
            else {
                continue;
            };
            // Whole entries: a reader that sees half of one sees none.
            let (from, to) = (from / ENTRY * ENTRY, (last / ENTRY + 1) * ENTRY);
            table.write(first * SET + from, &new[from..to])?;
        }
        Ok(true)
    }

    /// The table with room for `more`, made or made larger where it has to be.
    fn roomy(&self, more: u64) -> io::Result<Option<std::sync::Arc<Mapped>>> {
        let table = self.file.current();
        let (sets, taken) = match &table {
            Some(table) => (table.capacity, taken(table)),
            None => (0, 0),
        };
        // Three of four entries: sets that overflow into the next are few.
        let wanted = (taken + more).div_ceil(6).next_power_of_two().max(FIRST_SETS);
        let wanted = wanted.min(self.most_sets);
        match table {
            Some(table) if sets >= wanted => Ok(Some(table)),
            Some(old) => {
                let ratio = wanted / sets;
                if ratio < 2 {
                    return Ok(Some(old));
                }
                let new = self.file.replace(sets * ratio, |out| spread_out(&old, ratio, out))?;
                // While another process makes it larger, this one goes on in the old one.
                Ok(new.or(Some(old)))
            }
            None => self.file.replace(wanted, |_| Ok(())),
        }
    }
}

/// About how many entries are taken.
fn taken(table: &Mapped) -> u64 {
    let sampled = SAMPLED.min(table.capacity as usize);
    let tags = table.words()[..sampled * SET].iter().step_by(ENTRY);
    let taken = tags.filter(|tag| tag.load(Relaxed) != 0).count() as u64;
    taken * table.capacity / sampled.max(1) as u64
}

/// The count of `key` in the sets of `words`, the first of which is its own.
fn look(words: &[AtomicU64], key: Key) -> Option<u32> {
    for set in words.chunks_exact(SET) {
        for entry in set.chunks_exact(ENTRY) {
            let tag = entry[0].load(Relaxed);
            if tag == 0 {
                return None;
            }
            if let Some(count) = key.count(tag, entry[1].load(Relaxed)) {
                return Some(count);
            }
        }
    }
    None
}

/// Puts a count into the sets of `words`: where the content has it already, else at the first
/// free place, else in place of one of its own set.
fn put(words: &mut [u64], key: Key, count: u32) {
    let places = words.as_chunks_mut::<ENTRY>().0;
    let place = places.iter().position(|[tag, _]| *tag == 0 || *tag == key.tag);
    let place = place.unwrap_or(key.proof as usize % (SET / ENTRY));
    places[place] = [key.tag, key.value(count)];
}

/// Writes the entries of `old` for a table with `ratio` times its sets.
///
/// Sets stand in the order of the hashes, so this goes through both tables once; of the new one
/// only the sets that may still get an entry are held.
fn spread_out(old: &Mapped, ratio: u64, out: &mut dyn Write) -> io::Result<()> {
    let sets = old.capacity * ratio;
    let all = sets as usize + PROBED - 1;
    let mut held: Vec<u64> = Vec::new();
    let mut first = 0;
    let mut let_go = |held: &mut Vec<u64>, first: &mut usize, before: usize| {
        let done = before.saturating_sub(*first).min(held.len() / SET);
        let bytes: Vec<u8> = held.drain(..done * SET).flat_map(u64::to_ne_bytes).collect();
        *first += done;
        out.write_all(&bytes)
    };
    for (index, set) in old.words().chunks_exact(SET).enumerate() {
        // An entry stands at most so many sets behind its own.
        let_go(&mut held, &mut first, index.saturating_sub(PROBED - 1) * ratio as usize)?;
        let end = ((index + 1) * ratio as usize + PROBED - 1).min(all);
        held.resize(held.len().max((end - first) * SET), 0);
        for entry in set.chunks_exact(ENTRY) {
            let (tag, value) = (entry[0].load(Relaxed), entry[1].load(Relaxed));
            let own = Key::set(tag, sets);
            // Damage may stand anywhere; it is left behind.
            if tag == 0 || own < first || (own + PROBED - first) * SET > held.len() {
                continue;
            }
            let at = (own - first) * SET;
            let places = held[at..at + PROBED * SET].as_chunks_mut::<ENTRY>().0;
            if let Some(free) = places.iter_mut().find(|[other, _]| *other == 0) {
                *free = [tag, value];
            }
        }
    }
    let_go(&mut held, &mut first, usize::MAX)
}
