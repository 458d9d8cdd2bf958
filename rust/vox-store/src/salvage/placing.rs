//! Writing items into new runs, window by window.
//!
//! An item's chain hash depends on all items before it, so where one is lost the chains behind it
//! are others. A window that shares items of another can go on sharing them as long as both have
//! lost the same before them; else it gets rows of its own for them.

use std::collections::{BTreeMap, HashMap, HashSet};

use vox_format::{preview::binary_preview, preview::preview};
use vox_types::{ChainHash, ItemId, Rest, Result, RunNo, WindowNo};

use super::{
    items::{Item, Items},
    parts::Window,
    paths::{Paths, Stretch, plausible},
};
use crate::exchange::{Builder, RunWriter};

/// Items of a run of the damaged archive that stand together in the new one.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    first: u32,
    count: u32,
    run: RunNo,
    at: u32,
}

/// A run of the damaged archive that is being written.
struct Source {
    placed: Vec<Placed>,
    /// The run that takes its next item.
    run: RunNo,
    /// The chain behind what was placed.
    tip: ChainHash,
    /// The position behind what was placed.
    end: u32,
}

/// Writes the items of all windows.
pub struct Placing<'a, 's> {
    pub items: &'a mut Items<'s>,
    pub paths: &'a Paths,
    pub builder: &'a mut Builder,
    /// Every window that has items.
    pub windows: BTreeMap<WindowNo, Window>,
    sources: HashMap<RunNo, Source>,
    /// The chain before places in runs where some window's stretch begins or ends.
    chains: HashMap<(RunNo, u32), ChainHash>,
    /// Those places, in order, of each run.
    bounds: HashMap<RunNo, Vec<u32>>,
    writers: BTreeMap<RunNo, RunWriter>,
    next_run: RunNo,
    most_runs: RunNo,
    written: u64,
}

/// What a window's work waits for.
enum Step {
    Done,
    /// The item at this place of another window's run.
    Needs(RunNo, u32),
}

impl<'a, 's> Placing<'a, 's> {
    /// Prepares to write all of `paths`.
    pub fn new(items: &'a mut Items<'s>, paths: &'a Paths, builder: &'a mut Builder) -> Self {
        let mut bounds: HashMap<RunNo, Vec<u32>> = HashMap::new();
        for stretch in paths.windows.values().flatten() {
            bounds.entry(stretch.run).or_default().extend([stretch.first, stretch.end]);
        }
        for places in bounds.values_mut() {
            places.sort_unstable();
            places.dedup();
        }
        let most_runs = plausible(items.runs.keys().copied());
        let before = items.runs.range(..=most_runs).next_back();
        let next_run = before.map_or(0, |(last, _)| last + 1);
        Self {
            items,
            paths,
            builder,
            windows: BTreeMap::new(),
            sources: HashMap::new(),
            chains: HashMap::new(),
            bounds,
            writers: BTreeMap::new(),
            next_run,
            most_runs,
            written: 0,
        }
    }

    /// Writes the items of every window.
    pub fn run(&mut self) -> Result<()> {
        for window in self.paths.windows.keys() {
            self.realise(*window)?;
        }
        for (_, writer) in std::mem::take(&mut self.writers) {
            writer.finish(self.builder)?;
        }
        Ok(())
    }

    /// How many items were written.
    pub fn saved(&self) -> u64 {
        self.written
    }

    /// Whether the first `items` items of a window, and no others, stand where they did.
    pub fn unmoved(&self, window: WindowNo, items: u64) -> bool {
        let placed = self.windows.get(&window);
        let parts = placed.map_or(&[][..], |window| &window.parts);
        let path = self.paths.windows.get(&window).map_or(&[][..], Vec::as_slice);
        let before = path.iter().map(|step| (step.run, step.first, step.end));
        let now = parts.iter().map(|part| (part.run, part.first, part.first + part.count));
        placed.map_or(0, |window| window.items) == items
            && parts.iter().all(|part| part.before == Some(part.ordinal))
            && joined(before) == joined(now)
    }

    /// Where an item stands in the new archive.
    pub fn find(&self, item: ItemId) -> Option<ItemId> {
        let position = item.position();
        let placed = self.sources.get(&item.run())?.placed.iter();
        let mut holding =
            placed.filter(|part| part.first <= position && position - part.first < part.count);
        holding.next().map(|part| ItemId::new(part.run, part.at + (position - part.first)))
    }

    /// Writes the items of a window, and before them those of others that it shares.
    fn realise(&mut self, window: WindowNo) -> Result<()> {
        let mut waiting: Vec<(WindowNo, Option<(RunNo, u32)>)> = vec![(window, None)];
        let mut active = HashSet::from([window]);
        while let Some((window, until)) = waiting.last().copied() {
            match self.advance(window, until, &active)? {
                Step::Done => {
                    waiting.pop();
                    active.remove(&window);
                }
                Step::Needs(run, position) => {
                    let owner = self.paths.owners.get(&run).copied().unwrap_or(window);
                    waiting.push((owner, Some((run, position))));
                    active.insert(owner);
                }
            }
        }
        Ok(())
    }

