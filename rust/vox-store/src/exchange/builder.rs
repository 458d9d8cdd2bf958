//! Filling a new archive from its first tables; those that follow are made at the end.

use std::{collections::HashMap, sync::Arc};

use vox_format::rows;
use vox_types::{BlobRef, ContentHash, Error, Result, SymbolNo};

use super::{
    line::{Finds, of_blob_name, wrong},
    plain::Plain,
};
use crate::{
    blobs::{self, BlobWriter, Dictionary, NewBlob},
    env::Generation,
    fault::Fallible,
    index::HashIndex,
    tables::Table,
};

/// Bytes that are written at once. Judgement.
const BATCH: usize = 16 << 20;
/// Rows that are written at once. Judgement.
const BATCH_ROWS: usize = 50_000;

/// A blob that waits to be written.
enum Waiting {
    Content { bytes: Vec<u8>, holds: u32 },
    Gone { hash: ContentHash, length: u32 },
}

/// Writes rows and blobs into a generation that nobody else knows yet.
///
/// Holds 16 MiB of what is to be written, or one blob if that is larger; the texts of symbols; and
/// 40 bytes for each blob whose content was removed.
pub struct Builder {
    generation: Arc<Generation>,
    rows: Vec<(Table, Vec<u8>, Vec<u8>)>,
    blobs: Vec<Waiting>,
    bytes: usize,
    gone: HashMap<[u8; 32], BlobRef>,
    symbols: HashMap<String, SymbolNo>,
    /// Whether a blob that comes twice is an error.
    pub each_once: bool,
}

impl Builder {
    /// Begins to fill `generation`, which has no more than `meta`.
    pub fn new(generation: Arc<Generation>) -> Self {
        Self {
            generation,
            rows: Vec::new(),
            blobs: Vec::new(),
            bytes: 0,
            gone: HashMap::new(),
            symbols: HashMap::new(),
            each_once: false,
        }
    }

    /// The generation that is filled.
    pub fn generation(&self) -> &Arc<Generation> {
        &self.generation
    }

    /// Adds a row of `meta`, in place of what stands there.
    pub fn meta(&mut self, key: &str, value: &Plain) -> Result<()> {
        let table = self.generation.tables.meta;
        self.put(table, key.as_bytes().to_vec(), rows::encode(value)?)
    }

    /// Adds a symbol.
    pub fn symbol(&mut self, symbol: SymbolNo, text: &str) -> Result<()> {
        if self.symbols.insert(text.to_owned(), symbol).is_some() {
            return Err(wrong(format!("there are two symbols with the text {text:?}")));
        }
        let key = symbol.to_be_bytes().to_vec();
        self.put(self.generation.tables.symbols, key, text.as_bytes().to_vec())
    }

    /// Adds a row.
    pub fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>) -> Result<()> {
        self.bytes += key.len() + value.len();
        self.rows.push((table, key, value));
        self.flush_full()
    }

    /// Adds a blob.
    pub fn add(&mut self, bytes: Vec<u8>, holds: u32) -> Result<()> {
        self.bytes += bytes.len();
        self.blobs.push(Waiting::Content { bytes, holds });
        self.flush_full()
    }

    /// The blob that a line would name so.
    pub fn found(&mut self, name: &str) -> Result<BlobRef> {
        self.blob(name).map_err(|fault| self.generation.fault(fault))
    }

    /// The content of a blob.
    pub fn read(&self, blob: BlobRef) -> Result<Vec<u8>> {
        self.generation.reading(|txn| blobs::verified_read(&self.generation.tables, txn, blob))
    }

    /// Adds a blob whose content was removed.
    pub fn gone(&mut self, hash: ContentHash, length: u32) -> Result<()> {
        self.blobs.push(Waiting::Gone { hash, length });
        self.flush_full()
    }

    fn flush_full(&mut self) -> Result<()> {
        if self.bytes >= BATCH || self.rows.len() + self.blobs.len() >= BATCH_ROWS {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what waits.
    pub fn flush(&mut self) -> Result<()> {
        if self.rows.is_empty() && self.blobs.is_empty() {
            return Ok(());
        }
        let content = self.blobs.iter().filter_map(|waiting| match waiting {
            Waiting::Content { bytes, holds } => Some((bytes, *holds)),
            Waiting::Gone { .. } => None,
        });
        let (new, holds): (Vec<NewBlob<'_>>, Vec<u32>) = content
            .map(|(bytes, holds)| (NewBlob { bytes, dictionary: Dictionary::Content }, holds))
            .unzip();
        let prepared = blobs::prepare(&self.generation, &new)?;
        let mut gone = Vec::new();
        let stored = self.generation.write(|txn| {
            gone.clear();
            let tables = &self.generation.tables;
            let mut writer = BlobWriter::begin(tables, txn, &prepared, self.generation.number)?;
            for waiting in &self.blobs {
                if let Waiting::Gone { hash, length } = waiting {
                    gone.push((hash.0, writer.gone(txn, *hash, *length)?));
                }
            }
            for (i, holds) in holds.iter().enumerate() {
                writer.hold_often(txn, i, *holds)?;
            }
            let stored = writer.finish(txn)?;
            for (table, key, value) in &self.rows {
                table.put(txn, key, value)?;
            }
            Ok(stored)
        })?;
        if self.each_once && stored.added != new.len() as u64 {
            return Err(wrong("a blob is there twice"));
        }
        self.gone.extend(gone);
        self.rows.clear();
        self.blobs.clear();
        self.bytes = 0;
        Ok(())
    }
}

impl Finds for Builder {
    fn blob(&mut self, name: &str) -> Fallible<BlobRef> {
        if !self.blobs.is_empty() {
            self.flush()?;
        }
        let (hash, gone) = of_blob_name(name)?;
        let found = if gone {
            self.gone.get(&hash).copied()
        } else {
            let tables = &self.generation.tables;
            self.generation.reading(|txn| {
                let finder = HashIndex::of_blobs(tables).finder(txn)?;
                let entry = blobs::find(tables, &finder, txn, &ContentHash(hash))?;
                Ok(entry.map(|entry| BlobRef(entry.payload)))
            })?
        };
        Ok(found.ok_or_else(|| wrong(format!("there is no blob {name}")))?)
    }

    fn symbol(&mut self, text: &str) -> Fallible<SymbolNo> {
        let missing = || Error::damaged(format!("there is no symbol {text:?}"));
        Ok(self.symbols.get(text).copied().ok_or_else(missing)?)
    }
}
