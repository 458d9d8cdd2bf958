//! An archive as lines.

use std::collections::HashMap;

use heed::RoTxn;
use vox_format::{
    chunk::Chunk,
    keys,
    rows::{self, RunRow},
    segment::{GONE, Group},
};
use vox_types::{BlobRef, ChainHash, Error, ItemId, Result, SymbolNo};

use super::{
    header,
    items::{self, RunLine},
    layouts::{self, Layout},
    line::{Line, Says, blob_name, hex},
    plain::Plain,
    raw,
    rows::to_line,
};
use crate::{
    Store, blobs,
    fault::{Fallible, Fault},
    index::{Finder, HashIndex},
    spine::symbols,
    tables::Tables,
};

/// Takes the lines of an export, in order.
pub type Put<'p> = &'p mut dyn FnMut(Line) -> Result<()>;

impl Store {
    /// Gives all of the archive as lines, as one committed state: that of one read transaction,
    /// which lasts to the end. What is removed meanwhile takes room until then.
    ///
    /// Holds one blob at a time, and the texts of symbols.
    pub fn export(&self, put: Put<'_>) -> Result<()> {
        self.read(|tables, txn| {
            let mut exporting =
                Exporting { put, says: Reading { tables, txn, symbols: HashMap::new() } };
            exporting.line(header::of_archive(tables, txn)?)?;
            exporting.tables(layouts::BEFORE_BLOBS)?;
            exporting.gone()?;
            exporting.blobs()?;
            exporting.tables(layouts::BEFORE_ITEMS)?;
            exporting.raw_runs()?;
            exporting.runs()?;
            exporting.tables(layouts::AFTER_ITEMS)
        })
    }
}

struct Exporting<'p, 't> {
    put: Put<'p>,
    says: Reading<'t>,
}

/// Looks up in the archive what rows refer to.
struct Reading<'t> {
    tables: &'t Tables,
    txn: &'t RoTxn<'t>,
    symbols: HashMap<SymbolNo, String>,
}

impl Says for Reading<'_> {
    fn blob(&mut self, blob: BlobRef) -> Fallible<String> {
        let (group, slot) = blobs::group_at(self.tables, self.txn, blob)?;
        Ok(blob_name(&group.hash(slot)?.0, group.codec(slot) == GONE))
    }

    fn symbol(&mut self, symbol: SymbolNo) -> Fallible<String> {
        if let Some(text) = self.symbols.get(&symbol) {
            return Ok(text.clone());
        }
        let text = symbols::text(self.tables, self.txn, symbol)?;
        let missing = || Error::damaged(format!("symbol {symbol} is referred to and missing"));
        let text = text.ok_or_else(missing)?.to_owned();
        self.symbols.insert(symbol, text.clone());
        Ok(text)
    }
}

impl Exporting<'_, '_> {
    fn line(&mut self, line: Line) -> Fallible<()> {
        (self.put)(line).map_err(Fault::Vox)
    }

    fn tables(&mut self, layouts: &[Layout]) -> Fallible<()> {
        let (tables, txn) = (self.says.tables, self.says.txn);
        for layout in layouts {
            for row in tables.named(layout.table)?.iter(txn)? {
                let (key, value) = row?;
                let line = to_line(layout, key, value, &mut self.says)?;
                self.line(line)?;
            }
        }
        Ok(())
    }

