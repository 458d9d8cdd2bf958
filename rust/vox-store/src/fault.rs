//! What can go wrong inside the store: a fault that LMDB reports, or an error of ours.

use vox_types::Error;

/// A result inside the store.
pub type Fallible<T> = Result<T, Fault>;

/// See the module.
#[derive(Debug)]
pub enum Fault {
    /// LMDB reports it; it becomes an error where the archive's name is known.
    Lmdb(heed::Error),
    /// An error with its sentence.
    Vox(Error),
}

impl From<heed::Error> for Fault {
    fn from(error: heed::Error) -> Self {
        Self::Lmdb(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Vox(error)
    }
}
