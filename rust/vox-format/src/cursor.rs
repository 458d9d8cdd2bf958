//! Reading fixed-size fields from the front of a slice, without a way to panic.

use vox_types::{Error, Result};

/// Splits `n` bytes off the front of `bytes`; `what` names the field in the error.
pub fn take<'a>(bytes: &mut &'a [u8], n: usize, what: &str) -> Result<&'a [u8]> {
    let Some((head, tail)) = bytes.split_at_checked(n) else {
        return Err(Error::damaged(format!("{what}: {n} bytes wanted, {} left", bytes.len())));
    };
    *bytes = tail;
    Ok(head)
}

/// Splits an array of `N` bytes off the front of `bytes`.
pub fn take_array<const N: usize>(bytes: &mut &[u8], what: &str) -> Result<[u8; N]> {
    let mut array = [0; N];
    array.copy_from_slice(take(bytes, N, what)?);
    Ok(array)
}

/// The little-endian `u32` that is all of `value`; `what` names it in the error.
pub fn only_u32(value: &[u8], what: &str) -> Result<u32> {
    let value = value.try_into().map_err(|_| {
        Error::damaged(format!("{what} is {} bytes long instead of 4", value.len()))
    })?;
    Ok(u32::from_le_bytes(value))
}

/// Reads the `u8 layout = 1, u8 reserved, u16 n` that most packed values start with.
pub fn take_header(bytes: &mut &[u8], what: &str) -> Result<usize> {
    take_layout(bytes, 1, what)
}

/// Reads the `u8 layout, u8 reserved, u16 n` that every packed value starts with.
pub fn take_layout(bytes: &mut &[u8], layout: u8, what: &str) -> Result<usize> {
    Ok(take_one_layout(bytes, &[layout], what)?.1)
}

/// Reads a header with one of `layouts`; gives also which.
pub fn take_one_layout(bytes: &mut &[u8], layouts: &[u8], what: &str) -> Result<(u8, usize)> {
    let [version, _, low, high] = take_array(bytes, what)?;
    if !layouts.contains(&version) {
        return Err(Error::damaged(format!("{what}: layout {version} is unknown")));
    }
    Ok((version, usize::from(u16::from_le_bytes([low, high]))))
}

/// Writes the header that [`take_header`] reads.
pub fn put_header(out: &mut Vec<u8>, n: u16) {
    put_layout(out, 1, n);
}

/// Writes the header that [`take_layout`] reads.
pub fn put_layout(out: &mut Vec<u8>, layout: u8, n: u16) {
    out.extend_from_slice(&[layout, 0]);
    out.extend_from_slice(&n.to_le_bytes());
}

/// The `i`-th little-endian `u32` of a table; 0 past its end.
pub fn u32_at(table: &[u8], i: usize) -> u32 {
    match table.get(i * 4..i * 4 + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// The `i`-th little-endian `u64` of a table; 0 past its end.
pub fn u64_at(table: &[u8], i: usize) -> u64 {
    match table.get(i * 8..).and_then(|rest| rest.first_chunk()) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => 0,
    }
}
