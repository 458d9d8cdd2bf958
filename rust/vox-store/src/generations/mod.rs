//! Generations: writing an archive anew beside the old files, and moving over to the new ones.
//!
//! A new generation is written while the write lock of the old one is held, so that nothing is
//! written there meanwhile; readers go on. When it is complete and on disk, the old one is marked
//! as superseded, `CURRENT` is flipped, and the old folder goes. Wherever this is interrupted,
//! either the old generation is in use and the new one a draft that the next one replaces, or the
//! old one says which took its place, and whoever finds that completes the flip.

mod backup;
mod blobs;
mod compact;
mod copy;
mod draft;
mod flip;
mod indexes;
mod loader;
mod migrate;
mod references;

pub use backup::{BackedUp, backup};
pub use compact::{Compacted, compact};
pub(crate) use flip::settle;
pub use migrate::{Migrated, migrate};
