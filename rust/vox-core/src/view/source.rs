//! What a view reads from: one snapshot of an archive.

use std::{borrow::Cow, ops::Range};

use vox_types::{BlobRef, ContentHash, OverlayKind, Result, RunNo, SymbolNo, WindowNo};

/// Consecutive items of a window that are consecutive in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Ordinal of the first item.
    pub first_ordinal: u64,
    /// The run that holds them.
    pub run: RunNo,
    /// Position of the first item in the run.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Consecutive ordinals of a window with one value of an overlay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverlayRange {
    /// The first ordinal.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// The value, the same for all.
    pub value: i64,
}

impl OverlayRange {
    /// The ordinal after the last.
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.count)
    }
}

/// A run as a timeline needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunInfo {
    /// Its number.
    pub run: RunNo,
    /// The window that owns it.
    pub window: WindowNo,
    /// Number of items.
    pub len: u32,
}

/// A snapshot of an archive. All answers of one value belong to the same moment.
pub trait ItemSource {
    /// The extent of `window` that holds `ordinal`; none past the last item.
    fn extent_at(&self, window: WindowNo, ordinal: u64) -> Result<Option<Extent>>;

    /// The position of the first item and the bytes of the chunk that holds `position` of `run`.
    fn chunk(&self, run: RunNo, position: u32) -> Result<Option<(u32, &[u8])>>;

    /// The ranges of an overlay that touch `ordinals`, ascending and without overlap.
    fn overlays(
        &self,
        window: WindowNo,
        kind: OverlayKind,
        ordinals: Range<u64>,
    ) -> Result<Vec<OverlayRange>>;

    /// The hash of a blob.
    fn content_hash(&self, blob: BlobRef) -> Result<ContentHash>;

    /// An interned text.
    fn symbol(&self, symbol: SymbolNo) -> Result<Option<Cow<'_, str>>>;

    /// The runs whose items a timeline shows, in any order.
    fn runs(&self) -> Result<Vec<RunInfo>>;
}
