//! Walks the entries of a tree in the order of their keys, around whatever is damaged.

use std::cmp::Ordering;

use crate::{
    Database, Finding, FindingKind, PageFile,
    database::{KeyOrder, MAX_DEPTH},
    node::{Value, child, key, leaf},
    page::{Page, PageKind},
    page_set::PageSet,
};

/// The entries of a database: key and value. Made by [`Database::iter`].
///
/// Damage is an item of its own, and the entries behind it follow. No page is visited twice, so
/// that the walk ends whatever the pages say.
#[derive(Debug)]
pub struct Cursor<'f> {
    file: &'f PageFile,
    order: KeyOrder,
    /// The page to begin with, or why there is no beginning.
    begin: Option<Result<u64, Finding>>,
    start: Option<Vec<u8>>,
    path: Vec<Place>,
    visited: PageSet,
    last: Option<Vec<u8>>,
    /// Whether keys have to ascend.
    ascending: bool,
}

#[derive(Debug)]
struct Place {
    page: Page,
    next: usize,
}

impl<'f> Cursor<'f> {
    pub(crate) fn new(file: &'f PageFile, database: &Database, start: Option<Vec<u8>>) -> Self {
        let root = database.record().root().map(Ok);
        Self {
            file,
            order: database.order(),
            begin: database.unsupported().map(Err).or(root),
            start,
            path: Vec::new(),
            visited: PageSet::default(),
            last: None,
            ascending: true,
        }
    }

    /// Every entry, whether its key is greater than the one before or not.
    pub(crate) fn in_any_order(file: &'f PageFile, database: &Database) -> Self {
        Self { ascending: false, ..Self::new(file, database, None) }
    }

    /// The next leaf entry, as a leaf page and the index in it. Its key ascends.
    pub(crate) fn advance(&mut self) -> Option<Result<(Page, usize), Finding>> {
        if let Some(begin) = self.begin.take()
            && let Err(finding) = begin.and_then(|root| self.enter(root))
        {
            return Some(Err(finding));
        }
        loop {
            let place = self.path.last_mut()?;
            let index = place.next;
            if index >= place.page.count() {
                self.path.pop();
                continue;
            }
            place.next += 1;
            let page = place.page.clone();
            let step = match page.kind() {
                PageKind::Branch => child(&page, index).and_then(|child| self.enter(child)),
                PageKind::Leaf => match self.ascend(&page, index) {
                    Ok(()) => return Some(Ok((page, index))),
                    Err(finding) => Err(finding),
                },
            };
            if let Err(finding) = step {
                return Some(Err(finding));
            }
        }
    }

    /// Puts the page `number` on the path, at the entry where the walk starts.
    fn enter(&mut self, number: u64) -> Result<(), Finding> {
        if self.path.len() >= MAX_DEPTH {
            let message = format!("the tree is deeper than {MAX_DEPTH} levels");
            return Err(Finding::at(FindingKind::Depth, number, message));
        }
        let page = self.file.page(number)?;
        if !self.visited.insert(number) {
            let message = "the page is reached a second time in one tree";
            return Err(Finding::at(FindingKind::PageShared, number, message));
        }
        let next = match &self.start {
            Some(start) => seek(&page, start, self.order)?,
            None => 0,
        };
        if page.kind() == PageKind::Leaf {
            self.start = None;
        }
        self.path.push(Place { page, next });
        Ok(())
    }

    fn ascend(&mut self, page: &Page, index: usize) -> Result<(), Finding> {
        let key = key(page, index)?;
        if !self.ascending {
            return Ok(());
        }
        if let Some(last) = &self.last
            && self.order.compare(last, key) != Ordering::Less
        {
            let message = format!("the key of entry {index} isn't greater than the one before");
            return Err(Finding::at(FindingKind::KeyOrder, page.number(), message));
        }
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        Ok(())
    }
}

impl Iterator for Cursor<'_> {
    type Item = Result<(Vec<u8>, Vec<u8>), Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        let (page, index) = match self.advance()? {
            Ok(place) => place,
            Err(finding) => return Some(Err(finding)),
        };
        Some(
            leaf(&page, index).and_then(|node| {
                Ok((node.key.to_vec(), value(self.file, page.number(), node.value)?))
            }),
        )
    }
}

/// The bytes of a leaf's value; `page` is the leaf. That of a named database is its record.
pub(crate) fn value(file: &PageFile, page: u64, value: Value<'_>) -> Result<Vec<u8>, Finding> {
    match value {
        Value::Inline(bytes) | Value::Record(bytes) => Ok(bytes.to_vec()),
        Value::Overflow { page, length } => file.overflow_value(page, length),
        Value::Duplicates => {
            let message = "an entry with sorted duplicates isn't read";
            Err(Finding::at(FindingKind::Unsupported, page, message))
        }
    }
}

/// The leaf page and index of the entry `key`, if there is one.
pub(crate) fn find(
    file: &PageFile,
    database: &Database,
    key: &[u8],
) -> Result<Option<(Page, usize)>, Finding> {
    if let Some(finding) = database.unsupported() {
        return Err(finding);
    }
    let Some(mut number) = database.record().root() else { return Ok(None) };
    for _ in 0..MAX_DEPTH {
        let page = file.page(number)?;
        let index = seek(&page, key, database.order())?;
        match page.kind() {
            PageKind::Branch => number = child(&page, index)?,
            PageKind::Leaf if index >= page.count() => return Ok(None),
            PageKind::Leaf => {
                let found = database.order().compare(leaf(&page, index)?.key, key);
                return Ok((found == Ordering::Equal).then_some((page, index)));
            }
        }
    }
    let message = format!("the tree is deeper than {MAX_DEPTH} levels");
    Err(Finding::at(FindingKind::Depth, number, message))
}

/// Where to look for `wanted`: the child that may hold it, or the first entry not less than it.
fn seek(page: &Page, wanted: &[u8], order: KeyOrder) -> Result<usize, Finding> {
    let is_branch = page.kind() == PageKind::Branch;
    let (mut low, mut high) = (usize::from(is_branch), page.count());
    while low < high {
        let middle = low.midpoint(high);
        let before = match order.compare(key(page, middle)?, wanted) {
            Ordering::Less => true,
            Ordering::Equal => is_branch,
            Ordering::Greater => false,
        };
        if before {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(if is_branch { low - 1 } else { low })
}
