//! What is remembered of items while an archive is checked: eight bytes each, and sums at places.

use vox_types::{ChainHash, ItemId};

/// The items of a chunk among all.
struct Span {
    first: u64,
    start: usize,
    len: usize,
}

/// The starts of the chain hashes of all items, in the order of their ids.
#[derive(Default)]
pub(super) struct Items {
    spans: Vec<Span>,
    prefixes: Vec<u64>,
    indexed: Vec<u64>,
}

impl Items {
    /// Adds the items of a chunk, from `first` on; it stands behind all others.
    pub fn add(&mut self, first: ItemId, prefixes: &[u64]) {
        self.spans.push(Span { first: first.0, start: self.prefixes.len(), len: prefixes.len() });
        self.prefixes.extend_from_slice(prefixes);
    }

    pub fn len(&self) -> usize {
        self.prefixes.len()
    }

    /// Marks an item as one that the index names; gives the start of its chain hash.
    pub fn mark(&mut self, item: ItemId) -> Option<u64> {
        let behind = self.spans.partition_point(|span| span.first <= item.0);
        let span = self.spans.get(behind.checked_sub(1)?)?;
        let offset = usize::try_from(item.0 - span.first).ok().filter(|at| *at < span.len)?;
        let place = span.start + offset;
        if self.indexed.is_empty() {
            self.indexed = vec![0; self.prefixes.len().div_ceil(64)];
        }
        *self.indexed.get_mut(place / 64)? |= 1 << (place % 64);
        self.prefixes.get(place).copied()
    }

    /// Every item, with the start of its chain hash and whether it is marked.
    pub fn iter(&self) -> impl Iterator<Item = (ItemId, u64, bool)> {
        self.spans.iter().flat_map(move |span| {
            (0..span.len).map(move |offset| {
                let place = span.start + offset;
                let prefix = self.prefixes.get(place).copied().unwrap_or_default();
                let marked =
                    self.indexed.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1);
                (ItemId(span.first + offset as u64), prefix, marked)
            })
        })
    }
}

/// What stands before a place in a run: sums from the start of the run, and the chain hash of the
/// last item on the path that isn't a side item.
#[derive(Clone, Copy)]
pub(super) struct Tally {
    pub chain: ChainHash,
    pub bytes: u64,
    pub tokens: u64,
    pub records: u64,
}

/// Tallies at the places where extents start and end.
pub(super) struct Tallies {
    places: Vec<u64>,
    tallies: Vec<Option<Tally>>,
    next: usize,
}

impl Tallies {
    /// For `places` (`run << 32 | position`) in order.
    pub fn at(places: Vec<u64>) -> Self {
        let tallies = vec![None; places.len()];
        Self { places, tallies, next: 0 }
    }

    /// Says what stands before `place`, if that is wanted. Places ascend from call to call.
    pub fn fill(&mut self, place: u64, tally: impl FnOnce() -> Option<Tally>) {
        while let Some(next) = self.places.get(self.next).filter(|next| **next <= place) {
            if *next == place {
                if let Some(slot) = self.tallies.get_mut(self.next)
                    && slot.is_none()
                {
                    *slot = tally();
                }
                return;
            }
            self.next += 1;
        }
    }

    /// What stands before `place`.
    pub fn get(&self, place: u64) -> Option<Tally> {
        self.places.binary_search(&place).ok().and_then(|at| self.tallies.get(at).copied())?
    }
}
