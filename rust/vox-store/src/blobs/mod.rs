//! Blobs: content by hash, compressed, in segments.

mod codec;
mod prepare;
mod reader;
mod writer;

pub use codec::{Dictionary, MAX_BLOB, decompress};
pub(crate) use prepare::count_sweep;
pub(crate) use prepare::{NewBlob, PreparedBlobs, prepare};
pub(crate) use reader::{find, find_stored, group_at};
pub use reader::{hash_of, read, verified_read};
pub use writer::Stored;
pub(crate) use writer::{BlobWriter, MAX_SLOTS};
