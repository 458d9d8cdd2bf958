//! Which files of an index are known to be what was written.
//!
//! tantivy ends each file with a checksum and never looks at it again. So a file is read through
//! once, when it is first opened by any process, and not again while it stays the file it was.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process,
};

use serde::{Deserialize, Serialize};
use tantivy::{
    Index, IndexMeta, SegmentMeta, directory::error::OpenReadError, index::SegmentComponent,
};

/// Where it is said. It is a cache of its own: lost, the files are read through again.
const FILE: &str = "checked.json";

/// What segments consist of. Not every segment has all of it; that those parts are there which it
/// needs is seen elsewhere.
const PARTS: [SegmentComponent; 7] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Terms,
    SegmentComponent::Store,
    SegmentComponent::Delete,
];

/// What tells a file from another, or from itself before it was written to: its length, the
/// system's number of it, and when its content and its entry changed last.
type Stamp = (u64, u64, (i64, i64), (i64, i64));

#[derive(Default, Serialize, Deserialize)]
struct Checked {
    files: BTreeMap<PathBuf, Stamp>,
    /// BLAKE3 of the others as JSON.
    hash: String,
}

impl Checked {
    fn read(folder: &Path) -> Self {
        let read = || {
            let checked: Self = serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()?;
            (checked.hash == hash(&checked.files)).then_some(checked)
        };
        read().unwrap_or_default()
    }

    /// Says so to those who come later, if that can be: where nothing may be written, each one
    /// looks for itself.
    fn write(&self, folder: &Path) {
        let draft = folder.join(format!("{FILE}.{}", process::id()));
        let written = serde_json::to_vec(self)
            .map_err(Into::into)
            .and_then(|bytes| fs::write(&draft, bytes))
            .and_then(|()| fs::rename(&draft, folder.join(FILE)));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
    }
}

fn hash(files: &BTreeMap<PathBuf, Stamp>) -> String {
    let bytes = serde_json::to_vec(files).unwrap_or_default();
    blake3::hash(&bytes).to_hex().to_string()
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    let changed = (meta.mtime(), meta.mtime_nsec());
    Some((meta.len(), meta.ino(), changed, (meta.ctime(), meta.ctime_nsec())))
}

/// Reads through those files of `meta` that nobody did. Gives the first that isn't what was written.
pub(super) fn check(
    index: &Index,
    meta: &IndexMeta,
    folder: &Path,
) -> Result<Option<PathBuf>, OpenReadError> {
    let known = Checked::read(folder);
    let mut files = BTreeMap::new();
    let parts = |segment: &SegmentMeta| PARTS.map(|part| segment.relative_path(part));
    for path in meta.segments.iter().flat_map(parts) {
        // A file is stamped before it is read: one that is written to meanwhile is read again.
        let Some(stamp) = stamp(&folder.join(&path)) else { continue };
        if known.files.get(&path) != Some(&stamp) && !index.directory().validate_checksum(&path)? {
            return Ok(Some(path));
        }
        files.insert(path, stamp);
    }
    if files != known.files {
        let hash = hash(&files);
        Checked { files, hash }.write(folder);
    }
    Ok(None)
}
