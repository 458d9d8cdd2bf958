//! Importing: records of a source and what an adapter says of them, as one append.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::UNIX_EPOCH,
};

use rayon::prelude::*;
use vox_format::{
    estimate::quick_estimate,
    preview::{binary_preview, preview},
    rows::{Block, CursorRow},
};
use vox_frame::{Records, Want, block_hashes, cut, unchanged_prefix};
use vox_store::{
    append::{
        Appended, Batch, NewItem, NewQuarantine, NewUsage, OwnedBlob, PreparedBatch, WindowChange,
        WindowItems,
    },
    blobs::Dictionary,
    cores,
};
use vox_types::{Code, Error, Fidelity, ItemKind, QuarantineReason, Result, Role};

use super::Archive;

/// What the system says of a source file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    mtime_ns: i64,
}

/// How a source file stands to what was read of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It was never read.
    New,
    /// It is as it was; nothing of it is read.
    Unchanged,
    /// It grew: reading goes on where it ended, with the adapter's state.
    Appended {
        /// Where reading goes on.
        offset: u64,
        /// The adapter's own bytes.
        state: Vec<u8>,
    },
    /// What was read of it is no longer there: it is read from its start.
    Rewritten,
}

/// A source file as it is being read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// The adapter's name.
    pub source: String,
    /// What it was when reading began.
    pub state: FileState,
}

/// An item as an adapter describes it.
#[derive(Clone, Debug)]
pub struct DraftItem {
    /// Place of its window's key in [`SourceBatch::keys`].
    pub window: usize,
    /// Which record it comes from.
    pub record: usize,
    /// Who speaks.
    pub role: Role,
    /// What it is.
    pub kind: ItemKind,
    /// Where its bytes are.
    pub body: Body,
    /// UTC ms.
    pub created_at: Option<i64>,
    /// The tool, the model or the media type.
    pub name: Option<String>,
    /// No later item follows from it.
    pub side: bool,
    /// How vox knows it.
    pub fidelity: Fidelity,
}

/// Where an item's bytes are.
#[derive(Clone, Debug)]
pub enum Body {
    /// The record is the item.
    Record,
    /// At a place in the record.
    At(Want),
    /// They come from elsewhere.
    Bytes(Vec<u8>),
}

/// A run of records and what an adapter says of them.
#[derive(Debug, Default)]
pub struct SourceBatch {
    /// The records; none where only the cursor moves.
    pub records: Arc<Records>,
    /// Keys of the windows that drafts name.
    pub keys: Vec<String>,
    /// For each of those the ordinal of its first item here.
    pub at: Vec<u64>,
    /// Windows that are new, or what became known of them.
    pub windows: Vec<WindowChange>,
    /// Items.
    pub drafts: Vec<DraftItem>,
    /// Reports of providers.
    pub usage: Vec<NewUsage>,
    /// Records that the adapter could not take.
    pub rejected: Vec<(usize, QuarantineReason)>,
    /// The adapter's own bytes for going on after these records.
    pub state: Vec<u8>,
    /// Whether the records are the file's first.
    pub restart: bool,
    /// Where they begin: the cursor must stand there, or the commit is a conflict.
    pub start: u64,
    /// Whether they are its last.
    pub last: bool,
    /// Whether what was purged and comes again is brought back.
    pub restore_purged: bool,
}

impl FileState {
    /// Asks the system.
    pub fn of(path: &Path) -> Result<Self> {
        let data = fs::metadata(path).map_err(|error| Error::io(&error, path))?;
        let modified = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let (device, inode) = identity(&data);
        Ok(Self {
            device,
            inode,
            size: data.len(),
            mtime_ns: modified.map_or(0, |since| since.as_nanos() as i64),
        })
    }
}

