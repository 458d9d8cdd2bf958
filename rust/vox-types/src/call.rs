//! The number that joins a tool call and its results.

/// The number of a call, from the id its producer gave it; 0 is none.
pub type CallNo = u32;

/// The number of the call with this id: the first four bytes of its BLAKE3, least significant
/// first, and 1 where that is 0. An empty id is none.
pub fn call_number(call_id: &str) -> CallNo {
    if call_id.is_empty() {
        return 0;
    }
    let hash = blake3::hash(call_id.as_bytes());
    let first = hash.as_bytes().first_chunk().copied().unwrap_or_default();
    u32::from_le_bytes(first).max(1)
}
