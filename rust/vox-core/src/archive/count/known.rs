//! What is known of items before any is counted.

use vox_store::Snapshot;
use vox_tokens::kept::{Column, ItemFacts, Kept};
use vox_types::{ContentHash, ItemId, ItemKind, Result};

use super::NO_TEXT;
use crate::chunks::Chunks;

/// What is known of an item before it is counted.
pub(super) enum Known {
    Tokens(u32),
    NoText,
    Purged,
    /// Its count is kept for its content, but not yet for the item.
    ByContent(ItemFacts, u32),
    Nothing(Unknown),
}

/// An item that has to be read.
#[derive(Clone, Copy)]
pub(super) struct Unknown {
    pub place: usize,
    pub facts: ItemFacts,
    pub hash: ContentHash,
    pub bytes: u64,
    pub attachment: bool,
}

/// What is known, by their numbers, of the items at the places `part`, in their order.
pub(super) fn look_up(
    snapshot: &Snapshot<'_>,
    items: &[ItemId],
    part: &[usize],
    mut column: Option<Column<'_>>,
) -> Result<Vec<Known>> {
    let mut chunks = Chunks::of(snapshot);
    let mut known = Vec::with_capacity(part.len());
    for &place in part {
        let item = items[place];
        let (chunk, index) = chunks.at(item)?;
        let attributes = chunk.attributes_at(index);
        if attributes.purged() {
            known.push(Known::Purged);
            continue;
        }
        let bytes = chunk.byte_len().get(index);
        let facts = ItemFacts { item, row: bytes ^ chunk.created_at().get(index).rotate_left(32) };
        known.push(match column.as_mut().and_then(|column| column.get(&facts)) {
            Some(NO_TEXT) => Known::NoText,
            Some(count) => Known::Tokens(count),
            None => Known::Nothing(Unknown {
                place,
                facts,
                hash: snapshot.content_hash(chunk.content_at(index))?,
                bytes,
                attachment: attributes.kind()? == ItemKind::Attachment,
            }),
        });
    }
    Ok(known)
}

/// Looks up by their contents what isn't known by the items' numbers. Attachments aren't: whether
/// one is text isn't kept there.
pub(super) fn by_content(known: &mut [Known], kept: &Kept) {
    let mut asked: Vec<(&mut Known, Unknown)> = known
        .iter_mut()
        .filter_map(|known| match known {
            Known::Nothing(item) if !item.attachment => {
                let item = *item;
                Some((known, item))
            }
            _ => None,
        })
        .collect();
    let hashes: Vec<ContentHash> = asked.iter().map(|(_, item)| item.hash).collect();
    let mut found = Vec::with_capacity(hashes.len());
    kept.find(&hashes, &mut found);
    for ((known, item), found) in asked.iter_mut().zip(found) {
        if let Some(count) = found {
            **known = Known::ByContent(item.facts, count);
        }
    }
}
