//! What an index contributes to an answer.

use std::collections::{BTreeMap, BTreeSet};

use roaring::RoaringTreemap;
use vox_format::attributes::Attributes;
use vox_search::{
    index::{Facts, Searcher, Watermark},
    query::Node,
};
use vox_store::Snapshot;
use vox_types::{BlobRef, Code, ContentHash, ItemId, Result, WindowNo};

use super::{
    LONGEST_INDEXED,
    answer::holders,
    follow::Since,
    scope::{Scope, Stretch},
};
use crate::{archive::Archive, chunks::Chunks};

/// An index, and what it doesn't hold.
pub(super) struct Indexed {
    pub(super) searcher: Searcher,
    pub(super) node: Node,
    /// The hits that it doesn't hold.
    pub(super) unindexed: RoaringTreemap,
    /// What came since.
    pub(super) tail: Vec<Stretch>,
}

impl Indexed {
    /// All hits, if those of the index needn't be looked at.
    pub(super) fn all(&self, scope: &Scope) -> Result<RoaringTreemap> {
        let matched = self.searcher.matching(&self.node, &|facts: &Facts| admits(scope, facts))?;
        Ok(matched.items | &self.unindexed)
    }

    /// The `count` best hits that the index holds; `items` are all hits, if these are known.
    pub(super) fn top(
        &self,
        scope: &Scope,
        items: Option<&RoaringTreemap>,
        count: usize,
    ) -> Result<Vec<(ItemId, f32)>> {
        let ranked = match items {
            Some(items) => {
                let admit = |facts: &Facts| items.contains(facts.item.0);
                self.searcher.top(&self.node, &admit, count)?
            }
            None => {
                let admit = |facts: &Facts| admits(scope, facts);
                self.searcher.top(&self.node, &admit, count)?
            }
        };
        Ok(ranked.into_iter().map(|ranked| (ranked.facts.item, ranked.score)).collect())
    }

    /// The windows in scope that hold each of `contents`.
    pub(super) fn holders(
        &self,
        archive: &Archive,
        scope: &Scope,
        contents: &[(ContentHash, BlobRef, u64)],
    ) -> Result<BTreeMap<BlobRef, BTreeSet<WindowNo>>> {
        // No index has records or what is too long.
        let records = scope.items.admits_records();
        let (held, others): (Vec<_>, Vec<_>) =
            contents.iter().partition(|(_, _, bytes)| !records && *bytes <= LONGEST_INDEXED);
        let blobs = |contents: &[(ContentHash, BlobRef, u64)]| -> Vec<BlobRef> {
            contents.iter().map(|(_, blob, _)| *blob).collect()
        };
        let shown = &scope.shown;
        let mut found = holders(archive, scope, &self.tail, &blobs(&held))?;
        if !others.is_empty() {
            found.append(&mut holders(archive, scope, shown.named(), &blobs(&others))?);
        }
        archive.store().snapshot(|snapshot| {
            let mut chunks = Chunks::of(snapshot);
            for (content, blob, _) in &held {
                for item in self.searcher.holding(content_key(content))? {
                    let (chunk, index) = chunks.at(item)?;
                    let counts = scope.items.counts(chunk.attributes_at(index));
                    if chunk.content_at(index) == *blob && counts {
                        found.entry(*blob).or_default().extend(shown.windows_of(item));
                    }
                }
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// Whether an error may be one of the index: then texts are read instead.
pub(super) fn of_index(code: Code) -> bool {
    matches!(code, Code::Damaged | Code::Io | Code::NotFound | Code::PermissionDenied)
}

/// How the index knows a content.
fn content_key(content: &ContentHash) -> u64 {
    content.0.first_chunk().copied().map_or(0, u64::from_le_bytes)
}

/// Whether a document may be a hit.
pub(super) fn admits(scope: &Scope, facts: &Facts) -> bool {
    scope.admits(facts.item, Attributes(facts.attributes), facts.time, facts.name)
}

impl Since {
    /// Those of the stretches that windows in scope show.
    pub(super) fn shown(&self, scope: &Scope) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        for &(run, first, end) in &self.came {
            for stretch in scope.shown.named_of(run) {
                let (first, end) = (first.max(stretch.first), end.min(stretch.end));
                if first < end {
                    stretches.push(Stretch { first, end, ..*stretch });
                }
            }
        }
        stretches
    }
}

/// What is the matter with an index of `watermark`; none: it is of this archive's past.
pub(super) fn fault(
    snapshot: &Snapshot<'_>,
    watermark: &Watermark,
) -> Result<Option<&'static str>> {
    if watermark.archive != snapshot.archive_id()? {
        return Ok(Some("the search index is of another archive"));
    }
    let proof = snapshot.event_hash(watermark.event)?;
    let fits = proof.is_some_and(|hash| hash.0.starts_with(&watermark.proof));
    Ok((!fits).then_some("the search index is of another past of this archive"))
}
