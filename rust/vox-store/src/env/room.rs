//! Room on the disk for the lock file. LMDB maps it and writes through the map, and where the disk
//! has no room for a page of it then, that is a bus error.

use std::path::Path;

use vox_types::Result;

/// What LMDB needs for its list of readers: 64 bytes each, and its head. Judgement: some more.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LOCK_BYTES: u64 = 64 * (super::generation::READERS as u64 + 16);

/// Makes the lock file if it is missing, and has the disk keep room for it. Its length stays.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn reserve_lock(lock: &Path) -> Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    let reserve = || {
        let file = std::fs::File::options().write(true).create(true).truncate(false).open(lock)?;
        match fallocate(&file, FallocateFlags::KEEP_SIZE, 0, LOCK_BYTES) {
            // A file system that can't is taken as it is.
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
            done => done.map_err(std::io::Error::from),
        }
    };
    reserve().map_err(|error| vox_types::Error::io(&error, lock))
}

/// Nothing is known of how to do so here.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn reserve_lock(_: &Path) -> Result<()> {
    Ok(())
}
