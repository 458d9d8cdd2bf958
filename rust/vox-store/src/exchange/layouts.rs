//! How the rows of each table are written as lines: the one list that export, import and salvage
//! go by. A test holds it against the tables there are.

use super::closed::Closed;

/// A part of a key, or a word of a packed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A number of so many bytes.
    Number(usize),
    /// A signed number of eight bytes.
    Signed,
    /// So many bytes, as hexadecimal digits.
    Hex(usize),
    /// A byte that stands for a name.
    Name(Closed),
    /// A reference of a blob, as its name.
    Blob,
}

impl Word {
    /// How many bytes it takes.
    pub fn len(self) -> usize {
        match self {
            Self::Number(bytes) | Self::Hex(bytes) => bytes,
            Self::Signed | Self::Blob => 8,
            Self::Name(_) => 1,
        }
    }
}

/// How a field of a MessagePack row is written, where its plain value wouldn't do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// Bytes as hexadecimal digits.
    Hex,
    /// Bytes as text, where they are UTF-8.
    Text,
    /// A number that stands for a name.
    Name(Closed),
    /// A reference of a blob, as its hash.
    Blob,
    /// A symbol, as its text; 0 as null.
    Symbol,
    /// A list of symbols.
    Symbols,
}

/// How a key is laid out.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    /// Parts of a fixed size, in order, big-endian.
    Words(&'static [(&'static str, Word)]),
    /// All of it is text.
    Text(&'static str),
    /// 16 bytes as hexadecimal digits, alone or with a number of eight bytes behind them.
    Head(&'static str, &'static str),
}

/// How a value is laid out.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Words of a fixed size, in order, little-endian.
    Words(&'static [(&'static str, Word)]),
    /// All of it is text.
    Text(&'static str),
    /// A MessagePack map, and the fields of it that are written otherwise.
    Row(&'static [(&'static str, Field)]),
    /// Something that can have a name.
    Target,
}

/// The rows of one table as lines.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The table.
    pub table: &'static str,
    /// The type of its lines.
    pub line: &'static str,
    /// Its keys.
    pub key: Key,
    /// Its values.
    pub value: Value,
}

const fn layout(table: &'static str, line: &'static str, key: Key, value: Value) -> Layout {
    Layout { table, line, key, value }
}

const NO: Key = Key::Words(&[("no", Word::Number(4))]);
const LONG_NO: Key = Key::Words(&[("no", Word::Number(8))]);

/// Rows of vox's own producers, which name contents by hash.
const CONTENTS: Value = Value::Row(&[("content", Field::Hex), ("purged", Field::Hex)]);

/// Tables that stand before the blobs.
pub const BEFORE_BLOBS: &[Layout] = &[layout("symbols", "symbol", NO, Value::Text("text"))];

/// Tables that stand after the blobs and before the items.
pub const BEFORE_ITEMS: &[Layout] = &[
    layout(
        "cursors",
        "cursor",
        Key::Words(&[("key", Word::Hex(16))]),
        Value::Row(&[("path", Field::Text), ("hash", Field::Hex)]),
    ),
    layout(
        "windows",
        "window",
        NO,
        Value::Row(&[
            ("id", Field::Hex),
            ("kind", Field::Name(Closed::WindowKind)),
            ("tier", Field::Name(Closed::Tier)),
            ("fidelity", Field::Name(Closed::Fidelity)),
            ("repo", Field::Symbol),
            ("agent", Field::Symbol),
            ("model_route", Field::Symbol),
            ("source_route", Field::Symbol),
            ("tags", Field::Symbols),
            ("source", Field::Hex),
            ("chain", Field::Hex),
        ]),
    ),
];

