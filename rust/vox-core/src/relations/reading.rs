//! Reading the names and files of a window's items: pieces of some megabytes, on all cores, each
//! in a read transaction of its own. Texts are let go of as soon as they were looked at.

use std::{collections::HashSet, ops::ControlFlow};

use rayon::prelude::*;
use vox_format::chunk::Chunk;
use vox_search::touched;
use vox_store::{Snapshot, cores};
use vox_types::{Code, ContentHash, Error, ItemId, ItemKind, Result, RunNo, SymbolNo, WindowNo};

use super::names;
use crate::{archive::Archive, chunks::Chunks};

/// The longest item that is looked at, in bytes; longer ones bring no names. Judgement.
const LONGEST: u64 = 1 << 20;
/// The names of an item that count, the first ones. Judgement: what lists more is about none.
const MOST_NAMES: usize = 256;
/// Bytes and items of a piece. Judgement: some ten milliseconds of unpacking.
const BYTES: u64 = 2 << 20;
const ITEMS: u32 = 1 << 13;

/// Items that follow each other in a run: the first position, and the one after the last.
pub(super) type Stretch = (RunNo, u32, u32);

/// What an item is to others.
pub(super) struct Item {
    /// Hashes of its names, each once.
    pub names: Vec<u64>,
    pub kind: ItemKind,
    pub purged: bool,
    pub tool: SymbolNo,
    pub call: u32,
    /// The file that a call is about.
    pub file: Option<String>,
}

/// Shows what each item of `stretches` is to others, in their order. Whether all could be read:
/// those that are damaged bring nothing.
pub(super) fn read(
    archive: &Archive,
    stretches: &[Stretch],
    mut visit: impl FnMut(Item),
) -> Result<bool> {
    let pieces = archive.store().snapshot(|snapshot| pieces(snapshot, stretches))?;
    let mut whole = true;
    let read = |piece: &Vec<Stretch>| archive.store().snapshot(|now| read_piece(now, piece));
    for pieces in pieces.chunks(rayon::current_num_threads().max(1)) {
        let done: Vec<(Vec<Item>, bool)> = match pieces {
            [piece] => vec![read(piece)?],
            _ => cores::on_all(|| pieces.par_iter().map(read).collect::<Result<_>>())??,
        };
        for (items, readable) in done {
            whole &= readable;
            items.into_iter().for_each(&mut visit);
        }
    }
    Ok(whole)
}

/// `stretches` in pieces.
fn pieces(snapshot: &Snapshot<'_>, stretches: &[Stretch]) -> Result<Vec<Vec<Stretch>>> {
    let (mut pieces, mut piece) = (Vec::new(), Vec::new());
    let (mut bytes, mut items) = (0, 0);
    for &(run, start, end) in stretches {
        let (mut first, mut position) = (start, start);
        each(snapshot, (run, start, end), |chunk, place| {
            let length = chunk.byte_len().get(place);
            bytes += if length > LONGEST { 0 } else { length };
            items += 1;
            position += 1;
            if bytes >= BYTES || items >= ITEMS {
                piece.push((run, first, position));
                pieces.push(std::mem::take(&mut piece));
                (first, bytes, items) = (position, 0, 0);
            }
            Ok(())
        })?;
        piece.extend((first < end).then_some((run, first, end)));
    }
    pieces.extend((!piece.is_empty()).then_some(piece));
    Ok(pieces)
}

/// Calls `visit` with each item of a stretch: its chunk, and its place there.
pub(super) fn each(
    snapshot: &Snapshot<'_>,
    (run, first, end): Stretch,
    mut visit: impl FnMut(&Chunk<'_>, usize) -> Result<()>,
) -> Result<()> {
    let mut chunks = Chunks::of(snapshot);
    for position in first..end {
        let (chunk, place) = chunks.at(ItemId::new(run, position))?;
        visit(chunk, place)?;
    }
    Ok(())
}

/// Reads the items of a piece; whether all could be read.
fn read_piece(snapshot: &Snapshot<'_>, piece: &[Stretch]) -> Result<(Vec<Item>, bool)> {
    let mut blobs = snapshot.blobs();
    let (mut items, mut readable) = (Vec::new(), true);
    for stretch in piece {
        each(snapshot, *stretch, |chunk, place| {
            let attributes = chunk.attributes_at(place);
            let mut item = Item {
                names: Vec::new(),
                kind: attributes.kind()?,
                purged: attributes.purged(),
                tool: chunk.name().get(place) as SymbolNo,
                call: chunk.call().get(place) as u32,
                file: None,
            };
            let long = chunk.byte_len().get(place) > LONGEST;
            if !item.purged && !long && item.kind != ItemKind::Record {
                match blobs.read(chunk.content_at(place)) {
                    Ok(bytes) => item.look_at(bytes),
                    Err(error) if matches!(error.code, Code::Damaged | Code::Purged) => {
                        readable = false;
                    }
                    Err(error) => return Err(error),
                }
            }
            items.push(item);
            Ok(())
        })?;
    }
    Ok((items, readable))
}

impl Item {
    /// Takes what its bytes say.
    fn look_at(&mut self, bytes: &[u8]) {
        if self.kind == ItemKind::Attachment && str::from_utf8(bytes).is_err() {
            return;
        }
        self.names = names_of(bytes);
        if self.kind == ItemKind::ToolCall {
            self.file = touched::file(bytes);
        }
    }
}

/// The hashes of the first distinct names of a text.
fn names_of(text: &[u8]) -> Vec<u64> {
    let (mut order, mut known) = (Vec::new(), HashSet::new());
    names::each(text, &mut |name| {
        let hash = hash(name);
        if known.insert(hash) {
            order.push(hash);
        }
        if order.len() < MOST_NAMES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    order
}

/// A name as it is remembered.
fn hash(name: &[u8]) -> u64 {
    ContentHash::of(name).0.first_chunk().copied().map_or(0, u64::from_le_bytes)
}

/// The items of a window from `from` on, to `end`.
pub(super) fn stretches(
    snapshot: &Snapshot<'_>,
    window: WindowNo,
    from: u64,
    end: u64,
) -> Result<Vec<Stretch>> {
    let mut stretches = Vec::new();
    let mut at = from;
    while at < end {
        let missing = || Error::damaged(format!("window {window} lacks its item {at}"));
        let extent = snapshot.extent_at(window, at)?.ok_or_else(missing)?;
        let position = extent.position_of(at).ok_or_else(missing)?;
        let count = u64::from(extent.end_position() - position).min(end - at);
        stretches.push((extent.run, position, position + count as u32));
        at += count;
    }
    Ok(stretches)
}
