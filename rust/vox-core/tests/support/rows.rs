//! Batches as plain rows, to compare them with a reference.

use arrow_array::{
    Array, RecordBatch, StringArray,
    cast::AsArray,
    types::{Int8Type, Int32Type, Int64Type, TimestampMillisecondType, UInt32Type, UInt64Type},
};
use vox_format::chunk::ItemRow;
use vox_types::{ItemId, OverlayKind};

use super::Memory;

/// What a row of a window's batch says.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    pub ordinal: u64,
    pub item: u64,
    pub shown: Shown,
    pub pinned: bool,
    pub committed: Option<i64>,
    pub trimmed_at: Option<i64>,
}

/// What a row says about the item itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    role: String,
    kind: String,
    fidelity: String,
    created_at: i64,
    byte_len: u64,
    token_estimate: u64,
    name: Option<String>,
    call: u32,
    redacted: bool,
    side: bool,
    preview: String,
}

impl From<&ItemRow> for Shown {
    fn from(row: &ItemRow) -> Self {
        Self {
            role: row.role.name().into(),
            kind: row.kind.name().into(),
            fidelity: row.fidelity.name().into(),
            created_at: row.created_at,
            byte_len: row.byte_len,
            token_estimate: row.token_estimate.into(),
            name: (row.name != 0).then(|| format!("name {}", row.name)),
            call: row.call,
            redacted: row.redacted,
            side: row.side,
            preview: row.preview.clone(),
        }
    }
}

/// The row that `ordinal` of the window should give.
pub fn expected(memory: &Memory, ordinal: u64) -> Row {
    let place = memory.places()[ordinal as usize];
    Row {
        ordinal,
        item: ItemId::new(place.0, place.1).0,
        shown: memory.row(place).into(),
        pinned: memory.overlay(OverlayKind::Pinned, ordinal).is_some(),
        committed: memory.overlay(OverlayKind::Committed, ordinal),
        trimmed_at: memory.overlay(OverlayKind::Trimmed, ordinal),
    }
}

fn closed(batch: &RecordBatch, name: &str, row: usize) -> String {
    let column = batch[name].as_dictionary::<Int8Type>();
    let names: &StringArray = column.values().as_string();
    names.value(column.keys().value(row) as usize).into()
}

fn number(batch: &RecordBatch, name: &str, row: usize) -> u64 {
    batch[name].as_primitive::<UInt64Type>().value(row)
}

fn time(batch: &RecordBatch, name: &str, row: usize) -> Option<i64> {
    let column = batch[name].as_primitive::<TimestampMillisecondType>();
    column.is_valid(row).then(|| column.value(row))
}

pub fn shown(batch: &RecordBatch, row: usize) -> Shown {
    let names = batch["name"].as_dictionary::<Int32Type>();
    let texts: &StringArray = names.values().as_string();
    Shown {
        role: closed(batch, "role", row),
        kind: closed(batch, "kind", row),
        fidelity: closed(batch, "fidelity", row),
        created_at: time(batch, "created_at", row).unwrap(),
        byte_len: number(batch, "byte_len", row),
        token_estimate: number(batch, "token_estimate", row),
        name: names.is_valid(row).then(|| texts.value(names.keys().value(row) as usize).into()),
        call: batch["call"].as_primitive::<UInt32Type>().value(row),
        redacted: batch["redacted"].as_boolean().value(row),
        side: batch["side"].as_boolean().value(row),
        preview: batch["preview"].as_string::<i32>().value(row).into(),
    }
}

/// All rows of a window's batch.
pub fn rows(batch: &RecordBatch) -> Vec<Row> {
    let committed = batch["committed"].as_primitive::<Int64Type>();
    (0..batch.num_rows())
        .map(|row| Row {
            ordinal: number(batch, "ordinal", row),
            item: number(batch, "item", row),
            shown: shown(batch, row),
            pinned: batch["pinned"].as_boolean().value(row),
            committed: committed.is_valid(row).then(|| committed.value(row)),
            trimmed_at: time(batch, "trimmed_at", row),
        })
        .collect()
}
