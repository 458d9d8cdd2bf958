//! What the index keeps of each document to be read by its number.

use std::sync::Arc;

use tantivy::{DocId, SegmentReader, columnar::ColumnValues};
use vox_types::ItemId;

use super::{Admit, Facts};

/// The columns of one segment.
pub(super) struct Columns {
    item: Arc<dyn ColumnValues<u64>>,
    content: Arc<dyn ColumnValues<u64>>,
    time: Arc<dyn ColumnValues<i64>>,
    attributes: Arc<dyn ColumnValues<u64>>,
    name: Arc<dyn ColumnValues<u64>>,
}

/// A segment and its columns.
pub(super) struct Part<'a> {
    pub(super) reader: &'a SegmentReader,
    pub(super) columns: &'a Columns,
}

impl Columns {
    pub(super) fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
        let fields = reader.fast_fields();
        Ok(Self {
            item: fields.column_first_or_default("item")?,
            content: fields.column_first_or_default("content")?,
            time: fields.column_first_or_default("time")?,
            attributes: fields.column_first_or_default("attributes")?,
            name: fields.column_first_or_default("name")?,
        })
    }

    pub(super) fn item(&self, doc: DocId) -> ItemId {
        ItemId(self.item.get_val(doc))
    }

    pub(super) fn content(&self, doc: DocId) -> u64 {
        self.content.get_val(doc)
    }

    pub(super) fn facts(&self, doc: DocId) -> Facts {
        Facts {
            item: self.item(doc),
            time: self.time.get_val(doc),
            attributes: self.attributes.get_val(doc) as u16,
            name: self.name.get_val(doc) as u32,
        }
    }

    /// Puts the items of those of `docs` that are there and admitted into `found`.
    pub(super) fn admitted(
        &self,
        reader: &SegmentReader,
        docs: &[DocId],
        admit: &impl Admit,
        found: &mut Vec<u64>,
    ) {
        if admit.all() && !reader.has_deletes() {
            let start = found.len();
            found.resize(start + docs.len(), 0);
            self.item.get_vals(docs, &mut found[start..]);
            return;
        }
        for doc in docs {
            if reader.is_deleted(*doc) {
                continue;
            }
            let facts = self.facts(*doc);
            if admit.admits(&facts) {
                found.push(facts.item.0);
            }
        }
    }
}
