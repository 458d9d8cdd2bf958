//! The check of one tree: its pages, nodes, keys and counts.

use std::cmp::Ordering;

use crate::{
    Database, Finding, FindingKind, PageFile,
    database::{KeyOrder, MAX_DEPTH},
    node::{Value, check_layout, child, key, leaf},
    page::{Page, PageKind},
    usage::Usage,
};

/// Gets the page, key and value of each entry.
pub(crate) type OnEntry<'a> = dyn FnMut(u64, &[u8], Value<'_>) -> Result<(), Finding> + 'a;

/// The walk of one tree.
pub(crate) struct Walk<'a> {
    file: &'a PageFile,
    database: &'a Database,
    label: String,
    usage: &'a mut Usage,
    report: &'a mut dyn FnMut(Finding),
    sound: bool,
    level_reported: bool,
    branch_pages: u64,
    leaf_pages: u64,
    overflow_pages: u64,
    entries: u64,
}

/// A branch page on the way down, and the range of keys that its subtree may hold.
struct Place {
    page: Page,
    next: usize,
    range: KeyRange,
}

/// From `low` on, up to but without `high`.
#[derive(Clone, Default)]
struct KeyRange {
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
}

impl KeyRange {
    fn holds(&self, key: &[u8], order: KeyOrder) -> bool {
        let below = |low: &Vec<u8>| order.compare(key, low) == Ordering::Less;
        let above = |high: &Vec<u8>| order.compare(key, high) != Ordering::Less;
        order == KeyOrder::Unsupported
            || !(self.low.as_ref().is_some_and(below) || self.high.as_ref().is_some_and(above))
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        file: &'a PageFile,
        database: &'a Database,
        usage: &'a mut Usage,
        report: &'a mut dyn FnMut(Finding),
    ) -> Self {
        Self {
            file,
            database,
            label: database.label(),
            usage,
            report,
            sound: true,
            level_reported: false,
            branch_pages: 0,
            leaf_pages: 0,
            overflow_pages: 0,
            entries: 0,
        }
    }

    fn fault(&mut self, mut finding: Finding) {
        finding.message = format!("{}: {}", self.label, finding.message);
        self.sound &= finding.kind.is_note();
        (self.report)(finding);
    }

    /// Walks the tree; false if any of it is damaged.
    pub(crate) fn run(mut self, on_entry: &mut OnEntry<'_>) -> bool {
        if let Some(finding) = self.database.unsupported() {
            (self.report)(finding);
        }
        let mut path = Vec::new();
        if let Some(root) = self.database.record().root() {
            path.extend(self.enter(root, 1, KeyRange::default(), on_entry));
        }
        while let Some(place) = path.last_mut() {
            if place.next >= place.page.count() {
                path.pop();
                continue;
            }
            let (child, range) = next_child(place);
            let level = path.len() + 1;
            match child {
                Ok(child) => path.extend(self.enter(child, level, range, on_entry)),
                // The layout check has reported a node that can't be read.
                Err(_) => self.sound = false,
            }
        }
        if self.sound && self.database.order() != KeyOrder::Unsupported {
            self.compare_counts();
        }
        self.sound
    }

    /// Checks the page `number`; a branch page comes back to be walked on.
    fn enter(
        &mut self,
        number: u64,
        level: usize,
        range: KeyRange,
        on_entry: &mut OnEntry<'_>,
    ) -> Option<Place> {
        let page = self.file.locate(number, 1).and_then(|_| {
            self.usage.claim(number, 1, "a tree")?;
            self.file.page(number)
        });
        let page = match page {
            Ok(page) => page,
            Err(finding) => {
                self.fault(finding);
                return None;
            }
        };
        self.check_level(&page, level);
        if let Err(finding) = check_layout(&page) {
            self.fault(finding);
        }
        self.check_keys(&page, &range);
        match page.kind() {
            PageKind::Branch if level >= MAX_DEPTH => {
                let message = format!("it lies deeper than {MAX_DEPTH} levels");
                self.fault(Finding::at(FindingKind::Depth, number, message));
                None
            }
            PageKind::Branch => {
                self.branch_pages += 1;
                Some(Place { page, next: 0, range })
            }
            PageKind::Leaf => {
                self.leaf_pages += 1;
                self.check_entries(&page, on_entry);
                None
            }
        }
    }

