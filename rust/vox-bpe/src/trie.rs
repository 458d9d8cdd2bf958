//! All tokens by their bytes, as a double array.
//!
//! A unit is one word: label (9 bits from bit 53 on), token (21 bits from bit 32 on), base (32
//! bits). The unit that byte `b` leads to from a unit is the one at `base ^ b`, if its label is
//! `b`. No two units share a base, so the label alone tells. The first 256 units are empty but for
//! the root, at 0: units that lead nowhere have base 0.

use std::ops::Range;

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
    let mut builder = Builder::default();
    builder.add_block();
    builder.add_block();
    // What is still to do: the unit, how many bytes lead to it, and the tokens below it.
    let mut todo = vec![(0, 0, 0..sorted.len())];
    let mut children = Vec::new();
    while let Some((at, depth, range)) = todo.pop() {
        find_children(sorted, depth, range, &mut children);
        if children.is_empty() {
            continue;
        }
        let base = builder.place(&children);
        builder.units[at] |= base as u64;
        for (label, mut range) in children.drain(..).rev() {
            let child = base ^ usize::from(label);
            let (bytes, number) = sorted[range.start];
            let token = if bytes.len() == depth + 1 {
                range.start += 1;
                number
            } else {
                NONE
            };
            builder.put(child, unit(u64::from(label), token, 0));
            if !range.is_empty() {
                todo.push((child, depth + 1, range));
            }
        }
    }
    builder.units
}

/// A byte that follows, and the tokens behind it.
type Child = (u8, Range<usize>);

/// The bytes that follow at `depth`, in order.
fn find_children(
    sorted: &[(&[u8], u32)],
    depth: usize,
    range: Range<usize>,
    found: &mut Vec<Child>,
) {
    for at in range {
        let label = sorted[at].0[depth];
        match found.last_mut() {
            Some((last, range)) if *last == label => range.end = at + 1,
            _ => found.push((label, at..at + 1)),
        }
    }
}

#[derive(Default)]
struct Builder {
    units: Vec<u64>,
    /// One bit per unit: whether a byte may still lead there.
    free: Vec<u64>,
    /// One bit per base: whether some unit has it.
    taken: Vec<u64>,
}

impl Builder {
    fn add_block(&mut self) {
        // The first block stays empty but for the root.
        let free = if self.units.is_empty() { 0 } else { u64::MAX };
        self.units.resize(self.units.len() + BLOCK, UNUSED);
        self.free.resize(self.units.len() / 64, free);
        self.taken.resize(self.units.len() / 64, 0);
    }

    fn put(&mut self, at: usize, unit: u64) {
        self.units[at] = unit;
        self.free[at / 64] &= !(1 << (at % 64));
    }

    fn is_free(&self, at: usize) -> bool {
        self.free[at / 64] >> (at % 64) & 1 == 1
    }

    /// A base from which the labels of all `children` lead to free units, which it reserves.
    fn place(&mut self, children: &[Child]) -> usize {
        let first = usize::from(children[0].0);
        loop {
            for word in self.free.len().saturating_sub(OPEN_BLOCKS * BLOCK / 64)..self.free.len() {
                let mut left = self.free[word];
                while left != 0 {
                    let base = (64 * word + left.trailing_zeros() as usize) ^ first;
                    let is_taken = self.taken[base / 64] >> (base % 64) & 1 == 1;
                    let fits = |(label, _): &Child| self.is_free(base ^ usize::from(*label));
                    if !is_taken && children[1..].iter().all(fits) {
                        self.taken[base / 64] |= 1 << (base % 64);
                        return base;
                    }
                    left &= left - 1;
                }
            }
            self.add_block();
        }
    }
}
