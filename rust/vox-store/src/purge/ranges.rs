//! Sets of numbers as sorted ranges that neither touch nor overlap.

use std::ops::Range;

/// A set of numbers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Ranges(Vec<Range<u64>>);

impl Ranges {
    /// The numbers of all `ranges`, in whatever order those come.
    pub fn of(mut ranges: Vec<Range<u64>>) -> Self {
        ranges.retain(|range| !range.is_empty());
        ranges.sort_unstable_by_key(|range| range.start);
        let mut set: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match set.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => set.push(range),
            }
        }
        Self(set)
    }

    /// The numbers of one range.
    pub fn one(range: Range<u64>) -> Self {
        Self(if range.is_empty() { Vec::new() } else { Vec::from([range]) })
    }

    /// The ranges, in order.
    pub fn iter(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.0.iter().cloned()
    }

    /// The parts of the set within `bounds`.
    pub fn within(&self, bounds: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let first = self.0.partition_point(|range| range.end <= bounds.start);
        self.0[first..]
            .iter()
            .take_while(move |range| range.start < bounds.end)
            .map(move |range| range.start.max(bounds.start)..range.end.min(bounds.end))
    }

    /// What is in both.
    pub fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().flat_map(|range| other.within(range.clone())).collect())
    }

    /// What is in this and not in the other.
    pub fn less(&self, other: &Self) -> Self {
        let mut left = Vec::new();
        for range in &self.0 {
            let mut start = range.start;
            for hole in other.within(range.clone()) {
                if start < hole.start {
                    left.push(start..hole.start);
                }
                start = hole.end;
            }
            if start < range.end {
                left.push(start..range.end);
            }
        }
        Self(left)
    }

    /// How many numbers.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|range| range.end - range.start).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn ranges() -> impl Strategy<Value = Vec<Range<u64>>> {
        prop::collection::vec((0u64..60, 0u64..9).prop_map(|(start, len)| start..start + len), 0..9)
    }

    fn plain(ranges: &[Range<u64>]) -> BTreeSet<u64> {
        ranges.iter().cloned().flatten().collect()
    }

    fn numbers(set: &Ranges) -> BTreeSet<u64> {
        let ranges: Vec<_> = set.iter().collect();
        assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(ranges.iter().all(|range| !range.is_empty()));
        plain(&ranges)
    }

    proptest! {
        #[test]
        fn sets_of_ranges_are_sets_of_numbers(one in ranges(), two in ranges()) {
            let (a, b) = (Ranges::of(one.clone()), Ranges::of(two.clone()));
            let (one, two) = (plain(&one), plain(&two));
            prop_assert_eq!(numbers(&a), one.clone());
            prop_assert_eq!(a.count(), one.len() as u64);
            prop_assert_eq!(numbers(&a.and(&b)), &one & &two);
            prop_assert_eq!(numbers(&a.less(&b)), &one - &two);
        }
    }
}
