//! Appending: windows, items, usage, cursor and events in one transaction.
//!
//! Appending is idempotent. Items that a window has already are compared and skipped; items that
//! stand on the same path elsewhere are shared; where a producer has rewritten its conversation
//! the window stays as it was, and a new revision of it shares the beginning.

mod batch;
mod items;
mod overlays;
mod purged;
mod raw;
mod windows;

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use heed::RwTxn;
use vox_format::{
    keys,
    rows::{self, CursorRow, Event, QuarantineRow},
    segment::SLOT_BYTES,
};
use vox_types::{Code, Error, Result, WindowNo};

pub use batch::{
    Appended, Batch, NewCut, NewItem, NewOverlay, NewQuarantine, NewRest, NewStretch, NewUsage,
    OwnedBlob, WindowChange, WindowItems,
};

use crate::{
    Store,
    blobs::{self, BlobWriter, NewBlob, PreparedBlobs},
    env::Generation,
    events,
    fault::Fallible,
    meta::now,
    spine::{cursors, symbols::Interner, usage},
    tables::Tables,
};

impl Store {
    /// Appends a batch; durable on return. All of it is written, or with an error nothing.
    pub fn append(&self, batch: Batch) -> Result<Appended> {
        let prepared = self.prepare_append(batch)?;
        let lost = || Err(Error::new(Code::Internal, "an append was lost"));
        self.append_prepared(vec![prepared]).pop().unwrap_or_else(lost)
    }

    /// Does for a batch what needs no write transaction: hashes, looks up and compresses.
    pub fn prepare_append(&self, mut batch: Batch) -> Result<PreparedBatch> {
        self.check_writable()?;
        check_places(&batch)?;
        let generation = self.current()?;
        let blobs: Vec<NewBlob<'_>> = batch
            .blobs
            .iter()
            .map(|blob| NewBlob { bytes: &blob.bytes, dictionary: blob.dictionary })
            .collect();
        let prepared = blobs::prepare(&generation, &blobs)?;
        drop(blobs);
        let lengths = batch.blobs.iter().map(|blob| blob.bytes.len() as u64).collect();
        batch.blobs = Vec::new();
        let runs = raw::prepare(&mut batch.raw)?;
        let blobs = Arc::new(prepared);
        Ok(PreparedBatch(Arc::new(Prepared { batch, blobs, lengths, runs })))
    }

    /// Appends prepared batches in their order with one commit; durable on return. One that fails
    /// fails alone, and nothing of it is written.
    pub fn append_prepared(&self, batches: Vec<PreparedBatch>) -> Vec<Result<Appended>> {
        let works = batches.into_iter().map(|PreparedBatch(prepared)| {
            move |generation: &Generation, txn: &mut RwTxn<'_>| apply(generation, txn, &prepared)
        });
        self.write_all(works.collect())
    }
}

/// A batch that is ready to be written.
pub struct PreparedBatch(Arc<Prepared>);

impl Store {
    /// Writes down that the source files at `paths` are gone. Nothing that was read of them goes.
    pub fn mark_gone(&self, paths: Vec<Vec<u8>>) -> Result<()> {
        self.write(move |generation, txn| {
            for path in &paths {
                if let Some(mut cursor) = cursors::get(&generation.tables, txn, path)?
                    && cursor.gone_at.is_none()
                {
                    cursor.gone_at = Some(now());
                    cursors::put(&generation.tables, txn, &cursor)?;
                }
            }
            Ok(())
        })
    }
}

/// An error if the batch names a blob that it doesn't have.
fn check_places(batch: &Batch) -> Result<()> {
    let items = batch.items.iter().flat_map(|items| &items.items);
    let items = items.flat_map(|item| match item.rest {
        Some(NewRest::Extra(extra)) => [Some(extra), Some(item.content)],
        _ => [None, Some(item.content)],
    });
    let cuts = batch.raw.iter().flat_map(|stretch| &stretch.cuts).map(|cut| cut.blob);
    let aside = batch.quarantine.iter().filter_map(|new| new.blob);
    let count = batch.blobs.len();
    let owned = batch.owned.iter().copied();
    match items.flatten().chain(cuts).chain(aside).chain(owned).find(|place| *place >= count) {
        Some(place) => Err(Error::new(
            Code::InvalidArgument,
            format!("the batch names its blob {place}, but it has {count}"),
        )),
        None => Ok(()),
    }
}

/// A batch whose blobs are hashed and compressed.
pub(crate) struct Prepared {
    /// The batch; its blobs stand in `blobs`.
    pub batch: Batch,
    pub blobs: Arc<PreparedBlobs>,
    /// Lengths of the raw bytes of the blobs.
    pub lengths: Arc<[u64]>,
    /// For each stretch of the batch its rest, compressed.
    pub runs: Vec<raw::Body>,
}

/// What applying a batch needs at hand.
struct Applying<'a> {
    tables: &'a Tables,
    prepared: &'a Prepared,
    writer: BlobWriter<'a>,
    interner: Interner,
    now: i64,
    /// The source's cursor as it is to be.
    cursor: Option<CursorRow>,
    /// The raw runs that hold the batch's stretches.
    kept: raw::Kept,
    done: Appended,
}

