//! Writing: documents in, documents out, and commits that say what they cover.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use tantivy::{
    IndexWriter, TantivyError, directory::error::LockError, index::SegmentId,
    indexer::IndexWriterOptions,
};
use vox_types::{ItemId, Result};

use super::{
    Document, Watermark,
    document::{Gate, Row},
    errors,
    fields::Fields,
    folder::payload,
    one_of::OneOf,
};

/// Memory for terms and postings that aren't on disk yet, of all threads together. Judgement: with
/// texts on their way and one merge the whole stays under 300 MB.
const MEMORY: usize = 128 << 20;
/// Threads that index. Judgement: more would make segments too small to be worth it.
const THREADS: usize = 4;

/// The one writer of an index. What it is given is seen by others after [`Writer::commit`]; what
/// wasn't committed is gone when it is dropped.
pub struct Writer {
    writer: IndexWriter<Row>,
    fields: Fields,
    gate: Arc<Gate>,
    folder: PathBuf,
    deleted: bool,
    only_words: bool,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Writer {
    /// A writer of `index`; none: there is another.
    pub(super) fn open(
        index: &tantivy::Index,
        fields: Fields,
        folder: &Path,
    ) -> tantivy::Result<Option<Self>> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(MEMORY / threads)
            .num_merge_threads(1)
            .build();
        match index.writer_with_options(options) {
            Ok(writer) => Ok(Some(Self {
                writer,
                fields,
                gate: Arc::default(),
                folder: folder.to_owned(),
                deleted: false,
                only_words: false,
            })),
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Leaves out joins and stems from now on: so it is measured what words alone cost.
    pub fn only_words(&mut self) {
        self.only_words = true;
    }

    /// Adds a document. An item must not be added twice.
    ///
    /// Errors: those of the system, from any document that was added before.
    pub fn add(&mut self, document: &Document<'_>) -> Result<()> {
        let row = Row::new(document, self.fields, self.only_words, &self.gate);
        self.writer.add_document(row).map_err(|error| self.error(&error))?;
        Ok(())
    }

    /// Takes out the documents of `items` that were added before this call. With the next commit
    /// their terms go from the disk too.
    pub fn delete(&mut self, items: &[ItemId]) -> Result<()> {
        if !items.is_empty() {
            let query = OneOf::new(items.iter().map(|item| item.0));
            self.writer.delete_query(Box::new(query)).map_err(|error| self.error(&error))?;
            self.deleted = true;
        }
        Ok(())
    }

    /// Makes everything so far durable and seen, and says that it covers `watermark`.
    ///
    /// Errors: those of the system; the writer is of no further use then.
    pub fn commit(&mut self, watermark: Watermark) -> Result<()> {
        self.commit_there(watermark).map_err(|error| self.error(&error))
    }

    /// Waits until segments that are being merged are so: an index that is to be kept as it is.
    pub fn finish(self) -> Result<()> {
        let folder = self.folder;
        self.writer.wait_merging_threads().map_err(|error| errors::error(&error, &folder))
    }

    fn commit_there(&mut self, watermark: Watermark) -> tantivy::Result<()> {
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&payload(watermark));
        commit.commit()?;
        if std::mem::take(&mut self.deleted) {
            let with_deleted: Vec<SegmentId> = self
                .writer
                .index()
                .searchable_segment_metas()?
                .iter()
                .filter(|segment| segment.has_deletes())
                .map(|segment| segment.id())
                .collect();
            for segment in with_deleted {
                self.writer.merge(&[segment]).wait()?;
            }
            self.writer.garbage_collect_files().wait()?;
        }
        Ok(())
    }

    fn error(&self, error: &TantivyError) -> vox_types::Error {
        errors::error(error, &self.folder)
    }
}
