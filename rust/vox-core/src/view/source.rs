//! What a view reads from: one snapshot of an archive.

use std::{borrow::Cow, ops::Range};

pub use vox_format::rows::{Extent, OverlayRange};
use vox_types::{BlobRef, ContentHash, OverlayKind, Result, RunNo, SymbolNo, WindowNo};

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
}
