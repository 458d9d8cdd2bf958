//! Reading what is indexed of items: pieces of some megabytes, on all cores, each in a read
//! transaction of its own.

use std::ops::Range;

use rayon::prelude::*;
use vox_format::chunk::Chunk;
use vox_search::{index::Document, touched};
use vox_store::{Snapshot, cores};
use vox_types::{Code, Error, ItemId, ItemKind, Result};

use super::{super::LONGEST_INDEXED, Stretch};
use crate::archive::Archive;

/// Bytes of text of a piece. Judgement: some ten milliseconds of unpacking.
const BYTES: u64 = 2 << 20;
/// Items of a piece. Judgement.
const ITEMS: usize = 1 << 13;

/// Items that were read.
#[derive(Default)]
pub(super) struct Read {
    pub(super) items: Vec<Item>,
    /// How many couldn't be read.
    pub(super) unreadable: u64,
}

/// What is indexed of an item.
pub(super) struct Item {
    item: ItemId,
    content: u64,
    time: i64,
    attributes: u16,
    name: u32,
    text: Vec<u8>,
    touched: Vec<String>,
}

impl Item {
    pub(super) fn document(&self) -> Document<'_> {
        Document {
            item: self.item,
            content: self.content,
            time: self.time,
            attributes: self.attributes,
            name: self.name,
            text: &self.text,
            touched: &self.touched,
        }
    }
}

/// Reads the items of stretches one piece after the other.
pub(super) struct Reading<'a> {
    rest: &'a [Stretch],
    /// Where the first stretch goes on.
    from: u32,
    read: std::vec::IntoIter<Read>,
}

impl<'a> Reading<'a> {
    pub(super) fn of(stretches: &'a [Stretch]) -> Self {
        let from = stretches.first().map_or(0, |(_, first, _)| *first);
        Self { rest: stretches, from, read: Vec::new().into_iter() }
    }

    /// The next piece; none: that was all.
    pub(super) fn next(&mut self, archive: &Archive) -> Result<Option<Read>> {
        if let Some(read) = self.read.next() {
            return Ok(Some(read));
        }
        let pieces = archive.store().snapshot(|snapshot| {
            let at_once = rayon::current_num_threads().max(1);
            let pieces = (0..at_once).map(|_| self.piece(snapshot));
            pieces.collect::<Result<Vec<Vec<Stretch>>>>()
        })?;
        let read = |piece: &Vec<Stretch>| archive.store().snapshot(|now| read(now, piece));
        let pieces: Vec<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let read: Vec<Read> = match &pieces[..] {
            [] => return Ok(None),
            [piece] => vec![read(piece)?],
            _ => cores::on_all(|| pieces.par_iter().map(read).collect::<Result<_>>())??,
        };
        self.read = read.into_iter();
        Ok(self.read.next())
    }

    /// The stretches of the next piece.
    fn piece(&mut self, snapshot: &Snapshot<'_>) -> Result<Vec<Stretch>> {
        let (mut piece, mut bytes, mut items) = (Vec::new(), 0, 0);
        while let Some(&(run, _, end)) = self.rest.first()
            && bytes < BYTES
            && items < ITEMS
        {
            let from = self.from;
            if from < end {
                let (first, chunk) = chunk_at(snapshot, run, from)?;
                let stop = (first + chunk.len() as u32).min(end);
                let lengths = chunk.byte_len();
                while self.from < stop && bytes < BYTES && items < ITEMS {
                    let length = lengths.get((self.from - first) as usize);
                    bytes += if length > LONGEST_INDEXED { 0 } else { length };
                    items += 1;
                    self.from += 1;
                }
                piece.push((run, from, self.from));
            }
            if self.from >= end {
                self.rest = &self.rest[1..];
                self.from = self.rest.first().map_or(0, |(_, first, _)| *first);
            }
        }
        Ok(piece)
    }
}

/// Calls `visit` with the chunks of a stretch: the position of the first item of each, and the
/// places in it.
pub(super) fn each_chunk(
    snapshot: &Snapshot<'_>,
    (run, mut at, end): Stretch,
    mut visit: impl FnMut(u32, &Chunk<'_>, Range<usize>) -> Result<()>,
) -> Result<()> {
    while at < end {
        let (first, chunk) = chunk_at(snapshot, run, at)?;
        let stop = (first + chunk.len() as u32).min(end);
        visit(first, &chunk, (at - first) as usize..(stop - first) as usize)?;
        at = stop;
    }
    Ok(())
}

/// The chunk that holds `position` of `run`, and the position of its first item.
fn chunk_at<'t>(snapshot: &Snapshot<'t>, run: u32, position: u32) -> Result<(u32, Chunk<'t>)> {
    let missing = || Error::damaged(format!("no chunk holds {}", ItemId::new(run, position)));
    let (first, bytes) = snapshot.chunk(run, position)?.ok_or_else(missing)?;
    let chunk = Chunk::parse(bytes)?;
    if ((position - first) as usize) < chunk.len() { Ok((first, chunk)) } else { Err(missing()) }
}

/// Reads the items of `piece` that are indexed.
fn read(snapshot: &Snapshot<'_>, piece: &[Stretch]) -> Result<Read> {
    let mut done = Read::default();
    let mut blobs = snapshot.blobs();
    for &stretch in piece {
        each_chunk(snapshot, stretch, |first, chunk, places| {
            for place in places {
                let attributes = chunk.attributes_at(place);
                let kind = attributes.kind()?;
                let length = chunk.byte_len().get(place);
                if attributes.purged() || kind == ItemKind::Record || length > LONGEST_INDEXED {
                    continue;
                }
                let blob = chunk.content_at(place);
                let text = match blobs.read(blob) {
                    // Attachments that are no text count as empty ones.
                    Ok(bytes) if kind == ItemKind::Attachment && str::from_utf8(bytes).is_err() => {
                        Vec::new()
                    }
                    Ok(bytes) => bytes.to_vec(),
                    Err(error) if matches!(error.code, Code::Damaged | Code::Purged) => {
                        done.unreadable += 1;
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                let mut touches = Vec::new();
                if kind == ItemKind::ToolCall {
                    touched::terms(&text, |term| touches.push(term.to_owned()));
                }
                let content = snapshot.content_hash(blob)?;
                done.items.push(Item {
                    item: ItemId::new(stretch.0, first + place as u32),
                    content: content.0.first_chunk().copied().map_or(0, u64::from_le_bytes),
                    time: chunk.created_at().get(place) as i64,
                    attributes: attributes.with_purged(false).0,
                    name: chunk.name().get(place) as u32,
                    text,
                    touched: touches,
                });
            }
            Ok(())
        })?;
    }
    Ok(done)
}