    fn is_placed(&self, run: RunNo, position: u32) -> bool {
        self.sources.get(&run).is_some_and(|source| source.end > position)
    }

    /// Goes on along the path of `window` to its end, or until the item at `until` is placed.
    fn advance(
        &mut self,
        window: WindowNo,
        until: Option<(RunNo, u32)>,
        active: &HashSet<WindowNo>,
    ) -> Result<Step> {
        let path = self.paths.windows.get(&window).map_or(&[][..], Vec::as_slice);
        let mut state = self.windows.remove(&window).unwrap_or_default();
        let mut step = Step::Done;
        while let Some(stretch) = path.get(state.step) {
            if until.is_some_and(|(run, position)| self.is_placed(run, position)) {
                break;
            }
            let own = self.paths.owners.get(&stretch.run) == Some(&window);
            if own && stretch.first >= self.end_of(stretch.run) {
                self.place(window, &mut state, stretch)?;
            } else if !own
                && let Some(last) = self.last_of(stretch)
                && !self.is_placed(stretch.run, last)
                && let Some(owner) = self.paths.owners.get(&stretch.run)
                && !active.contains(owner)
                && self.can_go_on(*owner)
            {
                step = Step::Needs(stretch.run, last);
                break;
            } else {
                self.share(window, &mut state, stretch)?;
            }
            state.step += 1;
        }
        self.windows.insert(window, state);
        Ok(step)
    }

    fn can_go_on(&self, window: WindowNo) -> bool {
        let steps = self.paths.windows.get(&window).map_or(0, Vec::len);
        self.windows.get(&window).map_or(0, |state| state.step) < steps
    }

    fn end_of(&self, run: RunNo) -> u32 {
        self.sources.get(&run).map_or(0, |source| source.end)
    }

    /// The last position of a stretch that can be saved.
    fn last_of(&self, stretch: &Stretch) -> Option<u32> {
        let run = self.items.runs.get(&stretch.run)?;
        let behind = run.there.partition_point(|(first, _)| *first < stretch.end);
        let (first, end) = run.there.get(behind.checked_sub(1)?)?;
        let last = stretch.end.min(*end) - 1;
        (last >= *first && last >= stretch.first).then_some(last)
    }

    /// The stretches of items within a stretch that can be saved.
    fn there(&self, stretch: &Stretch) -> Vec<(u32, u32)> {
        let Some(run) = self.items.runs.get(&stretch.run) else { return Vec::new() };
        let mut found = Vec::new();
        let mut position = stretch.first;
        while let Some((first, end)) = run.next_there(position) {
            if first >= stretch.end {
                break;
            }
            found.push((first, end.min(stretch.end)));
            position = end.min(stretch.end);
            if position >= stretch.end {
                break;
            }
        }
        found
    }

    /// Writes items of a window's own run.
    fn place(&mut self, window: WindowNo, state: &mut Window, stretch: &Stretch) -> Result<()> {
        for (first, end) in self.there(stretch) {
            for position in first..end {
                let Some(item) = self.items.get(stretch.run, position) else { continue };
                let run = self.run_for(window, state, stretch.run);
                self.note_bounds(stretch.run, position, state.chain);
                let before = stretch.ordinal.map(|at| at + u64::from(position - stretch.first));
                let at = self.write(state, run, item, before)?;
                let (tip, end) = (state.chain, position + 1);
                let source = self.sources.entry(stretch.run).or_insert_with(|| Source {
                    placed: Vec::new(),
                    run,
                    tip,
                    end,
                });
                (source.run, source.tip, source.end) = (run, tip, end);
                match source.placed.last_mut() {
                    Some(last)
                        if last.run == run
                            && last.at + last.count == at
                            && last.first + last.count == position =>
                    {
                        last.count += 1;
                    }
                    _ => source.placed.push(Placed { first: position, count: 1, run, at }),
                }
            }
        }
        self.note_bounds(stretch.run, stretch.end, state.chain);
        Ok(())
    }

    /// The run in which the next item of `old` goes: that itself as long as it goes on where the
    /// window is.
    fn run_for(&mut self, window: WindowNo, state: &mut Window, old: RunNo) -> RunNo {
        let wanted = self.sources.get(&old).map_or(old, |source| source.run);
        match self.writers.get(&wanted) {
            Some(writer) if writer.chain == state.chain => wanted,
            None if !self.sources.contains_key(&old) && old <= self.most_runs => {
                self.start(window, state, old)
            }
            _ => {
                let fresh = self.fresh();
                self.start(window, state, fresh)
            }
        }
    }

