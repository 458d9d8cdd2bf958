//! Many ranges of a window's items in one value, as events hold them.

use serde::{Deserialize, Serialize};
use vox_types::{Error, Result};

use crate::{
    cursor::take_array,
    packed::{self, Column},
    rows::OverlayRange,
};

/// Ranges in ascending order, with or without a value each, encoded: see "events" in `contracts/archive-format.md`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PackedRanges(#[serde(with = "serde_bytes")] Vec<u8>);

/// The layout without values, and the one with them.
const PLAIN: u8 = 1;
const WITH_VALUES: u8 = 2;

impl PackedRanges {
    /// Packs the places of `ranges`.
    pub fn places(ranges: &[OverlayRange]) -> Self {
        Self::pack(PLAIN, ranges)
    }

    /// Packs `ranges` with their values.
    pub fn with_values(ranges: &[OverlayRange]) -> Self {
        Self::pack(WITH_VALUES, ranges)
    }

    fn pack(layout: u8, ranges: &[OverlayRange]) -> Self {
        let mut out = vec![layout];
        out.extend_from_slice(&(ranges.len() as u32).to_le_bytes());
        packed::write(&mut out, ranges.iter().map(|range| range.first));
        packed::write(&mut out, ranges.iter().map(|range| range.count));
        if layout == WITH_VALUES {
            packed::write_signed(&mut out, ranges.iter().map(|range| range.value));
        }
        Self(out)
    }

    /// The ranges in their order; their values are 0 if they were packed without.
    pub fn unpack(&self) -> Result<Vec<OverlayRange>> {
        let mut rest = self.0.as_slice();
        let [layout] = take_array(&mut rest, "the layout of packed ranges")?;
        if layout != PLAIN && layout != WITH_VALUES {
            return Err(Error::damaged(format!("packed ranges of layout {layout} are unknown")));
        }
        let count = u32::from_le_bytes(take_array(&mut rest, "the number of packed ranges")?);
        let count = count as usize;
        // As their places differ, each takes a bit at least.
        if count > 1 && count > 8 * rest.len() {
            return Err(Error::damaged(format!("{count} packed ranges in {} bytes", rest.len())));
        }
        let mut column = || Column::take(&mut rest, count);
        let (first, counts) = (column()?, column()?);
        let values = if layout == WITH_VALUES { Some(column()?) } else { None };
        let value = |i| values.map_or(0, |values| values.get(i) as i64);
        let range = |i| OverlayRange { first: first.get(i), count: counts.get(i), value: value(i) };
        Ok((0..count).map(range).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_survive_with_and_without_values(ranges in prop::collection::btree_map(any::<u64>(), any::<(u64, i64)>(), 0..80)) {
            let range = |(first, (count, value))| OverlayRange { first, count, value };
            let ranges: Vec<_> = ranges.into_iter().map(range).collect();
            prop_assert_eq!(&PackedRanges::with_values(&ranges).unpack().unwrap(), &ranges);
            let plain: Vec<_> = ranges.iter().map(|range| OverlayRange { value: 0, ..*range }).collect();
            prop_assert_eq!(PackedRanges::places(&ranges).unpack().unwrap(), plain);
        }

        #[test]
        fn any_bytes_are_ranges_or_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..80), plausible: bool) {
            if plausible && bytes.len() > 5 {
                bytes[0] = 1 + bytes[0] % 2;
                bytes[2..5].fill(0);
            }
            drop(PackedRanges(bytes).unpack());
        }
    }
}
