//! One committed state of an archive, for readers outside the store.

use std::{borrow::Cow, ops::Range};

use heed::RoTxn;
use vox_format::{
    keys::Domain,
    rows::{CursorRow, Extent, OverlayRange, QuarantineRow, RunRow, UsageRow, WindowRow},
};
use vox_types::{
    BlobRef, Code, ContentHash, Error, ItemId, LinkKind, OverlayKind, RecordRef, Result, RunNo,
    SymbolNo, Tier, WindowNo,
};

use crate::{
    Store,
    blobs::{self, InOrder},
    env::Generation,
    events,
    fault::{Fallible, Fault},
    meta,
    raw::{self, FileStretch},
    spine::{chains, cursors, extents, lineage, overlays, runs, symbols, usage, windows},
    tables::Tables,
};

/// One committed state. All answers of one snapshot belong to the same moment.
pub struct Snapshot<'t> {
    tables: &'t Tables,
    txn: &'t RoTxn<'t>,
    generation: &'t Generation,
}

impl Store {
    /// Runs `work` on the last committed state. Pages aren't reused meanwhile, so be quick.
    pub fn snapshot<T>(&self, work: impl FnOnce(&Snapshot<'_>) -> Result<T>) -> Result<T> {
        self.read_in(|generation, txn| {
            work(&Snapshot { tables: &generation.tables, txn, generation }).map_err(Fault::Vox)
        })
    }
}

impl<'t> Snapshot<'t> {
    fn checked<T>(&self, result: Fallible<T>) -> Result<T> {
        result.map_err(|fault| self.generation.fault(fault))
    }

    /// Runs `work`, which needs more than one answer of one table.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&Tables, &RoTxn<'_>) -> Fallible<T>,
    ) -> Result<T> {
        self.checked(work(self.tables, self.txn))
    }

