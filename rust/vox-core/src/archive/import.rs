//! Importing: records of a source and what an adapter says of them, as one append.

use std::sync::Arc;

use vox_format::{
    estimate::quick_estimate,
    preview::{binary_preview, preview},
    rows::CursorRow,
};
use vox_frame::{Cut, Records, Want};
use vox_store::{
    append::{
        Appended, Batch, NewItem, NewQuarantine, NewRest, NewUsage, OwnedBlob, PreparedBatch,
        WindowChange, WindowItems,
    },
    blobs::Dictionary,
};
use vox_types::{CallNo, Code, CutForm, Error, Fidelity, ItemKind, QuarantineReason, Result, Role};

use super::{
    Archive,
    apart::{Apart, take_apart},
    custody::BlobCut,
    standing::{SourceFile, blocks_before},
};

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
    /// Joins a tool call and its results; 0 is none.
    pub call: CallNo,
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
    /// Where the file ended when it was read; counts with `last`.
    pub read_to: u64,
    /// Whether the bytes of the records are kept.
    pub raw: bool,
    /// Whether what was purged and comes again is brought back.
    pub restore_purged: bool,
}

impl Archive {
    /// Cuts, hashes and compresses a batch of a source, ready for [`Archive::commit`].
    pub fn prepare(&self, file: &SourceFile, mut batch: SourceBatch) -> Result<PreparedBatch> {
        let mut append = Batch {
            windows: std::mem::take(&mut batch.windows),
            usage: std::mem::take(&mut batch.usage),
            restart: batch.restart,
            // What comes back fills a hole: that makes another reading.
            unchanged: file.unchanged && !batch.restore_purged,
            start: batch.start,
            restore_purged: batch.restore_purged,
            fallback_time: file.mtime_ns() / 1_000_000,
            ..Batch::default()
        };
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
        let taken = take_apart(&batch.records, std::mem::take(&mut batch.drafts))?;
        let mut items: Vec<WindowItems> = batch
            .keys
            .iter()
            .zip(&batch.at)
            .map(|(key, at)| WindowItems { window: key.clone(), at: *at, items: Vec::new() })
            .collect();
        let mut count = 0;
        let mut cuts: Vec<Vec<BlobCut>> = Vec::with_capacity(taken.len());
        for (record, apart) in batch.records.iter().zip(taken) {
            let first = append.blobs.len();
            let Apart { items: taken, cuts: places, whole } = apart;
            let places = places.into_iter().map(|Cut { start, end, item, form }| BlobCut {
                start,
                end,
                blob: first + item,
                form,
            });
            cuts.push(places.collect());
            for (draft, bytes) in taken {
                count += 1;
                let rest = batch.raw.then_some(NewRest::Record(record.offset));
                items[draft.window].items.push(new_item(draft, &bytes, rest, append.blobs.len()));
                let dictionary = if whole { Dictionary::Joint } else { Dictionary::Content };
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
        for (number, reason) in &batch.rejected {
            if let Some(record) = batch.records.get(*number) {
                let (bytes, blob) = (record.bytes.to_vec(), append.blobs.len());
                append.quarantine.push(NewQuarantine {
                    offset: record.offset,
                    length: bytes.len() as u64,
                    reason: *reason,
                    blob: Some(blob),
                });
                let (end, form) = (bytes.len(), CutForm::Verbatim);
                cuts[*number] = vec![BlobCut { start: 0, end, blob, form }];
                append.blobs.push(OwnedBlob { bytes, dictionary: Dictionary::Extra });
            }
        }
        let quarantined = append.quarantine.len() as u64;
        let records = (batch.records.len() - batch.rejected.len()) as u64;
        let end = batch.records.end.max(batch.start);
        if batch.raw {
            append.raw = self.stretches(file, &batch, end, &cuts)?;
        }
        append.cursor = Some(CursorRow {
            offset: end,
            blocks: blocks_before(file, end)?,
            state: batch.state,
            records,
            items: count,
            quarantined,
            read_at: vox_store::now(),
            ..file.cursor(batch.last)
        });
        self.store.prepare_append(append)
    }

    /// Appends prepared batches in their order with one commit; durable on return, and the
    /// cursors with it. One that fails fails alone.
    pub fn commit(&self, batches: Vec<PreparedBatch>) -> Vec<Result<Appended>> {
        self.store.append_prepared(batches)
    }
}

fn new_item(draft: DraftItem, bytes: &[u8], rest: Option<NewRest>, content: usize) -> NewItem {
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
        call: draft.call,
        content,
        rest,
        preview: match binary {
            true => binary_preview(media_type, bytes.len() as u64),
            false => preview(bytes),
        },
        name: draft.name,
    }
}
