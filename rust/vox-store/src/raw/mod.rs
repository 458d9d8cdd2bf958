//! Raw custody: the source bytes of every record, as what its items give back and what is left.
//!
//! A file's bytes stand in *raw runs*, each a stretch of at most 1 MiB, which `raw_files` puts in
//! order. A run holds the bytes that no item gives back, and cuts that name the blobs of those that
//! one does.

mod delete;
mod files;
mod parts;
mod read;
mod remove;
pub(crate) mod samples;
mod sizes;

pub use delete::delete_runs;
pub use files::{FileStretch, all, of_file, of_reading, stretch_at};
pub use read::{rest_of, run, source};
pub use remove::{remove_contents, remove_records, remove_source};
pub use sizes::{SourceSize, of_sources};

pub use crate::spine::cursors::key as source_key;

pub(crate) use files::is_kept;
pub(crate) use parts::Parts;
pub(crate) use read::rest;
pub(crate) use remove::number_of;
pub(crate) use samples::SHORTEST_REST;
