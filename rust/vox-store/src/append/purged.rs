//! What a source brings of items that were purged: it stays purged, unless the batch restores it.

use heed::RwTxn;
use vox_format::{
    chunk::{Chunk, encode_chunk},
    keys,
};
use vox_types::{BlobRef, Error, ItemId};

use super::{Applying, batch::NewItem};
use crate::{fault::Fallible, purge::tombstones, spine::runs};

impl Applying<'_> {
    /// The slot that stands for the content of `item` if that was purged and stays so.
    pub(super) fn buried(
        &mut self,
        txn: &mut RwTxn<'_>,
        item: &NewItem,
    ) -> Fallible<Option<BlobRef>> {
        if self.tables.tombstones.is_empty(txn)? {
            return Ok(None);
        }
        let hash = self.hash(item);
        if self.prepared.batch.restore_purged {
            tombstones::lift(self.tables, txn, &hash, item.created_at)?;
            return Ok(None);
        }
        let row = tombstones::get(self.tables, txn, &hash)?;
        let buried = row.and_then(|row| tombstones::buried(&row, item.created_at));
        self.done.purged += u64::from(buried.is_some());
        Ok(buried)
    }

    /// Brings a stored item back to life with what `item`, which is the same, has of it; does
    /// nothing unless the item was purged and the batch restores.
    pub(super) fn restore(
        &mut self,
        txn: &mut RwTxn<'_>,
        id: ItemId,
        item: &NewItem,
    ) -> Fallible<()> {
        let found = runs::chunk_at(self.tables, txn, id.run(), id.position())?;
        let missing = || Error::damaged(format!("there is no chunk of item {id}"));
        let (first, value) = found.ok_or_else(missing)?;
        let chunk = Chunk::parse(value)?;
        let place = (id.position() - first) as usize;
        if !chunk.attributes_at(place).purged() {
            return Ok(());
        }
        if !self.prepared.batch.restore_purged {
            self.done.purged += 1;
            return Ok(());
        }
        let (chain, mut rows) = (chunk.chain_before(), chunk.rows()?);
        let (content, rest) = (self.writer.refer(txn, item.content)?, self.rest(txn, item)?);
        let row = rows.get_mut(place).ok_or_else(missing)?;
        (row.content, row.rest, row.purged) = (content, rest, false);
        row.preview.clone_from(&item.preview);
        let created_at = row.created_at;
        let key = keys::pair(id.run(), first);
        self.tables.chunks.put(txn, &key, &encode_chunk(&chain, &rows))?;
        self.done.restored += 1;
        tombstones::lift(self.tables, txn, &self.hash(item), Some(created_at))
    }
}
