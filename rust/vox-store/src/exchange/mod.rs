//! Archives as lines of plain values, and lines as archives.
//!
//! `contracts/jsonl-export.md` describes the lines. Here they have no syntax yet: that is
//! `vox-core`'s.

mod builder;
mod closed;
mod draft;
mod export;
mod header;
mod import;
mod items;
mod layouts;
mod line;
mod plain;
mod raw;
mod rows;
mod runs;

pub(crate) use builder::Builder;
pub(crate) use draft::Draft;
pub use export::Put;
pub use header::{BLOB, HEADER, MASKED_SCHEMA, SCHEMA};
pub use import::Import;
pub use items::ITEM;
pub use line::Line;
pub(crate) use line::{blob_name, hex};
pub use plain::Plain;
pub(crate) use runs::RunWriter;