#[cfg(unix)]
fn identity(data: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (data.dev(), data.ino())
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> (u64, u64) {
    (0, 0)
}

impl Archive {
    /// How the file at `path` stands to what `source` has read of it.
    pub fn standing(&self, path: &Path, source: &str) -> Result<(FileState, Standing)> {
        let state = FileState::of(path)?;
        let cursor = self.store.snapshot(|snapshot| snapshot.cursor(path_bytes(path)))?;
        let Some(cursor) = cursor.filter(|cursor| cursor.source == source) else {
            return Ok((state, Standing::New));
        };
        let known = FileState {
            device: cursor.device,
            inode: cursor.inode,
            size: cursor.size,
            mtime_ns: cursor.mtime_ns,
        };
        if known == state {
            return Ok((state, Standing::Unchanged));
        }
        let blocks: Vec<_> = cursor.blocks.iter().map(|b| (b.start, b.end, b.hash)).collect();
        Ok((
            state,
            match unchanged_prefix(path, &blocks)? {
                true => Standing::Appended { offset: cursor.offset, state: cursor.state },
                false => Standing::Rewritten,
            },
        ))
    }

    /// Cuts, hashes and compresses a batch of a source, ready for [`Archive::commit`].
    pub fn prepare(&self, file: &SourceFile, batch: SourceBatch) -> Result<PreparedBatch> {
        let mut append = Batch {
            windows: batch.windows,
            usage: batch.usage,
            restart: batch.restart,
            start: batch.start,
            restore_purged: batch.restore_purged,
            fallback_time: file.state.mtime_ns / 1_000_000,
            ..Batch::default()
        };
        let rejected: Vec<usize> = batch.rejected.iter().map(|(record, _)| *record).collect();
        if let Some(draft) = batch
            .drafts
            .iter()
            .find(|draft| draft.record >= batch.records.len() || draft.window >= batch.keys.len())
        {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("an item names record {} or a window that the batch hasn't", draft.record),
            ));
        }
        let taken = take_apart(&batch.records, batch.drafts)?;
        let mut items: Vec<WindowItems> = batch
            .keys
            .iter()
            .zip(&batch.at)
            .map(|(key, at)| WindowItems { window: key.clone(), at: *at, items: Vec::new() })
            .collect();
        let mut count = 0;
        for record in taken {
            let extra = record.extra.map(|bytes| {
                append.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Extra });
                append.blobs.len() - 1
            });
            for (draft, bytes) in record.items {
                count += 1;
                items[draft.window].items.push(new_item(draft, &bytes, extra, append.blobs.len()));
                let dictionary = match extra {
                    Some(_) => Dictionary::Content,
                    None => Dictionary::Extra,
                };
                append.blobs.push(OwnedBlob { bytes, dictionary });
            }
        }
        items.retain(|items| !items.items.is_empty());
        append.items = items;
        for stretch in &batch.records.quarantined {
            let blob = (!stretch.bytes.is_empty()).then(|| {
                let bytes = stretch.bytes.clone();
                append.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Extra });
                append.blobs.len() - 1
            });
            append.quarantine.push(NewQuarantine {
                offset: stretch.offset,
                length: stretch.length,
                reason: stretch.reason,
                blob,
            });
        }
        for (record, reason) in batch.rejected {
            if let Some(record) = batch.records.get(record) {
                let bytes = record.bytes.to_vec();
                append.quarantine.push(NewQuarantine {
                    offset: record.offset,
                    length: bytes.len() as u64,
                    reason,
                    blob: Some(append.blobs.len()),
                });
                append.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Extra });
            }
        }
        let quarantined = append.quarantine.len() as u64;
        let records = (batch.records.len() - rejected.len()) as u64;
        let end = batch.records.end.max(batch.start);
        append.cursor = Some(CursorRow {
            path: path_bytes(&file.path).to_vec(),
            source: file.source.clone(),
            device: file.state.device,
            inode: file.state.inode,
            // Until the last batch the file counts as changed, so that reading goes on.
            size: if batch.last { file.state.size } else { u64::MAX },
            mtime_ns: file.state.mtime_ns,
            offset: end,
            blocks: blocks_before(file, end)?,
            state: batch.state,
            // The store knows which reading this is.
            reading: 0,
            records,
            items: count,
            quarantined,
            read_at: vox_store::now(),
            gone_at: None,
        });
        self.store.prepare_append(append)
    }

    /// Appends prepared batches in their order with one commit; durable on return, and the
    /// cursors with it. One that fails fails alone.
    pub fn commit(&self, batches: Vec<PreparedBatch>) -> Vec<Result<Appended>> {
        self.store.append_prepared(batches)
    }
}

impl Archive {
    /// What was set aside of a source file: offset, length and reason.
    pub fn quarantine(&self, path: &Path) -> Result<Vec<(u64, u64, String)>> {
        let rows = self.store.snapshot(|snapshot| snapshot.quarantine(path_bytes(path)))?;
        Ok(rows.into_iter().map(|(offset, row)| (offset, row.length, row.reason)).collect())
    }