/// Writes all of a batch.
pub(crate) fn apply(
    generation: &Generation,
    txn: &mut RwTxn<'_>,
    prepared: &Prepared,
) -> Fallible<Appended> {
    let tables = &generation.tables;
    let batch = &prepared.batch;
    let cursor = match &batch.cursor {
        Some(cursor) => Some(next_cursor(tables, txn, batch, cursor)?),
        None => None,
    };
    let mut applying = Applying {
        tables,
        prepared,
        writer: BlobWriter::begin(tables, txn, &prepared.blobs, generation.number)?,
        interner: Interner::default(),
        now: now(),
        cursor,
        kept: raw::Kept::default(),
        done: Appended::default(),
    };
    let mut written = HashSet::new();
    applying.raw(txn)?;
    for change in &batch.windows {
        applying.window(txn, change, &mut written)?;
    }
    for i in 0..batch.items.len() {
        applying.items_once(txn, i, &mut written)?;
    }
    for overlay in &batch.overlays {
        applying.overlay(txn, overlay)?;
    }
    applying.usage(txn)?;
    applying.quarantine(txn)?;
    for place in &batch.owned {
        applying.writer.refer(txn, *place)?;
    }
    let Applying { writer, mut done, now, cursor, .. } = applying;
    let stored = writer.finish(txn)?;
    done.blobs = stored.added;
    done.raw_bytes = stored.raw_bytes;
    done.stored_bytes = stored.stored_bytes;
    done.table_bytes = stored.added * SLOT_BYTES as u64;
    crate::index::HashIndex::of_chains(tables).settle(txn)?;
    if let Some(row) = cursor {
        cursors::put(tables, txn, &row)?;
        let what = Event::SourceRead {
            path: String::from_utf8_lossy(&row.path).into_owned(),
            from: if batch.restart { 0 } else { batch.start },
            to: row.offset,
        };
        events::append(tables, txn, now, None, what)?;
    }
    Ok(done)
}

/// The row of a source's cursor after `batch`, which says `cursor` of it.
fn next_cursor(
    tables: &Tables,
    txn: &RwTxn<'_>,
    batch: &Batch,
    cursor: &CursorRow,
) -> Fallible<CursorRow> {
    let known = cursors::get(tables, txn, &cursor.path)?;
    let anew = batch.restart && !batch.unchanged;
    let reading = known.as_ref().map_or(0, |known| known.reading + u32::from(anew));
    let before = known.filter(|_| !batch.restart);
    let stands = before.as_ref().map_or(0, |before| before.offset);
    if !batch.restart && stands != batch.start {
        return Err(Error::new(
            Code::Conflict,
            format!(
                "{} was read up to byte {stands}, not {}; read it again from the start",
                String::from_utf8_lossy(&cursor.path),
                batch.start
            ),
        )
        .into());
    }
    let mut row = CursorRow { reading, ..cursor.clone() };
    if let Some(before) = before {
        row.records += before.records;
        row.items += before.items;
        row.quarantined += before.quarantined;
    }
    Ok(row)
}

impl Applying<'_> {
    /// The items of `window`, if the batch has some that weren't written yet. They come before
    /// whatever shares them.
    fn items_of(
        &mut self,
        txn: &mut RwTxn<'_>,
        window: &str,
        written: &mut HashSet<usize>,
    ) -> Fallible<()> {
        let batch = &self.prepared.batch;
        for i in (0..batch.items.len()).filter(|i| batch.items[*i].window == window) {
            self.items_once(txn, i, written)?;
        }
        Ok(())
    }

    /// The `i`-th stretch of items of the batch, unless it was written already.
    fn items_once(
        &mut self,
        txn: &mut RwTxn<'_>,
        i: usize,
        written: &mut HashSet<usize>,
    ) -> Fallible<()> {
        if written.insert(i) {
            self.items(txn, &self.prepared.batch.items[i])?;
        }
        Ok(())
    }

    fn usage(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        let mut changed: BTreeMap<WindowNo, u64> = BTreeMap::new();
        for new in &self.prepared.batch.usage {
            let Some(window) = self.window_of(txn, &new.window)? else {
                return Err(no_window(&new.window).into());
            };
            let mut row = new.row.clone();
            row.model = self.interner.intern(self.tables, txn, new.model.as_deref())?;
            if usage::record(self.tables, txn, window, &row)? {
                self.done.usage += 1;
                *changed.entry(window).or_default() += 1;
            }
        }
        for (window, count) in changed {
            let what = Event::UsageRecorded { count };
            events::append(self.tables, txn, self.now, Some(window), what)?;
        }
        Ok(())
    }

    fn quarantine(&mut self, txn: &mut RwTxn<'_>) -> Fallible<()> {
        let batch = &self.prepared.batch;
        let Some(cursor) = &batch.cursor else {
            return match batch.quarantine.is_empty() {
                true => Ok(()),
                false => Err(Error::new(
                    Code::InvalidArgument,
                    "stretches were set aside without the cursor of their source",
                )
                .into()),
            };
        };
        let source = cursors::key(&cursor.path);
        for new in &batch.quarantine {
            let content = new.blob.map_or(0, |blob| self.prepared.blobs.hash(blob).prefix());
            let key = keys::stretch(&source, new.offset, content);
            // A stretch that is there already keeps its row and its one reference.
            if self.tables.quarantine.get(txn, &key)?.is_some() {
                continue;
            }
            let blob = match new.blob {
                Some(blob) => Some(self.writer.refer(txn, blob)?.0),
                None => None,
            };
            let kept = new.blob.map_or(0, |blob| self.prepared.lengths[blob]);
            let reason = new.reason.name().to_owned();
            let row = QuarantineRow { length: new.length, reason, blob, kept };
            self.tables.quarantine.put(txn, &key, &rows::encode(&row)?)?;
        }
        Ok(())
    }
}

fn no_window(key: &str) -> Error {
    Error::new(Code::InvalidArgument, format!("there is no window with the key {key:?}"))
}
