//! What LMDB and the system report, as the errors of vox.

use std::{io::ErrorKind, path::Path};

use heed::MdbError;
use vox_types::{Code, Error};

/// Maps an error of heed; `archive` is named in the sentence.
pub fn store_error(error: &heed::Error, archive: &Path) -> Error {
    let at = archive.display();
    match error {
        heed::Error::Mdb(error) => match error {
            MdbError::MapFull => Error::new(Code::MapFull, format!("{at}: the memory map is full")),
            MdbError::ReadersFull => Error::new(
                Code::TooManyReaders,
                format!("{at}: all reader slots are taken; close other programs that use it"),
            ),
            MdbError::Invalid => {
                Error::new(Code::NotAnArchive, format!("{at}: the data file isn't an LMDB file"))
            }
            MdbError::VersionMismatch => Error::new(
                Code::WrongVersion,
                format!("{at}: the data file is of another LMDB format"),
            ),
            MdbError::Corrupted | MdbError::PageNotFound | MdbError::Panic => Error::damaged(format!(
                "{at}: LMDB reports {error}; run `vox archive verify` to see what is damaged"
            )),
            MdbError::BadValSize => {
                Error::new(Code::TooLarge, format!("{at}: a key or value is too large for LMDB"))
            }
            other => Error::new(Code::Internal, format!("{at}: LMDB reports {other}")),
        },
        heed::Error::Io(error) => {
            // LMDB hands back ENOSPC and EDQUOT of a commit as they are.
            let code = match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::DiskFull,
                ErrorKind::FileTooLarge => Code::DiskFull,
                ErrorKind::PermissionDenied => Code::PermissionDenied,
                ErrorKind::ReadOnlyFilesystem => Code::ReadOnly,
                ErrorKind::OutOfMemory => Code::AddressSpace,
                ErrorKind::NotFound => Code::NotFound,
                _ => Code::Io,
            };
            let hint = match code {
                Code::DiskFull => "; nothing of this write was kept; free some space and repeat it",
                _ => "",
            };
            Error::new(code, format!("{at}: {error}{hint}"))
        }
        other => Error::new(Code::Internal, format!("{at}: {other}")),
    }
}
