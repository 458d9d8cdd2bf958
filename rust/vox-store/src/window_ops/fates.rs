//! Fates that a user sets by hand, whatever a projection would say.

use std::ops::Range;

use vox_format::{
    ranges::PackedRanges,
    rows::{Event, OverlayRange},
};
use vox_types::{Code, Error, OverlayKind, Result, WindowNo};

use super::{marks, ranges};
use crate::{Store, events, meta::now, spine::overlays};

/// Numbers of fates: dropped, included, summarized, on_demand.
pub const FATES: Range<u8> = 0..4;

/// What an event says of an item whose fate nobody set.
const NONE: i64 = -1;

/// How many ranges come of one call at most. Judgement: some 100 MB of memory.
const MOST: usize = 1 << 20;

impl Store {
    /// Sets fates of ranges of items, or takes back with none what was set; of an item that is in
    /// several ranges the last one counts. Gives of how many items that changed anything. Durable
    /// on return.
    ///
    /// `not_found` if there is no such window, `invalid_argument` if it has no such items or there
    /// is no such fate.
    pub fn set_fates(&self, window: WindowNo, fates: Vec<(Range<u64>, Option<u8>)>) -> Result<u64> {
        let unknown = fates.iter().filter_map(|(_, fate)| *fate).find(|fate| !FATES.contains(fate));
        if let Some(fate) = unknown {
            let says = format!(
                "{fate} is no fate; there are 0 dropped, 1 included, 2 summarized, 3 on_demand"
            );
            return Err(Error::new(Code::InvalidArgument, says));
        }
        if fates.len() > MOST {
            let says = format!("{} ranges at once; set at most {MOST}", fates.len());
            return Err(Error::new(Code::TooLarge, says));
        }
        self.write(move |generation, txn| {
            let (tables, kind) = (&generation.tables, OverlayKind::Fate);
            let items = marks::window(tables, txn, window)?.items;
            let asked: Vec<Range<u64>> = fates.iter().map(|(range, _)| range.clone()).collect();
            let asked = ranges::in_order(window, items, &asked)?;
            let before = overlays::touching_any(tables, txn, window, kind, &asked)?;
            for (range, fate) in &fates {
                overlays::set(tables, txn, window, kind, range.clone(), fate.map(i64::from))?;
            }
            let after = overlays::touching_any(tables, txn, window, kind, &asked)?;
            let (was, is) = differences(&asked, &before, &after);
            if is.is_empty() {
                return Ok(0);
            }
            let what = Event::FatesSet {
                ranges: PackedRanges::with_values(&is),
                before: PackedRanges::with_values(&was),
            };
            events::append(tables, txn, now(), Some(window), what)?;
            Ok(is.iter().map(|range| range.count).sum())
        })
    }
}

/// Where `before` and `after` differ within `asked`: the same ranges with the values of each. All
/// ascend, and none overlaps itself.
fn differences(
    asked: &[Range<u64>],
    before: &[OverlayRange],
    after: &[OverlayRange],
) -> (Vec<OverlayRange>, Vec<OverlayRange>) {
    let (mut was, mut is): (Vec<OverlayRange>, Vec<OverlayRange>) = (Vec::new(), Vec::new());
    let (mut before, mut after) = (Steps(before), Steps(after));
    for range in asked {
        let mut at = range.start;
        while at < range.end {
            let ((old, until), (new, end)) = (before.at(at), after.at(at));
            let end = until.min(end).min(range.end);
            if old != new {
                for (all, value) in [(&mut was, old), (&mut is, new)] {
                    all.push(OverlayRange { first: at, count: end - at, value });
                }
            }
            at = end;
        }
    }
    (was, is)
}

/// Values of ordinals that ascend.
struct Steps<'r>(&'r [OverlayRange]);

impl Steps<'_> {
    /// The value at `ordinal`, and up to where it holds.
    fn at(&mut self, ordinal: u64) -> (i64, u64) {
        while let Some((_, rest)) = self.0.split_first().filter(|(first, _)| first.end() <= ordinal)
        {
            self.0 = rest;
        }
        match self.0.first() {
            Some(range) if range.first <= ordinal => (range.value, range.end()),
            Some(range) => (NONE, range.first),
            None => (NONE, u64::MAX),
        }
    }
}
