//! Keys of more than one number. All parts are big-endian, so that keys sort as the numbers do.

/// Two numbers of four bytes: `chunks`, `run_windows`.
pub fn pair(first: u32, second: u32) -> [u8; 8] {
    (u64::from(first) << 32 | u64::from(second)).to_be_bytes()
}

/// The parts of a [`pair`].
pub fn split_pair(key: &[u8]) -> Option<(u32, u32)> {
    let number = u64::from_be_bytes(key.try_into().ok()?);
    Some(((number >> 32) as u32, number as u32))
}

/// Two numbers of eight bytes: `blob_recent`, `chain_recent`.
pub fn wide_pair(first: u64, second: u64) -> [u8; 16] {
    (u128::from(first) << 64 | u128::from(second)).to_be_bytes()
}

/// The parts of a [`wide_pair`].
pub fn split_wide_pair(key: &[u8]) -> Option<(u64, u64)> {
    let number = u128::from_be_bytes(key.try_into().ok()?);
    Some(((number >> 64) as u64, number as u64))
}

/// A place in a window: `extents`.
pub fn ordinal(window: u32, ordinal: u64) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&window.to_be_bytes());
    key[4..].copy_from_slice(&ordinal.to_be_bytes());
    key
}

/// The parts of an [`ordinal`] key.
pub fn split_ordinal(key: &[u8]) -> Option<(u32, u64)> {
    let (window, ordinal) = key.split_first_chunk()?;
    Some((u32::from_be_bytes(*window), u64::from_be_bytes(ordinal.try_into().ok()?)))
}

/// A place in a window's overlay: `overlays`.
pub fn overlay(window: u32, overlay: u8, ordinal: u64) -> [u8; 13] {
    let mut key = [0; 13];
    key[..4].copy_from_slice(&window.to_be_bytes());
    key[4] = overlay;
    key[5..].copy_from_slice(&ordinal.to_be_bytes());
    key
}

/// The parts of an [`overlay`] key.
pub fn split_overlay(key: &[u8]) -> Option<(u32, u8, u64)> {
    let (window, rest) = key.split_first_chunk()?;
    let (overlay, ordinal) = rest.split_first()?;
    Some((u32::from_be_bytes(*window), *overlay, u64::from_be_bytes(ordinal.try_into().ok()?)))
}

/// A group of an open segment: `tails`.
pub fn tail(segment: u64, first_slot: u16) -> [u8; 10] {
    let mut key = [0; 10];
    key[..8].copy_from_slice(&segment.to_be_bytes());
    key[8..].copy_from_slice(&first_slot.to_be_bytes());
    key
}

/// The parts of a [`tail`] key.
pub fn split_tail(key: &[u8]) -> Option<(u64, u16)> {
    let (segment, slot) = key.split_first_chunk()?;
    Some((u64::from_be_bytes(*segment), u16::from_be_bytes(slot.try_into().ok()?)))
}

/// A leaf of an index: `blob_levels`, `chain_levels`.
pub fn leaf(level: u8, first_prefix: u64) -> [u8; 9] {
    let mut key = [0; 9];
    key[0] = level;
    key[1..].copy_from_slice(&first_prefix.to_be_bytes());
    key
}

/// The parts of a [`leaf`] key.
pub fn split_leaf(key: &[u8]) -> Option<(u8, u64)> {
    let (level, prefix) = key.split_first()?;
    Some((*level, u64::from_be_bytes(prefix.try_into().ok()?)))
}

/// A live window by repository, tier and recency, the newest first: `by_recency`.
pub fn recency(repo: u32, tier: u8, updated_at: i64, window: u32) -> [u8; 17] {
    let mut key = [0; 17];
    key[..4].copy_from_slice(&repo.to_be_bytes());
    key[4] = tier;
    key[5..13].copy_from_slice(&((i64::MAX).wrapping_sub(updated_at) as u64).to_be_bytes());
    key[13..].copy_from_slice(&window.to_be_bytes());
    key
}

/// A window below its root and parent: `by_root`.
pub fn lineage(root: u32, parent: Option<u32>, window: u32) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&root.to_be_bytes());
    key[4..8].copy_from_slice(&parent.unwrap_or(u32::MAX).to_be_bytes());
    key[8..].copy_from_slice(&window.to_be_bytes());
    key
}

/// A link between windows: `links`.
pub fn link(from: u32, link: u8, to: u32) -> [u8; 9] {
    let mut key = [0; 9];
    key[..4].copy_from_slice(&from.to_be_bytes());
    key[4] = link;
    key[5..].copy_from_slice(&to.to_be_bytes());
    key
}

/// The parts of a [`link`] key.
pub fn split_link(key: &[u8]) -> Option<(u32, u8, u32)> {
    let (from, rest) = key.split_first_chunk()?;
    let (link, to) = rest.split_first()?;
    Some((u32::from_be_bytes(*from), *link, u32::from_be_bytes(to.try_into().ok()?)))
}

/// A window and a short hash: `usage`.
pub fn usage(window: u32, response: &[u8; 16]) -> [u8; 20] {
    let mut key = [0; 20];
    key[..4].copy_from_slice(&window.to_be_bytes());
    key[4..].copy_from_slice(response);
    key
}

/// A window that waits for the parent with this short hash: `awaited`.
pub fn awaited(parent: &[u8; 16], window: u32) -> [u8; 20] {
    let mut key = [0; 20];
    key[..16].copy_from_slice(parent);
    key[16..].copy_from_slice(&window.to_be_bytes());
    key
}

/// The parts of an [`awaited`] key.
pub fn split_awaited(key: &[u8]) -> Option<([u8; 16], u32)> {
    let (parent, window) = key.split_first_chunk()?;
    Some((*parent, u32::from_be_bytes(window.try_into().ok()?)))
}

/// A stretch of a source file, told apart by the prefix of its bytes' hash if the file had
/// another at the same place before: `quarantine`.
pub fn stretch(cursor: &[u8; 16], offset: u64, content: u64) -> [u8; 32] {
    let mut key = [0; 32];
    key[..16].copy_from_slice(cursor);
    key[16..24].copy_from_slice(&offset.to_be_bytes());
    key[24..].copy_from_slice(&content.to_be_bytes());
    key
}

/// What a stretch in `raw_files` counts its offsets in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Domain {
    /// The bytes that records are read from, decompressed.
    Content = 0,
    /// The bytes of a compressed file as they are.
    Stored = 1,
}

/// A stretch of a reading of a source file: `raw_files`.
pub fn raw_file(cursor: &[u8; 16], reading: u32, domain: Domain, offset: u64) -> [u8; 29] {
    let mut key = [0; 29];
    key[..16].copy_from_slice(cursor);
    key[16..20].copy_from_slice(&reading.to_be_bytes());
    key[20] = domain as u8;
    key[21..].copy_from_slice(&offset.to_be_bytes());
    key
}

/// The parts of a [`raw_file`] key.
pub fn split_raw_file(key: &[u8]) -> Option<([u8; 16], u32, Domain, u64)> {
    let (cursor, rest) = key.split_first_chunk()?;
    let (reading, rest) = rest.split_first_chunk()?;
    let (domain, offset) = rest.split_first()?;
    let domain = match domain {
        0 => Domain::Content,
        1 => Domain::Stored,
        _ => return None,
    };
    let offset = u64::from_be_bytes(offset.try_into().ok()?);
    Some((*cursor, u32::from_be_bytes(*reading), domain, offset))
}