    /// Writes down that these source files are gone. Nothing that was read of them goes.
    pub fn mark_gone(&self, paths: &[PathBuf]) -> Result<()> {
        let paths = paths.iter().map(|path| path_bytes(path).to_vec()).collect();
        self.store.mark_gone(paths)
    }
}

/// The blocks by which a later import knows what was read. A file that was exchanged or cut off
/// meanwhile gets one that matches nothing: it will be read anew.
fn blocks_before(file: &SourceFile, end: u64) -> Result<Vec<Block>> {
    let hashes = block_hashes(&file.path, end)?;
    let now = FileState::of(&file.path)?;
    let exchanged = (now.device, now.inode) != (file.state.device, file.state.inode);
    if exchanged || now.size < file.state.size {
        return Ok(vec![Block { start: 0, end: 1, hash: [0; 32] }]);
    }
    Ok(hashes.into_iter().map(|(start, end, hash)| Block { start, end, hash }).collect())
}

/// A record without its items, and those.
struct TakenApart {
    extra: Option<Vec<u8>>,
    items: Vec<(DraftItem, Vec<u8>)>,
}

/// Cuts the items out of their records, on all cores; in the order of the records.
fn take_apart(records: &Records, drafts: Vec<DraftItem>) -> Result<Vec<TakenApart>> {
    let mut by_record: Vec<Vec<DraftItem>> = vec![Vec::new(); records.len()];
    for draft in drafts {
        by_record[draft.record].push(draft);
    }
    let take = |(i, drafts): (usize, Vec<DraftItem>)| match records.get(i) {
        Some(record) => take_record_apart(record.bytes, record.offset, drafts),
        None => Err(Error::new(Code::InvalidArgument, "an item names a record that isn't there")),
    };
    let by_record = by_record.into_par_iter().enumerate().with_min_len(16);
    let with_items = by_record.filter(|(_, drafts)| !drafts.is_empty());
    cores::on_all(|| with_items.map(take).collect())?
}

fn take_record_apart(record: &[u8], offset: u64, drafts: Vec<DraftItem>) -> Result<TakenApart> {
    let mut wants = Vec::new();
    for draft in &drafts {
        if let Body::At(want) = &draft.body {
            wants.push(want.clone());
        }
    }
    let whole = drafts.iter().any(|draft| matches!(draft.body, Body::Record));
    if wants.is_empty() {
        let items = drafts.into_iter().map(|draft| {
            let bytes = match &draft.body {
                Body::Bytes(bytes) => bytes.clone(),
                _ => record.to_vec(),
            };
            (draft, bytes)
        });
        let items: Vec<_> = items.collect();
        let extra = (!whole).then(|| cut(record, &[]).map(|apart| apart.extra)).transpose()?;
        return Ok(TakenApart { extra, items });
    }
    let apart = cut(record, &wants)?;
    let mut found = apart.items.into_iter();
    let mut items = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let bytes = match &draft.body {
            Body::Record => record.to_vec(),
            Body::Bytes(bytes) => bytes.clone(),
            Body::At(want) => match found.next().flatten() {
                Some(bytes) => bytes.into_owned(),
                None => {
                    return Err(Error::new(
                        Code::InvalidArgument,
                        format!("the record at byte {offset} has nothing at {:?}", want.path),
                    ));
                }
            },
        };
        items.push((draft, bytes));
    }
    Ok(TakenApart { extra: Some(apart.extra), items })
}

fn new_item(draft: DraftItem, bytes: &[u8], extra: Option<usize>, content: usize) -> NewItem {
    let binary = draft.kind == ItemKind::Attachment && std::str::from_utf8(bytes).is_err();
    let media_type = draft.name.as_deref().unwrap_or("application/octet-stream");
    NewItem {
        role: draft.role,
        kind: draft.kind,
        fidelity: draft.fidelity,
        redacted: false,
        side: draft.side,
        created_at: draft.created_at,
        token_estimate: if binary { 0 } else { quick_estimate(bytes.len()) },
        content,
        extra,
        preview: match binary {
            true => binary_preview(media_type, bytes.len() as u64),
            false => preview(bytes),
        },
        name: draft.name,
    }
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> &[u8] {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes()
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The path that a cursor names.
#[cfg(unix)]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The path that a cursor names.
#[cfg(not(unix))]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
