//! Chain hashes of stored items, and finding an item by the path that leads to it.

use heed::RoTxn;
use vox_format::chunk::Chunk;
use vox_types::{BlobRef, CallNo, ChainHash, ContentHash, ItemId, ItemKind, Role, WindowNo};

use super::{extents, runs};
use crate::{blobs, fault::Fallible, index::Finder, tables::Tables};

/// Gives the content hash of a blob. While a batch is written some blobs aren't in the tables yet.
pub(crate) type HashOf<'a> = dyn Fn(BlobRef) -> Fallible<ContentHash> + 'a;

/// The chain hash of a stored item.
pub fn of_item(tables: &Tables, txn: &RoTxn<'_>, item: ItemId) -> Fallible<ChainHash> {
    of_item_with(tables, txn, item, &|blob| blobs::hash_of(tables, txn, blob))
}

/// The chain hash of an item whose content may have been written by the batch in hand.
pub(crate) fn of_item_with(
    tables: &Tables,
    txn: &RoTxn<'_>,
    item: ItemId,
    hash_of: &HashOf<'_>,
) -> Fallible<ChainHash> {
    let (chunk, place) = runs::chunk_of(tables, txn, item)?;
    chain_in(&chunk, place, hash_of)
}

fn chain_in(chunk: &Chunk<'_>, place: usize, hash_of: &HashOf<'_>) -> Fallible<ChainHash> {
    let mut fault = None;
    let chains = chunk.chains(place + 1, |blob| {
        hash_of(blob).map_err(|error| {
            fault = Some(error);
            vox_types::Error::damaged("the hash of a blob can't be read")
        })
    });
    match (chains, fault) {
        (_, Some(fault)) => Err(fault),
        (Ok(chains), None) => Ok(chains[place]),
        (Err(error), None) => Err(error.into()),
    }
}

/// The last of the first `count` items of a window that isn't a side item.
pub(crate) fn last_on_path(
    tables: &Tables,
    txn: &RoTxn<'_>,
    window: WindowNo,
    count: u64,
) -> Fallible<Option<ItemId>> {
    let mut end = count;
    while end > 0 {
        let Some(extent) = extents::at(tables, txn, window, end - 1)? else { return Ok(None) };
        let Some(mut position) = extent.position_of(end - 1) else { return Ok(None) };
        loop {
            let item = ItemId::new(extent.run, position);
            let (chunk, place) = runs::chunk_of(tables, txn, item)?;
            if let Some(found) = last_on_path_in(&chunk, place + 1) {
                let back = (place - found) as u32;
                if position - back >= extent.first {
                    return Ok(Some(ItemId::new(extent.run, position - back)));
                }
                break;
            }
            match position.checked_sub(place as u32 + 1) {
                Some(before) if before >= extent.first => position = before,
                _ => break,
            }
        }
        end = extent.ordinal;
    }
    Ok(None)
}

fn last_on_path_in(chunk: &Chunk<'_>, end: usize) -> Option<usize> {
    (0..end).rfind(|i| !chunk.attributes_at(*i).side())
}

/// What an item must be to be the same item on the same path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The item's chain hash.
    pub chain: ChainHash,
    /// The chain hash of its parent.
    pub parent: ChainHash,
    /// Its parent, where that is a stored item.
    pub parent_item: Option<ItemId>,
    /// Who speaks.
    pub role: Role,
    /// What it is.
    pub kind: ItemKind,
    /// Its content.
    pub content: ContentHash,
    /// Whether it is a side item.
    pub side: bool,
    /// Its time, if that has to agree.
    pub created_at: Option<i64>,
    /// The number of its call, which has to agree where both have one.
    pub call: CallNo,
    /// The window that looks for it; what this has stored itself stands at another place.
    pub window: WindowNo,
    /// The item before it, of whatever kind. Of several equal items the one that follows this is
    /// taken, so that extents stay long.
    pub previous: Option<ItemId>,
}

/// Of so many items of one chain the newest are looked at: thousands of conversations may begin
/// with the same words, and what is replayed is mostly recent. Passing one over costs no more than
/// rows that could have been shared. Judgement.
const MOST_CANDIDATES: usize = 256;

/// An item that is already stored and is all that is `wanted`.
pub(crate) fn find(
    tables: &Tables,
    finder: &Finder,
    txn: &RoTxn<'_>,
    wanted: &Wanted,
    hash_of: &HashOf<'_>,
) -> Fallible<Option<ItemId>> {
    let next = wanted.previous.map(|previous| previous.0 + 1);
    let mut entries = finder.find(txn, wanted.chain.prefix())?;
    entries.sort_unstable_by_key(|entry| (Some(entry.payload) != next, entry.payload));
    let passed_over = match entries.len().saturating_sub(MOST_CANDIDATES) {
        0 => 0..0,
        // The one that follows, which stands first, is looked at in any case.
        more => 1..more + 1,
    };
    entries.drain(passed_over);
    for entry in entries {
        let item = ItemId(entry.payload);
        if is(tables, txn, item, wanted, hash_of)? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}

/// Whether an item may be shared: its results name its own call, not an equal one of another.
fn same_call(stored: u64, wanted: CallNo) -> bool {
    stored == 0 || wanted == 0 || stored == u64::from(wanted)
}

fn is(
    tables: &Tables,
    txn: &RoTxn<'_>,
    item: ItemId,
    wanted: &Wanted,
    hash_of: &HashOf<'_>,
) -> Fallible<bool> {
    let (chunk, place) = runs::chunk_of(tables, txn, item)?;
    let attributes = chunk.attributes_at(place);
    if attributes.role() != wanted.role
        || attributes.kind()? != wanted.kind
        || attributes.side() != wanted.side
        || wanted.created_at.is_some_and(|at| at != chunk.created_at().get(place) as i64)
        || !same_call(chunk.call().get(place), wanted.call)
        || hash_of(chunk.content_at(place))? != wanted.content
        || (wanted.side && runs::get(tables, txn, item.run())?.window == wanted.window)
    {
        return Ok(false);
    }
    // The same parent makes it the same chain; only else the whole chunk has to be hashed.
    match last_on_path_in(&chunk, place) {
        None => Ok(chunk.chain_before() == wanted.parent),
        Some(parent) => {
            let parent_item = ItemId(item.0 - (place - parent) as u64);
            Ok(wanted.parent_item == Some(parent_item)
                || chain_in(&chunk, parent, hash_of)? == wanted.parent)
        }
    }
}
