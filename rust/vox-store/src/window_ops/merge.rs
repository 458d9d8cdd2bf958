//! Merging picked items of several windows into a new one.

use std::collections::BTreeMap;

use heed::{RoTxn, RwTxn};
use vox_format::{
    chunk::ItemRow,
    leaf::Entry,
    ranges::PackedRanges,
    rows::{Event, Extent, MergedPart, OverlayRange, WindowRow},
};
use vox_types::{
    BlobRef, ChainHash, Code, ContentHash, Error, ItemId, ItemKind, LinkKind, Result, RunNo,
    WindowKind, WindowNo,
};

use super::{NewWindow, Places, marks, new_window, ranges};
use crate::{
    Store, blobs, events,
    fault::Fallible,
    index::HashIndex,
    meta::now,
    spine::{extents, lineage, runs, windows},
    tables::Tables,
};

/// Picked items, in the order they are to have.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The window to make.
    pub new: NewWindow,
    /// Where the items stand. The same window may come several times.
    pub parts: Vec<Places>,
}

/// What a merge made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merged {
    /// The new window.
    pub window: WindowNo,
    /// How many items it has.
    pub items: u64,
    /// How many were left out because they are purged.
    pub purged: u64,
}

/// Rows that are written at once, so that memory doesn't grow with what is merged. Judgement.
const ROWS_AT_ONCE: usize = 8 << 10;

impl Store {
    /// Makes a window of picked items. Its items are new rows, for they follow from others than
    /// where they were picked; their contents are those that are there. Durable on return.
    ///
    /// `not_found` if there is no such window, `invalid_argument` for items it hasn't or for none
    /// at all, `conflict` if the key is taken.
    pub fn merge(&self, merge: Merge) -> Result<Merged> {
        self.write(move |generation, txn| merge_parts(&generation.tables, txn, &merge))
    }
}

fn merge_parts(tables: &Tables, txn: &mut RwTxn<'_>, merge: &Merge) -> Fallible<Merged> {
    let at = now();
    let mut parts = Vec::new();
    let mut like: Option<WindowRow> = None;
    for part in &merge.parts {
        let row = marks::window(tables, txn, part.window)?;
        let ordinals = ranges::in_order(part.window, row.items, &part.ordinals)?;
        like = Some(match like {
            None => row,
            Some(before) => common(before, &row),
        });
        parts.push(Places { window: part.window, ordinals });
    }
    let picked = parts.iter().map(|part| ranges::count(&part.ordinals)).sum::<u64>();
    let Some(like) = like.filter(|_| picked > 0) else {
        return Err(Error::new(Code::InvalidArgument, "no items were picked to merge").into());
    };
    let (no, old) = new_window::create(tables, txn, at, &merge.new, &like)?;
    let mut writing = Writing::start(tables, txn, no, old.clone())?;
    for part in &parts {
        for range in &part.ordinals {
            writing.take(txn, part.window, range.clone())?;
        }
    }
    writing.write(txn)?;
    let Writing { row, purged, references, .. } = writing;
    if row.items == 0 {
        return Err(Error::new(Code::Purged, "all items that were picked are purged").into());
    }
    let index = HashIndex::of_blobs(tables);
    for ((prefix, blob), references) in references {
        index.add(txn, Entry { prefix, payload: blob, references, holds: 0 })?;
    }
    index.settle(txn)?;
    HashIndex::of_chains(tables).settle(txn)?;
    windows::put(tables, txn, no, Some(&old), &row)?;
    let items = row.items;
    events::append(tables, txn, at, Some(no), Event::ItemsAppended { first: 0, count: items })?;
    events::append(tables, txn, at, Some(no), Event::Merged { parts: packed(&parts) })?;
    let mut origins: Vec<WindowNo> = parts.iter().map(|part| part.window).collect();
    origins.sort_unstable();
    origins.dedup();
    for from in origins {
        let ordinal = windows::expect(tables, txn, from)?.items;
        lineage::write(tables, txn, at, no, from, LinkKind::MergedFrom, ordinal)?;
    }
    Ok(Merged { window: no, items, purged })
}

fn packed(parts: &[Places]) -> Vec<MergedPart> {
    let part = |part: &Places| {
        let range = |r: &std::ops::Range<u64>| OverlayRange {
            first: r.start,
            count: r.end - r.start,
            value: 0,
        };
        let ranges: Vec<_> = part.ordinals.iter().map(range).collect();
        MergedPart { window: part.window, ranges: PackedRanges::places(&ranges) }
    };
    parts.iter().map(part).collect()
}

