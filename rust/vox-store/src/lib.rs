//! The content store of vox over LMDB.
//!
//! `contracts/archive-format.md` says what stands where.

pub mod append;
pub mod blobs;
mod commit;
pub mod committed;
mod content;
pub mod cores;
pub mod env;
pub mod events;
pub mod exchange;
pub mod fault;
pub mod gc;
pub mod generations;
pub mod index;
pub mod leases;
mod meta;
pub mod naming;
pub mod producers;
pub mod purge;
pub mod raw;
pub mod readers;
mod recency;
pub mod salvage;
pub mod secrets;
mod sizes;
mod snapshot;
pub mod spine;
mod store;
pub mod tables;
pub mod verify;
pub mod window_ops;

pub use content::Counts;
pub use meta::now;
pub use snapshot::{BlobSizes, Blobs, Scanner, Snapshot, TableSize};
pub use store::Store;
