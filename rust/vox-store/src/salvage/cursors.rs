//! How far sources were read.

use std::collections::BTreeMap;

use vox_format::rows::{self, CursorRow};
use vox_types::Result;

use super::{report::Report, source::Source};
use crate::spine::cursors;

/// Reads the cursors that can be read.
pub fn read(source: &Source, report: &mut Report) -> Result<BTreeMap<[u8; 16], CursorRow>> {
    let mut found = BTreeMap::new();
    source.rows("cursors", report, |report, key, value| {
        let row: Option<CursorRow> = rows::decode(&value, "a cursor").ok();
        let row = row.filter(|row: &CursorRow| {
            cursors::key(&row.path)[..] == *key
                && row.blocks.iter().all(|b| b.start <= b.end && b.end <= row.offset)
        });
        match row {
            Some(row) => {
                found.insert(cursors::key(&row.path), row);
            }
            None => report.lost("cursors", key, "the row is no cursor"),
        }
        Ok(())
    })?;
    Ok(found)
}
