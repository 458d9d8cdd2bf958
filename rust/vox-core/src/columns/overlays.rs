//! Overlays of the rows of a batch.

use std::ops::Range;

use arrow_buffer::{BooleanBuffer, NullBuffer};

use crate::view::OverlayRange;

/// One overlay of every row; nothing is kept while no row has it.
pub(crate) struct OverlayColumn {
    values: Vec<i64>,
    set: Vec<bool>,
}

impl OverlayColumn {
    /// No row has the overlay.
    pub(crate) const fn new() -> Self {
        Self { values: Vec::new(), set: Vec::new() }
    }

    /// Takes over the values that `ranges` give to `rows`, whose ordinals ascend. `ordinals`
    /// holds those of all rows of the batch.
    pub(crate) fn apply(&mut self, ordinals: &[u64], rows: Range<usize>, ranges: &[OverlayRange]) {
        if ranges.is_empty() {
            return;
        }
        if self.set.is_empty() {
            self.values.resize(ordinals.len(), 0);
            self.set.resize(ordinals.len(), false);
        }
        let mut ranges = ranges.iter().peekable();
        for row in rows {
            while ranges.next_if(|range| range.end() <= ordinals[row]).is_some() {}
            match ranges.peek() {
                Some(range) if range.first <= ordinals[row] => {
                    self.values[row] = range.value;
                    self.set[row] = true;
                }
                Some(_) => {}
                None => break,
            }
        }
    }

    /// Which of `rows` rows have the overlay.
    pub(crate) fn set(&self, rows: usize) -> BooleanBuffer {
        if self.set.is_empty() {
            BooleanBuffer::new_unset(rows)
        } else {
            BooleanBuffer::from(self.set.as_slice())
        }
    }

    /// The values of `rows` rows and which of them hold.
    pub(crate) fn into_values(self, rows: usize) -> (Vec<i64>, Option<NullBuffer>) {
        let set = NullBuffer::new(self.set(rows));
        let values = if self.values.is_empty() { vec![0; rows] } else { self.values };
        (values, Some(set))
    }
}
