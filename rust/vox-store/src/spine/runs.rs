//! Runs of items in chunks.

use heed::{PutFlags, RoTxn, RwTxn};
use vox_format::{
    chunk::{Chunk, ItemRow, MAX_ITEMS, encode_chunk},
    keys,
    rows::{self, RunRow},
};
use vox_types::{ChainHash, Code, Error, ItemId, RunNo, WindowNo};

use crate::{
    fault::Fallible,
    tables::{Tables, next_number},
};

/// The row of a run.
pub(crate) fn get(tables: &Tables, txn: &RoTxn<'_>, run: RunNo) -> Fallible<RunRow> {
    match tables.runs.get(txn, &run.to_be_bytes())? {
        Some(row) => Ok(rows::decode(row, "a run")?),
        None => Err(Error::new(Code::NotFound, format!("there is no run {run}")).into()),
    }
}

/// Every run, in order.
pub(crate) fn all(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<Vec<(RunNo, RunRow)>> {
    let rows = tables.runs.iter(txn)?;
    rows.map(|row| {
        let (key, value) = row?;
        let run = key.try_into().map(u32::from_be_bytes);
        let run = run.map_err(|_| Error::damaged("a run's key isn't 4 bytes long"))?;
        Ok((run, rows::decode(value, "a run")?))
    })
    .collect()
}

/// The windows that show items of a run.
pub(crate) fn windows_of(tables: &Tables, txn: &RoTxn<'_>, run: RunNo) -> Fallible<Vec<WindowNo>> {
    let rows = tables.run_windows.prefix_iter(txn, &run.to_be_bytes())?;
    rows.map(|row| match keys::split_pair(row?.0) {
        Some((_, window)) => Ok(window),
        None => Err(Error::damaged("a key of run_windows isn't 8 bytes long").into()),
    })
    .collect()
}

/// The first position and the bytes of the chunk that holds `position`.
pub(crate) fn chunk_at<'t>(
    tables: &Tables,
    txn: &'t RoTxn<'_>,
    run: RunNo,
    position: u32,
) -> Fallible<Option<(u32, &'t [u8])>> {
    let found = tables.chunks.get_lower_than_or_equal_to(txn, &keys::pair(run, position))?;
    Ok(found.and_then(|(key, value)| match keys::split_pair(key) {
        Some((owner, first)) if owner == run => Some((first, value)),
        _ => None,
    }))
}

/// The chunk that holds `item`, and the item's place there.
pub fn chunk_of<'t>(
    tables: &Tables,
    txn: &'t RoTxn<'_>,
    item: ItemId,
) -> Fallible<(Chunk<'t>, usize)> {
    if let Some((first, value)) = chunk_at(tables, txn, item.run(), item.position())? {
        let chunk = Chunk::parse(value)?;
        let place = (item.position() - first) as usize;
        if place < chunk.len() {
            return Ok((chunk, place));
        }
    }
    Err(Error::new(Code::NotFound, format!("there is no item {item}")).into())
}

/// Starts a run of `window`, whose path so far ends in `chain`.
pub(crate) fn start(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    window: WindowNo,
    chain: ChainHash,
) -> Fallible<RunNo> {
    let run = next_number(tables.runs, txn, 0, "a run")?;
    let row = RunRow { window, len: 0, chain: chain.0 };
    tables.runs.put_with_flags(txn, PutFlags::APPEND, &run.to_be_bytes(), &rows::encode(&row)?)?;
    Ok(run)
}

/// Appends items to a run; `chains` are their chain hashes. Gives the position of the first.
pub(crate) fn append(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    run: RunNo,
    items: &[ItemRow],
    chains: &[ChainHash],
) -> Fallible<u32> {
    let mut row = get(tables, txn, run)?;
    let first = row.len;
    let mut tip = ChainHash(row.chain);
    let (mut rest, mut rest_chains) = (items, chains);
    while !rest.is_empty() {
        let open = row.len % MAX_ITEMS as u32;
        let fits = (MAX_ITEMS - open as usize).min(rest.len());
        let (part, others) = rest.split_at(fits);
        let (part_chains, other_chains) = rest_chains.split_at(fits);
        let key = keys::pair(run, row.len - open);
        let value = if open == 0 {
            encode_chunk(&tip, part)
        } else {
            match tables.chunks.get(txn, &key)? {
                Some(value) => Chunk::parse(value)?.extend(part)?,
                None => {
                    return Err(
                        Error::damaged(format!("the last chunk of run {run} is missing")).into()
                    );
                }
            }
        };
        tables.chunks.put(txn, &key, &value)?;
        let full = || Error::new(Code::TooLarge, format!("run {run} has no position left"));
        row.len = row.len.checked_add(fits as u32).ok_or_else(full)?;
        let on_path = part.iter().zip(part_chains).rfind(|(item, _)| !item.side);
        tip = on_path.map_or(tip, |(_, chain)| *chain);
        (rest, rest_chains) = (others, other_chains);
    }
    row.chain = tip.0;
    tables.runs.put(txn, &run.to_be_bytes(), &rows::encode(&row)?)?;
    Ok(first)
}
