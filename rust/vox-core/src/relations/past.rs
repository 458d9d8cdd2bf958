//! Whether what was kept is of this archive's past, and of no item that was purged since.

use vox_format::rows::Event;
use vox_store::Snapshot;
use vox_types::{Result, WindowNo};

use super::{
    Now,
    kept::{Kept, Stamp},
    reading,
};
use crate::archive::Archive;

/// Events that are read at once.
const EVENTS: usize = 1 << 12;
/// Events that may stay behind what is kept: it is cheaper to read them again. Judgement.
const IDLE: u64 = 1 << 12;

/// How what is kept stands to a window.
pub(super) enum Standing {
    /// It is of another past, or holds names of what was purged, or lacks those of what was
    /// restored.
    Past,
    /// There is more now.
    Behind,
    /// It is all there is.
    Current,
}

/// What an event is known by; none if there is no such event.
pub(super) fn stamp(snapshot: &Snapshot<'_>, event: u64) -> Result<Option<Stamp>> {
    let hash = snapshot.event_hash(event)?;
    let proof = hash.and_then(|hash| hash.0.first_chunk().copied());
    Ok(proof.map(|proof| Stamp { event, proof }))
}

/// How `kept` stands to a window as it is `now`.
pub(super) fn standing(
    archive: &Archive,
    window: WindowNo,
    now: &Now,
    kept: &Kept,
) -> Result<Standing> {
    let known = kept.mentions.counts.len() as u64;
    let Some(last) = now.stamp.filter(|_| known <= now.items) else { return Ok(Standing::Past) };
    archive.store().snapshot(|snapshot| {
        if stamp(snapshot, kept.stamp.event)? != Some(kept.stamp)
            || purged_since(snapshot, kept.stamp.event)?
            || kept.purged > 0 && purged_of(snapshot, window, known)? != kept.purged
        {
            return Ok(Standing::Past);
        }
        let current = known == now.items && last.event.saturating_sub(kept.stamp.event) < IDLE;
        Ok(if current { Standing::Current } else { Standing::Behind })
    })
}

/// Whether anything was purged after an event.
pub(super) fn purged_since(snapshot: &Snapshot<'_>, event: u64) -> Result<bool> {
    let mut last = event;
    loop {
        let events = snapshot.events(last + 1, EVENTS)?;
        let Some((number, _)) = events.last() else { return Ok(false) };
        last = *number;
        if events.iter().any(|(_, row)| matches!(row.what, Event::Purged { .. })) {
            return Ok(true);
        }
    }
}

/// How many of the first `items` items of a window are purged.
fn purged_of(snapshot: &Snapshot<'_>, window: WindowNo, items: u64) -> Result<u64> {
    let mut purged = 0;
    for stretch in reading::stretches(snapshot, window, 0, items)? {
        reading::each(snapshot, stretch, |chunk, place| {
            purged += u64::from(chunk.attributes_at(place).purged());
            Ok(())
        })?;
    }
    Ok(purged)
}
