//! What tantivy reports, as errors of vox.

use std::{io, path::Path};

use tantivy::{
    TantivyError,
    directory::error::{LockError, OpenReadError, OpenWriteError},
};
use vox_types::{Code, Error};

/// What went wrong in the index at `folder`.
pub(super) fn error(error: &TantivyError, folder: &Path) -> Error {
    let told = told_in_words(error);
    if let Some(error) = input_output(error).or(told.as_ref()) {
        return Error::io(error, folder);
    }
    let folder = folder.display();
    if matches!(error, TantivyError::ErrorInThread(_)) {
        // It doesn't say more; the thread met an error of the system.
        let what = "writing the search index failed; is the disk full, or may it not be written?";
        return Error::new(Code::Io, format!("{folder}: {what}"));
    }
    let code = match error {
        TantivyError::DataCorruption(_)
        | TantivyError::OpenReadError(_)
        | TantivyError::IncompatibleIndex(_) => Code::Damaged,
        _ => Code::Internal,
    };
    Error::new(code, format!("{folder}: the search index: {error}"))
}

/// The system's error of which only the words are left, such as "… (os error 28)".
fn told_in_words(error: &TantivyError) -> Option<io::Error> {
    let (TantivyError::InternalError(words) | TantivyError::SystemError(words)) = error else {
        return None;
    };
    let (_, number) = words.rsplit_once("(os error ")?;
    let (number, _) = number.split_once(')')?;
    number.parse().ok().map(io::Error::from_raw_os_error)
}

/// What is the matter with the index at `folder`, in one line.
pub(super) fn fault(error: &TantivyError, folder: &Path) -> String {
    match error {
        TantivyError::OpenReadError(
            OpenReadError::IoError { filepath, .. } | OpenReadError::FileDoesNotExist(filepath),
        ) => format!("{} is lost, or not what was written", folder.join(filepath).display()),
        TantivyError::DataCorruption(_) => {
            format!("{}: a file is not what was written", folder.display())
        }
        error => format!("{}: {error}", folder.display()),
    }
}

/// The system's error behind `error`.
pub(super) fn input_output(error: &TantivyError) -> Option<&io::Error> {
    match error {
        TantivyError::IoError(error)
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: error, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: error, .. })
        | TantivyError::LockFailure(LockError::IoError(error), _) => Some(error),
        _ => None,
    }
}
