//! Values of rows without their types: what MessagePack and lines of text can both say.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
    ser::SerializeMap,
};

/// A value of a row. The order of a map's keys is kept, so that a row comes back byte for byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Plain {
    /// nil
    Null,
    /// A flag.
    Bool(bool),
    /// A number that isn't negative.
    Unsigned(u64),
    /// A negative number.
    Signed(i64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Plain>),
    /// Named values, each name once.
    Map(Vec<(String, Plain)>),
}

impl From<u64> for Plain {
    fn from(number: u64) -> Self {
        Self::Unsigned(number)
    }
}

impl From<u32> for Plain {
    fn from(number: u32) -> Self {
        Self::Unsigned(number.into())
    }
}

impl From<i64> for Plain {
    fn from(number: i64) -> Self {
        u64::try_from(number).map_or(Self::Signed(number), Self::Unsigned)
    }
}

impl From<&str> for Plain {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Plain {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Serialize for Plain {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_unit(),
            Self::Bool(flag) => to.serialize_bool(*flag),
            Self::Unsigned(number) => to.serialize_u64(*number),
            Self::Signed(number) => to.serialize_i64(*number),
            Self::Text(text) => to.serialize_str(text),
            Self::Bytes(bytes) => to.serialize_bytes(bytes),
            Self::List(list) => to.collect_seq(list),
            Self::Map(map) => {
                let mut fields = to.serialize_map(Some(map.len()))?;
                for (key, value) in map {
                    fields.serialize_entry(key, value)?;
                }
                fields.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(PlainVisitor)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a flag, a whole number, text, bytes, a list or named values")
    }

    fn visit_unit<E>(self) -> Result<Plain, E> {
        Ok(Plain::Null)
    }

    fn visit_none<E>(self) -> Result<Plain, E> {
        Ok(Plain::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Plain, E> {
        Ok(Plain::Bool(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Plain, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Plain, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Plain, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Plain, E> {
        Ok(text.into())
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Plain, E> {
        Ok(Plain::Bytes(bytes.to_vec()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Plain, E> {
        Ok(Plain::Bytes(bytes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Plain, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = from.next_element()? {
            list.push(value);
        }
        Ok(Plain::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Plain, A::Error> {
        let mut map: Vec<(String, Plain)> = Vec::new();
        while let Some((key, value)) = from.next_entry::<String, Plain>()? {
            if map.iter().any(|(known, _)| *known == key) {
                return Err(A::Error::custom(format!("{key:?} is said twice")));
            }
            map.push((key, value));
        }
        Ok(Plain::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use vox_format::rows::{self, Block, CursorRow, Event, EventRow, WindowRow};

    use super::Plain;

    fn comes_back(bytes: &[u8]) {
        let plain: Plain = rows::decode(bytes, "a row").unwrap();
        assert_eq!(rows::encode(&plain).unwrap(), bytes);
    }

    #[test]
    fn rows_come_back_byte_for_byte() {
        let cursor = CursorRow {
            path: b"/a\xff".to_vec(),
            size: u64::MAX,
            mtime_ns: -5,
            blocks: vec![Block { start: 0, end: 9, hash: [7; 32] }],
            ..CursorRow::default()
        };
        comes_back(&rows::encode(&cursor).unwrap());
        let window =
            WindowRow { source: Some([1; 16]), updated_at: i64::MIN, ..Default::default() };
        comes_back(&rows::encode(&window).unwrap());
        let what = Event::OverlaySet { overlay: 1, first: 300, count: 70_000, value: Some(-1) };
        comes_back(&rows::encode(&EventRow { at: 12, window: None, what }).unwrap());
    }

    #[test]
    fn a_name_said_twice_is_refused() {
        assert!(rows::decode::<Plain>(b"\x82\xa1a\x01\xa1a\x02", "a row").is_err());
    }
}
