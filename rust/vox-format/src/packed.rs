//! Columns of numbers, each stored as a difference to the smallest in as few bits as the
//! largest difference needs, with random access.

use std::ops::Range;

use vox_types::{Error, Result};

use crate::cursor::{take, take_array};

/// Appends a column of `values`.
pub fn write(out: &mut Vec<u8>, values: impl Iterator<Item = u64> + Clone) {
    write_from(out, values.clone().min().unwrap_or(0), values);
}

/// Appends a column of signed `values`.
pub fn write_signed(out: &mut Vec<u8>, values: impl Iterator<Item = i64> + Clone) {
    let base = values.clone().min().unwrap_or(0) as u64;
    write_from(out, base, values.map(|value| value as u64));
}

fn write_from(out: &mut Vec<u8>, base: u64, values: impl Iterator<Item = u64> + Clone) {
    let largest = values.clone().map(|value| value.wrapping_sub(base)).max().unwrap_or(0);
    let width = match 64 - largest.leading_zeros() {
        width @ 0..=56 => width,
        _ => 64,
    };
    out.extend_from_slice(&base.to_le_bytes());
    out.push(width as u8);
    let (mut pending, mut bits) = (0u128, 0u32);
    for value in values {
        pending |= u128::from(value.wrapping_sub(base)) << bits;
        bits += width;
        while bits >= 8 {
            out.push(pending as u8);
            pending >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        out.push(pending as u8);
    }
}

/// A column in place.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    base: u64,
    width: u32,
    len: usize,
    bits: &'a [u8],
}

impl<'a> Column<'a> {
    /// Splits a column of `n` values off the front of `bytes`.
    pub fn take(bytes: &mut &'a [u8], n: usize) -> Result<Self> {
        let base = u64::from_le_bytes(take_array(bytes, "base of a column")?);
        let [width] = take_array(bytes, "width of a column")?;
        if width > 56 && width != 64 {
            return Err(Error::damaged(format!("a column is {width} bits wide; at most 56 or 64")));
        }
        let width = u32::from(width);
        let bits = take(bytes, (n * width as usize).div_ceil(8), "values of a column")?;
        Ok(Self { base, width, len: n, bits })
    }

    /// A column of `n` zeros, which stands nowhere.
    pub fn zeros(n: usize) -> Self {
        Self { base: 0, width: 0, len: n, bits: &[] }
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value at `i`; the base if `i` is past the end.
    pub fn get(&self, i: usize) -> u64 {
        let at = i * self.width as usize;
        let word = match self.bits.get(at / 8..) {
            Some(rest) => match rest.first_chunk() {
                Some(bytes) => u64::from_le_bytes(*bytes),
                None => {
                    let mut bytes = [0; 8];
                    bytes[..rest.len()].copy_from_slice(rest);
                    u64::from_le_bytes(bytes)
                }
            },
            None => 0,
        };
        let mask = if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 };
        self.base.wrapping_add((word >> (at % 8)) & mask)
    }

    /// No value is larger than this, unless they wrap around.
    pub fn most(&self) -> u64 {
        let mask = if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 };
        self.base.saturating_add(mask)
    }

    /// The sum of the values of `range`, modulo 2⁶⁴; those past the end count nothing.
    pub fn sum(&self, range: Range<usize>) -> u64 {
        let range = range.start.min(self.len)..range.end.min(self.len);
        let count = range.len() as u64;
        self.base.wrapping_mul(count).wrapping_add(self.sum_of_differences(range))
    }

    /// The sum of what the values of `range` are above the base.
    fn sum_of_differences(&self, range: Range<usize>) -> u64 {
        let width = self.width as usize;
        if width == 0 {
            return 0;
        }
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        // So many values lie in one word, wherever its first bit stands in its first byte.
        let together = (57 / width).max(1);
        let (mut at, mut sum) = (range.start, 0u64);
        while at + together <= range.end {
            let bit = at * width;
            let Some(bytes) = self.bits.get(bit / 8..).and_then(|rest| rest.first_chunk()) else {
                break;
            };
            let mut word = u64::from_le_bytes(*bytes) >> (bit % 8);
            for _ in 1..together {
                sum = sum.wrapping_add(word & mask);
                word >>= width;
            }
            sum = sum.wrapping_add(word & mask);
            at += together;
        }
        (at..range.end).fold(sum, |sum, i| sum.wrapping_add(self.get(i).wrapping_sub(self.base)))
    }

    /// Appends the values of `range` to `out`; those past the end are left out.
    pub fn fill(&self, range: Range<usize>, out: &mut Vec<u64>) {
        let range = range.start.min(self.len)..range.end.min(self.len);
        if self.width == 0 {
            out.extend(range.map(|_| self.base));
        } else {
            out.extend(range.map(|i| self.get(i)));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_column_gives_back_its_values(values in prop::collection::vec(any::<u64>(), 0..200), shift in 0u32..64) {
            let values: Vec<u64> = values.iter().map(|value| value >> shift).collect();
            let mut bytes = Vec::new();
            write(&mut bytes, values.iter().copied());
            bytes.extend_from_slice(b"next");
            let mut rest = bytes.as_slice();
            let column = Column::take(&mut rest, values.len()).unwrap();
            prop_assert_eq!(rest, b"next");
            let mut all = Vec::new();
            column.fill(0..values.len(), &mut all);
            prop_assert_eq!(&all, &values);
            let middle = values.len() / 3..values.len();
            let sum = values[middle.clone()].iter().fold(0, |sum: u64, value| sum.wrapping_add(*value));
            prop_assert_eq!(column.sum(middle.start..usize::MAX), sum);
            for (i, value) in values.iter().enumerate() {
                prop_assert_eq!(column.get(i), *value);
            }
        }

        #[test]
        fn signed_values_survive(values in prop::collection::vec(any::<i64>(), 1..100), shift in 0u32..64) {
            let values: Vec<i64> = values.iter().map(|value| value >> shift).collect();
            let mut bytes = Vec::new();
            write_signed(&mut bytes, values.iter().copied());
            let column = Column::take(&mut bytes.as_slice(), values.len()).unwrap();
            let read: Vec<i64> = (0..values.len()).map(|i| column.get(i) as i64).collect();
            prop_assert_eq!(read, values);
        }

        #[test]
        fn any_bytes_are_a_column_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80), n in 0usize..600) {
            if let Ok(column) = Column::take(&mut bytes.as_slice(), n) {
                column.get(n);
                column.get(n.saturating_sub(1));
            }
        }
    }
}
