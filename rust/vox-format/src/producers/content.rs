//! How rows and callers name contents.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor},
    ser::SerializeMap,
};
use vox_types::ContentHash;

/// A content as a row names it: its hash as 32 bytes; or, once it was purged, a map with the hash
/// under `purged`. A row counts one reference on each content that isn't purged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kept {
    /// BLAKE3-256 of its bytes.
    pub hash: ContentHash,
    /// Whether the row gave its reference back.
    pub purged: bool,
}

impl Kept {
    /// A content that is there.
    pub fn of(hash: ContentHash) -> Self {
        Self { hash, purged: false }
    }
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hash = serde_bytes::Bytes::new(&self.hash.0);
        if !self.purged {
            return hash.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("purged", hash)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfRow;

        impl<'de> Visitor<'de> for OfRow {
            type Value = Kept;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a content hash")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Kept, E> {
                Ok(Kept::of(hash_of(bytes)?))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kept, A::Error> {
                let mut purged = None;
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "purged" => purged = Some(map.next_value::<serde_bytes::ByteBuf>()?),
                        _ => drop(map.next_value::<serde::de::IgnoredAny>()?),
                    }
                }
                let bytes = purged.ok_or_else(|| A::Error::missing_field("purged"))?;
                Ok(Kept { hash: hash_of(&bytes)?, purged: true })
            }
        }

        deserializer.deserialize_any(OfRow)
    }
}

fn hash_of<E: Error>(bytes: &[u8]) -> Result<ContentHash, E> {
    let says = || E::custom(format!("a content hash is 32 bytes long, not {}", bytes.len()));
    Ok(ContentHash(bytes.try_into().map_err(|_| says())?))
}

/// A content as a caller hands it over: a text; or a map with bytes under `data`, or with the hash
/// of a content that the archive has, as 64 hexadecimal digits, under `hash`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// Its text.
    Text(String),
    /// Its bytes.
    Data(Vec<u8>),
    /// The hash of its bytes.
    Hash(Kept),
}

impl From<&Kept> for Given {
    fn from(kept: &Kept) -> Self {
        Self::Hash(*kept)
    }
}

impl Serialize for Given {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Data(bytes) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("data", serde_bytes::Bytes::new(bytes))?;
                map.end()
            }
            Self::Hash(kept) => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("hash", &format!("{:?}", kept.hash))?;
                if kept.purged {
                    map.serialize_entry("purged", &true)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfCaller;

        impl<'de> Visitor<'de> for OfCaller {
            type Value = Given;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a map with `data` or `hash`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Given, E> {
                Ok(Given::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given, A::Error> {
                let mut given = None;
                while let Some(key) = map.next_key::<String>()? {
                    let next = match key.as_str() {
                        "data" => match map.next_value::<Option<serde_bytes::ByteBuf>>()? {
                            Some(data) => Given::Data(data.into_vec()),
                            None => continue,
                        },
                        "hash" => match map.next_value::<Option<String>>()? {
                            Some(digits) => Given::Hash(Kept::of(of_digits(&digits)?)),
                            None => continue,
                        },
                        _ => {
                            map.next_value::<serde::de::IgnoredAny>()?;
                            continue;
                        }
                    };
                    if given.replace(next).is_some() {
                        return Err(A::Error::custom(
                            "a content is given by data or hash, not both",
                        ));
                    }
                }
                given.ok_or_else(|| A::Error::custom("a content has neither data nor hash"))
            }
        }

        deserializer.deserialize_any(OfCaller)
    }
}

fn of_digits<E: Error>(digits: &str) -> Result<ContentHash, E> {
    let says = || E::custom(format!("{digits:?} is no content hash of 64 hexadecimal digits"));
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
        u8::from_str_radix(pair, 16).ok()
    });
    let bytes = pairs.collect::<Option<Vec<u8>>>().filter(|_| digits.len() == 64);
    hash_of(&bytes.ok_or_else(says)?)
}
