//! Where in windows an item is shown.

use std::collections::BTreeMap;

use vox_types::{Code, Error, ItemId, Result, RunNo, WindowNo};

use super::Places;
use crate::{
    Snapshot,
    spine::{extents, runs},
};

impl Snapshot<'_> {
    /// The places of `items` in `windows`, or in all live windows that show them; `not_found` for
    /// one that none of them shows.
    pub fn places_of(&self, items: &[ItemId], windows: Option<&[WindowNo]>) -> Result<Vec<Places>> {
        let mut positions: BTreeMap<RunNo, Vec<(u32, bool)>> = BTreeMap::new();
        for item in items {
            positions.entry(item.run()).or_default().push((item.position(), false));
        }
        for positions in positions.values_mut() {
            positions.sort_unstable();
            positions.dedup();
        }
        let mut candidates: Vec<WindowNo> = match windows {
            Some(windows) => windows.to_vec(),
            None => {
                let mut showing = Vec::new();
                for run in positions.keys() {
                    for no in self.with(|tables, txn| runs::windows_of(tables, txn, *run))? {
                        if self.window(no)?.deleted_at.is_none() {
                            showing.push(no);
                        }
                    }
                }
                showing
            }
        };
        candidates.sort_unstable();
        candidates.dedup();
        let mut places = Vec::new();
        for window in candidates {
            let mut ordinals = Vec::new();
            for extent in self.with(|tables, txn| extents::all(tables, txn, window))? {
                let Some(wanted) = positions.get_mut(&extent.run) else { continue };
                let from = wanted.partition_point(|(position, _)| *position < extent.first);
                let here = wanted[from..].iter_mut();
                for (position, found) in here.take_while(|(at, _)| *at < extent.end_position()) {
                    let ordinal = extent.ordinal + u64::from(*position - extent.first);
                    ordinals.push(ordinal..ordinal + 1);
                    *found = true;
                }
            }
            if !ordinals.is_empty() {
                places.push(Places { window, ordinals });
            }
        }
        for (run, positions) in positions {
            if let Some((position, _)) = positions.iter().find(|(_, found)| !found) {
                let item = ItemId::new(run, *position);
                let message = format!("no window that was asked about shows an item {item}");
                return Err(Error::new(Code::NotFound, message));
            }
        }
        Ok(places)
    }
}
