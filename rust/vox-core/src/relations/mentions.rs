//! By how many later items the names of each are used again, and by which last.
//!
//! One pass: what an item counts for is settled when it comes, so that a window which grew goes on
//! where it was left, and the counts of a beginning are those of a window that ends there.

use std::collections::HashMap;

/// Names that are remembered. Judgement: 5 MiB; of longer windows those go that weren't used for
/// longest.
pub(super) const MOST_NAMES: usize = 1 << 18;
/// A name counts in any case while no more items than this have it. Judgement.
const ALWAYS: u32 = 16;
/// A name that is in more than one of so many items says nothing of any of them. Judgement.
const SHARE: u32 = 32;

/// Where a name was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    /// The first item that has it.
    pub first: u32,
    /// The last one so far.
    pub last: u32,
    /// How many items have it.
    pub items: u32,
}

/// The counts of the items so far, and what the next ones need.
#[derive(Default)]
pub(super) struct Mentions {
    pub counts: Vec<u32>,
    /// The last item that used names of each again; itself if none did.
    pub last_uses: Vec<u32>,
    pub names: HashMap<u64, Seen>,
    /// The items that the current one mentions.
    mentioned: Vec<u32>,
}

impl Mentions {
    /// Goes on after the items of `counts`.
    pub fn after(counts: Vec<u32>, last_uses: Vec<u32>, names: HashMap<u64, Seen>) -> Self {
        Self { counts, last_uses, names, mentioned: Vec::new() }
    }

    /// The next item, which has these names, each once.
    pub fn add(&mut self, names: &[u64]) {
        let item = self.counts.len() as u32;
        self.counts.push(0);
        self.last_uses.push(item);
        for name in names {
            let seen =
                self.names.entry(*name).or_insert(Seen { first: item, last: item, items: 0 });
            if seen.items > 0 && seen.items <= ALWAYS.max(item / SHARE) {
                self.mentioned.extend([seen.first, seen.last]);
            }
            seen.last = item;
            seen.items = seen.items.saturating_add(1);
        }
        self.mentioned.sort_unstable();
        self.mentioned.dedup();
        for mentioned in self.mentioned.drain(..) {
            if let Some(count) = self.counts.get_mut(mentioned as usize) {
                *count = count.saturating_add(1);
            }
            if let Some(last) = self.last_uses.get_mut(mentioned as usize) {
                *last = item;
            }
        }
        if self.names.len() > MOST_NAMES {
            self.forget();
        }
    }

    /// Forgets the half of the names that weren't used for longest.
    fn forget(&mut self) {
        let mut last: Vec<u32> = self.names.values().map(|seen| seen.last).collect();
        let middle = last.len() / 2;
        let (_, middle, _) = last.select_nth_unstable(middle);
        let middle = *middle;
        self.names.retain(|_, seen| seen.last >= middle);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// The same, looking at all items before each.
    fn slowly(items: &[Vec<u64>]) -> (Vec<u32>, Vec<u32>) {
        let mut counts = vec![0; items.len()];
        let mut last_uses: Vec<u32> = (0..items.len() as u32).collect();
        for (item, names) in items.iter().enumerate() {
            let mut mentioned = HashSet::new();
            for name in names {
                let with: Vec<usize> = (0..item).filter(|at| items[*at].contains(name)).collect();
                let most = 16.max(item / 32);
                if let (Some(first), Some(last)) = (with.first(), with.last())
                    && with.len() <= most
                {
                    mentioned.extend([*first, *last]);
                }
            }
            for at in mentioned {
                counts[at] += 1;
                last_uses[at] = item as u32;
            }
        }
        (counts, last_uses)
    }

    fn counted(items: &[Vec<u64>]) -> (Vec<u32>, Vec<u32>) {
        let mut mentions = Mentions::default();
        items.iter().for_each(|names| mentions.add(names));
        (mentions.counts, mentions.last_uses)
    }

    proptest! {
        #[test]
        fn counts_are_those_of_looking_at_all_items_before(
            items in prop::collection::vec(prop::collection::hash_set(0_u64..40, 0..6), 0..120),
        ) {
            let items: Vec<Vec<u64>> =
                items.into_iter().map(|names| names.into_iter().collect()).collect();
            prop_assert_eq!(counted(&items), slowly(&items));
        }
    }

    #[test]
    fn a_name_that_is_everywhere_no_longer_counts() {
        let items = vec![vec![7]; 100];
        let (counts, last_uses) = counted(&items);
        assert_eq!(counts[0], 16);
        assert_eq!(counts[1..16], [1; 15]);
        assert_eq!(counts[16..], [0; 84]);
        assert_eq!(
            last_uses[..18],
            [16, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 17]
        );
        assert_eq!((counts, last_uses), slowly(&items));
    }

    #[test]
    fn names_that_were_not_used_for_longest_are_forgotten() {
        let mut mentions = Mentions::default();
        mentions.add(&[1]);
        let per_item = 256;
        let items = MOST_NAMES as u64 / per_item + 10;
        for item in 0..items {
            let names: Vec<u64> = (0..per_item).map(|name| 100 + item * per_item + name).collect();
            mentions.add(&names);
        }
        assert!(mentions.names.len() <= MOST_NAMES);
        mentions.add(&[1, 100 + (items - 1) * per_item]);
        assert_eq!((mentions.counts[0], mentions.counts[items as usize]), (0, 1));
    }
}
