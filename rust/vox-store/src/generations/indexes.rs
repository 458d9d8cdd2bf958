//! The hash indexes of a new generation: all that is known of each entry, in one level.

use heed::RoTxn;
use vox_format::{keys, leaf, leaf::Entry};
use vox_types::{BlobRef, Result};

use super::{blobs::Places, loader::Loader};
use crate::{
    fault::Fallible,
    index::{HashIndex, LEAF_ENTRIES, MOST_OF_A_LEAF, level_for},
    tables::{Table, Tables},
};

/// Writes the index of blobs, with the references that they have now.
pub fn copy_of_blobs(
    tables: &Tables,
    txn: &RoTxn<'_>,
    loader: &mut Loader<'_>,
    to: &Tables,
    places: &Places,
) -> Fallible<()> {
    copy(&HashIndex::of_blobs(tables), txn, loader, to.blob_levels, |entry| {
        // The order of references stays, so that of the entries does.
        let BlobRef(payload) = places.find(BlobRef(entry.payload))?;
        Some(Entry { payload, ..entry })
    })
}

/// Writes the index of chains.
pub fn copy_of_chains(
    tables: &Tables,
    txn: &RoTxn<'_>,
    loader: &mut Loader<'_>,
    to: &Tables,
) -> Fallible<()> {
    copy(&HashIndex::of_chains(tables), txn, loader, to.chain_levels, Some)
}

fn copy(
    index: &HashIndex,
    txn: &RoTxn<'_>,
    loader: &mut Loader<'_>,
    to: Table,
    mut kept: impl FnMut(Entry) -> Option<Entry>,
) -> Fallible<()> {
    let level = level_for(index.len_at_most(txn)?);
    let mut leaves = Leaves { to, level, open: Vec::new(), beyond: Vec::new() };
    index.for_each_in_order(txn, |entry| match kept(entry) {
        Some(entry) => Ok(leaves.add(loader, entry)?),
        None => Ok(()),
    })?;
    leaves.finish(loader)?;
    Ok(())
}

/// Sorted entries on their way to leaves.
struct Leaves {
    to: Table,
    level: u8,
    open: Vec<Entry>,
    /// What one prefix has beyond what a leaf can count; it stands in the next level.
    beyond: Vec<Entry>,
}

impl Leaves {
    fn add(&mut self, loader: &mut Loader<'_>, entry: Entry) -> Result<()> {
        // One prefix stands in one leaf.
        let goes_on = self.open.last().is_some_and(|last| last.prefix == entry.prefix);
        if self.open.len() >= LEAF_ENTRIES && !goes_on {
            self.put(loader)?;
        }
        if self.open.len() < MOST_OF_A_LEAF {
            self.open.push(entry);
        } else {
            self.beyond.push(entry);
        }
        Ok(())
    }

    fn put(&mut self, loader: &mut Loader<'_>) -> Result<()> {
        if let Some(first) = self.open.first() {
            let key = keys::leaf(self.level, first.prefix);
            loader.put(self.to, &key, &leaf::encode(&self.open))?;
        }
        self.open.clear();
        Ok(())
    }

    fn finish(mut self, loader: &mut Loader<'_>) -> Result<()> {
        self.put(loader)?;
        while !self.beyond.is_empty() {
            self.level += 1;
            for entry in std::mem::take(&mut self.beyond) {
                self.add(loader, entry)?;
            }
            self.put(loader)?;
        }
        Ok(())
    }
}
