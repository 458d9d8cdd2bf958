//! Positions of a filtered view: which ordinal stands at which place.

use std::ops::Range;

use roaring::RoaringBitmap;
use vox_format::chunk::Chunk;
use vox_types::{Code, Error, ItemId, OverlayKind, Result, WindowNo};

use super::{source::ItemSource, stretch::Ordinals};
use crate::filter::{Filter, Matcher, Trimmed};

/// The items of a window that a filter shows, by position.
///
/// Opening reads overlays only. What the filter selects is found as far as it is asked for and
/// kept as a bitmap, so that the first rows of a long window come at once and any later position
/// costs a `select`. A view stays at the items and the trimmed ranges it was opened with; it may
/// be asked through later snapshots, since items never change.
#[derive(Clone, Debug)]
pub struct View {
    window: WindowNo,
    selection: Selection,
}

#[derive(Clone, Debug)]
enum Selection {
    /// Every ordinal below the number.
    All(u64),
    Some(Box<Found>),
}

/// What was found so far, and what is still to be looked at.
#[derive(Clone, Debug)]
struct Found {
    matcher: Matcher,
    ordinals: RoaringBitmap,
    /// Ranges still to be looked at, the last one first.
    rest: Vec<Range<u64>>,
}

impl View {
    /// A view on the first `items` items of `window`, of which `records` are of that kind: without
    /// any, what only hides them needn't be looked for.
    pub fn open(
        source: &impl ItemSource,
        window: WindowNo,
        items: u64,
        records: u64,
        filter: &Filter,
    ) -> Result<Self> {
        let matcher = Matcher::new(filter);
        let mut rest = candidates(source, window, items, filter.trimmed)?;
        let candidates: u64 = rest.iter().map(|range| range.end - range.start).sum();
        let all = matcher.matches_all() || records == 0 && matcher.matches_all_but_records();
        let selection = if all && candidates == items {
            Selection::All(items)
        } else if items > u64::from(u32::MAX) {
            return Err(Error::new(
                Code::TooLarge,
                format!("the window has {items} items; at most {} can be filtered", u32::MAX),
            ));
        } else {
            rest.reverse();
            Selection::Some(Box::new(Found { matcher, ordinals: RoaringBitmap::new(), rest }))
        };
        Ok(Self { window, selection })
    }

    /// How many items the view shows; looks at all that weren't looked at yet.
    pub fn len(&mut self, source: &impl ItemSource) -> Result<u64> {
        match &mut self.selection {
            Selection::All(items) => Ok(*items),
            Selection::Some(found) => {
                found.reach(source, self.window, u64::MAX, u64::MAX)?;
                Ok(found.ordinals.len())
            }
        }
    }

    /// The ordinals at `count` positions from `start` on; fewer at the end of the view.
    pub fn ordinals(
        &mut self,
        source: &impl ItemSource,
        start: u64,
        count: u64,
    ) -> Result<Ordinals> {
        let end = start.saturating_add(count);
        match &mut self.selection {
            Selection::All(items) => Ok(Ordinals::Range(start.min(*items)..end.min(*items))),
            Selection::Some(found) => {
                found.reach(source, self.window, end, u64::MAX)?;
                let first = u32::try_from(start).ok().and_then(|n| found.ordinals.select(n));
                let list = first.map_or_else(Vec::new, |first| {
                    let from_first = found.ordinals.range(first..);
                    from_first.take(count as usize).map(u64::from).collect()
                });
                Ok(Ordinals::List(list))
            }
        }
    }

    /// The ordinals of all that the view shows, as ranges.
    pub fn ranges(&mut self, source: &impl ItemSource) -> Result<Vec<Range<u64>>> {
        match &mut self.selection {
            Selection::All(0) => Ok(Vec::new()),
            Selection::All(items) => Ok(std::iter::once(0..*items).collect()),
            Selection::Some(found) => {
                found.reach(source, self.window, u64::MAX, u64::MAX)?;
                let mut ordinals = found.ordinals.iter();
                let next = || ordinals.next_range();
                let range = |range: std::ops::RangeInclusive<u32>| {
                    u64::from(*range.start())..u64::from(*range.end()) + 1
                };
                Ok(std::iter::from_fn(next).map(range).collect())
            }
        }
    }

