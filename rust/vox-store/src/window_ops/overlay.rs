//! Saying one value of one range of items: trimmed, pinned, committed or fate.

use std::ops::Range;

use vox_format::rows::Event;
use vox_types::{Code, Error, OverlayKind, Result, WindowNo};

use crate::{
    Store, events,
    meta::now,
    spine::{overlays, windows},
};

impl Store {
    /// Says `value` of the items at `ordinals` of a window, or nothing more with none. What
    /// `value` means depends on the kind: a time in UTC ms, a position, or the number of a fate.
    /// Gives how many of the items had a value before. Durable on return.
    ///
    /// `not_found` if there is no such window, `invalid_argument` if it has no such items.
    pub fn set_overlay(
        &self,
        window: WindowNo,
        kind: OverlayKind,
        ordinals: Range<u64>,
        value: Option<i64>,
    ) -> Result<u64> {
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let old = super::marks::window(tables, txn, window)?;
            let Range { start, end } = ordinals;
            if start > end || end > old.items {
                return Err(Error::new(
                    Code::InvalidArgument,
                    format!("window {window} has {} items, so no items {start}..{end}", old.items),
                )
                .into());
            }
            if start == end {
                return Ok(0);
            }
            let covered = overlays::set(tables, txn, window, kind, start..end, value)?;
            if kind == OverlayKind::Trimmed {
                let now_covered = if value.is_some() { end - start } else { 0 };
                let mut row = old.clone();
                row.trimmed = (row.trimmed + now_covered).saturating_sub(covered);
                windows::put(tables, txn, window, Some(&old), &row)?;
            }
            let (overlay, first, count) = (kind as u8, start, end - start);
            let what = Event::OverlaySet { overlay, first, count, value };
            events::append(tables, txn, now(), Some(window), what)?;
            Ok(covered)
        })
    }
}
