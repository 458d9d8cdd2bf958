//! Counts that are kept, so that what was counted once is looked up.
//!
//! `contracts/counts.md` says what stands where. All of it is derived: what is missing, damaged or
//! about something else is counted again. Several processes may read and write it at once, and
//! each may be killed at any moment; an entry carries its own check.

mod contents;
mod count;
mod file;
mod folder;
mod header;
mod items;

pub use count::Counted;
pub use folder::{TOKENIZERS, tidy};
pub use items::{Column, ItemFacts, Items, Stamp};

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use vox_types::ContentHash;

use self::contents::Contents;
use crate::Fingerprint;

/// Bytes that the counts of one tokenizer may take, in each of the two tables: 16 million contents,
/// or 33 million items. Judgement.
pub const MOST_BYTES: u64 = 256 << 20;

/// A folder of kept counts.
pub struct Cache {
    root: PathBuf,
    most_bytes: u64,
    writable: bool,
    open: Mutex<HashMap<Fingerprint, Arc<Kept>>>,
}

/// The kept counts of one tokenizer.
pub struct Kept {
    root: PathBuf,
    folder: PathBuf,
    fingerprint: Fingerprint,
    most_bytes: u64,
    writable: bool,
    contents: Contents,
    items: Mutex<Option<([u8; 16], Arc<Items>)>>,
}

impl Cache {
    /// The counts below `root`, which needn't be there yet; each table of a tokenizer takes at
    /// most about `most_bytes`. Unless it is `writable` nothing is kept.
    pub fn at(root: &Path, most_bytes: u64, writable: bool) -> Self {
        Self { root: root.to_path_buf(), most_bytes, writable, open: Mutex::default() }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The counts of a tokenizer.
    pub fn of(&self, fingerprint: Fingerprint) -> Arc<Kept> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let folder = folder::of(&self.root, fingerprint);
            let contents = folder.join("contents");
            Arc::new(Kept {
                root: self.root.clone(),
                contents: Contents::at(contents, fingerprint, self.most_bytes, self.writable),
                folder,
                fingerprint,
                most_bytes: self.most_bytes,
                writable: self.writable,
                items: Mutex::default(),
            })
        };
        open.entry(fingerprint).or_insert_with(new).clone()
    }
}

impl Kept {
    /// What is known of the contents with these hashes, in their order, appended to `found`.
    pub fn find(&self, hashes: &[ContentHash], found: &mut Vec<Option<u32>>) {
        self.contents.find(hashes, found);
    }

    /// Keeps counts of contents. Whether all were kept: not on a medium that is full or can't be
    /// written, which is no error, as nothing but time is lost.
    pub fn keep(&self, counts: &[(ContentHash, u32)]) -> bool {
        self.make_room();
        self.contents.keep(counts).unwrap_or(false)
    }

    /// The counts by item of the archive `owner`.
    pub fn items(&self, owner: [u8; 16]) -> Arc<Items> {
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        match &*items {
            Some((known, items)) if *known == owner => items.clone(),
            _ => {
                let path = self.folder.join("items");
                let (most, writable) = (self.most_bytes, self.writable);
                let new = Arc::new(Items::at(path, self.fingerprint, owner, most, writable));
                *items = Some((owner, new.clone()));
                new
            }
        }
    }

    /// Lets the counts of a tokenizer go that wasn't used for long when this one is new here.
    fn make_room(&self) {
        if self.writable && !self.folder.exists() {
            let _ = tidy(&self.root, TOKENIZERS - 1);
        }
    }
}