/// What is true of both windows.
fn common(mut one: WindowRow, other: &WindowRow) -> WindowRow {
    let symbol = |one: u32, other: u32| if one == other { one } else { 0 };
    one.kind = if one.kind == other.kind { one.kind } else { WindowKind::Chat as u8 };
    one.repo = symbol(one.repo, other.repo);
    one.agent = symbol(one.agent, other.agent);
    one.routed &= other.routed && one.model_route == other.model_route;
    one.model_route = symbol(one.model_route, other.model_route);
    one.source_route = if one.routed { symbol(one.source_route, other.source_route) } else { 0 };
    let texts = [
        (&mut one.title, &other.title),
        (&mut one.workspace, &other.workspace),
        (&mut one.git_branch, &other.git_branch),
        (&mut one.git_sha_at_open, &other.git_sha_at_open),
        (&mut one.git_sha_at_close, &other.git_sha_at_close),
    ];
    for (text, _) in texts.into_iter().filter(|(one, other)| one != other) {
        *text = None;
    }
    one.fidelity = one.fidelity.max(other.fidelity);
    one.tags.retain(|tag| other.tags.contains(tag));
    one
}

/// The end of the new window while items are put to it.
struct Writing<'a> {
    tables: &'a Tables,
    no: WindowNo,
    row: WindowRow,
    run: RunNo,
    chain: ChainHash,
    rows: Vec<ItemRow>,
    chains: Vec<ChainHash>,
    /// New references by prefix of the content hash and blob.
    references: BTreeMap<(u64, u64), i64>,
    purged: u64,
}

impl<'a> Writing<'a> {
    fn start(
        tables: &'a Tables,
        txn: &mut RwTxn<'_>,
        no: WindowNo,
        mut row: WindowRow,
    ) -> Fallible<Self> {
        let run = runs::start(tables, txn, no, ChainHash::ROOT)?;
        row.run = Some(run);
        Ok(Self {
            tables,
            no,
            row,
            run,
            chain: ChainHash::ROOT,
            rows: Vec::new(),
            chains: Vec::new(),
            references: BTreeMap::new(),
            purged: 0,
        })
    }

    /// Puts the items at `ordinals` of `window` to the end.
    fn take(
        &mut self,
        txn: &mut RwTxn<'_>,
        window: WindowNo,
        ordinals: std::ops::Range<u64>,
    ) -> Fallible<()> {
        let mut at = ordinals.start;
        while at < ordinals.end {
            at += self.take_chunk(txn, window, at..ordinals.end)?;
            if self.rows.len() >= ROWS_AT_ONCE {
                self.write(txn)?;
            }
        }
        Ok(())
    }

    /// Puts as many of the items at `ordinals` to the end as stand in one chunk; gives how many.
    fn take_chunk(
        &mut self,
        txn: &RoTxn<'_>,
        window: WindowNo,
        ordinals: std::ops::Range<u64>,
    ) -> Fallible<u64> {
        let at = ordinals.start;
        let missing = || Error::damaged(format!("window {window} lacks its item {at}"));
        let extent = extents::at(self.tables, txn, window, at)?.ok_or_else(missing)?;
        let position = extent.position_of(at).ok_or_else(missing)?;
        let (chunk, first) = runs::chunk_of(self.tables, txn, ItemId::new(extent.run, position))?;
        let count = (chunk.len() - first).min((extent.end().min(ordinals.end) - at) as usize);
        for stored in chunk.rows_of(first..first + count)? {
            if stored.purged {
                self.purged += 1;
                continue;
            }
            let content = blobs::hash_of(self.tables, txn, stored.content)?;
            self.put(stored, &content);
        }
        Ok(count as u64)
    }

    fn put(&mut self, stored: ItemRow, content: &ContentHash) {
        let BlobRef(blob) = stored.content;
        *self.references.entry((content.prefix(), blob)).or_default() += 1;
        let chain = self.chain.child(stored.role, stored.kind, content);
        self.chains.push(chain);
        if !stored.side {
            self.chain = chain;
        }
        self.row.items += 1;
        self.row.bytes += stored.byte_len;
        self.row.tokens += u64::from(stored.token_estimate);
        self.row.records += u64::from(stored.kind == ItemKind::Record);
        self.row.chain = self.chain.0;
        // The rest of a record belongs to where the record was read.
        self.rows.push(ItemRow { rest: None, ..stored });
    }

    fn write(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let first = runs::append(self.tables, txn, self.run, &self.rows, &self.chains)?;
        let index = HashIndex::of_chains(self.tables);
        for (position, chain) in (first..).zip(&self.chains) {
            let payload = ItemId::new(self.run, position).0;
            index.add(txn, Entry { prefix: chain.prefix(), payload, references: 0, holds: 0 })?;
        }
        let count = self.rows.len() as u32;
        let ordinal = u64::from(first);
        extents::push(self.tables, txn, self.no, Extent { ordinal, run: self.run, first, count })?;
        self.rows.clear();
        self.chains.clear();
        Ok(())
    }
}
