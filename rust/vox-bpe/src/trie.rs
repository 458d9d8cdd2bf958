//! All tokens by their bytes, as a double array.
//!
//! A unit is one word: label (9 bits from bit 53 on), token (21 bits from bit 32 on), base (32
//! bits). The unit that byte `b` leads to from a unit is the one at `base ^ b`, if its label is
//! `b`. No two units share a base, so the label alone tells. The first 256 units are empty but for
//! the root, at 0: units that lead nowhere have base 0.

use crate::layout::NONE;

const BLOCK: usize = 256;
/// The label of a unit that no byte leads to.
const NO_LABEL: u64 = 256;
const UNUSED: u64 = unit(NO_LABEL, NONE, 0);
/// Blocks behind the newest one in which places are looked for. Judgement: older ones are nearly
/// full, and looking through them would make building slow.
const OPEN_BLOCKS: usize = 24;

const fn unit(label: u64, token: u32, base: u32) -> u64 {
    label << 53 | (token as u64) << 32 | base as u64
}

/// The unit to start at.
#[inline(always)]
pub fn root(units: &[u64]) -> u64 {
    units[0]
}

/// The unit that `byte` leads to.
#[inline(always)]
pub fn step(units: &[u64], from: u64, byte: u8) -> Option<u64> {
    let unit = units[(from as u32 ^ u32::from(byte)) as usize];
    (unit >> 53 == u64::from(byte)).then_some(unit)
}

/// The token that ends at a unit, or [`NONE`].
#[inline(always)]
pub fn token(unit: u64) -> u32 {
    (unit >> 32) as u32 & NONE
}

/// The units for tokens that are sorted by their bytes, all different, none empty.
pub fn build(sorted: &[(&[u8], u32)]) -> Vec<u64> {
    let mut builder = Builder { units: Vec::new(), taken: Vec::new(), first_open: 0 };
    builder.add_block();
    builder.add_block();
    // What is still to do: the unit, how many bytes lead to it, and the tokens below it.
    let mut todo = vec![(0, 0, 0..sorted.len())];
    while let Some((at, depth, range)) = todo.pop() {
        let children = children(sorted, depth, range);
        if children.is_empty() {
            continue;
        }
        let labels: Vec<u8> = children.iter().map(|(label, _)| *label).collect();
        let base = builder.place(&labels);
        builder.units[at] |= base as u64;
        for (label, mut range) in children.into_iter().rev() {
            let child = base ^ usize::from(label);
            let (bytes, number) = sorted[range.start];
            let token = if bytes.len() == depth + 1 {
                range.start += 1;
                number
            } else {
                NONE
            };
            builder.units[child] = unit(u64::from(label), token, 0);
            todo.push((child, depth + 1, range));
        }
    }
    builder.units
}

/// The bytes that follow at `depth`, and the tokens behind each.
fn children(
    sorted: &[(&[u8], u32)],
    depth: usize,
    range: std::ops::Range<usize>,
) -> Vec<(u8, std::ops::Range<usize>)> {
    let mut found: Vec<(u8, std::ops::Range<usize>)> = Vec::new();
    for at in range {
        let label = sorted[at].0[depth];
        match found.last_mut() {
            Some((last, range)) if *last == label => range.end = at + 1,
            _ => found.push((label, at..at + 1)),
        }
    }
    found
}

struct Builder {
    units: Vec<u64>,
    /// By base: whether some unit has it.
    taken: Vec<bool>,
    /// The first unit in which a free place is looked for.
    first_open: usize,
}

impl Builder {
    fn add_block(&mut self) {
        self.units.resize(self.units.len() + BLOCK, UNUSED);
        self.taken.resize(self.units.len(), false);
        self.first_open =
            self.units.len().saturating_sub(OPEN_BLOCKS * BLOCK).max(self.first_open).max(BLOCK);
    }

    /// A base from which all `labels` lead to free units, which it reserves.
    fn place(&mut self, labels: &[u8]) -> usize {
        loop {
            while self.first_open < self.units.len() && self.units[self.first_open] != UNUSED {
                self.first_open += 1;
            }
            for at in self.first_open..self.units.len() {
                let base = at ^ usize::from(labels[0]);
                if !self.taken[base]
                    && labels.iter().all(|&label| self.units[base ^ usize::from(label)] == UNUSED)
                {
                    self.taken[base] = true;
                    return base;
                }
            }
            self.add_block();
        }
    }
}
