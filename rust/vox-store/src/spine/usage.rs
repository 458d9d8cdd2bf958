//! What providers reported for responses.

use heed::{RoTxn, RwTxn};
use vox_format::{
    cursor::only_u32,
    keys,
    rows::{self, UsageRow},
};
use vox_types::WindowNo;

use super::windows::short_hash;
use crate::{fault::Fallible, tables::Tables};

/// Records a report; of several on one response the largest stays, at the window that had the
/// response first. Gives whether anything changed.
pub(crate) fn record(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    row: &UsageRow,
) -> Fallible<bool> {
    let response = short_hash(&row.key);
    let owner = match tables.usage_owners.get(txn, &response)? {
        Some(owner) => only_u32(owner, "a row of usage_owners")?,
        None => {
            tables.usage_owners.put(txn, &response, &window.to_le_bytes())?;
            window
        }
    };
    let key = keys::usage(owner, &response);
    if let Some(known) = tables.usage.get(txn, &key)? {
        let known: UsageRow = rows::decode(known, "a usage row")?;
        let merged = known.clone().merge(row.clone());
        if merged == known {
            return Ok(false);
        }
        tables.usage.put(txn, &key, &rows::encode(&merged)?)?;
        return Ok(true);
    }
    tables.usage.put(txn, &key, &rows::encode(row)?)?;
    Ok(true)
}

/// The reports kept at a window.
pub(crate) fn of_window(
    tables: &Tables,
    txn: &RoTxn<'_>,
    window: WindowNo,
) -> Fallible<Vec<UsageRow>> {
    let rows = tables.usage.prefix_iter(txn, &window.to_be_bytes())?;
    rows.map(|row| Ok(rows::decode(row?.1, "a usage row")?)).collect()
}
