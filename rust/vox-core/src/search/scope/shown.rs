//! Which windows show which stretches of runs.

use std::{collections::BTreeMap, ops::Range};

use vox_types::{ItemId, RunNo, WindowNo};

/// A stretch of a run and a window that shows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Stretch {
    /// The run.
    pub run: RunNo,
    /// The first position.
    pub first: u32,
    /// The position after the last.
    pub end: u32,
    /// The window.
    pub window: WindowNo,
}

/// Stretches of runs that windows in scope show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Shown {
    /// All of them, by run.
    all: Vec<Stretch>,
    /// Each position once, with the window that names it, by run and position.
    named: Vec<Stretch>,
    /// Where the stretches of each run begin in both, and where the last ones end.
    of_run: Vec<(u32, u32)>,
}

impl Shown {
    /// What `all` comes to; `owner` gives the window that owns a run.
    pub(super) fn new<E>(
        mut all: Vec<Stretch>,
        mut owner: impl FnMut(RunNo) -> Result<WindowNo, E>,
    ) -> Result<Self, E> {
        all.sort_unstable();
        let mut shown = Self::default();
        for run in all.chunk_by(|a, b| a.run == b.run) {
            let places = (shown.all.len() as u32, shown.named.len() as u32);
            shown.of_run.resize(run[0].run as usize + 1, places);
            // A window that was merged of others may show a position twice.
            let apart =
                |pair: &[Stretch]| pair[0].window == pair[1].window && pair[0].end <= pair[1].first;
            match run.windows(2).all(apart) {
                true => shown.named.extend_from_slice(run),
                false => name(run, owner(run[0].run)?, &mut shown.named),
            }
            shown.all.extend_from_slice(run);
        }
        shown.of_run.push((shown.all.len() as u32, shown.named.len() as u32));
        Ok(shown)
    }

    /// All stretches, each position once, by run and position.
    pub(crate) fn named(&self) -> &[Stretch] {
        &self.named
    }

    /// Those of them that `run` has.
    pub(crate) fn named_of(&self, run: RunNo) -> &[Stretch] {
        self.range(run).map_or(&[], |(_, named)| &self.named[named])
    }

    /// The window that names `item`; none if no window in scope shows it.
    pub(crate) fn window_of(&self, item: ItemId) -> Option<WindowNo> {
        let stretches = self.named_of(item.run());
        let place = stretches.partition_point(|stretch| stretch.end <= item.position());
        let stretch = stretches.get(place)?;
        (stretch.first <= item.position()).then_some(stretch.window)
    }

    /// The windows in scope that show `item`.
    pub(crate) fn windows_of(&self, item: ItemId) -> impl Iterator<Item = WindowNo> + '_ {
        let all = self.range(item.run()).map_or(&[][..], |(all, _)| &self.all[all]);
        let at = item.position();
        let holds = move |stretch: &&Stretch| stretch.first <= at && at < stretch.end;
        all.iter().filter(holds).map(|stretch| stretch.window)
    }

    fn range(&self, run: RunNo) -> Option<(Range<usize>, Range<usize>)> {
        let (all, named) = *self.of_run.get(run as usize)?;
        let (all_end, named_end) = *self.of_run.get(run as usize + 1)?;
        Some((all as usize..all_end as usize, named as usize..named_end as usize))
    }
}

/// Appends the stretches of one run, each position once: with its owner where that shows it, else
/// with the first window that does.
fn name(run: &[Stretch], owner: WindowNo, named: &mut Vec<Stretch>) {
    let mut by_rank = run.to_vec();
    by_rank
        .sort_unstable_by_key(|stretch| (stretch.window != owner, stretch.window, stretch.first));
    // By first position: those after it, up to the end, are named by the window.
    let mut taken: BTreeMap<u32, (u32, WindowNo)> = BTreeMap::new();
    for stretch in by_rank {
        let mut at = stretch.first;
        while at < stretch.end {
            let before = taken.range(..=at).next_back().map(|(_, (end, _))| *end);
            if let Some(end) = before.filter(|end| *end > at) {
                at = end;
                continue;
            }
            let next = taken.range(at..).next().map_or(u32::MAX, |(first, _)| *first);
            let end = stretch.end.min(next);
            taken.insert(at, (end, stretch.window));
            at = end;
        }
    }
    named.extend(taken.into_iter().map(|(first, (end, window))| Stretch {
        run: run[0].run,
        first,
        end,
        window,
    }));
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_window_that_shows_a_position_twice_names_it_once() {
        let stretch = |first, end| Stretch { run: 0, first, end, window: 5 };
        let shown =
            Shown::new(vec![stretch(4, 12), stretch(5, 6)], |_| Ok::<_, Infallible>(5)).unwrap();
        assert_eq!(shown.named().iter().map(|named| named.end - named.first).sum::<u32>(), 8);
        assert!((4..12).all(|position| shown.window_of(ItemId::new(0, position)) == Some(5)));
    }

    proptest! {
        #[test]
        fn an_item_is_named_by_the_owner_of_its_run_or_the_first_window_that_shows_it(
            stretches in prop::collection::vec((0u32..4, 0u32..20, 1u32..10, 0u32..6), 0..20),
        ) {
            let all: Vec<Stretch> = stretches
                .iter()
                .map(|&(run, first, len, window)| Stretch { run: run * 2, first, end: first + len, window })
                .collect();
            let shown = Shown::new(all.clone(), |run| Ok::<_, Infallible>(run / 2 + 1)).unwrap();
            for run in 0..10 {
                for position in 0..32 {
                    let item = ItemId::new(run, position);
                    let mut windows: Vec<WindowNo> = all
                        .iter()
                        .filter(|s| s.run == run && s.first <= position && position < s.end)
                        .map(|s| s.window)
                        .collect();
                    windows.sort_unstable();
                    let owner = run / 2 + 1;
                    let expected = if windows.contains(&owner) { Some(owner) } else { windows.first().copied() };
                    prop_assert_eq!(shown.window_of(item), expected);
                    let mut found: Vec<WindowNo> = shown.windows_of(item).collect();
                    found.sort_unstable();
                    prop_assert_eq!(found, windows);
                }
            }
            prop_assert!(shown.named().is_sorted());
        }
    }
}
