//! The fields of a batch of items.

use std::sync::{Arc, LazyLock, OnceLock};

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::view::Columns;

/// Where the rows of a batch come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rows {
    /// Items at their places in one window: `ordinal` and the overlays.
    OfWindow,
    /// Items of all runs: `window`.
    OfTimeline,
    /// Items by their ids.
    ById,
}

struct Fields {
    head: [Field; 12],
    ordinal: Field,
    window: Field,
    overlays: [Field; 3],
    preview: Field,
    content_hash: Field,
    chain_hash: Field,
}

static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let time = || DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
    let dictionary = |key| DataType::Dictionary(Box::new(key), Box::new(DataType::Utf8));
    let closed = || dictionary(DataType::Int8);
    let always = |name, kind| Field::new(name, kind, false);
    let sometimes = |name, kind| Field::new(name, kind, true);
    Fields {
        head: [
            always("item", DataType::UInt64),
            always("role", closed()),
            always("kind", closed()),
            always("created_at", time()),
            always("byte_len", DataType::UInt64),
            always("token_estimate", DataType::UInt64),
            sometimes("name", dictionary(DataType::Int32)),
            always("call", DataType::UInt32),
            always("fidelity", closed()),
            always("redacted", DataType::Boolean),
            always("side", DataType::Boolean),
            always("purged", DataType::Boolean),
        ],
        ordinal: always("ordinal", DataType::UInt64),
        window: always("window", DataType::UInt32),
        overlays: [
            always("pinned", DataType::Boolean),
            sometimes("committed", DataType::Int64),
            sometimes("trimmed_at", time()),
        ],
        preview: always("preview", DataType::Utf8),
        content_hash: always("content_hash", DataType::FixedSizeBinary(32)),
        chain_hash: always("chain_hash", DataType::FixedSizeBinary(32)),
    }
});

static SCHEMAS: [[OnceLock<SchemaRef>; 8]; 3] = [const { [const { OnceLock::new() }; 8] }; 3];

/// The schema of a batch; made once for each combination.
pub(crate) fn schema(rows: Rows, want: Columns) -> SchemaRef {
    let optional = usize::from(want.preview)
        | usize::from(want.content_hash) << 1
        | usize::from(want.chain_hash) << 2;
    Arc::clone(SCHEMAS[rows as usize][optional].get_or_init(|| Arc::new(make(rows, want))))
}

fn make(rows: Rows, want: Columns) -> Schema {
    let fields = &*FIELDS;
    let mut list = match rows {
        Rows::OfWindow => vec![fields.ordinal.clone()],
        Rows::OfTimeline => vec![fields.window.clone()],
        Rows::ById => vec![],
    };
    list.extend_from_slice(&fields.head);
    if rows == Rows::OfWindow {
        list.extend_from_slice(&fields.overlays);
    }
    let optional = [
        (want.preview, &fields.preview),
        (want.content_hash, &fields.content_hash),
        (want.chain_hash, &fields.chain_hash),
    ];
    list.extend(optional.into_iter().filter(|(wanted, _)| *wanted).map(|(_, field)| field.clone()));
    Schema::new(list)
}
