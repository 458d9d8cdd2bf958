//! An archive in memory: encoded chunks, extents and overlays, and the same as plain lists.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

pub mod rows;

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use proptest::prelude::*;
use vox_core::{
    timeline::RunInfo,
    view::{Extent, ItemSource, OverlayRange},
};
use vox_format::chunk::{ItemRow, encode_chunk};
use vox_types::{
    BlobRef, ChainHash, ContentHash, Fidelity, ItemKind, OverlayKind, Result, Role, RunNo,
    SymbolNo, WindowNo,
};

/// The one window of the archive.
pub const WINDOW: WindowNo = 7;

#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub runs: BTreeMap<RunNo, Vec<ItemRow>>,
    chunks: BTreeMap<(RunNo, u32), Vec<u8>>,
    pub extents: Vec<Extent>,
    pub overlays: BTreeMap<OverlayKind, Vec<OverlayRange>>,
}

impl Memory {
    /// Adds a run in chunks of `size` items.
    pub fn add_run(&mut self, run: RunNo, rows: Vec<ItemRow>, size: usize) {
        let mut before = ChainHash::ROOT;
        for (index, chunk) in rows.chunks(size).enumerate() {
            let first = (index * size) as u32;
            self.chunks.insert((run, first), encode_chunk(&before, chunk));
            for row in chunk.iter().filter(|row| !row.side) {
                before = before.child(row.role, row.kind, &hash_of(row.content));
            }
        }
        self.runs.insert(run, rows);
    }

    /// Appends a part of a run to the window.
    pub fn add_extent(&mut self, run: RunNo, range: Range<u32>) {
        let (first, count) = (range.start, range.end - range.start);
        self.extents.push(Extent { ordinal: self.len(), run, first, count });
    }

    /// The runs for a timeline; window 100 + n owns run n.
    pub fn run_infos(&self) -> Vec<RunInfo> {
        let info = |(&run, rows): (&RunNo, &Vec<ItemRow>)| RunInfo {
            run,
            window: 100 + run,
            len: rows.len() as u32,
        };
        self.runs.iter().map(info).collect()
    }

    /// Items of the window.
    pub fn len(&self) -> u64 {
        self.extents.iter().map(|extent| u64::from(extent.count)).sum()
    }

    /// Those of them that are records.
    pub fn records(&self) -> u64 {
        let places = self.places();
        places.iter().filter(|&&place| self.row(place).kind == ItemKind::Record).count() as u64
    }

    /// Places of the window's items, in order.
    pub fn places(&self) -> Vec<(RunNo, u32)> {
        let places = |extent: &Extent| {
            let run = extent.run;
            (extent.first..extent.first + extent.count).map(move |position| (run, position))
        };
        self.extents.iter().flat_map(places).collect()
    }

    pub fn row(&self, (run, position): (RunNo, u32)) -> &ItemRow {
        &self.runs[&run][position as usize]
    }

    pub fn overlay(&self, kind: OverlayKind, ordinal: u64) -> Option<i64> {
        let ranges = self.overlays.get(&kind)?;
        ranges.iter().find(|r| r.first <= ordinal && ordinal < r.end()).map(|r| r.value)
    }
}

pub fn hash_of(blob: BlobRef) -> ContentHash {
    ContentHash::of(&blob.0.to_le_bytes())
}

impl ItemSource for Memory {
    fn extent_at(&self, window: WindowNo, ordinal: u64) -> Result<Option<Extent>> {
        assert_eq!(window, WINDOW);
        Ok(self.extents.iter().find(|extent| ordinal < extent.end()).copied())
    }

    fn chunk(&self, run: RunNo, position: u32) -> Result<Option<(u32, &[u8])>> {
        let before = self.chunks.range((run, 0)..=(run, position)).next_back();
        Ok(before.map(|((_, first), bytes)| (*first, bytes.as_slice())))
    }

    fn overlays(
        &self,
        window: WindowNo,
        kind: OverlayKind,
        ordinals: Range<u64>,
    ) -> Result<Vec<OverlayRange>> {
        assert_eq!(window, WINDOW);
        let ranges = self.overlays.get(&kind).into_iter().flatten();
        let touching = ranges.filter(|r| r.first < ordinals.end && ordinals.start < r.end());
        Ok(touching.copied().collect())
    }

    fn content_hash(&self, blob: BlobRef) -> Result<ContentHash> {
        Ok(hash_of(blob))
    }

    fn symbol(&self, symbol: SymbolNo) -> Result<Option<Cow<'_, str>>> {
        Ok((symbol != 0).then(|| format!("name {symbol}").into()))
    }
}

/// An item with a time between 0 and `times`.
pub fn item(times: i64) -> impl Strategy<Value = ItemRow> {
    let numbers =
        (0u64..1000, 0..times, 0u64..5000, prop::sample::select(&[0u32, 0, 1, 2, 900][..]));
    let closed = (
        prop::sample::select(Role::ALL),
        prop::sample::select(ItemKind::ALL),
        prop::sample::select(Fidelity::ALL),
        any::<bool>(),
    );
    (numbers, closed, "[a-zäß ]{0,12}").prop_map(|(numbers, closed, preview)| {
        let (content, created_at, byte_len, name) = numbers;
        let (role, kind, fidelity, redacted) = closed;
        ItemRow {
            content: BlobRef(content),
            rest: None,
            created_at,
            byte_len,
            role,
            kind,
            fidelity,
            redacted,
            side: kind == ItemKind::Record,
            purged: false,
            name,
            token_estimate: byte_len as u32 / 4,
            call: if name > 1 { u32::MAX - name } else { 0 },
            preview,
        }
    })
}

fn overlay() -> impl Strategy<Value = Vec<OverlayRange>> {
    prop::collection::vec((0u64..40, 1u64..20, any::<i64>()), 0..6).prop_map(|ranges| {
        let mut at = 0;
        let place = |(gap, count, value)| {
            let range = OverlayRange { first: at + gap, count, value };
            at = range.end();
            range
        };
        ranges.into_iter().map(place).collect()
    })
}

/// An archive of up to five runs, cut into extents of one window.
pub fn memory(times: i64) -> impl Strategy<Value = Memory> {
    let run = (prop::collection::vec(item(times), 1..90), 1usize..100);
    let cut =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    (
        prop::collection::vec(run, 1..5),
        prop::collection::vec(cut, 0..6),
        overlay(),
        overlay(),
        overlay(),
    )
        .prop_map(|(runs, cuts, trimmed, pinned, committed)| {
            let mut memory = Memory::default();
            let lengths: Vec<usize> = runs.iter().map(|(rows, _)| rows.len()).collect();
            for (number, (rows, size)) in runs.into_iter().enumerate() {
                memory.add_run(number as u32 * 3, rows, size);
            }
            for (run, from, to) in cuts {
                let number = run.index(lengths.len());
                let (from, to) = (from.index(lengths[number]), to.index(lengths[number]));
                memory.add_extent(number as u32 * 3, from.min(to) as u32..from.max(to) as u32 + 1);
            }
            memory.overlays.insert(OverlayKind::Trimmed, trimmed);
            memory.overlays.insert(OverlayKind::Pinned, pinned);
            memory.overlays.insert(OverlayKind::Committed, committed);
            memory
        })
}