    /// Every group of blobs, in the order of their references.
    fn groups(
        &mut self,
        mut visit: impl FnMut(&mut Self, u64, Group<'_>) -> Fallible<()>,
    ) -> Fallible<()> {
        let (tables, txn) = (self.says.tables, self.says.txn);
        for row in tables.segments.iter(txn)? {
            let (key, value) = row?;
            let short = |_| Error::damaged("a segment's key isn't 8 bytes long");
            let segment = u64::from_be_bytes(key.try_into().map_err(short)?);
            visit(self, segment << 16, Group::parse(value)?)?;
        }
        for row in tables.tails.iter(txn)? {
            let (key, value) = row?;
            let short = || Error::damaged("a tail's key isn't 10 bytes long");
            let (segment, slot) = keys::split_tail(key).ok_or_else(short)?;
            visit(self, segment << 16 | u64::from(slot), Group::parse(value)?)?;
        }
        Ok(())
    }

    fn gone(&mut self) -> Fallible<()> {
        self.groups(|this, _, group| {
            for slot in (0..group.len()).filter(|slot| group.codec(*slot) == GONE) {
                let line = Line::new(header::GONE)
                    .with("hash", hex(&group.hash(slot)?.0))
                    .with("length", group.raw_len(slot));
                this.line(line)?;
            }
            Ok(())
        })
    }

    fn blobs(&mut self) -> Fallible<()> {
        let (tables, txn) = (self.says.tables, self.says.txn);
        let finder = HashIndex::of_blobs(tables).finder(txn)?;
        self.groups(|this, first, group| {
            for slot in (0..group.len()).filter(|slot| group.codec(*slot) != GONE) {
                let blob = BlobRef(first + slot as u64);
                let hash = group.hash(slot)?;
                let content = blobs::verified_read(tables, txn, blob)?;
                let line = Line::new(header::BLOB)
                    .with("hash", hex(&hash.0))
                    .with_some("holds", holds(&finder, txn, hash.prefix(), blob)?);
                let line = match readable(content) {
                    Ok(text) => line.with("text", text),
                    Err(bytes) => line.with("bytes", Plain::Bytes(bytes)),
                };
                this.line(line)?;
            }
            Ok(())
        })
    }

    fn raw_runs(&mut self) -> Fallible<()> {
        let (tables, txn) = (self.says.tables, self.says.txn);
        for row in tables.raw_runs.iter(txn)? {
            let (key, value) = row?;
            let no = crate::raw::number_of(key)?;
            let line = raw::to_line(tables, txn, no, value, &mut self.says)?;
            self.line(line)?;
        }
        Ok(())
    }

    fn runs(&mut self) -> Fallible<()> {
        let (tables, txn) = (self.says.tables, self.says.txn);
        for row in tables.runs.iter(txn)? {
            let (key, value) = row?;
            let short = |_| Error::damaged("a run's key isn't 4 bytes long");
            let no = u32::from_be_bytes(key.try_into().map_err(short)?);
            let row: RunRow = rows::decode(value, "a run")?;
            let mut next = 0u32;
            for chunk in tables.chunks.prefix_iter(txn, &no.to_be_bytes())? {
                let chunk = Chunk::parse(chunk?.1)?;
                if next == 0 {
                    self.run(no, &row, chunk.chain_before())?;
                }
                for item in chunk.rows()? {
                    let line = items::to_line(ItemId::new(no, next), &item, &mut self.says)?;
                    self.line(line)?;
                    next = next.saturating_add(1);
                }
            }
            if next == 0 {
                self.run(no, &row, ChainHash(row.chain))?;
            }
            if next != row.len {
                let message = format!("run {no} has {next} of {} items", row.len);
                return Err(Error::damaged(message).into());
            }
        }
        Ok(())
    }

    fn run(&mut self, no: u32, row: &RunRow, before: ChainHash) -> Fallible<()> {
        let RunRow { window, len, chain } = *row;
        self.line(RunLine { no, window, len, before, chain: ChainHash(chain) }.to_line())
    }
}

/// How many holds there are on a blob.
fn holds(finder: &Finder, txn: &RoTxn<'_>, prefix: u64, blob: BlobRef) -> Fallible<u64> {
    let entries = finder.find(txn, prefix)?;
    let entry = entries.into_iter().find(|entry| entry.payload == blob.0);
    Ok(entry.map_or(0, |entry| entry.holds.max(0) as u64))
}

/// The content as text, if it is UTF-8 and shorter so than as base64: control characters take six
/// bytes as text.
fn readable(content: Vec<u8>) -> std::result::Result<String, Vec<u8>> {
    let control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r');
    if content.iter().filter(control).count() > content.len() / 15 {
        return Err(content);
    }
    String::from_utf8(content).map_err(std::string::FromUtf8Error::into_bytes)
}
