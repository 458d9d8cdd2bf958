//! The archive's tables as the page reader sees them.

use std::collections::BTreeMap;

use vox_pages::{Database, FindingKind, PageFile};

use super::report::{Finding, Kind, Reporter};
use crate::tables::Tables;

/// The data file and where its tables start.
pub(super) struct Image<'f> {
    file: &'f PageFile,
    tables: BTreeMap<&'static str, Database>,
}

impl<'f> Image<'f> {
    /// Finds every table, and reports those that aren't there.
    pub fn of(file: &'f PageFile, report: &mut Reporter) -> Self {
        let mut tables = BTreeMap::new();
        for name in Tables::NAMES {
            match file.database(name) {
                Ok(Some(database)) => {
                    tables.insert(*name, database);
                }
                Ok(None) => {
                    report.add(Finding::new(name, Kind::TableMissing, "the table is missing"));
                }
                Err(fault) => report.add(unreadable(name, fault)),
            }
        }
        Self { file, tables }
    }

    /// Shows each row of `table` to `visit`, in the order of the keys, around what is damaged.
    pub fn rows(
        &self,
        table: &'static str,
        report: &mut Reporter,
        mut visit: impl FnMut(&mut Reporter, &[u8], Vec<u8>),
    ) {
        let Some(database) = self.tables.get(table) else { return };
        let mut rows = 0;
        for row in database.iter(self.file) {
            match row {
                Ok((key, value)) => {
                    rows += 1;
                    visit(report, &key, value);
                }
                Err(fault) => report.add(unreadable(table, fault)),
            }
        }
        report.count(table, rows);
    }

    /// The value of `key`; none if it isn't there or can't be read.
    pub fn get(&self, table: &'static str, key: &[u8]) -> Option<Vec<u8>> {
        self.tables.get(table)?.get(self.file, key).ok()?
    }

    /// Whether the table is there.
    pub fn has(&self, table: &'static str) -> bool {
        self.tables.contains_key(table)
    }

    /// Whether the table is there and empty.
    pub fn is_empty(&self, table: &'static str) -> bool {
        self.tables.get(table).is_some_and(|table| table.record().root().is_none())
    }
}

fn unreadable(table: &'static str, fault: vox_pages::Finding) -> Finding {
    Finding::new(table, Kind::Unreadable, fault.message).page(fault.page)
}

/// Checks every page of the file; see [`PageFile::check`].
pub(super) fn check_pages(file: &PageFile, report: &mut Reporter) {
    let mut faults = Vec::new();
    let summary = file.check(&mut |fault| faults.push(fault));
    report.count("pages", summary.pages);
    for fault in faults {
        // Archives have no such tables; one that has become such can't be read.
        let is_note = fault.kind.is_note() && fault.kind != FindingKind::Unsupported;
        if is_note {
            report.note(fault.to_string());
        } else {
            let message = format!("{}: {}", fault.kind.name(), fault.message);
            report.add(Finding::new("pages", Kind::Structure, message).page(fault.page));
        }
    }
}
