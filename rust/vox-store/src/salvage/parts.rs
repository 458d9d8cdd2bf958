//! Where the items of a window stand in the new archive, and what ordinals they had.

use vox_types::{ChainHash, ItemId, RunNo};

/// A stretch of items of a window in the new archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The ordinal of its first item.
    pub ordinal: u64,
    /// The ordinal it had, where that is known.
    pub before: Option<u64>,
    /// The run.
    pub run: RunNo,
    /// The first position.
    pub first: u32,
    /// How many items.
    pub count: u32,
}

/// A window in the new archive.
pub struct Window {
    /// Its items.
    pub parts: Vec<Part>,
    /// How many they are.
    pub items: u64,
    /// The chain of its path.
    pub chain: ChainHash,
    /// Its runs, in the order in which they were begun.
    pub runs: Vec<RunNo>,
    /// Times of its first and last item.
    pub times: Option<(i64, i64)>,
    /// The stretch of its path that comes next.
    pub step: usize,
    /// The run of its own in which rows stand that it couldn't share.
    pub copies: Option<RunNo>,
}

impl Default for Window {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            items: 0,
            chain: ChainHash::ROOT,
            runs: Vec::new(),
            times: None,
            step: 0,
            copies: None,
        }
    }
}

impl Window {
    /// Adds an item; `before` is the ordinal it had, where that is known.
    pub fn add(&mut self, item: ItemId, before: Option<u64>) {
        let ordinal = self.items;
        self.items += 1;
        if let Some(last) = self.parts.last_mut()
            && last.run == item.run()
            && last.first + last.count == item.position()
            && last.before.map(|at| at + u64::from(last.count)) == before
        {
            last.count += 1;
            return;
        }
        let (run, first) = (item.run(), item.position());
        self.parts.push(Part { ordinal, before, run, first, count: 1 });
    }

    /// The items that had the ordinals from `first` on, as ranges of ordinals now: first and count.
    pub fn ordinals(&self, first: u64, count: u64) -> Vec<(u64, u64)> {
        let end = first.saturating_add(count);
        let mut found: Vec<(u64, u64)> = Vec::new();
        for part in &self.parts {
            let Some(before) = part.before else { continue };
            let from = before.max(first);
            let to = (before + u64::from(part.count)).min(end);
            if from < to {
                let start = part.ordinal + (from - before);
                match found.last_mut() {
                    Some((at, length)) if *at + *length == start => *length += to - from,
                    _ => found.push((start, to - from)),
                }
            }
        }
        found
    }
}
