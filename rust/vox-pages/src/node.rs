//! Nodes: the entries of a tree page.
//!
//! A node is eight bytes of header, the key, and in a leaf the value or the number of the overflow
//! page that holds it. Nodes fill the end of a page without gaps, each rounded up to an even size.

use std::ops::Range;

use crate::{
    Finding, FindingKind,
    bytes::{u16_at, u32_at, u64_at},
    page::{HEADER, Page, PageKind},
};

const NODE_HEADER: usize = 8;
const FLAG_OVERFLOW: u16 = 0x01;
const FLAG_RECORD: u16 = 0x02;
const FLAG_DUPLICATES: u16 = 0x04;

/// The value of a leaf node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value<'p> {
    /// In the page.
    Inline(&'p [u8]),
    /// On overflow pages from `page` on.
    Overflow { page: u64, length: u32 },
    /// The record of a named database.
    Record(&'p [u8]),
    /// Sorted duplicates, which aren't read.
    Duplicates,
}

/// An entry of a leaf page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'p> {
    pub(crate) key: &'p [u8],
    pub(crate) value: Value<'p>,
}

/// Node `index` of a leaf page.
pub(crate) fn leaf(page: &Page, index: usize) -> Result<Leaf<'_>, Finding> {
    let node = node(page, index)?;
    let payload = page.bytes().get(node.payload.clone()).unwrap_or_default();
    let value = match node.flags {
        0 => Value::Inline(payload),
        FLAG_OVERFLOW => {
            let page = u64_at(payload, 0).ok_or_else(|| outside(page, index))?;
            Value::Overflow { page, length: node.low }
        }
        FLAG_RECORD => Value::Record(payload),
        flags if flags & !(FLAG_RECORD | FLAG_DUPLICATES) == 0 => Value::Duplicates,
        flags => {
            let message = format!("entry {index} has the flags {flags:#06x}");
            return Err(Finding::at(FindingKind::NodeFlags, page.number(), message));
        }
    };
    Ok(Leaf { key: page.bytes().get(node.key).unwrap_or_default(), value })
}

/// The child page of node `index` of a branch page.
pub(crate) fn child(page: &Page, index: usize) -> Result<u64, Finding> {
    let node = node(page, index)?;
    Ok(u64::from(node.flags) << 32 | u64::from(node.low))
}

/// The key of node `index`. In a branch page it is the least key that may stand in the child, and
/// without meaning in the first node.
pub(crate) fn key(page: &Page, index: usize) -> Result<&[u8], Finding> {
    node(page, index).map(|node| page.bytes().get(node.key).unwrap_or_default())
}

/// Whether the nodes of `page` fill its end without gaps and overlaps.
pub(crate) fn check_layout(page: &Page) -> Result<(), Finding> {
    let mut extents = Vec::with_capacity(page.count());
    for index in 0..page.count() {
        let node = node(page, index)?;
        extents.push((node.key.start - NODE_HEADER, node.payload.end.next_multiple_of(2)));
    }
    extents.sort_unstable();
    let mut at = page.upper();
    for (start, end) in extents {
        if start != at {
            let what = if start < at { "overlap" } else { "leave a gap" };
            let message = format!("entries {what} at byte {start}");
            return Err(Finding::at(FindingKind::NodeLayout, page.number(), message));
        }
        at = end;
    }
    if at == page.bytes().len() {
        return Ok(());
    }
    let message = format!("the entries end at byte {at}, not at the end of the page");
    Err(Finding::at(FindingKind::NodeLayout, page.number(), message))
}

/// A node as it lies in its page; both ranges are within the page.
struct Node {
    /// Length of the value, or low half of the child's number.
    low: u32,
    flags: u16,
    key: Range<usize>,
    payload: Range<usize>,
}

fn node(page: &Page, index: usize) -> Result<Node, Finding> {
    let locate = || {
        let bytes = page.bytes();
        let offset = usize::from(u16_at(bytes, HEADER.checked_add(index.checked_mul(2)?)?)?);
        let low = u32_at(bytes, offset)?;
        let flags = u16_at(bytes, offset.checked_add(4)?)?;
        let key_start = offset.checked_add(NODE_HEADER)?;
        let key_end = key_start.checked_add(u16_at(bytes, offset.checked_add(6)?)?.into())?;
        let length = match page.kind() {
            PageKind::Branch => 0,
            PageKind::Leaf if flags & FLAG_OVERFLOW != 0 => size_of::<u64>(),
            PageKind::Leaf => usize::try_from(low).ok()?,
        };
        let end = key_end.checked_add(length)?;
        let within =
            index < page.count() && offset >= page.upper() && offset % 2 == 0 && end <= bytes.len();
        within.then_some(Node { low, flags, key: key_start..key_end, payload: key_end..end })
    };
    locate().ok_or_else(|| outside(page, index))
}

fn outside(page: &Page, index: usize) -> Finding {
    let message = format!("entry {index} doesn't lie within the page");
    Finding::at(FindingKind::NodeBounds, page.number(), message)
}
