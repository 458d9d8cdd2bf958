//! Ranges of ordinals in ascending order, compared with ranges that stand in the archive.

use std::ops::Range;

use vox_format::rows::OverlayRange;
use vox_types::{Code, Error, Result, WindowNo};

/// `ranges` in ascending order, those that meet as one; an error if one reaches past the last of
/// a window's `items`.
pub(crate) fn in_order(
    window: WindowNo,
    items: u64,
    ranges: &[Range<u64>],
) -> Result<Vec<Range<u64>>> {
    if let Some(Range { start, end }) =
        ranges.iter().find(|range| range.start > range.end || range.end > items)
    {
        return Err(Error::new(
            Code::InvalidArgument,
            format!("window {window} has {items} items, so no items {start}..{end}"),
        ));
    }
    let mut sorted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
    sorted.sort_unstable_by_key(|range| (range.start, range.end));
    sorted.dedup_by(|next, last| {
        let meet = next.start <= last.end;
        if meet {
            last.end = last.end.max(next.end);
        }
        meet
    });
    Ok(sorted)
}

/// What of `ranges` lies in none of `others`. Both ascend, and neither overlaps itself.
pub(crate) fn without(ranges: &[Range<u64>], others: &[OverlayRange]) -> Vec<Range<u64>> {
    let mut out = Vec::new();
    let mut others = others.iter().peekable();
    for range in ranges {
        let mut at = range.start;
        while at < range.end {
            while others.next_if(|other| other.end() <= at).is_some() {}
            match others.peek() {
                Some(other) if other.first < range.end => {
                    if at < other.first {
                        out.push(at..other.first);
                    }
                    at = other.end().min(range.end);
                }
                _ => {
                    out.push(at..range.end);
                    at = range.end;
                }
            }
        }
    }
    out
}

/// What of `others` lies in `ranges`, cut to it. Both ascend, and neither overlaps itself.
pub(crate) fn within(ranges: &[Range<u64>], others: &[OverlayRange]) -> Vec<OverlayRange> {
    let mut out = Vec::new();
    let mut ranges = ranges.iter().peekable();
    for other in others {
        while ranges.next_if(|range| range.end <= other.first).is_some() {}
        let mut here = ranges.clone();
        while let Some(range) = here.next_if(|range| range.start < other.end()) {
            let first = range.start.max(other.first);
            let count = range.end.min(other.end()) - first;
            out.push(OverlayRange { first, count, value: other.value });
        }
    }
    out
}

/// How many items.
pub(crate) fn count<'r>(ranges: impl IntoIterator<Item = &'r Range<u64>>) -> u64 {
    ranges.into_iter().map(|range| range.end - range.start).sum()
}

/// The ordinals of a range of the archive.
pub(crate) fn ordinals(range: &OverlayRange) -> Range<u64> {
    range.first..range.end()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const ITEMS: u64 = 40;

    fn some_ranges() -> impl Strategy<Value = Vec<Range<u64>>> {
        let range = (0..ITEMS, 0..6u64).prop_map(|(at, count)| at..(at + count).min(ITEMS));
        prop::collection::vec(range, 0..8)
    }

    /// Ranges as they stand in the archive, made of a value or none for each item.
    fn standing() -> impl Strategy<Value = Vec<OverlayRange>> {
        let values = prop::collection::vec(prop::option::of(0i64..2), ITEMS as usize);
        values.prop_map(|values| {
            let mut out: Vec<OverlayRange> = Vec::new();
            for (first, value) in (0..).zip(values) {
                let Some(value) = value else { continue };
                match out.last_mut().filter(|last| last.end() == first && last.value == value) {
                    Some(last) => last.count += 1,
                    None => out.push(OverlayRange { first, count: 1, value }),
                }
            }
            out
        })
    }

    fn values(ranges: &[OverlayRange]) -> BTreeMap<u64, i64> {
        let each = ranges.iter().flat_map(|r| ordinals(r).map(|ordinal| (ordinal, r.value)));
        each.collect()
    }

    proptest! {
        #[test]
        fn ranges_agree_with_sets_of_ordinals(asked in some_ranges(), standing in standing()) {
            let asked_for = |ordinal: &u64| asked.iter().any(|range| range.contains(ordinal));
            let sorted = in_order(0, ITEMS, &asked).unwrap();
            let expected: Vec<u64> = (0..ITEMS).filter(asked_for).collect();
            prop_assert_eq!(sorted.iter().cloned().flatten().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(count(&sorted), expected.len() as u64);
            prop_assert!(sorted.windows(2).all(|pair| pair[0].end < pair[1].start));

            let said = values(&standing);
            let rest: Vec<u64> = without(&sorted, &standing).into_iter().flatten().collect();
            let free = |ordinal: &u64| asked_for(ordinal) && !said.contains_key(ordinal);
            prop_assert_eq!(rest, (0..ITEMS).filter(free).collect::<Vec<_>>());

            let mut inside = said.clone();
            inside.retain(|ordinal, _| asked_for(ordinal));
            let found = within(&sorted, &standing);
            prop_assert_eq!(values(&found), inside);
            prop_assert!(found.windows(2).all(|pair| pair[0].end() <= pair[1].first));
        }
    }
}
