//! Tables of heads and what belongs to them: a head's row stands right before its numbered rows.

use std::ops::Bound::{Excluded, Included};

use heed::RoTxn;
use serde::de::DeserializeOwned;
use vox_format::{
    producers::{numbered, split_numbered},
    rows,
};
use vox_types::{Code, Error, Result};

use crate::{fault::Fallible, tables::Table};

/// The longest id of a session or a conversation, in bytes. Judgement.
const MAX_ID: usize = 500;

/// Refuses an id that is empty or too long; `of` names what it would be the id of.
pub(super) fn check_id(of: &str, id: &str) -> Result<()> {
    if id.is_empty() || id.len() > MAX_ID {
        let says = format!("the id of {of} has 1 to {MAX_ID} bytes, not {}", id.len());
        return Err(Error::new(Code::InvalidArgument, says));
    }
    Ok(())
}

/// The row of the head with this key.
pub(super) fn head<T: DeserializeOwned>(
    table: Table,
    txn: &RoTxn<'_>,
    key: &[u8; 16],
) -> Fallible<Option<T>> {
    match table.get(txn, key)? {
        Some(row) => Ok(Some(rows::decode(row, "a head of a producer's rows")?)),
        None => Ok(None),
    }
}

/// Every head, in the order of the keys, found by skipping from one to the next.
pub(super) fn heads<T: DeserializeOwned>(
    table: Table,
    txn: &RoTxn<'_>,
) -> Fallible<Vec<([u8; 16], T)>> {
    let mut heads = Vec::new();
    let mut found = table.first(txn)?;
    while let Some((key, row)) = found {
        let mut last = [0xff; 24];
        if let Some(head) = key.first_chunk::<16>() {
            last[..16].copy_from_slice(head);
            if key.len() == 16 {
                heads.push((*head, rows::decode(row, "a head of a producer's rows")?));
            }
        }
        found = table.get_greater_than(txn, &last)?;
    }
    Ok(heads)
}

/// Rows of a head from number `first` on, at most `count`.
pub(super) fn below<T: DeserializeOwned>(
    table: Table,
    txn: &RoTxn<'_>,
    head: &[u8; 16],
    first: u64,
    count: usize,
) -> Fallible<Vec<(u64, T)>> {
    let (from, to) = (numbered(head, first), numbered(head, u64::MAX));
    let rows = table.range(txn, &(Included(&from[..]), Included(&to[..])))?;
    collect(rows.take(count))
}

/// Rows of a head before number `end`, the last first, at most `count`.
pub(super) fn before<T: DeserializeOwned>(
    table: Table,
    txn: &RoTxn<'_>,
    head: &[u8; 16],
    end: u64,
    count: usize,
) -> Fallible<Vec<(u64, T)>> {
    let (from, to) = (numbered(head, 0), numbered(head, end));
    let rows = table.rev_range(txn, &(Included(&from[..]), Excluded(&to[..])))?;
    collect(rows.take(count))
}

fn collect<'t, T: DeserializeOwned>(
    rows: impl Iterator<Item = heed::Result<(&'t [u8], &'t [u8])>>,
) -> Fallible<Vec<(u64, T)>> {
    let mut all = Vec::new();
    for row in rows {
        let (key, value) = row?;
        if let Some((_, number)) = split_numbered(key) {
            all.push((number, rows::decode(value, "a row of a producer")?));
        }
    }
    Ok(all)
}
