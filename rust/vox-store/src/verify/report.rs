//! What a check of an archive tells.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

/// Tables that [`repair`](super::repair()) can make anew from the others: the two hash indexes (their
/// references are recounted, their holds are kept where they can be read) and the indexes over
/// symbols, windows, extents, usage and raw runs. It also corrects the roll-ups of windows.
pub const REPAIRABLE: &[&str] = &[
    "blob_recent",
    "blob_levels",
    "chain_recent",
    "chain_levels",
    "symbol_ids",
    "window_ids",
    "window_keys",
    "by_recency",
    "by_root",
    "run_windows",
    "usage_owners",
    "raw_samples",
];

/// Findings that a report lists; all are counted.
pub const MOST_FINDINGS: usize = 1000;
/// Findings that a report lists of one table, so that one broken table doesn't hide the others.
const MOST_OF_A_TABLE: usize = 100;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal),+ $(,)?) => {
        /// The closed list of things that can be wrong with an archive.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Kind { $($(#[$doc])* $variant),+ }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used in reports.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

kinds! {
    /// A page of the data file contradicts the format of LMDB.
    Structure "structure",
    /// A table isn't there.
    TableMissing "table_missing",
    /// Rows can't be reached or read because of damaged pages.
    Unreadable "unreadable",
    /// A key or a value isn't laid out as the format says.
    Malformed "malformed",
    /// Content that can't be decompressed or doesn't have its hash.
    Content "content",
    /// A row that should be there isn't.
    Missing "missing",
    /// A row that should not be there is.
    Surplus "surplus",
    /// A row says something else than the rows it follows from.
    Differs "differs",
    /// A number isn't what a recount gives.
    Count "count",
    /// Rows that leave a gap, overlap or stand out of order.
    Order "order",
    /// A row names something that isn't there.
    Dangling "dangling",
    /// A chain hash isn't that of its path.
    Chain "chain",
    /// A preview isn't the start of its item.
    Preview "preview",
    /// Two rows claim what only one can have.
    Conflict "conflict",
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The table it is about; `pages` if it is about the file.
    pub table: &'static str,
    /// The key of the row, in hexadecimal digits.
    pub key: Option<String>,
    /// The page of the data file.
    pub page: Option<u64>,
    /// What sort of thing.
    pub kind: Kind,
    /// A sentence for people.
    pub message: String,
    /// Whether [`repair`](super::repair()) puts it right.
    pub repairable: bool,
}

impl Finding {
    /// A finding about `table`. It counts as repairable if the table can be made anew and the
    /// pages are whole.
    pub(super) fn new(table: &'static str, kind: Kind, message: impl Into<String>) -> Self {
        let sound_pages = !matches!(kind, Kind::Structure | Kind::Unreadable);
        let repairable = sound_pages && REPAIRABLE.contains(&table);
        Self { table, key: None, page: None, kind, message: message.into(), repairable }
    }

    pub(super) fn key(self, key: &[u8]) -> Self {
        Self { key: Some(key.iter().map(|byte| format!("{byte:02x}")).collect()), ..self }
    }

    pub(super) fn page(self, page: Option<u64>) -> Self {
        Self { page, ..self }
    }

    pub(super) fn repairable(self) -> Self {
        Self { repairable: true, ..self }
    }

    pub(super) fn beyond_repair(self) -> Self {
        Self { repairable: false, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table)?;
        if let Some(key) = &self.key {
            write!(f, " {key}")?;
        }
        if let Some(page) = self.page {
            write!(f, ", page {page}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The outcome in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing is wrong.
    Clean,
    /// All that is wrong can be made anew by [`repair`](super::repair()).
    Repairable,
    /// Something is wrong that can't be.
    Damaged,
}

impl Verdict {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Repairable => "repairable",
            Self::Damaged => "damaged",
        }
    }
}

/// What was checked and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The data file.
    pub path: PathBuf,
    /// The LMDB transaction whose state was checked.
    pub transaction: u64,
    /// How many of each were checked: `pages`, `blobs`, `bodies` (blobs that were decompressed and
    /// hashed), `items`, and the rows of each table by its name.
    pub checked: BTreeMap<&'static str, u64>,
    /// What is wrong, at most [`MOST_FINDINGS`].
    pub findings: Vec<Finding>,
    /// How many things are wrong.
    pub total: u64,
    /// How many of them can't be repaired.
    pub beyond_repair: u64,
    /// What is worth knowing and no fault.
    pub notes: Vec<String>,
    /// If only a sample of the blobs was decompressed and hashed: how many.
    pub sampled: Option<u64>,
}

impl Report {
    /// The outcome in one word.
    pub fn verdict(&self) -> Verdict {
        match (self.total, self.beyond_repair) {
            (0, _) => Verdict::Clean,
            (_, 0) => Verdict::Repairable,
            _ => Verdict::Damaged,
        }
    }
}

/// Gathers what a report will say.
#[derive(Default)]
pub(super) struct Reporter {
    checked: BTreeMap<&'static str, u64>,
    findings: Vec<Finding>,
    listed: BTreeMap<&'static str, usize>,
    total: u64,
    beyond_repair: u64,
    notes: Vec<String>,
    incomplete: BTreeSet<&'static str>,
    /// Tables with something that can be repaired.
    pub to_repair: BTreeSet<&'static str>,
    /// See [`Report::sampled`].
    pub sampled: Option<u64>,
}

impl Reporter {
    pub fn add(&mut self, finding: Finding) {
        self.total += 1;
        self.beyond_repair += u64::from(!finding.repairable);
        if finding.repairable {
            self.to_repair.insert(finding.table);
        }
        if matches!(finding.kind, Kind::TableMissing | Kind::Unreadable | Kind::Malformed) {
            self.incomplete.insert(finding.table);
        }
        let listed = self.listed.entry(finding.table).or_default();
        if *listed < MOST_OF_A_TABLE && self.findings.len() < MOST_FINDINGS {
            *listed += 1;
            self.findings.push(finding);
        }
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Adds to how many of `subject` were checked.
    pub fn count(&mut self, subject: &'static str, more: u64) {
        *self.checked.entry(subject).or_default() += more;
    }

    /// Says that not all of `table` is known.
    pub fn incomplete(&mut self, table: &'static str) {
        self.incomplete.insert(table);
    }

    /// Whether all of each of `tables` is known, so that what follows from them can be compared;
    /// a note says so if `what` can't be.
    pub fn complete(&mut self, tables: &[&'static str], what: &str) -> bool {
        let missing: Vec<&str> =
            tables.iter().copied().filter(|table| self.incomplete.contains(table)).collect();
        if !missing.is_empty() {
            self.note(format!(
                "{what} couldn't be compared: not all of {} is known",
                missing.join(", ")
            ));
        }
        missing.is_empty()
    }

    pub fn is_damaged(&self) -> bool {
        self.beyond_repair > 0
    }

    pub fn finish(self, path: PathBuf, transaction: u64) -> Report {
        Report {
            path,
            transaction,
            checked: self.checked,
            findings: self.findings,
            total: self.total,
            beyond_repair: self.beyond_repair,
            notes: self.notes,
            sampled: self.sampled,
        }
    }
}
