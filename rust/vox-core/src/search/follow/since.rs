//! What happened since an event.

use vox_format::rows::Event;
use vox_store::Snapshot;
use vox_types::{Result, WindowNo};

use super::{Stretch, items_in};

/// Events that are read at once. Judgement.
const EVENTS: usize = 1 << 12;

/// What happened after an event, as far as an index must know it.
pub(in crate::search) struct Since {
    /// The items that came.
    pub(in crate::search) came: Vec<Stretch>,
    /// Whether anything was purged.
    pub(in crate::search) purged: bool,
    /// The last event that was looked at.
    pub(in crate::search) last: u64,
}

impl Since {
    /// What happened after `event`, to the end of the log or until about `most` items came.
    pub(in crate::search) fn event(snapshot: &Snapshot<'_>, event: u64, most: u64) -> Result<Self> {
        let mut since = Self { came: Vec::new(), purged: false, last: event };
        let mut items = 0;
        loop {
            let events = snapshot.events(since.last + 1, EVENTS)?;
            if events.is_empty() || items >= most {
                break;
            }
            for (number, row) in events {
                match (row.what, row.window) {
                    (Event::ItemsAppended { first, count }, Some(window)) => {
                        since.appended(snapshot, window, first, count)?;
                        items += count;
                    }
                    (Event::Purged { .. }, _) => since.purged = true,
                    _ => {}
                }
                since.last = number;
                if items >= most {
                    break;
                }
            }
        }
        since.came.sort_unstable();
        Ok(since)
    }

    /// How many items came.
    pub(in crate::search) fn items(&self) -> u64 {
        items_in(&self.came)
    }

    /// Items of a window; those that others own were there before.
    fn appended(
        &mut self,
        snapshot: &Snapshot<'_>,
        window: WindowNo,
        first: u64,
        count: u64,
    ) -> Result<()> {
        let (mut at, end) = (first, first + count);
        while at < end {
            let Some(extent) = snapshot.extent_at(window, at)? else { break };
            let here = (extent.ordinal + u64::from(extent.count)).min(end);
            if snapshot.run(extent.run)?.window == window {
                let position = extent.first + (at - extent.ordinal) as u32;
                self.came.push((extent.run, position, position + (here - at) as u32));
            }
            at = here;
        }
        Ok(())
    }
}
