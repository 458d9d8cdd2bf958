//! The append-only log of what happened.

use heed::{PutFlags, RoTxn, RwTxn};
use vox_format::rows::{self, Event, EventRow};
use vox_types::{Error, WindowNo};

use crate::{fault::Fallible, tables::Tables};

/// Appends an event.
pub fn append(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    at: i64,
    window: Option<WindowNo>,
    what: Event,
) -> Fallible<()> {
    let sequence = next(tables, txn)?;
    let row = rows::encode(&EventRow { at, window, what })?;
    tables.events.put_with_flags(txn, PutFlags::APPEND, &sequence.to_be_bytes(), &row)?;
    Ok(())
}

/// The sequence number of the next event.
pub fn next(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<u64> {
    match tables.events.last(txn)? {
        Some((key, _)) => match key.try_into() {
            Ok(key) => Ok(u64::from_be_bytes(key) + 1),
            Err(_) => Err(Error::damaged("an event's key isn't 8 bytes long").into()),
        },
        None => Ok(0),
    }
}

/// The events from sequence number `first` on, at most `count`.
pub fn since(
    tables: &Tables,
    txn: &RoTxn<'_>,
    first: u64,
    count: usize,
) -> Fallible<Vec<(u64, EventRow)>> {
    let from = (std::ops::Bound::Included(&first.to_be_bytes()[..]), std::ops::Bound::Unbounded);
    let mut events = Vec::new();
    for row in tables.events.range(txn, &from)?.take(count) {
        let (key, value) = row?;
        let sequence = key.try_into().map(u64::from_be_bytes).unwrap_or(u64::MAX);
        events.push((sequence, rows::decode(value, "an event")?));
    }
    Ok(events)
}
