//! Putting windows below the windows they came from.

use heed::RwTxn;
use vox_format::{keys, rows::Event};
use vox_types::{Error, LinkKind, WindowNo};

use super::windows::{self, short_hash};
use crate::{events, fault::Fallible, tables::Tables};

/// Puts `child`, a root, below `parent` and links them; a claim that would make a circle is left
/// aside.
pub(crate) fn put_below(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    now: i64,
    child: WindowNo,
    parent: WindowNo,
    link: LinkKind,
) -> Fallible<()> {
    if windows::adopt(tables, txn, child, parent)? {
        let ordinal = windows::expect(tables, txn, parent)?.items;
        write(tables, txn, now, child, parent, link, ordinal)?;
    }
    Ok(())
}

/// Writes down that `from` came from `to`, and from which place there.
pub(crate) fn write(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    now: i64,
    from: WindowNo,
    to: WindowNo,
    link: LinkKind,
    ordinal: u64,
) -> Fallible<()> {
    let key = keys::link(from, link as u8, to);
    tables.links.put(txn, &key, &ordinal.to_le_bytes())?;
    let what = Event::Linked { link: link as u8, to };
    events::append(tables, txn, now, Some(from), what)
}

/// Puts below window `no` the windows that waited for its key.
pub(crate) fn adopt_awaiting(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    now: i64,
    no: WindowNo,
    key: &str,
) -> Fallible<()> {
    let mut waiting = Vec::new();
    for row in tables.awaited.prefix_iter(txn, &short_hash(key))? {
        let (key, value) = row?;
        let damaged = || Error::damaged("a row of awaited names no window or no link");
        let (_, child) = keys::split_awaited(key).ok_or_else(damaged)?;
        let link = value.first().copied().and_then(LinkKind::from_number);
        waiting.push((key.to_vec(), child, link.ok_or_else(damaged)?));
    }
    for (key, child, link) in waiting {
        tables.awaited.delete(txn, &key)?;
        if windows::expect(tables, txn, child)?.parent.is_none() {
            put_below(tables, txn, now, child, no, link)?;
        }
    }
    Ok(())
}

/// The links of `window` to others: how it came from there, from which, and the place.
pub(crate) fn links_of(
    tables: &Tables,
    txn: &heed::RoTxn<'_>,
    window: WindowNo,
) -> Fallible<Vec<(LinkKind, WindowNo, u64)>> {
    let rows = tables.links.prefix_iter(txn, &window.to_be_bytes())?;
    rows.map(|row| {
        let (key, value) = row?;
        let read = || {
            let (_, link, to) = keys::split_link(key)?;
            Some((LinkKind::from_number(link)?, to, u64::from_le_bytes(value.try_into().ok()?)))
        };
        read().ok_or_else(|| Error::damaged("a row of links is no link").into())
    })
    .collect()
}
