//! The end of the file: pages that a transaction took there and gave back are never written, so a
//! sound file may be shorter than its last page.

use std::collections::HashSet;

use crate::{Finding, PageFile, bytes::u64_at};

impl PageFile {
    /// Whether every page of the snapshot that isn't whole within the file is free.
    ///
    /// Errors: the first damage of the free list.
    pub fn ends_in_free_pages(&self) -> Result<bool, Finding> {
        let missing = self.whole_pages()..self.meta().last_page.saturating_add(1);
        let mut free = HashSet::new();
        for entry in self.free_list().iter(self) {
            let (_, value) = entry?;
            let count = u64_at(&value, 0).unwrap_or_default();
            let pages = value.chunks_exact(size_of::<u64>()).skip(1).zip(0..count);
            free.extend(
                pages.filter_map(|(page, _)| u64_at(page, 0)).filter(|page| missing.contains(page)),
            );
        }
        Ok(free.len() as u64 == missing.end - missing.start)
    }
}
