//! Counts by item: a packed column for each run of an archive, in pages of 64 items.
//!
//! A word is a count and a check of it, which is made of the archive, the item's number, what its
//! row says of it, and the count. So a word that is torn, zero, damaged or about another item says
//! nothing. A directory names the items of each page; where a page stands is found by its number,
//! eight neighbours together.
//!
//! Numbers of items never change, but an archive can be put back to an earlier state, from which
//! the same numbers are given again. So the table names the last event of the state it was counted
//! in: where the archive doesn't have that event, the table is of another past, and is made anew.

use std::{
    collections::HashMap,
    io::{self, Write},
    path::PathBuf,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use vox_types::ItemId;

use super::{
    file::{Mapped, TableFile},
    header::{Header, Kind},
};
use crate::Fingerprint;

/// Items of a page.
const PAGE: usize = 64;
/// Pages that stand side by side.
const NEIGHBOURS: u64 = 8;
/// Places that a page may stand at. Judgement: of tables that are three quarters full one page in
/// a hundred million finds none free.
const PROBED: u64 = 64;
/// Pages of a new table: 8,192 counts in 66 KiB. Judgement.
const FIRST_PAGES: u64 = 128;
/// Where the stamp stands in the header.
const STAMP_AT: usize = 256;
const STAMP: usize = 32;

/// The column of one tokenizer in one archive.
pub struct Items {
    file: TableFile,
    most_pages: u64,
    seed: u64,
}

/// An event of an archive: its number, and 16 bytes of the hash of its row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The event's number.
    pub sequence: u64,
    /// The start of the BLAKE3 of its row.
    pub proof: [u8; 16],
}

impl Stamp {
    fn encode(&self) -> [u8; STAMP] {
        let mut out = [0; STAMP];
        out[..8].copy_from_slice(&self.sequence.to_le_bytes());
        out[8..24].copy_from_slice(&self.proof);
        let check = blake3::hash(&out[..24]);
        out[24..].copy_from_slice(&check.as_bytes()[..8]);
        out
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let sequence = u64::from_le_bytes(*bytes.first_chunk()?);
        let stamp = Self { sequence, proof: *bytes.get(8..)?.first_chunk()? };
        (stamp.encode() == bytes).then_some(stamp)
    }
}

/// What of an item its count is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemFacts {
    /// Its number.
    pub item: ItemId,
    /// What its row says of it that never changes, mixed into one number.
    pub row: u64,
}

/// Directory and pages of so many pages.
fn body(pages: u64) -> u64 {
    pages.saturating_mul(8 + PAGE as u64 * 8)
}

fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^ x >> 29
}

impl Items {
    /// The column at `path` of the archive `owner`, of at most about `most_bytes`.
    pub fn at(
        path: PathBuf,
        fingerprint: Fingerprint,
        owner: [u8; 16],
        most_bytes: u64,
        writable: bool,
    ) -> Self {
        let header = Header { kind: Kind::Items, fingerprint, owner };
        let seed = blake3::hash(&[&fingerprint.0[..], &owner].concat());
        let seed = seed.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let most_pages = (most_bytes / body(1)).max(NEIGHBOURS);
        // A power of two, at most that many.
        let most_pages = 1 << most_pages.ilog2();
        Self { file: TableFile::at(path, header, body, writable), most_pages, seed }
    }

