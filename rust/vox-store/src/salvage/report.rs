//! What became of a damaged archive.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use vox_types::WindowNo;

/// Losses that a report tells one by one; all are counted. Judgement.
const MOST: usize = 1000;

/// What is gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The table.
    pub table: &'static str,
    /// The row's key in hexadecimal digits, if it is about one.
    pub key: Option<String>,
    /// A sentence.
    pub message: String,
}

/// What was saved and what wasn't.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The data file that was read.
    pub source: PathBuf,
    /// How many of each were saved: rows of each table by its name, `blobs` and `items`.
    pub saved: BTreeMap<&'static str, u64>,
    /// How many rows of each table, `blobs` and `items` are known to be lost, or were changed
    /// because what they named is.
    pub lost: BTreeMap<&'static str, u64>,
    /// The first losses.
    pub losses: Vec<Loss>,
    /// Ordinals, as they were, that are lost of each window.
    pub ordinals: BTreeMap<WindowNo, Vec<(u64, u64)>>,
    /// Windows whose rows were lost: what is known of them stands under a key that was made up.
    pub made_up: Vec<WindowNo>,
    /// What a check of the copy found wrong and was left out for it.
    pub left_out: BTreeSet<&'static str>,
}

impl Report {
    /// Whether all of the archive was saved.
    pub fn is_whole(&self) -> bool {
        self.lost.values().all(|count| *count == 0)
            && self.ordinals.is_empty()
            && self.made_up.is_empty()
            && self.left_out.is_empty()
    }

    pub(super) fn saved(&mut self, what: &'static str, more: u64) {
        *self.saved.entry(what).or_default() += more;
    }

    pub(super) fn lost(&mut self, table: &'static str, key: &[u8], message: impl Into<String>) {
        let key = key.iter().map(|byte| format!("{byte:02x}")).collect();
        self.add(Loss { table, key: Some(key), message: message.into() });
    }

    /// Pages that hold rows, nobody knows how many, can't be read.
    pub(super) fn unreadable(&mut self, table: &'static str, message: String) {
        self.add(Loss { table, key: None, message });
    }

    fn add(&mut self, loss: Loss) {
        *self.lost.entry(loss.table).or_default() += 1;
        if self.losses.len() < MOST {
            self.losses.push(loss);
        }
    }

    /// Items of a window that are lost, from ordinal `first` on.
    pub(super) fn lost_items(&mut self, window: WindowNo, first: u64, count: u64) {
        *self.lost.entry("items").or_default() += count;
        let ranges = self.ordinals.entry(window).or_default();
        match ranges.last_mut() {
            Some((start, length)) if *start + *length == first => *length += count,
            _ => ranges.push((first, count)),
        }
    }
}