    /// Runs `work` with the generation.
    pub(crate) fn in_generation<T>(
        &self,
        work: impl FnOnce(&Generation, &RoTxn<'_>) -> Fallible<T>,
    ) -> Result<T> {
        self.checked(work(self.generation, self.txn))
    }

    /// What tells the archive from all others; backups and exports share it.
    pub fn archive_id(&self) -> Result<[u8; 16]> {
        self.checked(meta::archive_id(self.tables, self.txn))
    }

    /// Changes with every commit: the generation and its last transaction.
    pub fn version(&self) -> (u64, u64) {
        (self.generation.number, self.txn.id() as u64)
    }

    /// How many windows there ever were.
    pub fn window_count(&self) -> Result<u64> {
        self.checked(self.tables.windows.len(self.txn).map_err(Fault::from))
    }

    /// A window's row.
    pub fn window(&self, no: WindowNo) -> Result<WindowRow> {
        self.checked(windows::get(self.tables, self.txn, no))?
            .ok_or_else(|| Error::new(Code::NotFound, format!("there is no window number {no}")))
    }

    /// The newest window with this key.
    pub fn window_by_key(&self, key: &str) -> Result<Option<WindowNo>> {
        self.checked(windows::by_key(self.tables, self.txn, key))
    }

    /// The windows whose ids start with `prefix`, at most `most`.
    pub fn windows_by_id(&self, prefix: &[u8], most: usize) -> Result<Vec<WindowNo>> {
        self.checked(windows::by_id_prefix(self.tables, self.txn, prefix, most))
    }

    /// The windows below `root`, itself included.
    pub fn family(&self, root: WindowNo) -> Result<Vec<WindowNo>> {
        self.checked(windows::family(self.tables, self.txn, root))
    }

    /// How `window` came from `parent`; None if nothing says so.
    pub fn link(&self, window: WindowNo, parent: WindowNo) -> Result<Option<LinkKind>> {
        self.checked(windows::link(self.tables, self.txn, window, parent))
    }

    /// The links of a window to those it came from: how, which, and the place there.
    pub fn links(&self, window: WindowNo) -> Result<Vec<(LinkKind, WindowNo, u64)>> {
        self.checked(lineage::links_of(self.tables, self.txn, window))
    }

    /// Visits live windows, the newest first, with the time of their last change, until `visit`
    /// breaks: all, or those of one repository or tier.
    pub fn recent_windows(
        &self,
        repo: Option<SymbolNo>,
        tier: Option<Tier>,
        visit: impl FnMut(WindowNo, i64) -> Result<std::ops::ControlFlow<()>>,
    ) -> Result<()> {
        self.checked(crate::recency::walk(self.tables, self.txn, repo, tier, visit))
    }

    /// The repositories of live windows, ascending; 0 stands for none.
    pub fn repos(&self) -> Result<Vec<SymbolNo>> {
        self.checked(crate::recency::repos(self.tables, self.txn))
    }

    /// The extent of `window` that holds `ordinal`.
    pub fn extent_at(&self, window: WindowNo, ordinal: u64) -> Result<Option<Extent>> {
        self.checked(extents::at(self.tables, self.txn, window, ordinal))
    }

    /// Every extent of `window`, in order.
    pub fn extents(&self, window: WindowNo) -> Result<Vec<Extent>> {
        self.checked(extents::all(self.tables, self.txn, window))
    }

    /// The windows that show items of a run, in order.
    pub fn windows_of_run(&self, run: RunNo) -> Result<Vec<WindowNo>> {
        self.checked(runs::windows_of(self.tables, self.txn, run))
    }

    /// The item at `ordinal` of `window`.
    pub fn item_at(&self, window: WindowNo, ordinal: u64) -> Result<Option<ItemId>> {
        self.checked(extents::item(self.tables, self.txn, window, ordinal))
    }

    /// The first position and the bytes of the chunk that holds `position` of `run`.
    pub fn chunk(&self, run: RunNo, position: u32) -> Result<Option<(u32, &'t [u8])>> {
        self.checked(runs::chunk_at(self.tables, self.txn, run, position))
    }

    /// The ranges of an overlay that touch `ordinals`, in order.
    pub fn overlays(
        &self,
        window: WindowNo,
        kind: OverlayKind,
        ordinals: Range<u64>,
    ) -> Result<Vec<OverlayRange>> {
        self.checked(overlays::touching(self.tables, self.txn, window, kind, ordinals))
    }

    /// A run's row.
    pub fn run(&self, run: RunNo) -> Result<RunRow> {
        self.checked(runs::get(self.tables, self.txn, run))
    }

    /// Every run, in order.
    pub fn runs(&self) -> Result<Vec<(RunNo, RunRow)>> {
        self.checked(runs::all(self.tables, self.txn))
    }

    /// The hash of a blob.
    pub fn content_hash(&self, blob: BlobRef) -> Result<ContentHash> {
        self.checked(blobs::hash_of(self.tables, self.txn, blob))
    }

    /// The bytes of a blob, checked against its hash.
    pub fn blob(&self, blob: BlobRef) -> Result<Vec<u8>> {
        self.checked(blobs::verified_read(self.tables, self.txn, blob))
    }

    /// A reader of many blobs. It is fastest in the order of their references, as those that stand
    /// in one frame are unpacked together.
    pub fn blobs(&self) -> Blobs<'t> {
        Blobs { reader: InOrder::new(self.tables, self.txn), generation: self.generation }
    }

