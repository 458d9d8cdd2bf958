//! The bytes of single items, and what belongs to them.

use vox_format::{chunk::Chunk, rows::UsageRow};
use vox_frame::rest_of_extra;
use vox_store::Snapshot;
use vox_types::{BlobRef, Code, ContentHash, Error, ItemId, Rest, Result, WindowNo};

use super::Archive;
use crate::chunks::Chunks;

impl Archive {
    /// The item bytes, checked against their hash.
    pub fn read_item(&self, item: ItemId) -> Result<Vec<u8>> {
        self.store.snapshot(|snapshot| {
            let (content, _) = blobs_of(snapshot, item)?;
            snapshot.blob(content)
        })
    }

    /// The bytes of each of `items`, checked against their hashes, all of one moment; none of one
    /// that was purged. Errors: `not_found`, `damaged`, which says which item.
    pub fn read_items(&self, items: &[ItemId]) -> Result<Vec<Option<Vec<u8>>>> {
        // Neighbours in a run stand in one chunk, and often in one frame.
        let mut order: Vec<usize> = (0..items.len()).collect();
        if !items.is_sorted() {
            order.sort_by_key(|place| items[*place]);
        }
        self.store.snapshot(|snapshot| {
            let mut read = vec![None; items.len()];
            let (mut chunks, mut blobs) = (Chunks::of(snapshot), snapshot.blobs());
            for place in order {
                let (chunk, at) = chunks.at(items[place])?;
                if !chunk.attributes_at(at).purged() {
                    read[place] = Some(blobs.read(chunk.content_at(at))?.to_vec());
                }
            }
            Ok(read)
        })
    }

    /// The JSON that is left of the item's source record without the bytes of its items; none if
    /// the record is the item, or isn't kept.
    pub fn read_extra(&self, item: ItemId) -> Result<Option<Vec<u8>>> {
        self.store.snapshot(|snapshot| match blobs_of(snapshot, item)? {
            (_, Some(Rest::Extra(extra))) => {
                rest_of_extra(&snapshot.blob(extra)?).map(|rest| Some(rest.to_vec()))
            }
            (_, Some(Rest::Record(record))) => {
                Ok(Some(snapshot.raw_rest(record)?).filter(|rest| !rest.is_empty()))
            }
            (_, None) => Ok(None),
        })
    }

    /// The item at `ordinal` of a window.
    pub fn item_at(&self, window: WindowNo, ordinal: u64) -> Result<ItemId> {
        self.store.snapshot(|snapshot| {
            snapshot.item_at(window, ordinal)?.ok_or_else(|| {
                Error::new(Code::NotFound, format!("the window has no item {ordinal}"))
            })
        })
    }

    /// The content hash of an item.
    pub fn content_hash(&self, item: ItemId) -> Result<ContentHash> {
        self.store.snapshot(|snapshot| {
            let (chunk, place) = chunk_of(snapshot, item)?;
            snapshot.content_hash(chunk.content_at(place))
        })
    }

    /// What providers reported for the responses of a window, each with its model.
    pub fn usage(&self, window: WindowNo) -> Result<Vec<(UsageRow, Option<String>)>> {
        self.store.snapshot(|snapshot| {
            let rows = snapshot.usage(window)?.into_iter();
            rows.map(|row| {
                let model = snapshot.symbol(row.model)?.map(|model| model.into_owned());
                Ok((row, model))
            })
            .collect()
        })
    }
}

fn blobs_of(snapshot: &Snapshot<'_>, item: ItemId) -> Result<(BlobRef, Option<Rest>)> {
    let (chunk, place) = chunk_of(snapshot, item)?;
    if chunk.attributes_at(place).purged() {
        let sentence = format!("item {item} was purged; only its hash is left");
        return Err(Error::new(Code::Purged, sentence));
    }
    Ok((chunk.content_at(place), chunk.rest_at(place)))
}

fn chunk_of<'t>(snapshot: &Snapshot<'t>, item: ItemId) -> Result<(Chunk<'t>, usize)> {
    let missing = || Error::new(Code::NotFound, format!("there is no item {item}"));
    let (first, chunk) = snapshot.chunk(item.run(), item.position())?.ok_or_else(missing)?;
    let chunk = Chunk::parse(chunk)?;
    let place = (item.position() - first) as usize;
    if place >= chunk.len() {
        return Err(missing());
    }
    Ok((chunk, place))
}