    /// The column as it is now, if `is_past` says of the event it names that the archive has it.
    /// It must look at a state that isn't older than this call.
    pub fn read<E>(
        &self,
        is_past: impl FnOnce(&Stamp) -> Result<bool, E>,
    ) -> Result<Option<Column<'_>>, E> {
        let table = self.table(is_past)?;
        Ok(table.map(|table| Column { items: self, table, page: None }))
    }

    /// Keeps these counts, which were made in the state whose last event is `stamp`; `is_past` is
    /// as for [`Items::read`]. Whether all were kept: not on a medium that is full or can't be
    /// written.
    pub fn keep<E>(
        &self,
        stamp: &Stamp,
        is_past: impl FnOnce(&Stamp) -> Result<bool, E>,
        counts: &mut [(ItemFacts, u32)],
    ) -> Result<bool, E> {
        if counts.is_empty() || !self.file.writable() {
            return Ok(counts.is_empty());
        }
        counts.sort_unstable_by_key(|(facts, _)| facts.item);
        let old = self.table(is_past)?;
        Ok(self.write(old, stamp, counts).unwrap_or(false))
    }

    fn table<E>(
        &self,
        is_past: impl FnOnce(&Stamp) -> Result<bool, E>,
    ) -> Result<Option<Arc<Mapped>>, E> {
        let Some(table) = self.file.current() else { return Ok(None) };
        let Some(stamp) = stamp_of(&table) else { return Ok(None) };
        Ok(is_past(&stamp)?.then_some(table))
    }

    fn write(
        &self,
        old: Option<Arc<Mapped>>,
        stamp: &Stamp,
        counts: &[(ItemFacts, u32)],
    ) -> io::Result<bool> {
        let pages = || counts.chunk_by(|a, b| page_of(a.0.item) == page_of(b.0.item));
        let Some(table) = self.roomy(old, pages().map(|page| page_of(page[0].0.item)))? else {
            return Ok(false);
        };
        // Before the counts: none of them may be newer than what the table says.
        if stamp_of(&table).is_none_or(|old| old.sequence < stamp.sequence) {
            table.write_note(STAMP_AT, &stamp.encode())?;
        }
        for page in pages() {
            self.write_page(&table, page)?;
        }
        Ok(true)
    }

    fn write_page(&self, table: &Mapped, counts: &[(ItemFacts, u32)]) -> io::Result<()> {
        let key = page_of(counts[0].0.item);
        let pages = table.capacity as usize;
        let mut free = places(key, table.capacity).filter(|place| at(table, *place) == 0);
        let (place, known) = match find(table, key) {
            Some(place) => (place, true),
            // In a full table it takes the place of another.
            None => match free.next().or_else(|| places(key, table.capacity).next()) {
                Some(place) => (place, false),
                None => return Ok(()),
            },
        };
        let start = pages + place * PAGE;
        let mut words = [0; PAGE];
        if known {
            for (word, stored) in words.iter_mut().zip(&table.words()[start..start + PAGE]) {
                *word = stored.load(Relaxed);
            }
        }
        for (facts, count) in counts {
            words[facts.item.0 as usize % PAGE] = self.word(facts, *count);
        }
        table.write(start, &words)?;
        if !known {
            table.write(place, &[key])?;
        }
        Ok(())
    }

    /// `old` with room for these pages, made or made larger where it has to be.
    fn roomy(
        &self,
        old: Option<Arc<Mapped>>,
        pages: impl Iterator<Item = u64>,
    ) -> io::Result<Option<Arc<Mapped>>> {
        let Some(old) = old else {
            let wanted = (pages.count() as u64 * 4 / 3 + 1).next_power_of_two();
            let wanted = wanted.max(FIRST_PAGES).min(self.most_pages);
            return self.file.replace(wanted, |_| Ok(()));
        };
        let new = pages.filter(|page| find(&old, *page).is_none()).count() as u64;
        let taken = (0..old.capacity as usize).filter(|place| at(&old, *place) != 0).count() as u64;
        let wanted = ((taken + new) * 4 / 3 + 1).next_power_of_two().min(self.most_pages);
        if new == 0 || wanted <= old.capacity {
            return Ok(Some(old));
        }
        let stamp = stamp_of(&old);
        let larger = self.file.replace(wanted, |out| move_pages(&old, wanted, out))?;
        if let (Some(larger), Some(stamp)) = (&larger, stamp) {
            larger.write_note(STAMP_AT, &stamp.encode())?;
        }
        // While another process makes it larger, this one goes on in the old one.
        Ok(larger.or(Some(old)))
    }

    fn word(&self, facts: &ItemFacts, count: u32) -> u64 {
        let check = mix(mix(self.seed ^ mix(facts.item.0)) ^ facts.row);
        let check = mix(check ^ u64::from(count)) >> 32;
        u64::from(count) | check << 32
    }
}

