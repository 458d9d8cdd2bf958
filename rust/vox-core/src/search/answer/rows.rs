//! Hits as they are listed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use vox_format::{preview_blocks::Texts, rows::Extent};
use vox_store::Snapshot;
use vox_types::{BlobRef, Error, ItemId, Result, SymbolNo, WindowId, WindowNo};

use super::walk;
use crate::{
    archive::Archive,
    chunks::Chunks,
    search::{
        Hit, WindowLabel,
        scope::{Families, Scope, Shown, Stretch},
    },
};

/// The rows of `items`, each with its score. How many windows hold their contents isn't known yet:
/// it gives the blobs for that.
pub(super) fn of_items(
    snapshot: &Snapshot<'_>,
    shown: &Shown,
    items: &[(ItemId, Option<f32>)],
) -> Result<Vec<(Hit, BlobRef)>> {
    let mut chunks = Chunks::of(snapshot);
    let mut places = Places::default();
    let mut names: HashMap<SymbolNo, Option<String>> = HashMap::new();
    let rows = items.iter().map(|&(item, score)| {
        let (chunk, index) = chunks.at(item)?;
        let unseen = || Error::damaged(format!("no window in scope shows the hit {item}"));
        let window = shown.window_of(item).ok_or_else(unseen)?;
        let symbol = chunk.name().get(index) as SymbolNo;
        let name = match names.get(&symbol) {
            Some(name) => name.clone(),
            None => {
                let name = snapshot.symbol(symbol)?.map(|text| text.into_owned());
                names.entry(symbol).or_insert(name).clone()
            }
        };
        let mut preview = Texts::default();
        chunk.previews(index..index + 1, &mut preview)?;
        let blob = chunk.content_at(index);
        let hit = Hit {
            item,
            window,
            ordinal: places.ordinal(snapshot, window, item)?.ok_or_else(unseen)?,
            score,
            at: chunk.created_at().get(index) as i64,
            attributes: chunk.attributes_at(index),
            name,
            bytes: chunk.byte_len().get(index),
            content: snapshot.content_hash(blob)?,
            windows: 0,
            preview: preview.get(0).unwrap_or_default().to_owned(),
        };
        Ok((hit, blob))
    });
    rows.collect()
}

/// Extents of windows that hits stand in.
#[derive(Default)]
struct Places(HashMap<WindowNo, Vec<Extent>>);

impl Places {
    /// The place of `item` in `window`.
    fn ordinal(
        &mut self,
        snapshot: &Snapshot<'_>,
        window: WindowNo,
        item: ItemId,
    ) -> Result<Option<u64>> {
        let extents = match self.0.get(&window) {
            Some(extents) => extents,
            None => {
                let mut extents = snapshot.extents(window)?;
                extents.sort_unstable_by_key(|extent| (extent.run, extent.first));
                self.0.entry(window).or_insert(extents)
            }
        };
        let at = (item.run(), item.position());
        let after = extents.partition_point(|extent| (extent.run, extent.first) <= at);
        let Some(extent) = after.checked_sub(1).map(|place| extents[place]) else {
            return Ok(None);
        };
        let inside = extent.run == item.run() && item.position() - extent.first < extent.count;
        Ok(inside.then(|| extent.ordinal + u64::from(item.position() - extent.first)))
    }
}

/// Stretches that are looked through in one read transaction. Judgement.
const STRETCHES_AT_ONCE: usize = 64;

/// The windows in scope that show an item with one of `blobs`, for each of these: found by looking
/// at all items in `stretches`. Items that were purged don't count, nor do records unless these may
/// be hits.
pub(crate) fn holders(
    archive: &Archive,
    scope: &Scope,
    stretches: &[Stretch],
    blobs: &[BlobRef],
) -> Result<BTreeMap<BlobRef, BTreeSet<WindowNo>>> {
    let mut wanted: Vec<u64> = blobs.iter().map(|blob| blob.0).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let found = walk::in_parts(archive, stretches, STRETCHES_AT_ONCE, |snapshot, part| {
        let mut found = Vec::new();
        let mut column = Vec::new();
        for stretch in part {
            let mut chunks = Chunks::of(snapshot);
            let mut position = stretch.first;
            while position < stretch.end {
                let (chunk, index) = chunks.at(ItemId::new(stretch.run, position))?;
                let end = (index + (stretch.end - position) as usize).min(chunk.len());
                column.clear();
                chunk.content().fill(index..end, &mut column);
                for (at, blob) in (position..).zip(&column) {
                    let attributes = chunk.attributes_at(index + (at - position) as usize);
                    if wanted.binary_search(blob).is_ok() && scope.items.counts(attributes) {
                        found.push((BlobRef(*blob), ItemId::new(stretch.run, at)));
                    }
                }
                position += (end - index) as u32;
            }
        }
        Ok(found)
    })?;
    let mut holders: BTreeMap<BlobRef, BTreeSet<WindowNo>> = BTreeMap::new();
    for (blob, item) in found {
        holders.entry(blob).or_default().extend(scope.shown.windows_of(item));
    }
    Ok(holders)
}

/// What `windows` are called.
pub(super) fn labels(snapshot: &Snapshot<'_>, windows: &[WindowNo]) -> Result<Vec<WindowLabel>> {
    let symbol = |no| Ok::<_, Error>(snapshot.symbol(no)?.map(|text| text.into_owned()));
    let mut families = Families::new(snapshot);
    let label = |&no: &WindowNo| {
        let row = snapshot.window(no)?;
        Ok(WindowLabel {
            window: no,
            id: WindowId(row.id),
            title: row.title,
            repo: symbol(row.repo)?,
            agent: symbol(row.agent)?,
            sub_agent: families.of_sub_agent(no)?,
            deleted: row.deleted_at.is_some(),
        })
    };
    windows.iter().map(label).collect()
}
