//! A set of page numbers that grows with the greatest one in it.

/// A bitmap of pages.
///
/// Callers add only pages that lie within the file, so it is never larger than an eighth of a byte
/// per page of the file.
#[derive(Default, Debug)]
pub(crate) struct PageSet {
    words: Vec<u64>,
    len: u64,
}

impl PageSet {
    /// Adds `page`; false if it was there already.
    pub(crate) fn insert(&mut self, page: u64) -> bool {
        let Ok(at) = usize::try_from(page / 64) else { return false };
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let Some(word) = self.words.get_mut(at) else { return false };
        let bit = 1 << (page % 64);
        let new = *word & bit == 0;
        *word |= bit;
        self.len += u64::from(new);
        new
    }

    pub(crate) fn contains(&self, page: u64) -> bool {
        usize::try_from(page / 64)
            .ok()
            .and_then(|at| self.words.get(at))
            .is_some_and(|word| word >> (page % 64) & 1 == 1)
    }

    /// How many pages are in it.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }
}