/// Tables that stand after the items.
pub const AFTER_ITEMS: &[Layout] = &[
    layout(
        "extents",
        "extent",
        Key::Words(&[("window", Word::Number(4)), ("ordinal", Word::Number(8))]),
        Value::Words(&[
            ("run", Word::Number(4)),
            ("first", Word::Number(4)),
            ("count", Word::Number(4)),
        ]),
    ),
    layout(
        "overlays",
        "overlay",
        Key::Words(&[
            ("window", Word::Number(4)),
            ("overlay", Word::Name(Closed::Overlay)),
            ("first", Word::Number(8)),
        ]),
        Value::Words(&[("count", Word::Number(8)), ("value", Word::Signed)]),
    ),
    layout(
        "links",
        "link",
        Key::Words(&[
            ("from", Word::Number(4)),
            ("link", Word::Name(Closed::Link)),
            ("to", Word::Number(4)),
        ]),
        Value::Words(&[("ordinal", Word::Number(8))]),
    ),
    layout(
        "awaited",
        "awaited",
        Key::Words(&[("parent", Word::Hex(16)), ("window", Word::Number(4))]),
        Value::Words(&[("link", Word::Name(Closed::Link))]),
    ),
    layout(
        "usage",
        "usage",
        Key::Words(&[("window", Word::Number(4)), ("response", Word::Hex(16))]),
        Value::Row(&[("model", Field::Symbol)]),
    ),
    layout(
        "quarantine",
        "quarantine",
        Key::Words(&[
            ("cursor", Word::Hex(16)),
            ("offset", Word::Number(8)),
            ("content", Word::Hex(8)),
        ]),
        Value::Row(&[("blob", Field::Blob)]),
    ),
    layout(
        "raw_files",
        "raw_file",
        Key::Words(&[
            ("cursor", Word::Hex(16)),
            ("reading", Word::Number(4)),
            ("domain", Word::Number(1)),
            ("offset", Word::Number(8)),
        ]),
        Value::Words(&[
            ("raw_run", Word::Number(8)),
            ("length", Word::Number(8)),
            ("flags", Word::Number(1)),
        ]),
    ),
    layout("names", "name", Key::Text("name"), Value::Target),
    layout(
        "tombstones",
        "tombstone",
        Key::Words(&[("content", Word::Hex(32))]),
        Value::Row(&[("blob", Field::Blob)]),
    ),
    layout(
        "condemned",
        "condemned",
        Key::Words(&[("blob", Word::Blob)]),
        Value::Words(&[("since", Word::Signed)]),
    ),
    layout("session_events", "session_event", Key::Head("session", "no"), CONTENTS),
    layout("chat_conversations", "chat_conversation", Key::Head("conversation", "no"), CONTENTS),
    layout("chat_messages", "chat_message", Key::Head("conversation", "no"), CONTENTS),
    layout("history_entries", "history_entry", Key::Head("history", "no"), CONTENTS),
    layout("events", "event", LONG_NO, Value::Row(&[])),
];

/// Every layout, in the order of the lines.
pub fn all() -> impl Iterator<Item = &'static Layout> {
    BEFORE_BLOBS.iter().chain(BEFORE_ITEMS).chain(AFTER_ITEMS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{tables::Tables, verify::REPAIRABLE};

    /// Tables that are written in a way of their own: meta as the header, blobs, raw runs and items
    /// each as a line.
    const SPECIAL: &[&str] = &["meta", "segments", "tails", "raw_runs", "runs", "chunks"];

    /// A table that isn't written, besides those that follow from the others: it is only of use to
    /// processes that run now.
    const LEFT_OUT: &[&str] = &["leases"];

    #[test]
    fn no_table_is_forgotten_or_named_twice() {
        let mut named: Vec<&str> = all().map(|layout| layout.table).collect();
        named.extend([SPECIAL, REPAIRABLE, LEFT_OUT].concat());
        assert_eq!(named.len(), Tables::NAMES.len());
        let named: BTreeSet<&str> = named.into_iter().collect();
        assert_eq!(named, Tables::NAMES.iter().copied().collect());
    }

    #[test]
    fn each_type_of_line_stands_for_one_table() {
        let lines: Vec<&str> = all().map(|layout| layout.line).collect();
        let different: BTreeSet<&str> = lines.iter().copied().collect();
        assert_eq!(lines.len(), different.len());
    }
}
