//! The damaged archive: which of its files to read, and the rows that can be reached.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use vox_format::rows;
use vox_pages::{PageFile, Spot};
use vox_types::{Code, Error, Result};

use super::report::Report;
use crate::env::{Current, FORMAT, folders, read_any_current};

/// Snapshots of a data file: the last one, and the one before where its meta page is sound.
pub struct Source {
    /// The data file.
    pub path: PathBuf,
    snapshots: Vec<PageFile>,
}

/// Where a value can be read.
#[derive(Clone, Copy)]
pub struct At {
    snapshot: usize,
    spot: Spot,
}

impl Source {
    /// Finds the data file of the archive at `path`: that of the generation that `CURRENT` names,
    /// else of the highest one that can be read; or `path` is a data file, or a folder with one.
    pub fn open(path: &Path) -> Result<Self> {
        let mut refused = None;
        for data in candidates(path) {
            match PageFile::open(&data) {
                Ok(file) => {
                    let older = PageFile::open(&data).ok().and_then(PageFile::older);
                    let snapshots = [Some(file), older].into_iter().flatten().collect();
                    return Ok(Self { path: data, snapshots });
                }
                Err(error) => {
                    refused.get_or_insert(error);
                }
            }
        }
        let none = || {
            let message = format!("{} holds no data file of an archive", path.display());
            Error::new(Code::NotFound, message)
        };
        Err(refused.unwrap_or_else(none))
    }

    /// The keys of a table, each once and in order, and where their values stand. What can't be
    /// reached in the last snapshot is looked for in the one before.
    pub fn keys(&self, table: &'static str, report: &mut Report) -> Vec<(Vec<u8>, At)> {
        let mut found = BTreeMap::new();
        for (number, file) in self.snapshots.iter().enumerate() {
            let whole = match file.database(table) {
                Ok(Some(database)) => {
                    let mut whole = true;
                    for entry in database.spots(file) {
                        match entry {
                            Ok((key, spot)) => {
                                found.entry(key).or_insert(At { snapshot: number, spot });
                            }
                            Err(fault) => {
                                whole = false;
                                if number == 0 {
                                    report.unreadable(table, fault.to_string());
                                }
                            }
                        }
                    }
                    whole
                }
                Ok(None) => {
                    if number == 0 && self.has_every_table() {
                        report.unreadable(table, "the table is missing".to_owned());
                    }
                    false
                }
                Err(fault) => {
                    if number == 0 {
                        report.unreadable(table, fault.to_string());
                    }
                    false
                }
            };
            if whole {
                break;
            }
        }
        found.into_iter().collect()
    }

    /// Whether its format has every table: one that isn't there is lost then.
    fn has_every_table(&self) -> bool {
        let Some(format) = self.get("meta", b"format") else { return true };
        rows::decode::<u32>(&format, "meta/format").is_ok_and(|format| format == FORMAT)
    }

    /// The value that stands there.
    pub fn value(&self, at: At) -> Option<Vec<u8>> {
        self.snapshots.get(at.snapshot)?.value_at(at.spot).ok()
    }

    /// The value of `key`, if it can be read.
    pub fn get(&self, table: &'static str, key: &[u8]) -> Option<Vec<u8>> {
        self.snapshots.iter().find_map(|file| file.database(table).ok()??.get(file, key).ok()?)
    }

    /// Shows the rows of a table to `visit`, in the order of the keys.
    pub fn rows(
        &self,
        table: &'static str,
        report: &mut Report,
        mut visit: impl FnMut(&mut Report, &[u8], Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        for (key, at) in self.keys(table, report) {
            match self.value(at) {
                Some(value) => visit(report, &key, value)?,
                None => report.lost(table, &key, "its value can't be read"),
            }
        }
        Ok(())
    }
}

fn candidates(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let mut found = Vec::new();
    if let Ok(Some(current)) = read_any_current(path) {
        found.push(current.folder(path).join("data.mdb"));
    }
    let numbers = folders(path).unwrap_or_default();
    let generations = numbers.iter().rev().map(|number| Current::of(*number).folder(path));
    found.extend(generations.map(|folder| folder.join("data.mdb")));
    found.push(path.join("data.mdb"));
    found.retain(|data| fs::metadata(data).is_ok_and(|data| data.len() > 0));
    found
}
