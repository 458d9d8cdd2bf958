//! Rows of vox's own producers: agent sessions, chat, history.
//!
//! Rows name their contents by hash. A type with the parameter `C` is used twice: with [`Kept`] as
//! a row, and with [`Given`] as what a caller hands over or gets back.

mod by_name;
pub mod chat;
mod content;
pub mod history;
pub mod session;

pub use content::{Given, Kept};

use crate::rows::{is_false, is_zero};

/// The key of a row below a head: the head's 16 bytes and a number, big-endian.
pub fn numbered(head: &[u8; 16], number: u64) -> [u8; 24] {
    let mut key = [0; 24];
    key[..16].copy_from_slice(head);
    key[16..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The parts of a [`numbered`] key; none for the key of a head.
pub fn split_numbered(key: &[u8]) -> Option<([u8; 16], u64)> {
    let (head, number) = key.split_first_chunk()?;
    Some((*head, u64::from_be_bytes(number.try_into().ok()?)))
}
