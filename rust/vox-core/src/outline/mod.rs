//! The outline of a window: all that is known of its items without reading what they say.

mod columns;

use vox_types::{
    ChainHash, Code, ContentHash, Error, OverlayKind, Result, WindowId, WindowKind, WindowNo,
};

pub use columns::{Flag, OutlineColumns};

use crate::archive::Archive;

/// Most items of an outline: some 60 bytes are taken for each.
const MOST_ITEMS: u64 = 1 << 24;

/// A window as it stood at one moment: what decides which of its items a model is to see.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// The window.
    pub window: WindowNo,
    /// Its lasting identity.
    pub id: WindowId,
    /// What it was born as.
    pub kind: WindowKind,
    /// The window it came from.
    pub parent: Option<WindowNo>,
    /// Chain hash of the last item that isn't a side item.
    pub chain: ChainHash,
    /// The model it is bound to.
    pub model_route: Option<String>,
    /// The hash of its committed set.
    pub committed: Option<ContentHash>,
    /// Its items, in their order.
    pub columns: OutlineColumns,
}

impl Archive {
    /// The outline of a window, of one state of the archive.
    ///
    /// `too_large` for a window of more than 2²⁴ items.
    pub fn outline(&self, window: WindowNo) -> Result<Outline> {
        self.store().snapshot(|snapshot| {
            let row = snapshot.window(window)?;
            if row.items > MOST_ITEMS {
                let items = row.items;
                return Err(Error::new(
                    Code::TooLarge,
                    format!("window {window} has {items} items; outlines end at {MOST_ITEMS}"),
                ));
            }
            let mut columns = OutlineColumns::of(snapshot, window, row.items)?;
            let overlay = |kind| snapshot.overlays(window, kind, 0..row.items);
            columns.flag(Flag::Pinned, &overlay(OverlayKind::Pinned)?);
            columns.flag(Flag::Trimmed, &overlay(OverlayKind::Trimmed)?);
            columns.commit(&overlay(OverlayKind::Committed)?);
            columns.decide(&overlay(OverlayKind::Fate)?);
            let kind = WindowKind::from_number(row.kind).ok_or_else(|| {
                Error::damaged(format!("window {window} has the unknown kind {}", row.kind))
            })?;
            let model_route = match row.model_route {
                0 => None,
                symbol => snapshot.symbol(symbol)?.map(|text| text.into_owned()),
            };
            Ok(Outline {
                window,
                id: WindowId(row.id),
                kind,
                parent: row.parent,
                chain: ChainHash(row.chain),
                model_route,
                committed: snapshot.committed_hash(window)?,
                columns,
            })
        })
    }
}
