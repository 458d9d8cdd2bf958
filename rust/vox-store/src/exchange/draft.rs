//! A place for an archive that isn't whole yet, within the folder where it will stand.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use vox_types::{Code, Error, Result};

use crate::{
    Store,
    env::{self, Current, Generation},
    meta,
    tables::Tables,
};

const PREFIX: &str = "draft-";

/// An archive that is being built. It goes away again unless it is [published](Self::publish).
pub struct Draft {
    target: PathBuf,
    folder: PathBuf,
    /// None once it is closed.
    store: Option<Store>,
    /// The empty archive whose place it takes.
    replaces: Option<Store>,
    made_target: bool,
}

impl Draft {
    /// Begins an archive that will stand at `target`: a missing or empty folder, or an archive
    /// without any content.
    pub fn begin(target: &Path) -> Result<Self> {
        let target = std::path::absolute(target).map_err(|error| Error::io(&error, target))?;
        let io = |error: std::io::Error| Error::io(&error, &target);
        let made_target = !target.exists();
        fs::create_dir_all(&target).map_err(io)?;
        remove_abandoned(&target);
        let replaces = match env::read_current(&target)? {
            Some(_) => Some(empty_archive(&target)?),
            None if target.join("db").exists() => {
                return Err(Error::new(
                    Code::NotAnArchive,
                    format!("{} has data, but no CURRENT; choose another folder", target.display()),
                ));
            }
            None => None,
        };
        let folder = target.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| Error::io(&error, &folder))?;
        let mut draft = Self { target, folder, store: None, replaces, made_target };
        draft.store = Some(Store::create(&draft.folder)?);
        Ok(draft)
    }

    /// The archive being built.
    pub fn store(&self) -> Result<&Store> {
        let closed = || Error::new(Code::Closed, "the archive being built is closed");
        self.store.as_ref().ok_or_else(closed)
    }

    /// The only generation of the archive being built.
    pub fn generation(&self) -> Result<Arc<Generation>> {
        Ok(self.store()?.generation())
    }

    /// Puts the archive in its place.
    pub fn publish(mut self) -> Result<()> {
        self.store = None;
        let db = self.target.join("db");
        let io = |error: std::io::Error| Error::io(&error, &self.target);
        match &self.replaces {
            None => {
                fs::rename(self.folder.join("db"), &db).map_err(io)?;
                Current::of(1).write(&self.target)?;
            }
            Some(empty) => {
                let old = empty.generation();
                let next = Current::of(old.number + 1);
                fs::rename(self.folder.join("db/1"), next.folder(&self.target)).map_err(io)?;
                env::sync_folder(&db).map_err(io)?;
                let superseded = old.write(|txn| {
                    check_empty(&old.tables, txn, &self.target)?;
                    let number = vox_format::rows::encode(&next.generation)?;
                    old.tables.meta.put(txn, b"superseded_by", &number)?;
                    Ok(())
                });
                if let Err(error) = superseded {
                    // A commit that reports a failure may stand all the same: what it names goes
                    // only if it surely doesn't.
                    let stands = old.reading(|txn| Ok(meta::is_superseded(&old.tables, txn)?));
                    if matches!(stands, Ok(false)) {
                        let _ = fs::remove_dir_all(next.folder(&self.target));
                    }
                    return Err(error);
                }
                // Whoever comes next to an archive that was replaced lets CURRENT name the new one.
                empty.read(|_, _| Ok(()))?;
            }
        }
        self.made_target = false;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.store = None;
        let _ = fs::remove_dir_all(&self.folder);
        if self.made_target {
            let _ = fs::remove_dir(&self.target);
        }
    }
}

/// Removes what processes left that ended in the middle.
fn remove_abandoned(target: &Path) {
    for entry in fs::read_dir(target).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<i32>().ok());
        if process.is_some_and(|process| !is_alive(process)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(unix)]
fn is_alive(process: i32) -> bool {
    use rustix::{io::Errno, process};
    match process::Pid::from_raw(process) {
        Some(pid) => process::test_kill_process(pid) != Err(Errno::SRCH),
        None => false,
    }
}

#[cfg(not(unix))]
fn is_alive(_: i32) -> bool {
    true
}

fn empty_archive(target: &Path) -> Result<Store> {
    let store = Store::open(target)?;
    store.read(|tables, txn| check_empty(tables, txn, target))?;
    Ok(store)
}

fn check_empty(
    tables: &Tables,
    txn: &heed::RoTxn<'_>,
    target: &Path,
) -> crate::fault::Fallible<()> {
    for (name, table) in Tables::NAMES.iter().zip(tables.all()) {
        if !matches!(*name, "meta" | "leases") && !table.is_empty(txn)? {
            let message = format!(
                "{} isn't empty ({name} has rows); an archive is imported into a new one: name a \
                 folder that doesn't exist",
                target.display()
            );
            return Err(Error::new(Code::InvalidArgument, message).into());
        }
    }
    Ok(())
}