    /// The position at which `ordinal` stands, or would stand if the view showed it.
    pub fn position(&mut self, source: &impl ItemSource, ordinal: u64) -> Result<u64> {
        match &mut self.selection {
            Selection::All(items) => Ok(ordinal.min(*items)),
            Selection::Some(found) => {
                found.reach(source, self.window, u64::MAX, ordinal)?;
                let Some(before) = ordinal.checked_sub(1) else { return Ok(0) };
                Ok(u32::try_from(before)
                    .map_or(found.ordinals.len(), |before| found.ordinals.rank(before)))
            }
        }
    }
}

impl Found {
    /// Looks on until `count` items are found or all ordinals below `ordinal` were looked at.
    fn reach(
        &mut self,
        source: &impl ItemSource,
        window: WindowNo,
        count: u64,
        ordinal: u64,
    ) -> Result<()> {
        let mut found = self.ordinals.len();
        while found < count {
            let Some(range) = self.rest.last_mut().filter(|range| range.start < ordinal) else {
                return Ok(());
            };
            let range = range.clone();
            let (looked_at, added) = if self.matcher.matches_all() {
                (range.end, self.add_all(range.clone()))
            } else {
                self.look_at(source, window, range.clone())?
            };
            found += added;
            match self.rest.last_mut() {
                Some(rest) if looked_at < range.end => rest.start = looked_at,
                _ => drop(self.rest.pop()),
            }
        }
        Ok(())
    }

    fn add_all(&mut self, range: Range<u64>) -> u64 {
        self.ordinals.insert_range(range.start as u32..range.end as u32)
    }

    /// Looks at one chunk from the start of `range` on; returns up to where, and how many match.
    fn look_at(
        &mut self,
        source: &impl ItemSource,
        window: WindowNo,
        range: Range<u64>,
    ) -> Result<(u64, u64)> {
        let start = range.start;
        let missing = |what: String| Error::damaged(format!("window {window}: {what} is missing"));
        let next = source.extent_at(window, start)?;
        let extent = next.ok_or_else(|| missing(format!("the item at ordinal {start}")))?;
        let position = extent.position_of(start);
        let position = position.ok_or_else(|| missing(format!("the extent of ordinal {start}")))?;
        let item = ItemId::new(extent.run, position);
        let (first, bytes) = source
            .chunk(extent.run, position)?
            .ok_or_else(|| missing(format!("the chunk of item {item}")))?;
        let chunk = Chunk::parse(bytes)?;
        let index = position.wrapping_sub(first) as usize;
        if index >= chunk.len() {
            return Err(missing(format!("the item {item}")));
        }
        let count = (chunk.len() - index)
            .min((extent.end_position() - position) as usize)
            .min((range.end - start) as usize);
        let matches = self.matcher.matches(&chunk, index..index + count);
        let (start, index) = (start as u32, index as u32);
        if matches.len() == count {
            self.ordinals.insert_range(start..start + count as u32);
        } else {
            let ordinals = matches.iter().map(|place| start + (place - index));
            self.ordinals
                .append(ordinals)
                .map_err(|_| Error::damaged(format!("window {window}: extents overlap")))?;
        }
        Ok((u64::from(start) + count as u64, matches.len() as u64))
    }
}

/// The ordinals that the trimmed overlay leaves to look at.
fn candidates(
    source: &impl ItemSource,
    window: WindowNo,
    items: u64,
    trimmed: Trimmed,
) -> Result<Vec<Range<u64>>> {
    let ranges = match trimmed {
        Trimmed::Show => Vec::new(),
        _ => source.overlays(window, OverlayKind::Trimmed, 0..items)?,
    };
    let ranges = ranges.iter().map(|range| range.first.min(items)..range.end().min(items));
    let mut out = Vec::new();
    let mut at = 0;
    for range in ranges {
        let wanted = match trimmed {
            Trimmed::Only => range.start.max(at)..range.end,
            _ => at..range.start,
        };
        out.extend(Some(wanted).filter(|range| !range.is_empty()));
        at = range.end.max(at);
    }
    if trimmed != Trimmed::Only && at < items {
        out.push(at..items);
    }
    Ok(out)
}
