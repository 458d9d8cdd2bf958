//! Saying something of items that the batch's source knows of them.

use std::ops::Range;

use heed::RwTxn;
use vox_format::rows::{Event, OverlayRange};
use vox_types::{Error, OverlayKind};

use super::{Applying, batch::NewOverlay};
use crate::{
    events,
    fault::Fallible,
    spine::{overlays, windows},
};

impl Applying<'_> {
    /// Says what `new` says of the items of which something else, or nothing, is said.
    pub(super) fn overlay(&mut self, txn: &mut RwTxn<'_>, new: &NewOverlay) -> Fallible<()> {
        let Some(no) = self.window_of(txn, &new.window)? else {
            return Err(super::no_window(&new.window).into());
        };
        let old = windows::expect(self.tables, txn, no)?;
        if new.ordinals.end > old.items {
            let (end, has) = (new.ordinals.end, old.items);
            let says = format!("{} has {has} items, so nothing is said of {end}", new.window);
            return Err(Error::new(vox_types::Code::InvalidArgument, says).into());
        }
        let there = overlays::touching(self.tables, txn, no, new.kind, new.ordinals.clone())?;
        let mut row = old.clone();
        for Range { start, end } in others(&there, new) {
            let covered = overlays::set(self.tables, txn, no, new.kind, start..end, new.value)?;
            if new.kind == OverlayKind::Trimmed {
                let trimmed = if new.value.is_some() { end - start } else { 0 };
                row.trimmed = (row.trimmed + trimmed).saturating_sub(covered);
            }
            let (overlay, count) = (new.kind as u8, end - start);
            let what = Event::OverlaySet { overlay, first: start, count, value: new.value };
            events::append(self.tables, txn, self.now, Some(no), what)?;
            self.done.changed += 1;
        }
        if row != old {
            windows::put(self.tables, txn, no, Some(&old), &row)?;
        }
        Ok(())
    }
}

/// The stretches of `new` that aren't as it says, in order; `there` are the ranges that touch it.
fn others(there: &[OverlayRange], new: &NewOverlay) -> Vec<Range<u64>> {
    let mut others: Vec<Range<u64>> = Vec::new();
    let mut take = |from: u64, to: u64| match others.last_mut() {
        Some(last) if last.end == from => last.end = to,
        _ if from < to => others.push(from..to),
        _ => {}
    };
    let Range { start, end } = new.ordinals;
    let mut at = start;
    for range in there {
        let (first, last) = (range.first.max(start), range.end().min(end));
        if new.value.is_some() {
            take(at, first);
        }
        if !new.only_new && new.value != Some(range.value) {
            take(first, last);
        }
        at = last;
    }
    if new.value.is_some() {
        take(at, end);
    }
    others
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_differs_is_found_as_by_looking_at_each_item(
            said in prop::collection::vec(prop::option::of(0i64..3), 12),
            from in 0u64..12,
            count in 0u64..12,
            value in prop::option::of(0i64..3),
            only_new: bool,
        ) {
            let ordinals = from..(from + count).min(12);
            let there: Vec<OverlayRange> = said
                .iter()
                .zip(0..)
                .filter(|(_, at)| ordinals.contains(at))
                .filter_map(|(value, first)| Some(OverlayRange { first, count: 1, value: (*value)? }))
                .collect();
            let window = String::new();
            let kind = OverlayKind::Committed;
            let new = NewOverlay { window, kind, ordinals: ordinals.clone(), value, only_new };
            let found: Vec<u64> = others(&there, &new).into_iter().flatten().collect();
            let differs = |at: &u64| {
                let is = said[*at as usize];
                is != value && !(only_new && is.is_some())
            };
            prop_assert_eq!(found, ordinals.filter(differs).collect::<Vec<_>>());
        }
    }
}
