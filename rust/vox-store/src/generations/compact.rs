//! Compacting: the same archive in a new generation, without what it no longer needs.

use std::{fs, io::ErrorKind, path::Path, sync::Arc};

use vox_format::rows::{self, Event};
use vox_types::{Error, Result};

use super::{
    draft::{Source, size, write_draft},
    flip,
};
use crate::{
    Store,
    env::{FORMAT, Generation, share},
    events,
    meta::{self, now},
};

/// What compacting came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compacted {
    /// The generation that was in use.
    pub from: u64,
    /// The one that is now.
    pub to: u64,
    /// Bytes of the data file before.
    pub bytes_before: u64,
    /// Bytes of the data file after.
    pub bytes_after: u64,
}

/// Writes the archive anew into a new generation: tables in order on full pages, blobs in full
/// segments without those that are gone, the hash indexes in one level. Windows, items, symbols and
/// events keep their numbers. The old files are gone on return.
///
/// Writers of all processes wait meanwhile, and go on in the new generation; readers don't wait.
/// Errors leave the archive as it was; `disk_full` if there is no room for both.
pub fn compact(store: &Store) -> Result<Compacted> {
    store.check_writable()?;
    loop {
        let old = store.current()?;
        if let Some((new, done)) = replace(store.path(), &old)? {
            flip::flip(store.path(), &new)?;
            store.move_over(&old)?;
            remove_caches(store.path())?;
            flip::remove_all(store.path(), |number| number < new.number)?;
            return Ok(done);
        }
    }
}

/// Writes the next generation in place of `old`; none if another took its place meanwhile.
fn replace(archive: &Path, old: &Generation) -> Result<Option<(Arc<Generation>, Compacted)>> {
    old.hold(|txn| {
        if meta::is_superseded(&old.tables, txn)? {
            return Ok(None);
        }
        let to = old.number + 1;
        // What is there was never completed, or never took the place of this one.
        flip::remove_all(archive, |number| number >= to)?;
        let bytes_before = size(old)?;
        let from = Source { tables: &old.tables, format: FORMAT };
        let written = write_draft(archive, &from, txn, to, |draft, txn| {
            let bytes_after = size(draft)?;
            let what = Event::Compacted { from: old.number, to, bytes_before, bytes_after };
            events::append(&draft.tables, txn, now(), None, what)
        });
        let new = written?;
        let done = Compacted { from: old.number, to, bytes_before, bytes_after: size(&new)? };
        // Others of this process share it from the moment on that they can find it.
        share(&new);
        old.tables.meta.put(txn, b"superseded_by", &rows::encode(&to)?)?;
        Ok(Some((new, done)))
    })
}

/// Removes what was made from the archive and can be made again: it may hold bytes that the new
/// generation no longer has. Counts by item stay: they are numbers, and so are what they are under.
fn remove_caches(archive: &Path) -> Result<()> {
    for cache in ["search", "graph", "relations"] {
        let folder = archive.join(cache);
        gone(fs::remove_dir_all(&folder)).map_err(|error| Error::io(&error, &folder))?;
    }
    let counts = archive.join("counts");
    let fail = |error| Error::io(&error, &counts);
    let tokenizers = match fs::read_dir(&counts) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        tokenizers => tokenizers.map_err(fail)?,
    };
    for tokenizer in tokenizers {
        // Counts by content stand under parts of hashes.
        let folder = tokenizer.map_err(fail)?.path();
        for file in ["contents", "contents.draft"].map(|name| folder.join(name)) {
            gone(fs::remove_file(&file)).map_err(|error| Error::io(&error, &file))?;
        }
    }
    Ok(())
}

/// Removing what isn't there is no error.
fn gone(removed: std::io::Result<()>) -> std::io::Result<()> {
    match removed {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(())
        }
        removed => removed,
    }
}
