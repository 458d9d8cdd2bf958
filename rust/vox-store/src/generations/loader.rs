//! Filling the tables of a draft in the order of their keys.

use heed::PutFlags;
use vox_types::Result;

use crate::{env::Generation, tables::Table};

/// Bytes of rows that are written in one transaction. Judgement: bounds memory to a few times
/// this, and few enough transactions that their syncs don't count.
const TRANSACTION: usize = 64 << 20;

/// Takes rows, each table's in the order of its keys, and writes many in one transaction.
pub struct Loader<'d> {
    draft: &'d Generation,
    rows: Vec<Row>,
    bytes: Vec<u8>,
}

struct Row {
    table: Table,
    key: usize,
    value: usize,
}

impl<'d> Loader<'d> {
    pub fn new(draft: &'d Generation) -> Self {
        Self { draft, rows: Vec::new(), bytes: Vec::new() }
    }

    /// Adds a row that comes after all others of `table`.
    pub fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<()> {
        if self.bytes.len() + key.len() + value.len() > TRANSACTION {
            self.flush()?;
        }
        self.rows.push(Row { table, key: key.len(), value: value.len() });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        Ok(())
    }

    /// Writes what was added; durable on return.
    pub fn flush(&mut self) -> Result<()> {
        self.draft.write(|txn| {
            let mut rest = &self.bytes[..];
            for row in &self.rows {
                let (key, after) = rest.split_at(row.key);
                let (value, after) = after.split_at(row.value);
                // Pages are filled to the end, as nothing comes between.
                row.table.put_with_flags(txn, PutFlags::APPEND, key, value)?;
                rest = after;
            }
            Ok(())
        })?;
        self.rows.clear();
        self.bytes.clear();
        Ok(())
    }
}
