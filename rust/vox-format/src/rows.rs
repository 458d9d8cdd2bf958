//! Rows kept as MessagePack maps: windows, runs, usage, events, cursors, quarantine, tombstones.
//!
//! A reader ignores keys it doesn't know and takes the default for those that are absent, so a
//! row may gain fields without a new format.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use vox_types::{Error, Result, RunNo, SymbolNo, WindowNo};

use crate::ranges::PackedRanges;

/// Encodes a row.
pub fn encode<T: Serialize>(row: &T) -> Result<Vec<u8>> {
    rmp_serde::to_vec_named(row)
        .map_err(|error| Error::damaged(format!("a row could not be encoded: {error}")))
}

/// Decodes a row; `what` names it in the error.
pub fn decode<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T> {
    rmp_serde::from_slice(bytes).map_err(|error| Error::damaged(format!("{what}: {error}")))
}

pub(crate) fn is_false(flag: &bool) -> bool {
    !flag
}

pub(crate) fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// A row of `windows`: the columns of a context window, and roll-ups over its items.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowRow {
    /// The lasting identity; see [`vox_types::WindowId`].
    #[serde(with = "serde_bytes")]
    pub id: [u8; 16],
    /// What the conversation is called at its producer.
    pub key: String,
    /// How often the producer rewrote it.
    pub revision: u32,
    /// A label for people.
    pub title: Option<String>,
    /// A [`vox_types::WindowKind`].
    pub kind: u8,
    /// A [`vox_types::Tier`].
    pub tier: u8,
    /// The repository that scopes it.
    pub repo: SymbolNo,
    /// The owning agent.
    pub agent: SymbolNo,
    /// The model it talks to.
    pub model_route: SymbolNo,
    /// The window it came from.
    pub parent: Option<WindowNo>,
    /// The root of its tree; its own number if it is one.
    pub root: WindowNo,
    /// Identity between agents.
    pub thread_id: Option<String>,
    /// Identity of the trace it belongs to.
    pub trace_id: Option<String>,
    /// The commit when it was opened.
    pub git_sha_at_open: Option<String>,
    /// The commit when it was closed.
    pub git_sha_at_close: Option<String>,
    /// The branch.
    pub git_branch: Option<String>,
    /// The recorded working directory.
    pub workspace: Option<String>,
    /// Key of the cursor it was read through.
    #[serde(with = "serde_bytes")]
    pub source: Option<[u8; 16]>,
    /// A [`vox_types::Fidelity`]: how far it shows all that the model saw.
    pub fidelity: u8,
    /// Survives tiering and collection.
    pub pinned: bool,
    /// The run of its own that was written last. It takes the next item if its chain is that of the
    /// window.
    pub run: Option<RunNo>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub updated_at: i64,
    /// UTC milliseconds, if it is deleted.
    pub deleted_at: Option<i64>,
    /// UTC milliseconds, if it was purged: it can't be restored any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purged_at: Option<i64>,
    /// Whether its user chose the title; a source doesn't change it then.
    #[serde(skip_serializing_if = "is_false")]
    pub renamed: bool,
    /// The title that its source gives it, while its user chose another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_title: Option<String>,
    /// Whether its user chose the model; a source doesn't change it then.
    #[serde(skip_serializing_if = "is_false")]
    pub routed: bool,
    /// The model that its source gives it, while its user chose another.
    #[serde(skip_serializing_if = "is_zero")]
    pub source_route: SymbolNo,
    /// What its user filed it under.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<SymbolNo>,
    /// Chain hash of the last item that isn't a side item; zeros if there is none.
    #[serde(with = "serde_bytes")]
    pub chain: [u8; 32],
    /// How many items.
    pub items: u64,
    /// Sum of their lengths.
    pub bytes: u64,
    /// Sum of their token estimates.
    pub tokens: u64,
    /// How many are of the kind `record`, and so hidden by default.
    pub records: u64,
    /// How many are trimmed.
    pub trimmed: u64,
}

/// A row of `runs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunRow {
    /// The window that owns it.
    pub window: WindowNo,
    /// How many items.
    pub len: u32,
    /// Chain hash after its last item: of the last item on its path that isn't a side item.
    #[serde(with = "serde_bytes")]
    pub chain: [u8; 32],
}

/// A row of `usage`: what a provider reported for one response, in tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageRow {
    /// Names the response in the whole archive.
    pub key: String,
    /// The model.
    pub model: SymbolNo,
    /// UTC milliseconds.
    pub at: i64,
    /// Uncached input.
    pub input: u64,
    /// Output, reasoning included.
    pub output: u64,
    /// The part of the output that was reasoning, where it is told apart.
    pub reasoning: u64,
    /// Input read from a cache.
    pub cache_read: u64,
    /// Input written to a cache for five minutes, or for an unspecified time.
    pub cache_write: u64,
    /// Input written to a cache for an hour.
    pub cache_write_1h: u64,
    /// The recorded price in 10⁻⁹ US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

