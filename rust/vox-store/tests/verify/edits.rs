//! Changes of rows behind the store's back.

use std::collections::BTreeMap;

use heed::RwTxn;
use vox_format::{
    chunk::{Chunk, ItemRow, encode_chunk},
    rows::{self, Extent, WindowRow},
    segment::{self, Group, Slot},
};
use vox_store::{
    Store,
    fault::Fallible,
    tables::{Table, Tables},
    verify::Kind,
};
use vox_types::ChainHash;

use crate::archive::rows as rows_of;

/// Makes something wrong.
pub type Work = fn(&Tables, &mut RwTxn<'_>) -> Fallible<()>;

/// What is made wrong, and where and as what it must be found.
pub struct Case {
    pub what: &'static str,
    pub table: &'static str,
    pub kind: Kind,
    pub work: Work,
}

pub fn case(what: &'static str, table: &'static str, kind: Kind, work: Work) -> Case {
    Case { what, table, kind, work }
}

pub fn first(table: Table, txn: &RwTxn<'_>) -> Fallible<(Vec<u8>, Vec<u8>)> {
    nth(table, txn, 0)
}

pub fn nth(table: Table, txn: &RwTxn<'_>, n: usize) -> Fallible<(Vec<u8>, Vec<u8>)> {
    let row = table.iter(txn)?.nth(n).expect("the sample has such a row")?;
    Ok((row.0.to_vec(), row.1.to_vec()))
}

pub fn drop_first(table: Table, txn: &mut RwTxn<'_>) -> Fallible<()> {
    let (key, _) = first(table, txn)?;
    Ok(table.delete(txn, &key).map(drop)?)
}

pub fn edit<T: serde::Serialize + serde::de::DeserializeOwned>(
    table: Table,
    txn: &mut RwTxn<'_>,
    key: &[u8],
    change: impl FnOnce(&mut T),
) -> Fallible<()> {
    let mut row: T = rows::decode(table.get(txn, key)?.expect("the row is there"), "a row")?;
    change(&mut row);
    Ok(table.put(txn, key, &rows::encode(&row)?)?)
}

pub fn edit_window(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    no: u32,
    change: fn(&mut WindowRow),
) -> Fallible<()> {
    edit(tables.windows, txn, &no.to_be_bytes(), change)
}

/// Writes the first chunk anew after a change of its rows or of the chain before it.
pub fn edit_chunk(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    change: fn(&mut ChainHash, &mut Vec<ItemRow>),
) -> Fallible<()> {
    let (key, value) = nth(tables.chunks, txn, 1)?;
    let chunk = Chunk::parse(&value)?;
    let (mut chain, mut items) = (chunk.chain_before(), chunk.rows()?);
    change(&mut chain, &mut items);
    Ok(tables.chunks.put(txn, &key, &encode_chunk(&chain, &items))?)
}

/// Writes segment 1 anew after a change of its slots.
pub fn edit_segment(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    change: fn(&mut Vec<Slot<'_>>),
) -> Fallible<()> {
    let key = 1u64.to_be_bytes();
    let value = tables.segments.get(txn, &key)?.expect("segment 1").to_vec();
    let group = Group::parse(&value)?;
    let mut slots = (0..group.len()).map(|slot| group.slot(slot)).collect::<Result<Vec<_>, _>>()?;
    change(&mut slots);
    Ok(tables.segments.put(txn, &key, &segment::encode(&slots))?)
}

pub fn edit_counts(
    tables: &Tables,
    txn: &mut RwTxn<'_>,
    references: i32,
    holds: i32,
) -> Fallible<()> {
    let (key, mut value) = first(tables.blob_recent, txn)?;
    let add = |bytes: &mut [u8], more: i32| {
        let old = i32::from_le_bytes(bytes.try_into().unwrap());
        bytes.copy_from_slice(&(old + more).to_le_bytes());
    };
    add(&mut value[..4], references);
    add(&mut value[4..], holds);
    Ok(tables.blob_recent.put(txn, &key, &value)?)
}

pub fn edit_extent(tables: &Tables, txn: &mut RwTxn<'_>, change: fn(&mut Extent)) -> Fallible<()> {
    let (key, value) = first(tables.extents, txn)?;
    let mut extent = Extent::decode(0, &value)?;
    change(&mut extent);
    Ok(tables.extents.put(txn, &key, &extent.encode())?)
}

/// Every row of every table.
pub fn dump(store: &Store) -> Vec<BTreeMap<Vec<u8>, Vec<u8>>> {
    (0..Tables::NAMES.len()).map(|at| rows_of(store, |tables| tables.all()[at])).collect()
}
