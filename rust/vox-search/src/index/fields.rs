//! The fields of a document.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};

/// Names of the analysers that a field's terms come from.
pub(super) const WORDS: &str = "words";
pub(super) const JOINS: &str = "joins";
pub(super) const STEMS: &str = "stems";
pub(super) const TOUCHED: &str = "touched";

/// The fields, by what they hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) item: Field,
    pub(super) time: Field,
    pub(super) attributes: Field,
    pub(super) name: Field,
    pub(super) content: Field,
    /// The first two bytes of `content`: few enough terms to cost nothing, and contents are found
    /// among the documents of one.
    pub(super) shelf: Field,
    pub(super) words: Field,
    pub(super) joins: Field,
    pub(super) stems: Field,
    pub(super) touched: Field,
}

/// The schema of an index and its fields.
pub(super) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let fields = Fields {
        item: schema.add_u64_field("item", FAST),
        time: schema.add_i64_field("time", FAST),
        attributes: schema.add_u64_field("attributes", FAST),
        name: schema.add_u64_field("name", FAST),
        content: schema.add_u64_field("content", FAST),
        shelf: schema.add_u64_field("shelf", INDEXED),
        words: schema
            .add_text_field(WORDS, text(WORDS, IndexRecordOption::WithFreqsAndPositions, true)),
        joins: schema
            .add_text_field(JOINS, text(JOINS, IndexRecordOption::WithFreqsAndPositions, true)),
        stems: schema.add_text_field(STEMS, text(STEMS, IndexRecordOption::WithFreqs, true)),
        touched: schema.add_text_field(TOUCHED, text("raw", IndexRecordOption::Basic, false)),
    };
    (schema.build(), fields)
}

fn text(analyser: &str, kept: IndexRecordOption, norms: bool) -> TextOptions {
    TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer(analyser)
            .set_index_option(kept)
            .set_fieldnorms(norms),
    )
}

/// The shelf of a content.
pub(super) fn shelf_of(content: u64) -> u64 {
    content >> 48
}
