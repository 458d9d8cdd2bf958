//! Blobs: content by hash, compressed, in segments.

mod codec;
mod joint;
mod prepare;
mod reader;
mod scan;
mod writer;

pub use codec::{Dictionary, MAX_BLOB, contents, decompress};
pub(crate) use codec::{compress_rest, decompress_rest};
pub use joint::without;
pub(crate) use prepare::count_sweep;
pub(crate) use prepare::{NewBlob, PreparedBlobs, prepare};
pub use reader::{InOrder, Unpacked, hash_of, read, verified_read};
pub(crate) use reader::{find, find_stored, group_at};
pub use scan::Scanner;
pub use writer::Stored;
pub(crate) use writer::{BlobWriter, MAX_SLOTS};
