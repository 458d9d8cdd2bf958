//! Bringing an archive of an older format to that of this build.

use std::path::Path;

use vox_format::rows::{self, Event};
use vox_types::{Code, Error, Result};

use super::{
    draft::{Source, size, size_of, write_draft},
    flip,
};
use crate::{
    env::{FORMAT, hold_older, in_use, other_format, share},
    events,
    meta::{self, now},
};

/// What migrating came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Migrated {
    /// The format that the archive had.
    pub from: u32,
    /// The generation that is in use now.
    pub generation: u64,
    /// Bytes of the data file before.
    pub bytes_before: u64,
    /// Bytes of the data file after.
    pub bytes_after: u64,
}

/// Writes the archive at `path` anew in the format of this build; none if it has that already.
/// Numbers, ids and contents stay. What has it open of an older vox can't go on.
///
/// Errors leave the archive as it was. `wrong_version` if its format is newer.
pub fn migrate(path: &Path) -> Result<Option<Migrated>> {
    let path = &std::path::absolute(path).map_err(|error| Error::io(&error, path))?;
    let Some(current) = in_use(path)? else {
        let message = format!("{} holds no archive", path.display());
        return Err(Error::new(Code::NotFound, message));
    };
    match current.format {
        FORMAT => return Ok(None),
        1 => {}
        newer => return Err(other_format(path, newer)),
    }
    let to = current.generation + 1;
    let held = hold_older(path, current, |tables, txn| {
        // Another process was faster.
        if meta::is_superseded(tables, txn)? {
            return Ok(None);
        }
        flip::remove_all(path, |number| number >= to)?;
        let bytes_before = size_of(&current.folder(path).join("data.mdb"))?;
        let source = Source { tables, format: current.format };
        let new = write_draft(path, &source, txn, to, |draft, txn| {
            let what = Event::Migrated { from: current.format, to: FORMAT };
            events::append(&draft.tables, txn, now(), None, what)
        })?;
        share(&new);
        tables.meta.put(txn, b"superseded_by", &rows::encode(&to)?)?;
        let bytes_after = size(&new)?;
        Ok(Some((new, bytes_before, bytes_after)))
    });
    let done = match held {
        // Another process was faster, and took the files away while they were being opened.
        Err(_) if matches!(in_use(path), Ok(Some(now)) if now != current) => None,
        held => held?,
    };
    let Some((new, bytes_before, bytes_after)) = done else { return Ok(None) };
    flip::flip(path, &new)?;
    flip::remove_all(path, |number| number < to)?;
    Ok(Some(Migrated { from: current.format, generation: to, bytes_before, bytes_after }))
}
