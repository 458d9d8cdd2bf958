//! Writing runs item by item.

use vox_format::{
    chunk::{ItemRow, MAX_ITEMS, encode_chunk},
    keys,
    rows::{self, RunRow},
};
use vox_types::{ChainHash, ContentHash, Result, RunNo, WindowNo};

use super::{builder::Builder, line::wrong};

/// A run that is being written from its start.
pub struct RunWriter {
    no: RunNo,
    window: WindowNo,
    /// The chain before the items that wait.
    before: ChainHash,
    /// The chain so far.
    pub chain: ChainHash,
    /// How many items it has, with those that wait.
    pub len: u32,
    waiting: Vec<ItemRow>,
}

impl RunWriter {
    /// Starts run `no` of `window`, whose path so far ends in `chain`.
    pub fn start(no: RunNo, window: WindowNo, chain: ChainHash) -> Self {
        Self { no, window, before: chain, chain, len: 0, waiting: Vec::new() }
    }

    /// Adds an item whose content has the hash `content`.
    pub fn push(
        &mut self,
        builder: &mut Builder,
        row: ItemRow,
        content: &ContentHash,
    ) -> Result<()> {
        let full = || wrong(format!("run {} has no position left", self.no));
        self.len = self.len.checked_add(1).ok_or_else(full)?;
        if !row.side {
            self.chain = self.chain.child(row.role, row.kind, content);
        }
        self.waiting.push(row);
        if self.waiting.len() == MAX_ITEMS {
            self.write(builder)?;
        }
        Ok(())
    }

    fn write(&mut self, builder: &mut Builder) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let key = keys::pair(self.no, self.len - self.waiting.len() as u32);
        let value = encode_chunk(&self.before, &self.waiting);
        self.waiting.clear();
        self.before = self.chain;
        let chunks = builder.generation().tables.chunks;
        builder.put(chunks, key.to_vec(), value)
    }

    /// Writes the rest and the run's row.
    pub fn finish(mut self, builder: &mut Builder) -> Result<()> {
        self.write(builder)?;
        let row = RunRow { window: self.window, len: self.len, chain: self.chain.0 };
        let runs = builder.generation().tables.runs;
        builder.put(runs, self.no.to_be_bytes().to_vec(), rows::encode(&row)?)
    }
}
