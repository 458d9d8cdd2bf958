//! A line's syntax.

use std::io::{self, Write};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Serializer as JsonSerializer, ser::Formatter};
use vox_store::exchange::{Line, Plain};
use vox_types::{Error, Result};

/// The only key of an object that stands for bytes.
const BYTES: &str = "$base64";
/// The key of a line's type.
const TYPE: &str = "type";

/// Writes `line` and a line feed.
pub fn write(line: &Line, to: &mut impl Write) -> io::Result<()> {
    let mut serializer = JsonSerializer::with_formatter(&mut *to, Visible);
    Whole(line).serialize(&mut serializer)?;
    to.write_all(b"\n")
}

/// Reads a line.
pub fn read(bytes: &[u8]) -> Result<Line> {
    let wrong = |error: serde_json::Error| Error::damaged(format!("no JSON of an export: {error}"));
    let Plain::Map(fields) = serde_json::from_slice(bytes).map_err(wrong)? else {
        return Err(Error::damaged("a line is no JSON object"));
    };
    let mut line = Line { kind: String::new(), fields };
    line.kind = line.text(TYPE)?;
    for (_, value) in &mut line.fields {
        with_bytes(value)?;
    }
    Ok(line)
}

/// Puts bytes in the place of the objects that stand for them.
fn with_bytes(value: &mut Plain) -> Result<()> {
    match value {
        Plain::List(list) => list.iter_mut().try_for_each(with_bytes),
        Plain::Map(map) => {
            if let [(key, Plain::Text(text))] = map.as_slice()
                && key == BYTES
            {
                let bytes = BASE64_STANDARD.decode(text);
                let wrong = |error| Error::damaged(format!("{BYTES}: {error}"));
                *value = Plain::Bytes(bytes.map_err(wrong)?);
                return Ok(());
            }
            map.iter_mut().try_for_each(|(_, value)| with_bytes(value))
        }
        _ => Ok(()),
    }
}

struct Whole<'l>(&'l Line);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry(TYPE, &self.0.kind)?;
        for (key, value) in &self.0.fields {
            map.serialize_entry(key, &Json(value))?;
        }
        map.end()
    }
}

struct Json<'v>(&'v Plain);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Plain::Bytes(bytes) => {
                let mut map = to.serialize_map(Some(1))?;
                map.serialize_entry(BYTES, &BASE64_STANDARD.encode(bytes))?;
                map.end()
            }
            Plain::List(list) => to.collect_seq(list.iter().map(Json)),
            Plain::Map(map) => to.collect_map(map.iter().map(|(key, value)| (key, Json(value)))),
            other => other.serialize(to),
        }
    }
}

/// Compact JSON in which no character can act on a terminal: what JSON itself doesn't escape
/// (DEL, C1, marks of direction, separators of lines) is escaped too.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| acts(*c)) {
            let (before, after) = rest.split_at(at);
            write!(to, "{before}\\u{:04x}", u32::from(c))?;
            rest = &after[c.len_utf8()..];
        }
        to.write_all(rest.as_bytes())
    }
}

fn acts(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain() -> impl Strategy<Value = Plain> {
        let leaf = prop_oneof![
            Just(Plain::Null),
            any::<bool>().prop_map(Plain::Bool),
            any::<u64>().prop_map(Plain::from),
            any::<i64>().prop_map(Plain::from),
            any::<String>().prop_map(Plain::from),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Plain::Bytes),
        ];
        leaf.prop_recursive(3, 20, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Plain::List),
                prop::collection::btree_map("[a-z$\u{80}]{0,4}", inner, 0..5)
                    .prop_map(|map| Plain::Map(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_line_comes_back_and_stays_one_line(kind in "[a-z]{1,9}", values in prop::collection::vec(plain(), 0..5)) {
            let fields = values.into_iter().enumerate().map(|(i, value)| (format!("f{i}"), value)).collect();
            let line = Line { kind, fields };
            let mut bytes = Vec::new();
            write(&line, &mut bytes).unwrap();
            let text = std::str::from_utf8(&bytes).unwrap();
            prop_assert_eq!(text.find('\n'), Some(text.len() - 1));
            prop_assert!(!text.trim_end().chars().any(|c| acts(c) || c.is_control()));
            prop_assert_eq!(read(&bytes).unwrap(), line);
        }

        #[test]
        fn any_bytes_are_a_line_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = read(&bytes);
        }
    }
}
