//! Positions on the timeline.

use arrow_array::RecordBatch;
use vox_format::chunk::Chunk;
use vox_types::{Error, ItemId, Result, RunNo, WindowNo};

use super::directory::{Directory, Entry};
use crate::{
    filter::{Filter, Matcher},
    view::{Columns, ItemSource, timeline_items},
};

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

/// The items of runs that a filter shows, ordered by time and, at the same time, by item id.
///
/// `trimmed` of the filter has no effect: a run may belong to several windows. A timeline stays at
/// the items it was made with and may be asked through later snapshots.
#[derive(Clone, Debug)]
pub struct Timeline {
    matcher: Matcher,
    directory: Directory,
    /// The owner of each run, sorted by run.
    owners: Vec<(RunNo, WindowNo)>,
}

/// Items read for a timeline in one snapshot. Judgement: some milliseconds, so that no page is kept
/// from being used again for long.
const ITEMS_AT_ONCE: u64 = 1 << 18;

/// A timeline on its way: runs are read in as many snapshots as their reader likes, since what is
/// in a run never changes.
pub struct Building {
    timeline: Timeline,
    entries: Vec<Entry>,
}

impl Building {
    /// Begins a timeline of what `filter` shows.
    pub fn new(filter: &Filter) -> Self {
        let (directory, owners) = (Directory::default(), Vec::new());
        let timeline = Timeline { matcher: Matcher::new(filter), directory, owners };
        Self { timeline, entries: Vec::new() }
    }

    /// Reads the times (and what else the filter needs) of all items of the first of `runs`, as
    /// many as should be read in one snapshot; gives how many runs that are.
    pub fn read(&mut self, source: &impl ItemSource, runs: &[RunInfo]) -> Result<usize> {
        let mut items = 0;
        for (done, run) in runs.iter().enumerate() {
            if items >= ITEMS_AT_ONCE {
                return Ok(done);
            }
            items += u64::from(run.len);
            self.timeline.owners.push((run.run, run.window));
            let mut position = 0;
            while position < run.len {
                let (first, chunk) = chunk_at(source, run.run, position)?;
                let end = first.saturating_add(chunk.len() as u32).min(run.len);
                if first != position || end <= position {
                    return Err(Error::damaged(format!(
                        "the chunk of item {} begins at {first}",
                        ItemId::new(run.run, position)
                    )));
                }
                let matcher = &mut self.timeline.matcher;
                self.entries.extend(entry(matcher, &chunk, run.run, first..end));
                position = end;
            }
        }
        Ok(runs.len())
    }

    /// The timeline of all that was read.
    pub fn finish(mut self) -> Timeline {
        self.timeline.owners.sort_unstable();
        Timeline { directory: Directory::new(self.entries), ..self.timeline }
    }
}

impl Timeline {
    /// Reads the times (and what else the filter needs) of all items of `runs`, which may come in
    /// any order.
    pub fn open(source: &impl ItemSource, mut runs: &[RunInfo], filter: &Filter) -> Result<Self> {
        let mut building = Building::new(filter);
        while !runs.is_empty() {
            runs = &runs[building.read(source, runs)?..];
        }
        Ok(building.finish())
    }

    /// How many items it shows.
    pub fn len(&self) -> u64 {
        self.directory.total()
    }

    /// Whether it shows none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items at `count` positions from `start` on; fewer at the end.
    pub fn items(
        &mut self,
        source: &impl ItemSource,
        start: u64,
        count: u64,
    ) -> Result<Vec<ItemId>> {
        let end = start.saturating_add(count).min(self.len());
        let start = start.min(end);
        let Some((from, to)) = self.directory.times(start..end) else { return Ok(Vec::new()) };
        if start == end {
            return Ok(Vec::new());
        }
        let mut before = self.directory.shown_before(from);
        let mut found: Vec<(i64, u64)> = Vec::new();
        for entry in self.directory.reaching_into(from, to) {
            for (time, item) in shown(&mut self.matcher, source, entry)? {
                if time < from {
                    before += 1;
                } else if time <= to {
                    found.push((time, item));
                }
            }
        }
        let changed = || Error::damaged("the items of the archive changed under a timeline");
        let skip = start.checked_sub(before).ok_or_else(changed)? as usize;
        let rows = skip..skip + (end - start) as usize;
        let rows = slice_of_sorted(&mut found, rows).ok_or_else(changed)?;
        Ok(rows.iter().map(|&(_, item)| ItemId(item)).collect())
    }

