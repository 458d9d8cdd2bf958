//! Counting tokens: exact where a tokenizer exists, a proven bound where one is known.
//!
//! Text goes in as bytes. What is no UTF-8 counts as U+FFFD for each maximal subpart; what looks
//! like a control token is text.

pub mod batch;
pub mod bound;
mod byte_level;
mod bytes;
mod compiled;
mod encoding;
pub mod gguf;
pub mod huggingface;
pub mod kept;
mod merges;
pub mod ratio;
mod shipped;
pub mod split;
mod text;
mod tokenizer;
mod trie;
pub mod unicode;

pub use vox_bpe as bpe;

pub use byte_level::{ByteLevel, Normal};
pub use encoding::{Encoding, Worker};
pub use merges::Merges;
pub use shipped::{SHIPPED, shipped};
pub use text::valid;
pub use tokenizer::{Fingerprint, Lease, Tokenizer};
