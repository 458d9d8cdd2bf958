//! Reading the committed set of a window.

use heed::RoTxn;
use vox_format::name::Target;
use vox_types::{BlobRef, ContentHash, Result, WindowId, WindowNo};

use super::name_of;
use crate::{Snapshot, blobs, fault::Fallible, tables::Tables};

impl Snapshot<'_> {
    /// The hash of the committed set of a window; none if nothing was committed.
    pub fn committed_hash(&self, window: WindowNo) -> Result<Option<ContentHash>> {
        let id = WindowId(self.window(window)?.id);
        self.with(|tables, txn| match blob(tables, txn, id)? {
            Some(blob) => Ok(Some(blobs::hash_of(tables, txn, blob)?)),
            None => Ok(None),
        })
    }

    /// The committed set of a window and its hash, which was checked.
    pub fn committed_context(&self, window: WindowNo) -> Result<Option<(ContentHash, Vec<u8>)>> {
        let id = WindowId(self.window(window)?.id);
        self.with(|tables, txn| match blob(tables, txn, id)? {
            Some(blob) => {
                let document = blobs::verified_read(tables, txn, blob)?;
                Ok(Some((blobs::hash_of(tables, txn, blob)?, document)))
            }
            None => Ok(None),
        })
    }
}

/// The blob of the committed set of the window with this id.
pub(super) fn blob(tables: &Tables, txn: &RoTxn<'_>, id: WindowId) -> Fallible<Option<BlobRef>> {
    let Some(value) = tables.names.get(txn, name_of(id).as_bytes())? else { return Ok(None) };
    Ok(match Target::decode(value)? {
        Target::Blob(blob) => Some(blob),
        // Whoever gave the name to something else committed nothing.
        Target::Window(_) | Target::Item(_) => None,
    })
}
