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
            // LMDB refuses everything once it couldn't write the page that makes a commit count.
            MdbError::Panic => Error::new(
                Code::Io,
                format!(
                    "{at}: the disk refused the end of an earlier write; see that it can be \
                     written, then close the archive and open it again"
                ),
            ),
            // The last three are what a tree looks like to LMDB whose pages contradict each other.
            MdbError::Corrupted
            | MdbError::PageNotFound
            | MdbError::CursorFull
            | MdbError::PageFull
            | MdbError::BadDbi => Error::damaged(format!(
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

/// Maps an error of a commit to the data file `data`. LMDB calls it an input/output error when only
/// a part of a write went through, which is how a full disk shows most often.
pub fn commit_error(error: &heed::Error, archive: &Path, data: &Path) -> Error {
    match error {
        heed::Error::Io(io) if io.raw_os_error() == Some(EIO) && is_full(data) => {
            store_error(&heed::Error::Io(ErrorKind::StorageFull.into()), archive)
        }
        error => store_error(error, archive),
    }
}

const EIO: i32 = 5;
/// A partial write leaves less room than this. Judgement.
const ROOM: u64 = 1 << 16;

/// Whether `data` can't grow, for lack of disk or because of a quota or a limit of the process.
#[cfg(unix)]
fn is_full(data: &Path) -> bool {
    use rustix::process::{Resource, getrlimit};
    let Ok(file) = std::fs::File::options().write(true).open(data) else { return false };
    let length = file.metadata().map_or(0, |data| data.len());
    let limited = getrlimit(Resource::Fsize).current.is_some_and(|most| most < length + ROOM);
    let full = rustix::fs::fstatvfs(&file).is_ok_and(|disk| disk.f_bavail * disk.f_frsize < ROOM);
    limited || full || is_over_quota(&file, length)
}

#[cfg(not(unix))]
fn is_full(_: &Path) -> bool {
    false
}

/// Asks for blocks past the end of `file`; its length and bytes stay as they are.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_over_quota(file: &std::fs::File, length: u64) -> bool {
    use rustix::{
        fs::{FallocateFlags, fallocate},
        io::Errno,
    };
    let asked = fallocate(file, FallocateFlags::KEEP_SIZE, length, ROOM);
    asked.is_err_and(|error| [Errno::NOSPC, Errno::DQUOT, Errno::FBIG].contains(&error))
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
fn is_over_quota(_: &std::fs::File, _: u64) -> bool {
    false
}
