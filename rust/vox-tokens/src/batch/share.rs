//! How a batch is shared out.

use std::{cmp::Reverse, mem};

/// The fewest bytes that are worth handing to a thread. Judgement: some 100 µs of work.
const LEAST: usize = 16 << 10;

/// The most bytes of a share, where it can be chosen. Judgement: some ms of work, so that at the
/// end no thread waits long for another.
const MOST: usize = 512 << 10;

/// Items that follow each other, or a part of one.
pub(crate) struct Share<'a> {
    /// The number of the first item.
    pub first: usize,
    held: Held<'a>,
}

enum Held<'a> {
    Items { number: usize, bytes: usize },
    Part(&'a [u8]),
}

impl<'a> Share<'a> {
    /// The bytes of each of its items, or of the part.
    pub fn of<'i>(&self, items: &'i [&'a [u8]]) -> impl Iterator<Item = &'a [u8]> + use<'a, 'i> {
        let (whole, part) = match self.held {
            Held::Items { number, .. } => (&items[self.first..self.first + number], None),
            Held::Part(part) => (&items[..0], Some(part)),
        };
        whole.iter().copied().chain(part)
    }

    fn bytes(&self) -> usize {
        match self.held {
            Held::Items { bytes, .. } => bytes,
            Held::Part(part) => part.len(),
        }
    }
}

/// `items` in shares of about the same size, none cut.
pub(crate) fn whole<'a>(items: &[&'a [u8]], threads: usize) -> Vec<Share<'a>> {
    cut(items, threads, |_, _| None)
}

/// `items` in shares of about the same size, long ones cut where `cut` allows it. What is much
/// larger than the others comes first, so that no thread is left with it at the end.
pub(crate) fn cut<'a>(
    items: &[&'a [u8]],
    threads: usize,
    cut: impl Fn(&[u8], usize) -> Option<usize>,
) -> Vec<Share<'a>> {
    // An empty item is work too.
    let all: usize = items.iter().map(|item| item.len() + 1).sum();
    // Eight for each thread even out what differs in difficulty. Judgement.
    let target = (all / (8 * threads)).clamp(LEAST, MOST);
    let mut shares = Vec::with_capacity(all / target + 2);
    let empty = |first| Share { first, held: Held::Items { number: 0, bytes: 0 } };
    let mut open = empty(0);
    for (place, &item) in items.iter().enumerate() {
        let parts = if threads > 1 { parts(item, target, &cut) } else { Vec::new() };
        if !parts.is_empty() {
            shares.push(mem::replace(&mut open, empty(place + 1)));
            shares.extend(
                parts.into_iter().map(|part| Share { first: place, held: Held::Part(part) }),
            );
        } else if let Held::Items { number, bytes } = &mut open.held {
            *number += 1;
            *bytes += item.len() + 1;
            if *bytes >= target {
                shares.push(mem::replace(&mut open, empty(place + 1)));
            }
        }
    }
    shares.push(open);
    shares.retain(|share| share.of(items).next().is_some());
    // Stable: the others stay in the order of the items, which is that of memory.
    shares.sort_by_key(|share| Reverse(share.bytes() / (2 * target)));
    shares
}

/// `item` in parts of `target` bytes or more; nothing if it is short or can't be cut.
fn parts<'a>(
    item: &'a [u8],
    target: usize,
    cut: &impl Fn(&[u8], usize) -> Option<usize>,
) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    let mut rest = item;
    while rest.len() > 2 * target
        && let Some(place) = cut(rest, target)
    {
        let (part, after) = rest.split_at(place);
        parts.push(part);
        rest = after;
    }
    if !parts.is_empty() {
        parts.push(rest);
    }
    parts
}