    fn fresh(&mut self) -> RunNo {
        self.next_run += 1;
        self.next_run - 1
    }

    fn start(&mut self, window: WindowNo, state: &mut Window, run: RunNo) -> RunNo {
        self.writers.insert(run, RunWriter::start(run, window, state.chain));
        state.runs.push(run);
        run
    }

    /// Notes the chain at the places of a run up to `position` that nobody has passed yet.
    fn note_bounds(&mut self, run: RunNo, position: u32, chain: ChainHash) {
        let passed = self.end_of(run);
        let Some(bounds) = self.bounds.get(&run) else { return };
        let from = bounds.partition_point(|bound| *bound < passed);
        for bound in bounds[from..].iter().take_while(|bound| **bound <= position) {
            self.chains.entry((run, *bound)).or_insert(chain);
        }
    }

    /// Adds items of another window's run to a window: the same rows if they follow from its path,
    /// else rows of its own.
    fn share(&mut self, window: WindowNo, state: &mut Window, stretch: &Stretch) -> Result<()> {
        let parts = self.there(stretch);
        if parts.is_empty() {
            return Ok(());
        }
        let follows = self.chain_at(stretch.run, stretch.first) == Some(state.chain);
        let behind = self.chain_at(stretch.run, stretch.end);
        let items: Option<Vec<(u32, ItemId)>> = parts
            .iter()
            .flat_map(|(first, end)| *first..*end)
            .map(|position| Some((position, self.find(ItemId::new(stretch.run, position))?)))
            .collect();
        let items = items.filter(|items| {
            items.windows(2).all(|pair| matches!(pair, [(_, a), (_, b)] if a.0 + 1 == b.0))
        });
        if let (true, Some(behind), Some(items)) = (follows, behind, items) {
            for (position, item) in items {
                let before = stretch.ordinal.map(|at| at + u64::from(position - stretch.first));
                state.add(item, before);
            }
            state.chain = behind;
            return Ok(());
        }
        for position in parts.into_iter().flat_map(|(first, end)| first..end) {
            let Some(item) = self.items.get(stretch.run, position) else { continue };
            let run = match state.copies.filter(|run| {
                self.writers.get(run).is_some_and(|writer| writer.chain == state.chain)
            }) {
                Some(run) => run,
                None => {
                    let fresh = self.fresh();
                    self.start(window, state, fresh)
                }
            };
            state.copies = Some(run);
            let before = stretch.ordinal.map(|at| at + u64::from(position - stretch.first));
            self.write(state, run, item, before)?;
        }
        Ok(())
    }

    /// The chain before `position` of a run, as it is in the new archive.
    fn chain_at(&self, run: RunNo, position: u32) -> Option<ChainHash> {
        let source = self.sources.get(&run)?;
        let noted = self.chains.get(&(run, position)).copied();
        noted.or((source.end <= position).then_some(source.tip))
    }

    fn write(
        &mut self,
        state: &mut Window,
        run: RunNo,
        item: Item,
        before: Option<u64>,
    ) -> Result<u32> {
        let hash = item.hash();
        let row = self.row(item)?;
        let (from, to) = state.times.unwrap_or((row.created_at, row.created_at));
        state.times = Some((from.min(row.created_at), to.max(row.created_at)));
        let Some(writer) = self.writers.get_mut(&run) else { return Ok(0) };
        let at = writer.len;
        writer.push(self.builder, row, &hash)?;
        self.written += 1;
        state.chain = writer.chain;
        state.add(ItemId::new(run, at), before);
        Ok(at)
    }

    fn row(&mut self, item: Item) -> Result<vox_format::chunk::ItemRow> {
        let mut row = item.row;
        row.content = self.builder.found(&item.content.name())?;
        if let Some(extra) = item.extra {
            row.rest = Some(Rest::Extra(self.builder.found(&extra.name())?));
        }
        if item.without_preview && !row.purged {
            let bytes = self.builder.read(row.content)?;
            row.preview = match std::str::from_utf8(&bytes) {
                Err(_) if row.kind == vox_types::ItemKind::Attachment => {
                    let media_type = self.items.symbol(row.name).unwrap_or("binary");
                    binary_preview(media_type, bytes.len() as u64)
                }
                _ => preview(&bytes),
            };
        }
        Ok(row)
    }
}

/// Stretches of runs, those that follow each other as one.
fn joined(stretches: impl Iterator<Item = (RunNo, u32, u32)>) -> Vec<(RunNo, u32, u32)> {
    let mut all: Vec<(RunNo, u32, u32)> = Vec::new();
    for (run, first, end) in stretches {
        match all.last_mut().filter(|last| last.0 == run && last.2 == first) {
            Some(last) => last.2 = end,
            None => all.push((run, first, end)),
        }
    }
    all
}
