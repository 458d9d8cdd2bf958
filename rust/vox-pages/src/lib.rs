//! A reader of LMDB 0.9 data files that distrusts every byte.
//!
//! LMDB maps its file and follows whatever offset a page holds, so a damaged file can crash the
//! process. This crate reads the same files with positioned reads, checks each number against the
//! page and the file before it is used, and says what is wrong in a [`Finding`].
//!
//! The layout is the 64-bit, little-endian one of `mdb.c` (version 1 of the data file). Databases
//! with sorted duplicates or integer keys are reported as unsupported; archives have none.
//!
//! A reader takes no lock. While another process writes, open a read transaction of LMDB first and
//! keep it until the [`PageFile`] is dropped: no page of the snapshot is reused in that time.

mod bytes;
mod check;
mod cursor;
mod database;
mod end;
mod file;
mod finding;
mod free_list;
mod meta;
mod node;
mod page;
mod page_set;
mod spots;
mod usage;
mod walk;

pub use check::Summary;
pub use cursor::Cursor;
pub use database::{Database, Databases, TreeRecord};
pub use file::PageFile;
pub use finding::{Finding, FindingKind};
pub use meta::Meta;
pub use spots::{Spot, Spots};
