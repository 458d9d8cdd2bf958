//! What can be wrong with a data file.

use std::fmt;

use vox_types::{Code, Error};

macro_rules! finding_kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal),+ $(,)?) => {
        /// The closed list of things that can be wrong with a data file.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum FindingKind { $($(#[$doc])* $variant),+ }

        impl FindingKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name used in reports.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

finding_kinds! {
    /// One of the two meta pages can't be used.
    Meta "meta",
    /// The two meta pages can't be of neighbouring transactions.
    MetaOrder "meta_order",
    /// A page in use lies beyond the end of the file.
    Truncated "truncated",
    /// The system failed to read a page.
    Io "io",
    /// A page number that the file can't have.
    PageRange "page_range",
    /// A page that says it is another one.
    PageNumber "page_number",
    /// A page that isn't of the kind its place calls for.
    PageFlags "page_flags",
    /// The free space of a page starts or ends at an impossible place.
    PageBounds "page_bounds",
    /// A page without the entries it must have.
    PageEmpty "page_empty",
    /// A page that is reached twice.
    PageShared "page_shared",
    /// A node that doesn't lie within its page.
    NodeBounds "node_bounds",
    /// The nodes of a page overlap or leave gaps.
    NodeLayout "node_layout",
    /// A node whose flags its place doesn't allow.
    NodeFlags "node_flags",
    /// Keys that don't ascend, or a key of an impossible size.
    KeyOrder "key_order",
    /// A key outside of the range that the branch pages above give it.
    Separator "separator",
    /// A tree that is deeper than it may be, or whose leaves aren't level.
    Depth "depth",
    /// A value on overflow pages that don't hold it.
    Overflow "overflow",
    /// The record of a database contradicts itself.
    Record "record",
    /// A database has other numbers of pages or entries than its record says.
    Counts "counts",
    /// A malformed entry of the free list.
    FreeList "free_list",
    /// A page that is in use and also listed as free.
    FreeInUse "free_in_use",
    /// A page that is listed as free twice.
    FreeTwice "free_twice",
    /// Note: pages that are neither in use nor listed as free.
    Leaked "leaked",
    /// Note: the file ends early, but only free pages are missing.
    ShortFile "short_file",
    /// Note: values in the unnamed database.
    Unnamed "unnamed",
    /// Note: a database with duplicates or another order of keys, which isn't read.
    Unsupported "unsupported",
}

impl FindingKind {
    /// Whether the file is sound in spite of it.
    pub fn is_note(self) -> bool {
        matches!(self, Self::Leaked | Self::ShortFile | Self::Unnamed | Self::Unsupported)
    }
}

/// One thing that is wrong with a data file, or worth a note.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What sort of thing.
    pub kind: FindingKind,
    /// The page where it was seen, if it is about one.
    pub page: Option<u64>,
    /// A sentence for people.
    pub message: String,
}

impl Finding {
    /// A finding about `page`.
    pub(crate) fn at(kind: FindingKind, page: u64, message: impl Into<String>) -> Self {
        Self { kind, page: Some(page), message: message.into() }
    }

    /// A finding about the file or a database as a whole.
    pub(crate) fn general(kind: FindingKind, message: impl Into<String>) -> Self {
        Self { kind, page: None, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.page {
            Some(page) => write!(f, "page {page}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Finding {}

impl From<Finding> for Error {
    fn from(finding: Finding) -> Self {
        let code = if finding.kind == FindingKind::Io { Code::Io } else { Code::Damaged };
        Self::new(code, finding.to_string())
    }
}
