//! Snapshots of the store as sources of views, and the runs of a timeline.

use std::{borrow::Cow, collections::HashSet, ops::Range};

use vox_store::Snapshot;
use vox_types::{BlobRef, ContentHash, OverlayKind, Result, RunNo, SymbolNo, Tier, WindowNo};

use crate::{
    timeline::RunInfo,
    view::{Extent, ItemSource, OverlayRange},
};

impl ItemSource for Snapshot<'_> {
    fn extent_at(&self, window: WindowNo, ordinal: u64) -> Result<Option<Extent>> {
        Snapshot::extent_at(self, window, ordinal)
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
        Snapshot::overlays(self, window, kind, ordinals)
    }

    fn content_hash(&self, blob: BlobRef) -> Result<ContentHash> {
        Snapshot::content_hash(self, blob)
    }

    fn symbol(&self, symbol: SymbolNo) -> Result<Option<Cow<'_, str>>> {
        Snapshot::symbol(self, symbol)
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

/// The runs, or beginnings of runs, that live windows within `scope` show.
pub(super) fn runs_in(snapshot: &Snapshot<'_>, scope: &Scope) -> Result<Vec<RunInfo>> {
    let repo = match &scope.repo {
        Some(repo) => match snapshot.find_symbol(repo)? {
            Some(symbol) => Some(symbol),
            None => return Ok(Vec::new()),
        },
        None => None,
    };
    let mut windows = HashSet::new();
    snapshot.recent_windows(repo, scope.tier, |window, _| {
        windows.insert(window);
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    let mut shown = Vec::new();
    for (run, row) in snapshot.runs()?.into_iter().filter(|(_, row)| row.len > 0) {
        let info = if windows.contains(&row.window) {
            Some(RunInfo { run, window: row.window, len: row.len })
        } else {
            shared_beginning(snapshot, run, &windows)?
        };
        shown.extend(info);
    }
    Ok(shown)
}

/// What of a run the first of `windows` that shares it shows, up to the last item that any of them
/// does: the owner may be deleted, or of another repository, and its forks not.
fn shared_beginning(
    snapshot: &Snapshot<'_>,
    run: RunNo,
    windows: &HashSet<WindowNo>,
) -> Result<Option<RunInfo>> {
    let mut info: Option<RunInfo> = None;
    for window in snapshot.windows_of_run(run)?.into_iter().filter(|no| windows.contains(no)) {
        let extents = snapshot.extents(window)?.into_iter().filter(|extent| extent.run == run);
        let end = extents.map(|extent| extent.end_position()).max().unwrap_or(0);
        let len = info.map_or(0, |info| info.len).max(end);
        info = Some(RunInfo { run, window: info.map_or(window, |info| info.window), len });
    }
    Ok(info)
}
