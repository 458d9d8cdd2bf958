//! Blobs: content by hash, compressed, in segments.

mod codec;
mod prepare;
mod reader;
mod writer;

pub use codec::{Dictionary, MAX_BLOB, decompress};
pub use prepare::{NewBlob, Prepared, PreparedBlobs, prepare};
pub use reader::{blob_at, find, find_stored, group_at, hash_of, read, verified_read};
pub use writer::{BlobWriter, Stored};
