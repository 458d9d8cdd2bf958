//! Committing a set: all of it or nothing, and only over what its writer saw.

use std::sync::Arc;

use heed::{RoTxn, RwTxn};
use vox_format::{
    name::Target,
    rows::{Event, WindowRow},
};
use vox_types::{BlobRef, ChainHash, Code, ContentHash, Error, Result, WindowId, WindowNo};

use super::{name_of, positions, read};
use crate::{
    Store,
    blobs::{self, BlobWriter, Dictionary, NewBlob},
    events,
    fault::Fallible,
    meta::now,
    spine::windows,
    tables::Tables,
};

/// A committed set that is to take the place of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commit {
    /// Whose set it is.
    pub window: WindowNo,
    /// The set, in the words of whoever reads it.
    pub document: Vec<u8>,
    /// Ordinals of all items that the document repeats anything of, and their positions in it.
    pub positions: Vec<(u64, u64)>,
    /// The chain hash of the window as the set was made.
    pub chain: ChainHash,
    /// The hash of the set before it; none if there was none.
    pub previous: Option<ContentHash>,
}

impl Store {
    /// Lets a document be the committed set of a window, and gives its hash. Durable on return.
    ///
    /// `conflict` if the window has grown since `chain`, or has another set than `previous`;
    /// `not_found` if there is no such window, `purged` if it was purged, `invalid_argument` for
    /// positions of items it doesn't have or that are given twice.
    pub fn commit_context(&self, commit: Commit) -> Result<ContentHash> {
        let new = NewBlob { bytes: &commit.document, dictionary: Dictionary::Content };
        let blobs = blobs::prepare(&*self.current()?, &[new])?;
        let hash = blobs.hash(0);
        let Commit { window, positions, chain, previous, .. } = commit;
        let positions = Arc::new(positions::in_order(positions)?);
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let row = windows::get(tables, txn, window)?.ok_or_else(|| {
                Error::new(Code::NotFound, format!("there is no window number {window}"))
            })?;
            let id = WindowId(row.id);
            let was = read::blob(tables, txn, id)?;
            check(tables, txn, &row, was, chain, previous)?;
            let changed = positions::set(tables, txn, window, row.items, &positions)?;
            if previous == Some(hash) && !changed {
                return Ok(hash);
            }
            let mut writer = BlobWriter::begin(tables, txn, &blobs, generation.number)?;
            // The name keeps it.
            let blob = writer.hold_often(txn, 0, 0)?;
            writer.finish(txn)?;
            tables.names.put(txn, name_of(id).as_bytes(), &Target::Blob(blob).encode())?;
            told(tables, txn, window, Some(hash), previous, positions.len() as u64)?;
            Ok(hash)
        })
    }
}

/// An error unless the window is as whoever commits saw it; `was` is the set it has.
fn check(
    tables: &Tables,
    txn: &RoTxn<'_>,
    row: &WindowRow,
    was: Option<BlobRef>,
    chain: ChainHash,
    previous: Option<ContentHash>,
) -> Fallible<()> {
    let id = WindowId(row.id);
    if row.purged_at.is_some() {
        let says = format!("window {id} was purged; nothing of it can be committed");
        return Err(Error::new(Code::Purged, says).into());
    }
    if row.chain != chain.0 {
        let says = format!(
            "the items of window {id} have changed: its chain hash is {:?}, not {chain:?}; look at \
             it again and commit what follows",
            ChainHash(row.chain)
        );
        return Err(Error::new(Code::Conflict, says).into());
    }
    let was = was.map(|blob| blobs::hash_of(tables, txn, blob)).transpose()?;
    if was != previous {
        let word = |hash: Option<ContentHash>| match hash {
            Some(hash) => format!("{hash:?}"),
            None => "none".to_owned(),
        };
        let says = format!(
            "another set was committed to window {id} meanwhile: it has {}, not {}; look at that \
             and commit again",
            word(was),
            word(previous)
        );
        return Err(Error::new(Code::Conflict, says).into());
    }
    Ok(())
}

/// Writes down that a set took the place of another.
pub(super) fn told(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    set: Option<ContentHash>,
    previous: Option<ContentHash>,
    items: u64,
) -> Fallible<()> {
    let bytes = |hash: Option<ContentHash>| hash.map(|hash| hash.0);
    let what = Event::ContextCommitted { set: bytes(set), previous: bytes(previous), items };
    events::append(tables, txn, now(), Some(window), what)
}
