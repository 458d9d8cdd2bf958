//! Which pages are in use, which are free, and which are neither.

use std::collections::HashSet;

use crate::{Finding, FindingKind, PageFile, page_set::PageSet};

/// What is known of every page of the file.
pub(crate) struct Usage {
    whole: u64,
    last_page: u64,
    used: PageSet,
    free: PageSet,
    /// Free pages past the end of the file; as many as the free list names, whatever the meta says.
    free_beyond: HashSet<u64>,
}

impl Usage {
    /// Nothing is in use but the meta pages.
    pub(crate) fn new(file: &PageFile) -> Self {
        let mut used = PageSet::default();
        used.insert(0);
        used.insert(1);
        Self {
            whole: file.whole_pages(),
            last_page: file.meta().last_page,
            used,
            free: PageSet::default(),
            free_beyond: HashSet::new(),
        }
    }

    /// Marks `count` pages within the file as used by `owner`; stops at one that already is.
    pub(crate) fn claim(&mut self, first: u64, count: u64, owner: &str) -> Result<(), Finding> {
        for page in first..first.saturating_add(count) {
            if !self.used.insert(page) {
                let message = format!("{owner} reaches it, but it is in use already");
                return Err(Finding::at(FindingKind::PageShared, page, message));
            }
        }
        Ok(())
    }

    /// Marks `page`, between 2 and the last page, as free.
    pub(crate) fn release(&mut self, page: u64) -> Result<(), Finding> {
        if self.used.contains(page) {
            let message = "it is in use, but the free list holds it";
            return Err(Finding::at(FindingKind::FreeInUse, page, message));
        }
        let new =
            if page < self.whole { self.free.insert(page) } else { self.free_beyond.insert(page) };
        if new {
            return Ok(());
        }
        let message = "the free list holds it twice";
        Err(Finding::at(FindingKind::FreeTwice, page, message))
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.len()
    }

    pub(crate) fn free(&self) -> u64 {
        self.free.len() + self.free_beyond.len() as u64
    }

    /// Ranges of pages within the file that are neither in use nor free: first and count.
    pub(crate) fn leaked(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let idle = |page: &u64| !self.used.contains(*page) && !self.free.contains(*page);
        let mut from = 2;
        std::iter::from_fn(move || {
            let first = (from..self.whole).find(idle)?;
            let end = (first..self.whole).find(|page| !idle(page)).unwrap_or(self.whole);
            from = end;
            Some((first, end - first))
        })
    }

    /// Pages that the snapshot has beyond the end of the file, and how many of them are free.
    pub(crate) fn beyond(&self) -> (u64, u64) {
        let missing = self.last_page.saturating_add(1).saturating_sub(self.whole);
        (missing, self.free_beyond.len() as u64)
    }
}
