//! Pages of a tree: the header and the table of nodes.

use std::sync::Arc;

use crate::{
    Finding, FindingKind,
    bytes::{u16_at, u32_at, u64_at},
};

/// Bytes of a page's header.
pub(crate) const HEADER: usize = 16;
/// Where the flags stand in the header.
pub(crate) const FLAGS_AT: usize = 10;

const FLAG_BRANCH: u16 = 0x01;
const FLAG_LEAF: u16 = 0x02;
const FLAG_OVERFLOW: u16 = 0x04;
pub(crate) const FLAG_META: u16 = 0x08;

/// What a tree page holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PageKind {
    /// Separators and page numbers.
    Branch,
    /// Keys and values.
    Leaf,
}

/// A tree page whose header was found to be sound. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    number: u64,
    kind: PageKind,
    count: usize,
    upper: usize,
    bytes: Arc<[u8]>,
}

impl Page {
    /// Checks the header of page `number`; `bytes` is the whole page.
    pub(crate) fn parse(bytes: Arc<[u8]>, number: u64) -> Result<Self, Finding> {
        check_number(&bytes, number)?;
        let kind = match u16_at(&bytes, FLAGS_AT) {
            Some(FLAG_BRANCH) => PageKind::Branch,
            Some(FLAG_LEAF) => PageKind::Leaf,
            flags => {
                let flags = flags.unwrap_or_default();
                let message = format!("the flags {flags:#06x} are those of no tree page");
                return Err(Finding::at(FindingKind::PageFlags, number, message));
            }
        };
        let lower = usize::from(u16_at(&bytes, 12).unwrap_or_default());
        let upper = usize::from(u16_at(&bytes, 14).unwrap_or_default());
        if lower < HEADER || lower % 2 != 0 || lower > upper || upper > bytes.len() {
            let message = format!("its free space can't go from byte {lower} to byte {upper}");
            return Err(Finding::at(FindingKind::PageBounds, number, message));
        }
        if lower == HEADER {
            return Err(Finding::at(FindingKind::PageEmpty, number, "a tree page has no entries"));
        }
        Ok(Self { number, kind, count: (lower - HEADER) / 2, upper, bytes })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn kind(&self) -> PageKind {
        self.kind
    }

    /// Nodes on the page, at least one.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Where the nodes begin.
    pub(crate) fn upper(&self) -> usize {
        self.upper
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The number of pages in the overflow run that begins with `header`, the first bytes of page `number`.
pub(crate) fn overflow_pages(header: &[u8], number: u64) -> Result<u64, Finding> {
    check_number(header, number)?;
    match (u16_at(header, FLAGS_AT), u32_at(header, 12)) {
        (Some(FLAG_OVERFLOW), Some(pages)) => Ok(u64::from(pages)),
        (flags, _) => {
            let flags = flags.unwrap_or_default();
            let message = format!("the flags {flags:#06x} are those of no overflow page");
            Err(Finding::at(FindingKind::PageFlags, number, message))
        }
    }
}

fn check_number(header: &[u8], number: u64) -> Result<(), Finding> {
    match u64_at(header, 0) {
        Some(found) if found == number => Ok(()),
        found => {
            let message = format!("it carries the page number {}", found.unwrap_or_default());
            Err(Finding::at(FindingKind::PageNumber, number, message))
        }
    }
}