    /// The number of items before `time`: the position of the first item at or after it.
    pub fn position(&mut self, source: &impl ItemSource, time: i64) -> Result<u64> {
        let mut before = self.directory.shown_before(time);
        for entry in self.directory.reaching_into(time, time) {
            let items = shown(&mut self.matcher, source, entry)?;
            before += items.filter(|(at, _)| *at < time).count() as u64;
        }
        Ok(before)
    }

    /// The columns of the items at `count` positions from `start` on: those of
    /// [`crate::view::items_by_id`] after `window` u32, the number of the window that owns the item.
    pub fn batch(
        &mut self,
        source: &impl ItemSource,
        start: u64,
        count: u64,
        want: Columns,
    ) -> Result<RecordBatch> {
        let items = self.items(source, start, count)?;
        let owner = |item: &ItemId| {
            let place = self.owners.binary_search_by_key(&item.run(), |(run, _)| *run);
            place.map_or(0, |place| self.owners[place].1)
        };
        let windows = items.iter().map(owner).collect();
        timeline_items(source, &items, windows, want)
    }
}

/// The chunk that holds `position` of `run`, and the position of its first item.
fn chunk_at(source: &impl ItemSource, run: RunNo, position: u32) -> Result<(u32, Chunk<'_>)> {
    let item = ItemId::new(run, position);
    let missing = || Error::damaged(format!("no chunk holds the item {item}"));
    let (first, bytes) = source.chunk(run, position)?.ok_or_else(missing)?;
    Ok((first, Chunk::parse(bytes)?))
}

/// The entry of a chunk at `positions`, none if nothing in it is shown.
fn entry(
    matcher: &mut Matcher,
    chunk: &Chunk<'_>,
    run: RunNo,
    positions: std::ops::Range<u32>,
) -> Option<Entry> {
    let len = positions.len();
    let matches = matcher.matches(chunk, 0..len);
    let times = matches.iter().map(|&index| chunk.created_at().get(index as usize) as i64);
    let (min, max) =
        times.fold((i64::MAX, i64::MIN), |(min, max), time| (min.min(time), max.max(time)));
    let shown = matches.len() as u16;
    let first = positions.start;
    (shown > 0).then_some(Entry { min, max, run, first, len: len as u16, shown })
}

/// The times and ids of the items of a chunk that are shown.
fn shown<'m>(
    matcher: &'m mut Matcher,
    source: &'m impl ItemSource,
    entry: &Entry,
) -> Result<impl Iterator<Item = (i64, u64)> + 'm> {
    let (_, chunk) = chunk_at(source, entry.run, entry.first)?;
    let first = ItemId::new(entry.run, entry.first).0;
    let matches = matcher.matches(&chunk, 0..usize::from(entry.len)).iter();
    Ok(matches.map(move |&index| {
        (chunk.created_at().get(index as usize) as i64, first + u64::from(index))
    }))
}

/// `rows` of `values` in sorted order, without sorting the rest.
fn slice_of_sorted<T: Ord>(values: &mut [T], rows: std::ops::Range<usize>) -> Option<&[T]> {
    if rows.end > values.len() || rows.is_empty() {
        return None;
    }
    let (_, _, _) = values.select_nth_unstable(rows.start);
    let tail = &mut values[rows.start..];
    let (_, _, _) = tail.select_nth_unstable(rows.len() - 1);
    let slice = &mut tail[..rows.len()];
    slice.sort_unstable();
    Some(slice)
}