/// A column that is read.
pub struct Column<'i> {
    items: &'i Items,
    table: Arc<Mapped>,
    /// The page that was asked for last, and where it stands.
    page: Option<(u64, Option<usize>)>,
}

impl Column<'_> {
    /// The count of an item, if it is kept. Items that follow each other are found fastest.
    pub fn get(&mut self, facts: &ItemFacts) -> Option<u32> {
        let key = page_of(facts.item);
        let place = match self.page {
            Some((page, place)) if page == key => place,
            _ => {
                let place = find(&self.table, key);
                self.page = Some((key, place));
                place
            }
        };
        let at = self.table.capacity as usize + place? * PAGE + facts.item.0 as usize % PAGE;
        let word = self.table.words()[at].load(Relaxed);
        (word != 0 && word == self.items.word(facts, word as u32)).then_some(word as u32)
    }
}

impl Clone for Column<'_> {
    fn clone(&self) -> Self {
        Self { items: self.items, table: self.table.clone(), page: None }
    }
}

/// The page of an item; never 0.
fn page_of(item: ItemId) -> u64 {
    item.0 / PAGE as u64 + 1
}

/// The places that a page may stand at, of so many. Neighbours try the same groups of places in
/// the same order, and none that another's would take.
fn places(page: u64, pages: u64) -> impl Iterator<Item = usize> {
    let hash = mix(mix(page / NEIGHBOURS));
    let (first, step) = (hash, (hash >> 40) | 1);
    let own = (page + (hash >> 32)) % NEIGHBOURS;
    (0..PROBED).map(move |probe| {
        let group = first.wrapping_add(step.wrapping_mul(probe));
        ((group.wrapping_mul(NEIGHBOURS) | own) & (pages - 1)) as usize
    })
}

/// The page at a place.
fn at(table: &Mapped, place: usize) -> u64 {
    table.words()[place].load(Relaxed)
}

fn find(table: &Mapped, page: u64) -> Option<usize> {
    places(page, table.capacity)
        .map(|place| (place, at(table, place)))
        .take_while(|(_, there)| *there != 0)
        .find_map(|(place, there)| (there == page).then_some(place))
}

/// The event that a table names. Another process may be writing it: then it is read again.
fn stamp_of(table: &Mapped) -> Option<Stamp> {
    (0..3).find_map(|_| Stamp::decode(&table.note(STAMP_AT / 8, STAMP / 8)))
}

/// Writes the pages of `old` for a table of `pages`.
fn move_pages(old: &Mapped, pages: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut moved: HashMap<usize, (u64, usize)> = HashMap::new();
    for place in 0..old.capacity as usize {
        let key = at(old, place);
        if key == 0 {
            continue;
        }
        let free = places(key, pages).find(|to| !moved.contains_key(to));
        if let Some(free) = free {
            moved.insert(free, (key, place));
        }
    }
    for place in 0..pages as usize {
        let key = moved.get(&place).map_or(0, |(key, _)| *key);
        out.write_all(&key.to_ne_bytes())?;
    }
    for place in 0..pages as usize {
        let mut page = [0; PAGE];
        if let Some((_, from)) = moved.get(&place) {
            let start = old.capacity as usize + from * PAGE;
            for (word, stored) in page.iter_mut().zip(&old.words()[start..start + PAGE]) {
                *word = stored.load(Relaxed);
            }
        }
        out.write_all(page.map(u64::to_ne_bytes).as_flattened())?;
    }
    Ok(())
}
