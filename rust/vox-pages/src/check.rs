//! The check of a whole file: every page, and that each is used or free exactly once.

use crate::{
    Database, Finding, FindingKind, PageFile, free_list, node::Value, usage::Usage, walk::Walk,
};

/// What a check saw.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// Pages of the snapshot, the meta pages among them.
    pub pages: u64,
    /// Pages reached from the meta pages.
    pub used: u64,
    /// Pages in the free list.
    pub free: u64,
    /// Named databases whose record could be read.
    pub databases: u64,
    /// Findings that are damage.
    pub damage: u64,
    /// Findings that are notes.
    pub notes: u64,
}

impl PageFile {
    /// Reads every page of the snapshot once and tells `report` all that is wrong.
    pub fn check(&self, report: &mut dyn FnMut(Finding)) -> Summary {
        let mut summary =
            Summary { pages: self.meta().last_page.saturating_add(1), ..Summary::default() };
        let mut usage = Usage::new(self);
        let (mut damage, mut notes) = (0, 0);
        let mut report = |finding: Finding| {
            *(if finding.kind.is_note() { &mut notes } else { &mut damage }) += 1;
            report(finding);
        };

        check_metas(self, &mut report);
        let mut databases = Vec::new();
        let main = self.main();
        let free_list_sound =
            Walk::new(self, &self.free_list(), &mut usage, &mut report).run(&mut no_records);
        let mut unnamed = 0;
        let mut sound =
            Walk::new(self, &main, &mut usage, &mut report).run(&mut |page, name, value| {
                match value {
                    Value::Record(record) => {
                        databases.push(Database::named(self, page, name, record)?);
                    }
                    _ => unnamed += 1,
                }
                Ok(())
            });
        if unnamed > 0 {
            let message = format!("{unnamed} entries of the main database are no named database");
            report(Finding::general(FindingKind::Unnamed, message));
        }
        for database in &databases {
            sound &= Walk::new(self, database, &mut usage, &mut report).run(&mut no_records);
        }
        free_list::check(self, &mut usage, free_list_sound, &mut report);
        summary.databases = databases.len() as u64;
        (summary.used, summary.free) = (usage.used(), usage.free());

        // An unread tree leaves its pages unaccounted for; that says nothing about them.
        let unread = |database: &Database| database.unsupported().is_some();
        if !unread(&main) && !databases.iter().any(unread) {
            report_unaccounted(&usage, sound && free_list_sound, &mut report);
        }
        report_missing(self, &usage, &mut report);
        Summary { damage, notes, ..summary }
    }
}

fn check_metas(file: &PageFile, report: &mut dyn FnMut(Finding)) {
    if let Some(finding) = file.broken_meta() {
        report(finding.clone());
    }
    if let Some(older) = file.older_meta() {
        let (new, old) = (file.meta().txnid, older.txnid);
        if new > 0 && old.checked_add(1) != Some(new) {
            let message = format!("the meta pages are of the transactions {old} and {new}");
            report(Finding::general(FindingKind::MetaOrder, message));
        }
    }
}

fn no_records(page: u64, _: &[u8], value: Value<'_>) -> Result<(), Finding> {
    match value {
        Value::Record(_) => Err(Finding::at(
            FindingKind::NodeFlags,
            page,
            "a database stands within another one than the main database",
        )),
        _ => Ok(()),
    }
}

fn report_unaccounted(usage: &Usage, sound: bool, report: &mut dyn FnMut(Finding)) {
    if sound {
        for (first, count) in usage.leaked() {
            let message = format!("{count} pages from here on are neither in use nor free");
            report(Finding::at(FindingKind::Leaked, first, message));
        }
        return;
    }
    let (ranges, pages) =
        usage.leaked().fold((0u64, 0), |(n, sum), (_, count)| (n + 1, sum + count));
    if pages > 0 {
        let message =
            format!("{pages} pages in {ranges} places couldn't be reached because of the damage");
        report(Finding::general(FindingKind::Leaked, message));
    }
}

fn report_missing(file: &PageFile, usage: &Usage, report: &mut dyn FnMut(Finding)) {
    let (missing, free) = usage.beyond();
    if missing == 0 {
        return;
    }
    let kind = if missing == free { FindingKind::ShortFile } else { FindingKind::Truncated };
    let message = format!(
        "the file ends after {} bytes, {missing} pages early; {free} of them are free",
        file.length()
    );
    report(Finding::general(kind, message));
}
