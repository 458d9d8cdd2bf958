//! Snapshots of the store as sources of views.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use vox_store::Snapshot;
use vox_types::{BlobRef, ContentHash, OverlayKind, Result, RunNo, SymbolNo, Tier, WindowNo};

use crate::view::{Extent, ItemSource, OverlayRange, RunInfo};

impl ItemSource for Snapshot<'_> {
    fn extent_at(&self, window: WindowNo, ordinal: u64) -> Result<Option<Extent>> {
        Ok(Snapshot::extent_at(self, window, ordinal)?.map(|extent| Extent {
            first_ordinal: extent.ordinal,
            run: extent.run,
            first: extent.first,
            count: extent.count,
        }))
    }

    fn chunk(&self, run: RunNo, position: u32) -> Result<Option<(u32, &[u8])>> {
        Snapshot::chunk(self, run, position)
    }

    fn overlays(
        &self,
        window: WindowNo,
        kind: OverlayKind,
        ordinals: Range<u64>,
    ) -> Result<Vec<OverlayRange>> {
        let ranges = Snapshot::overlays(self, window, kind, ordinals)?;
        let ranges = ranges.into_iter().map(|range| OverlayRange {
            first: range.first,
            count: range.count,
            value: range.value,
        });
        Ok(ranges.collect())
    }

    fn content_hash(&self, blob: BlobRef) -> Result<ContentHash> {
        Snapshot::content_hash(self, blob)
    }

    fn symbol(&self, symbol: SymbolNo) -> Result<Option<Cow<'_, str>>> {
        Snapshot::symbol(self, symbol)
    }

    fn runs(&self) -> Result<Vec<RunInfo>> {
        let runs = Snapshot::runs(self)?;
        let runs = runs.into_iter().filter(|(_, row)| row.len > 0);
        Ok(runs.map(|(run, row)| RunInfo { run, window: row.window, len: row.len }).collect())
    }
}

/// Which windows a timeline is about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scope {
    /// Only those of this repository.
    pub repo: Option<String>,
    /// Only those of this tier.
    pub tier: Option<Tier>,
}

/// A snapshot whose timeline has only the runs of live windows within a scope.
pub struct Scoped<'s, 't> {
    snapshot: &'s Snapshot<'t>,
    windows: HashSet<WindowNo>,
}

impl<'s, 't> Scoped<'s, 't> {
    pub fn new(snapshot: &'s Snapshot<'t>, scope: &Scope) -> Result<Self> {
        let mut windows = HashSet::new();
        let symbol = match &scope.repo {
            Some(repo) => match snapshot.find_symbol(repo)? {
                Some(symbol) => Some(symbol),
                None => return Ok(Self { snapshot, windows }),
            },
            None => None,
        };
        snapshot.recent_windows(symbol, scope.tier, |window, _| {
            windows.insert(window);
            Ok(std::ops::ControlFlow::Continue(()))
        })?;
        Ok(Self { snapshot, windows })
    }
}

impl ItemSource for Scoped<'_, '_> {
    fn extent_at(&self, window: WindowNo, ordinal: u64) -> Result<Option<Extent>> {
        ItemSource::extent_at(self.snapshot, window, ordinal)
    }

    fn chunk(&self, run: RunNo, position: u32) -> Result<Option<(u32, &[u8])>> {
        self.snapshot.chunk(run, position)
    }

    fn overlays(
        &self,
        window: WindowNo,
        kind: OverlayKind,
        ordinals: Range<u64>,
    ) -> Result<Vec<OverlayRange>> {
        ItemSource::overlays(self.snapshot, window, kind, ordinals)
    }

    fn content_hash(&self, blob: BlobRef) -> Result<ContentHash> {
        self.snapshot.content_hash(blob)
    }

    fn symbol(&self, symbol: SymbolNo) -> Result<Option<Cow<'_, str>>> {
        self.snapshot.symbol(symbol)
    }

    fn runs(&self) -> Result<Vec<RunInfo>> {
        let mut runs = ItemSource::runs(self.snapshot)?;
        runs.retain(|run| self.windows.contains(&run.window));
        Ok(runs)
    }
}