    fn check_level(&mut self, page: &Page, level: usize) {
        let depth = usize::from(self.database.record().depth);
        let fits = match page.kind() {
            PageKind::Branch => level < depth,
            PageKind::Leaf => level == depth,
        };
        if !fits && !self.level_reported {
            self.level_reported = true;
            let message = format!("it lies at level {level} of a tree with {depth} levels");
            self.fault(Finding::at(FindingKind::Depth, page.number(), message));
        }
        // LMDB leaves a branch with one child nowhere but in its free list.
        let lone = page.kind() == PageKind::Branch && page.count() < 2;
        if lone && self.database.order() != KeyOrder::Integer {
            let message = "a branch page has one child only";
            self.fault(Finding::at(FindingKind::PageEmpty, page.number(), message));
        }
    }

    /// Reports the first key that is out of order, and the first out of range.
    fn check_keys(&mut self, page: &Page, range: &KeyRange) {
        let order = self.database.order();
        let mut before = None;
        let (mut unordered, mut outside) = (None, None);
        // The first key of a branch page is never looked at.
        for index in usize::from(page.kind() == PageKind::Branch)..page.count() {
            let Ok(key) = key(page, index) else { continue };
            let descends =
                before.is_some_and(|before| order.compare(before, key) != Ordering::Less);
            if key.is_empty() || descends {
                unordered.get_or_insert(index);
            }
            if !range.holds(key, order) {
                outside.get_or_insert(index);
            }
            before = Some(key);
        }
        if let Some(index) = unordered {
            let message = format!("the key of entry {index} is empty or not above the one before");
            self.fault(Finding::at(FindingKind::KeyOrder, page.number(), message));
        }
        if let Some(index) = outside {
            let message = format!("the key of entry {index} belongs to another page");
            self.fault(Finding::at(FindingKind::Separator, page.number(), message));
        }
    }

    fn check_entries(&mut self, page: &Page, on_entry: &mut OnEntry<'_>) {
        for index in 0..page.count() {
            let node = match leaf(page, index) {
                Ok(node) => node,
                // The layout check has reported a node that can't be read.
                Err(finding) if finding.kind == FindingKind::NodeBounds => continue,
                Err(finding) => {
                    self.fault(finding);
                    continue;
                }
            };
            self.entries = self.entries.saturating_add(1);
            if let Value::Overflow { page, length } = node.value
                && let Err(finding) = self.check_overflow(page, length)
            {
                self.fault(finding);
            }
            if node.value == Value::Duplicates && self.database.order() != KeyOrder::Unsupported {
                let message = format!("entry {index} has duplicates, which its database has not");
                self.fault(Finding::at(FindingKind::NodeFlags, page.number(), message));
            }
            if let Err(finding) = on_entry(page.number(), node.key, node.value) {
                self.fault(finding);
            }
        }
    }

    fn check_overflow(&mut self, page: u64, length: u32) -> Result<(), Finding> {
        let pages = self.file.overflow_run(page, length)?;
        self.usage.claim(page, pages, "a value")?;
        self.overflow_pages = self.overflow_pages.saturating_add(pages);
        Ok(())
    }

    fn compare_counts(&mut self) {
        let record = self.database.record();
        let counts = [
            ("branch pages", self.branch_pages, record.branch_pages),
            ("leaf pages", self.leaf_pages, record.leaf_pages),
            ("overflow pages", self.overflow_pages, record.overflow_pages),
            ("entries", self.entries, record.entries),
        ];
        for (what, found, noted) in counts {
            if found != noted {
                let message = format!("it has {found} {what}, but its record says {noted}");
                self.fault(Finding::general(FindingKind::Counts, message));
            }
        }
    }
}

/// The next child of `place` and the range of its keys.
fn next_child(place: &mut Place) -> (Result<u64, Finding>, KeyRange) {
    let index = place.next;
    place.next += 1;
    let mut range = place.range.clone();
    if index > 0
        && let Ok(key) = key(&place.page, index)
    {
        range.low = Some(key.to_vec());
    }
    if index + 1 < place.page.count()
        && let Ok(key) = key(&place.page, index + 1)
    {
        range.high = Some(key.to_vec());
    }
    (child(&place.page, index), range)
}
