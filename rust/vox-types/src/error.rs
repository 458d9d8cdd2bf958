//! The one error of the Rust side: a code from `contracts/errors.yaml` and a sentence that says
//! what was wrong, where, and what to do.

use std::io;

/// A result of vox.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! codes {
    ($($variant:ident $name:literal),+ $(,)?) => {
        /// The codes of `contracts/errors.yaml`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[expect(missing_docs, reason = "each is described in contracts/errors.yaml")]
        pub enum Code { $($variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in `contracts/errors.yaml`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

codes! {
    InvalidArgument "invalid_argument",
    NotFound "not_found",
    NotAnArchive "not_an_archive",
    WrongVersion "wrong_version",
    Damaged "damaged",
    VerifyFailed "verify_failed",
    PermissionDenied "permission_denied",
    ReadOnly "read_only",
    DiskFull "disk_full",
    MapFull "map_full",
    AddressSpace "address_space",
    TooManyReaders "too_many_readers",
    Forked "forked",
    TooLarge "too_large",
    Conflict "conflict",
    Closed "closed",
    Io "io",
    SourceUnreadable "source_unreadable",
    Partial "partial",
    Purged "purged",
    Busy "busy",
    Unsupported "unsupported",
    Malformed "malformed",
    Infeasible "infeasible",
    OverBudget "over_budget",
    Interrupted "interrupted",
    Internal "internal",
}

/// What went wrong.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Which kind of fault.
    pub code: Code,
    /// What, where, and what to do.
    pub message: String,
}

impl Error {
    /// An error with `code` and a full sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Bytes of the archive that contradict each other.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(Code::Damaged, message)
    }

    /// The system's error at `path`.
    pub fn io(error: &io::Error, path: &std::path::Path) -> Self {
        let code = match error.kind() {
            io::ErrorKind::NotFound => Code::NotFound,
            io::ErrorKind::PermissionDenied => Code::PermissionDenied,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::DiskFull,
            io::ErrorKind::ReadOnlyFilesystem => Code::ReadOnly,
            _ => Code::Io,
        };
        Self::new(code, format!("{}: {error}", path.display()))
    }
}