impl UsageRow {
    /// What two reports on one response come to: the larger stays, with the cost that either
    /// recorded.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        let size = |row: &Self| (row.output, row.input);
        let (larger, smaller) =
            if size(&other) > size(&self) { (other, self) } else { (self, other) };
        Self { cost_nano_usd: larger.cost_nano_usd.or(smaller.cost_nano_usd), ..larger }
    }
}

/// A row of `events`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EventRow {
    /// UTC milliseconds.
    pub at: i64,
    /// The window it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowNo>,
    /// What happened.
    #[serde(flatten)]
    pub what: Event,
}

/// What can happen in an archive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the format document describes each")]
pub enum Event {
    WindowCreated {},
    ItemsAppended {
        first: u64,
        count: u64,
    },
    WindowChanged {
        set: Vec<String>,
    },
    OverlaySet {
        overlay: u8,
        first: u64,
        count: u64,
        value: Option<i64>,
    },
    Marked {
        overlay: u8,
        value: Option<i64>,
        ranges: PackedRanges,
    },
    Pinned {},
    Unpinned {},
    Renamed {
        from: Title,
        to: Title,
    },
    Tagged {
        added: Vec<SymbolNo>,
        removed: Vec<SymbolNo>,
    },
    Deleted {},
    Undeleted {
        deleted_at: i64,
    },
    Forked {
        from: WindowNo,
        count: u64,
    },
    Merged {
        parts: Vec<MergedPart>,
    },
    SourceRead {
        path: String,
        from: u64,
        to: u64,
    },
    BlobsHeld {
        count: u64,
    },
    BlobsReleased {
        count: u64,
    },
    UsageRecorded {
        count: u64,
    },
    Linked {
        link: u8,
        to: WindowNo,
    },
    Named {
        name: String,
    },
    Migrated {
        from: u32,
        to: u32,
    },
    Compacted {
        from: u64,
        to: u64,
        bytes_before: u64,
        bytes_after: u64,
    },
    Purged {
        items: u64,
        why: String,
    },
    Collected {
        blobs: u64,
        raw_runs: u64,
    },
    FatesSet {
        ranges: PackedRanges,
        before: PackedRanges,
    },
    Routed {
        from: Route,
        to: Route,
    },
    ContextCommitted {
        #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
        set: Option<[u8; 32]>,
        #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
        previous: Option<[u8; 32]>,
        items: u64,
    },
}

/// A model that a window is bound to, and who chose it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Route {
    /// The model.
    #[serde(skip_serializing_if = "is_zero")]
    pub model: SymbolNo,
    /// Whether its user chose it.
    #[serde(skip_serializing_if = "is_false")]
    pub chosen: bool,
}

impl Route {
    /// The model of a window.
    pub fn of(row: &WindowRow) -> Self {
        Self { model: row.model_route, chosen: row.routed }
    }
}

/// A title, and whether its window's user chose it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Title {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it isn't that of the source.
    #[serde(skip_serializing_if = "is_false")]
    pub renamed: bool,
}

/// Items that a merged window took of one window.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MergedPart {
    /// The window they were taken of.
    pub window: WindowNo,
    /// Their places there.
    pub ranges: PackedRanges,
}

/// A row of `cursors`: how far a source file has been read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CursorRow {
    /// The path as the system names it.
    #[serde(with = "serde_bytes")]
    pub path: Vec<u8>,
    /// The adapter that reads it.
    pub source: String,
    /// The device it stands on.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its size when it was read.
    pub size: u64,
    /// Its time when it was read, in nanoseconds.
    pub mtime_ns: i64,
    /// The end of the last whole record.
    pub offset: u64,
    /// Hashes of a few blocks before `offset`, to tell an append from a rewrite.
    pub blocks: Vec<Block>,
    /// What the adapter needs to go on.
    #[serde(with = "serde_bytes")]
    pub state: Vec<u8>,
    /// How often reading started anew because the file was rewritten.
    #[serde(skip_serializing_if = "is_zero")]
    pub reading: u32,
    /// How many records were read.
    pub records: u64,
    /// How many items they gave.
    pub items: u64,
    /// How many stretches were set aside.
    #[serde(skip_serializing_if = "is_zero")]
    pub quarantined: u64,
    /// UTC milliseconds.
    pub read_at: i64,
    /// When the file was found to be gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_at: Option<i64>,
}

impl CursorRow {
    /// A block that no file has: one whose cursor has it is read anew.
    pub fn nothing() -> Block {
        Block { start: 0, end: 1, hash: [0; 32] }
    }
}

/// Bytes `start..end` of a source file and their hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Where it starts.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// BLAKE3-256.
    #[serde(with = "serde_bytes")]
    pub hash: [u8; 32],
}

/// A row of `quarantine`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct QuarantineRow {
    /// How many bytes of the source.
    pub length: u64,
    /// A reason from `contracts/errors.yaml`.
    pub reason: String,
    /// The bytes, if they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<u64>,
    /// How many of them were kept.
    #[serde(default)]
    pub kept: u64,
}

/// A row of `tombstones`: content that was purged. The key is its hash.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TombstoneRow {
    /// A slot that has the hash; its body is gone, or goes when nothing uses it any more.
    pub blob: u64,
    /// When it was purged last, UTC milliseconds.
    pub at: i64,
    /// Why, in the words of whoever did it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The times of the items that had it, sorted, each once.
    pub times: Vec<i64>,
}

