//! The append-only log of what happened.

use heed::{PutFlags, RoTxn, RwTxn};
use vox_format::rows::{self, Event, EventRow};
use vox_types::{Error, Result, WindowNo};

use crate::{fault::Fallible, tables::Tables};

/// Appends an event.
pub(crate) fn append(
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
        Some((key, _)) => {
            let full = || Error::damaged("the last event has the last number there is");
            Ok(sequence_of(key)?.checked_add(1).ok_or_else(full)?)
        }
        None => Ok(0),
    }
}

/// The row of an event as it stands; none if there is no such event.
pub(crate) fn row<'t>(
    tables: &Tables,
    txn: &'t RoTxn<'_>,
    sequence: u64,
) -> Fallible<Option<&'t [u8]>> {
    Ok(tables.events.get(txn, &sequence.to_be_bytes())?)
}

fn sequence_of(key: &[u8]) -> Result<u64> {
    let key = key.try_into().map_err(|_| Error::damaged("an event's key isn't 8 bytes long"))?;
    Ok(u64::from_be_bytes(key))
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
        events.push((sequence_of(key)?, rows::decode(value, "an event")?));
    }
    Ok(events)
}