    /// A reader of very many blobs in the order of their references, which checks no hashes.
    pub fn scanner(&self) -> Scanner<'t> {
        let scanner = blobs::Scanner::new(self.tables, self.txn);
        Scanner { scanner, generation: self.generation }
    }

    /// The chain hash of an item.
    pub fn chain_hash(&self, item: ItemId) -> Result<vox_types::ChainHash> {
        self.checked(chains::of_item(self.tables, self.txn, item))
    }

    /// The text of a symbol.
    pub fn symbol(&self, no: SymbolNo) -> Result<Option<Cow<'t, str>>> {
        Ok(self.checked(symbols::text(self.tables, self.txn, no))?.map(Cow::Borrowed))
    }

    /// How many symbols there are; they count from 1.
    pub fn symbol_count(&self) -> Result<u64> {
        self.checked(self.tables.symbols.len(self.txn).map_err(Fault::from))
    }

    /// The symbol of a text, if it has one.
    pub fn find_symbol(&self, text: &str) -> Result<Option<SymbolNo>> {
        self.checked(symbols::find(self.tables, self.txn, text))
    }

    /// What providers reported for responses of a window.
    pub fn usage(&self, window: WindowNo) -> Result<Vec<UsageRow>> {
        self.checked(usage::of_window(self.tables, self.txn, window))
    }

    /// How far a source file has been read.
    pub fn cursor(&self, path: &[u8]) -> Result<Option<CursorRow>> {
        self.checked(cursors::get(self.tables, self.txn, path))
    }

    /// Every cursor.
    pub fn cursors(&self) -> Result<Vec<CursorRow>> {
        self.checked(cursors::all(self.tables, self.txn))
    }

    /// What of a source file was set aside, with offsets.
    pub fn quarantine(&self, path: &[u8]) -> Result<Vec<(u64, QuarantineRow)>> {
        self.checked(cursors::quarantine(self.tables, self.txn, path))
    }

    /// The stretches of one reading of a source file, in order.
    pub fn raw_stretches(
        &self,
        path: &[u8],
        reading: u32,
        domain: Domain,
    ) -> Result<Vec<FileStretch>> {
        self.checked(raw::of_reading(self.tables, self.txn, &cursors::key(path), reading, domain))
    }

    /// Every stretch of every reading of a source file.
    pub fn raw_file(&self, path: &[u8]) -> Result<Vec<FileStretch>> {
        self.checked(raw::of_file(self.tables, self.txn, &cursors::key(path)))
    }

    /// Every stretch of every source file.
    pub fn all_raw_stretches(&self) -> Result<Vec<FileStretch>> {
        self.checked(raw::all(self.tables, self.txn))
    }

    /// The source bytes of a raw run.
    pub fn raw_source(&self, run: u64) -> Result<vox_format::raw::Source> {
        self.checked(raw::source(self.tables, self.txn, run))
    }

    /// Hash and length of a raw run's source bytes.
    pub fn raw_hash(&self, run: u64) -> Result<(ContentHash, u32)> {
        let run = self.checked(raw::run(self.tables, self.txn, run))?;
        Ok((run.head.hash, run.head.source_len))
    }

    /// What is left of a record without the bytes of its items.
    pub fn raw_rest(&self, record: RecordRef) -> Result<Vec<u8>> {
        self.checked(raw::rest_of(self.tables, self.txn, record))
    }

    /// The events from sequence number `first` on, at most `count`.
    pub fn events(
        &self,
        first: u64,
        count: usize,
    ) -> Result<Vec<(u64, vox_format::rows::EventRow)>> {
        self.checked(events::since(self.tables, self.txn, first, count))
    }

    /// The number of the last event; none if nothing ever happened.
    pub fn last_event(&self) -> Result<Option<u64>> {
        Ok(self.checked(events::next(self.tables, self.txn))?.checked_sub(1))
    }

    /// The hash of the row of an event; none if there is no such event.
    pub fn event_hash(&self, sequence: u64) -> Result<Option<ContentHash>> {
        Ok(self.checked(events::row(self.tables, self.txn, sequence))?.map(ContentHash::of))
    }

    /// Rows and bytes of each table, in the order of the format document.
    pub fn table_sizes(&self) -> Result<Vec<TableSize>> {
        self.checked(crate::sizes::of_tables(self.tables, self.txn))
    }

    /// What is kept of source files, by the names of their adapters.
    pub fn source_sizes(&self) -> Result<std::collections::BTreeMap<String, raw::SourceSize>> {
        self.checked(raw::of_sources(self.tables, self.txn))
    }
}

/// Reads many blobs of one snapshot; see [`Snapshot::blobs`].
pub struct Blobs<'t> {
    reader: InOrder<'t>,
    generation: &'t Generation,
}

impl Blobs<'_> {
    /// The bytes of a blob, checked against its hash.
    pub fn read(&mut self, blob: BlobRef) -> Result<&[u8]> {
        self.reader.verified_read(blob).map_err(|fault| self.generation.fault(fault))
    }
}

/// Reads very many blobs of one snapshot; see [`Snapshot::scanner`].
pub struct Scanner<'t> {
    scanner: blobs::Scanner<'t>,
    generation: &'t Generation,
}

impl Scanner<'_> {
    /// The bytes of a blob as they unpack; none if they were removed.
    pub fn read(&mut self, blob: BlobRef) -> Result<Option<&[u8]>> {
        self.scanner.read(blob).map_err(|fault| self.generation.fault(fault))
    }
}

pub use crate::sizes::{BlobSizes, TableSize};