/// A row of `extents`: items `first..first + count` of a run, at a place in a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The ordinal of its first item.
    pub ordinal: u64,
    /// The run.
    pub run: RunNo,
    /// The first position in the run.
    pub first: u32,
    /// How many items.
    pub count: u32,
}

impl Extent {
    /// The stored value; the ordinal stands in the key.
    pub fn encode(&self) -> [u8; 12] {
        let mut value = [0; 12];
        value[..4].copy_from_slice(&self.run.to_le_bytes());
        value[4..8].copy_from_slice(&self.first.to_le_bytes());
        value[8..].copy_from_slice(&self.count.to_le_bytes());
        value
    }

    /// Reads a stored value.
    pub fn decode(ordinal: u64, value: &[u8]) -> Result<Self> {
        let value: &[u8; 12] =
            value.try_into().map_err(|_| Error::damaged("an extent isn't 12 bytes long"))?;
        let word = |i: usize| crate::cursor::u32_at(value, i);
        Ok(Self { ordinal, run: word(0), first: word(1), count: word(2) })
    }

    /// The ordinal after its last item.
    pub fn end(&self) -> u64 {
        self.ordinal.saturating_add(self.count.into())
    }

    /// The position after its last item in the run.
    pub fn end_position(&self) -> u32 {
        self.first.saturating_add(self.count)
    }

    /// The position in the run of the item at `ordinal`; none if the extent doesn't hold it.
    pub fn position_of(&self, ordinal: u64) -> Option<u32> {
        let offset = u32::try_from(ordinal.checked_sub(self.ordinal)?).ok()?;
        if offset < self.count { self.first.checked_add(offset) } else { None }
    }
}

/// A range of `overlays`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OverlayRange {
    /// The first ordinal.
    pub first: u64,
    /// How many items.
    pub count: u64,
    /// What it says of them.
    pub value: i64,
}

impl OverlayRange {
    /// The stored value; the first ordinal stands in the key.
    pub fn encode(&self) -> [u8; 16] {
        let mut value = [0; 16];
        value[..8].copy_from_slice(&self.count.to_le_bytes());
        value[8..].copy_from_slice(&self.value.to_le_bytes());
        value
    }

    /// Reads a stored value.
    pub fn decode(first: u64, value: &[u8]) -> Result<Self> {
        if value.len() != 16 {
            return Err(Error::damaged("an overlay isn't 16 bytes long"));
        }
        let word = |i: usize| crate::cursor::u64_at(value, i);
        Ok(Self { first, count: word(0), value: word(1) as i64 })
    }

    /// The ordinal after its last item.
    pub fn end(&self) -> u64 {
        self.first.saturating_add(self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_row_survives_and_ignores_what_it_does_not_know() {
        let row = WindowRow {
            key: "k".into(),
            source: Some([7; 16]),
            updated_at: -5,
            ..Default::default()
        };
        let bytes = encode(&row).unwrap();
        assert_eq!(decode::<WindowRow>(&bytes, "row").unwrap(), row);

        #[derive(Serialize)]
        struct Newer {
            key: &'static str,
            colour: &'static str,
        }
        let newer = encode(&Newer { key: "k", colour: "red" }).unwrap();
        assert_eq!(decode::<WindowRow>(&newer, "row").unwrap().key, "k");
    }

    #[test]
    fn the_larger_report_stays_with_the_cost_of_either() {
        let small = UsageRow { output: 1, cost_nano_usd: Some(7), ..Default::default() };
        let large = UsageRow { output: 2, input: 5, ..Default::default() };
        let merged = UsageRow { cost_nano_usd: Some(7), ..large.clone() };
        assert_eq!(small.clone().merge(large.clone()), merged);
        assert_eq!(large.merge(small), merged);
    }

    #[test]
    fn every_event_survives() {
        for what in [
            Event::WindowCreated {},
            Event::ItemsAppended { first: 3, count: 4 },
            Event::OverlaySet { overlay: 1, first: 0, count: 2, value: None },
            Event::SourceRead { path: "p".into(), from: 0, to: 9 },
            Event::Marked {
                overlay: 0,
                value: None,
                ranges: PackedRanges::with_values(&[OverlayRange { first: 3, count: 2, value: 7 }]),
            },
            Event::Pinned {},
            Event::Renamed {
                from: Title { title: Some("t".into()), renamed: false },
                to: Title::default(),
            },
            Event::Tagged { added: vec![3], removed: vec![] },
            Event::Routed { from: Route::default(), to: Route { model: 3, chosen: true } },
            Event::ContextCommitted { set: Some([7; 32]), previous: None, items: 3 },
            Event::ContextCommitted { set: None, previous: Some([7; 32]), items: 0 },
            Event::Merged {
                parts: vec![MergedPart { window: 1, ranges: PackedRanges::places(&[]) }],
            },
        ] {
            let row = EventRow { at: 12, window: Some(3), what };
            assert_eq!(decode::<EventRow>(&encode(&row).unwrap(), "event").unwrap(), row);
        }
    }
}
