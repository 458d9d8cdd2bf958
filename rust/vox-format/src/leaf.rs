//! Sorted leaves of the hash indexes: the values of `blob_levels` and `chain_levels`.

use vox_types::Result;

use crate::{
    cursor::{put_header, take, take_header, u64_at},
    packed::{self, Column},
};

/// One entry of an index: what is known about a (prefix, payload), or a change to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The first eight bytes of the hash.
    pub prefix: u64,
    /// A blob reference or an item id.
    pub payload: u64,
    /// References counted, or their change.
    pub references: i64,
    /// Holds counted, or their change.
    pub holds: i64,
}

/// Encodes a leaf of entries sorted by (prefix, payload); at most 65,535 of them.
pub fn encode(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + entries.len() * 16);
    put_header(&mut out, entries.len() as u16);
    for entry in entries {
        out.extend_from_slice(&entry.prefix.to_le_bytes());
    }
    packed::write(&mut out, entries.iter().map(|entry| entry.payload));
    packed::write_signed(&mut out, entries.iter().map(|entry| entry.references));
    packed::write_signed(&mut out, entries.iter().map(|entry| entry.holds));
    out
}

/// A leaf in place.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    len: usize,
    prefixes: &'a [u8],
    payloads: Column<'a>,
    references: Column<'a>,
    holds: Column<'a>,
}

impl<'a> Leaf<'a> {
    /// Reads the columns of a leaf.
    pub fn parse(mut bytes: &'a [u8]) -> Result<Self> {
        let rest = &mut bytes;
        let len = take_header(rest, "a leaf of an index")?;
        Ok(Self {
            len,
            prefixes: take(rest, len * 8, "prefixes of a leaf")?,
            payloads: Column::take(rest, len)?,
            references: Column::take(rest, len)?,
            holds: Column::take(rest, len)?,
        })
    }

    /// How many entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entry at `i`, which is below [`Leaf::len`].
    pub fn entry(&self, i: usize) -> Entry {
        Entry {
            prefix: u64_at(self.prefixes, i),
            payload: self.payloads.get(i),
            references: self.references.get(i) as i64,
            holds: self.holds.get(i) as i64,
        }
    }

    /// All entries in order.
    pub fn entries(self) -> impl Iterator<Item = Entry> + use<'a> {
        (0..self.len).map(move |i| self.entry(i))
    }

    /// The payloads of all entries in order.
    pub fn payloads(self) -> impl Iterator<Item = u64> + use<'a> {
        (0..self.len).map(move |i| self.payloads.get(i))
    }

    /// The entries of `prefix`, in order.
    pub fn find(self, prefix: u64) -> impl Iterator<Item = Entry> + use<'a> {
        let first = self.lower_bound(prefix);
        (first..self.len)
            .map(move |i| self.entry(i))
            .take_while(move |entry| entry.prefix == prefix)
    }

    /// The first place whose prefix isn't below `prefix`. Prefixes are hashes and so spread
    /// evenly: interpolation comes close, doubled steps from there enclose the place.
    fn lower_bound(&self, prefix: u64) -> usize {
        let at = |i| u64_at(self.prefixes, i);
        if self.len == 0 || at(0) >= prefix {
            return 0;
        }
        let (first, last) = (at(0), at(self.len - 1));
        if last < prefix {
            return self.len;
        }
        let share = (prefix - first) as f64 / (last - first) as f64;
        let guess = ((share * (self.len - 1) as f64) as usize).min(self.len - 1);
        // What is below `low` is below the prefix, and `high` isn't.
        let (mut low, mut high) = (0, self.len - 1);
        let mut step = 4;
        if at(guess) < prefix {
            low = guess + 1;
            while let next = guess + step
                && next < high
            {
                if at(next) >= prefix {
                    high = next;
                    break;
                }
                low = next + 1;
                step *= 2;
            }
        } else {
            high = guess;
            while let Some(next) = guess.checked_sub(step) {
                if at(next) < prefix {
                    low = next + 1;
                    break;
                }
                high = next;
                step *= 2;
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if at(middle) < prefix {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let entry = (any::<u64>(), any::<u8>(), 0u64..4, -3i64..400, 0i64..3);
        prop::collection::vec(entry, 0..300).prop_map(|rows| {
            let mut entries: Vec<Entry> = rows
                .into_iter()
                .map(|(wide, narrow, payload, references, holds)| Entry {
                    prefix: if narrow < 200 { wide } else { u64::from(narrow) },
                    payload,
                    references,
                    holds,
                })
                .collect();
            entries.sort_by_key(|entry| (entry.prefix, entry.payload));
            entries.dedup_by_key(|entry| (entry.prefix, entry.payload));
            entries
        })
    }

    proptest! {
        #[test]
        fn a_leaf_finds_what_a_scan_finds(entries in entries(), probe in any::<u64>()) {
            let bytes = encode(&entries);
            let leaf = Leaf::parse(&bytes).unwrap();
            prop_assert_eq!(leaf.entries().collect::<Vec<_>>(), entries.clone());
            for wanted in entries.iter().map(|entry| entry.prefix).chain([probe, 0, u64::MAX]) {
                let scanned: Vec<Entry> = entries.iter().copied().filter(|entry| entry.prefix == wanted).collect();
                prop_assert_eq!(leaf.find(wanted).collect::<Vec<_>>(), scanned);
            }
        }

        #[test]
        fn any_bytes_are_a_leaf_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), probe in any::<u64>()) {
            if let Ok(leaf) = Leaf::parse(&bytes) {
                let _ = leaf.find(probe).count();
            }
        }
    }
}
