//! Rows of windows, and the indexes that follow them.

use heed::{RoTxn, RwTxn};
use vox_format::{
    cursor::only_u32,
    keys,
    rows::{self, WindowRow},
};
use vox_types::{Error, LinkKind, WindowNo};

use crate::{
    fault::Fallible,
    tables::{Tables, next_number},
};

/// The first 16 bytes of BLAKE3(text), a key for texts of any length.
pub fn short_hash(text: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    short
}

/// The row of window `no`.
pub fn get(tables: &Tables, txn: &RoTxn<'_>, no: WindowNo) -> Fallible<Option<WindowRow>> {
    match tables.windows.get(txn, &no.to_be_bytes())? {
        Some(row) => Ok(Some(rows::decode(row, "a window")?)),
        None => Ok(None),
    }
}

/// The row of window `no`, which something refers to.
pub fn expect(tables: &Tables, txn: &RoTxn<'_>, no: WindowNo) -> Fallible<WindowRow> {
    match get(tables, txn, no)? {
        Some(row) => Ok(row),
        None => Err(Error::damaged(format!("window {no} is referred to and missing")).into()),
    }
}

/// The newest window with this key.
pub fn by_key(tables: &Tables, txn: &RoTxn<'_>, key: &str) -> Fallible<Option<WindowNo>> {
    match tables.window_keys.get(txn, &short_hash(key))? {
        Some(no) => Ok(Some(only_u32(no, "a row of window_keys")?)),
        None => Ok(None),
    }
}

/// The window with this id.
pub(crate) fn by_id(tables: &Tables, txn: &RoTxn<'_>, id: &[u8; 16]) -> Fallible<Option<WindowNo>> {
    match tables.window_ids.get(txn, id)? {
        Some(no) => Ok(Some(only_u32(no, "a row of window_ids")?)),
        None => Ok(None),
    }
}

/// The windows whose ids start with `prefix`, at most `most`.
pub(crate) fn by_id_prefix(
    tables: &Tables,
    txn: &RoTxn<'_>,
    prefix: &[u8],
    most: usize,
) -> Fallible<Vec<WindowNo>> {
    let rows = tables.window_ids.prefix_iter(txn, prefix)?.take(most);
    rows.map(|row| Ok(only_u32(row?.1, "a row of window_ids")?)).collect()
}

/// The number the next window gets.
pub(crate) fn next_no(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<WindowNo> {
    next_number(tables.windows, txn, 0, "a window")
}

/// Writes a row; `old` is what stood there, so that the indexes follow.
pub(crate) fn put(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    no: WindowNo,
    old: Option<&WindowRow>,
    row: &WindowRow,
) -> Fallible<()> {
    tables.windows.put(txn, &no.to_be_bytes(), &rows::encode(row)?)?;
    let recency = |row: &WindowRow| {
        row.deleted_at.is_none().then(|| keys::recency(row.repo, row.tier, row.updated_at, no))
    };
    let lineage = |row: &WindowRow| keys::lineage(row.root, row.parent, no);
    let before = old.and_then(recency);
    let after = recency(row);
    if before != after {
        if let Some(key) = before {
            tables.by_recency.delete(txn, &key)?;
        }
        if let Some(key) = after {
            tables.by_recency.put(txn, &key, &[])?;
        }
    }
    if old.map(lineage) != Some(lineage(row)) {
        if let Some(old) = old {
            tables.by_root.delete(txn, &lineage(old))?;
        }
        tables.by_root.put(txn, &lineage(row), &[])?;
    }
    if old.is_none() {
        tables.window_ids.put(txn, &row.id, &no.to_le_bytes())?;
        tables.window_keys.put(txn, &short_hash(&row.key), &no.to_le_bytes())?;
    }
    Ok(())
}

/// The windows whose root is `root`, in the order of their parents.
pub(crate) fn family(tables: &Tables, txn: &RoTxn<'_>, root: WindowNo) -> Fallible<Vec<WindowNo>> {
    let rows = tables.by_root.prefix_iter(txn, &root.to_be_bytes())?;
    rows.map(|row| {
        let window = row?.0.last_chunk().copied().map(u32::from_be_bytes);
        window.ok_or_else(|| Error::damaged("a key of by_root is too short").into())
    })
    .collect()
}

/// How window `no` came from `parent`; None if nothing says so.
pub(crate) fn link(
    tables: &Tables,
    txn: &RoTxn<'_>,
    no: WindowNo,
    parent: WindowNo,
) -> Fallible<Option<LinkKind>> {
    for kind in LinkKind::ALL {
        if tables.links.get(txn, &keys::link(no, *kind as u8, parent))?.is_some() {
            return Ok(Some(*kind));
        }
    }
    Ok(None)
}

/// Puts window `no`, a root, below `parent`, with all that hangs on it. A window isn't put below
/// itself or its own descendants: such a claim is left aside and answered with false.
pub(crate) fn adopt(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    no: WindowNo,
    parent: WindowNo,
) -> Fallible<bool> {
    let root = expect(tables, txn, parent)?.root;
    if root == no {
        return Ok(false);
    }
    for member in family(tables, txn, no)? {
        let old = expect(tables, txn, member)?;
        let mut row = old.clone();
        row.root = root;
        if member == no {
            row.parent = Some(parent);
        }
        put(tables, txn, member, Some(&old), &row)?;
    }
    Ok(true)
}
