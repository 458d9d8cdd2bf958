//! Lines as an archive.

use std::{collections::BTreeMap, path::Path};

use vox_types::{Code, ContentHash, Error, ItemId, Result};

use super::{
    builder::Builder,
    draft::Draft,
    header::{BLOB, GONE, Header},
    items::{self, ITEM, RUN, RunLine},
    layouts::{self, Layout},
    line::{Line, wrong},
    plain::Plain,
    raw::{self, RAW_RUN},
    rows::of_line,
    runs::RunWriter,
};
use crate::{
    env::Generation,
    fault::{Fallible, Fault},
    verify::{self, Options, Verdict},
};

/// An import of lines. Unless it is [finished](Self::finish) nothing stays of it.
pub struct Import {
    builder: Builder,
    header: Option<Header>,
    counts: BTreeMap<&'static str, u64>,
    /// The last key of each table: keys ascend.
    last: BTreeMap<&'static str, Vec<u8>>,
    run: Option<(RunLine, RunWriter)>,
    last_run: Option<u32>,
    // Last, so that the generation is let go of before its folder is moved.
    draft: Draft,
}

impl Import {
    /// Begins an import into `target`: a missing or empty folder, or an archive without content.
    pub fn begin(target: &Path) -> Result<Self> {
        let draft = Draft::begin(target)?;
        let mut builder = Builder::new(draft.generation()?);
        builder.each_once = true;
        Ok(Self {
            builder,
            header: None,
            counts: BTreeMap::new(),
            last: BTreeMap::new(),
            run: None,
            last_run: None,
            draft,
        })
    }

    /// Takes the next line. Lines are what [`Store::export`](crate::Store::export) gives, and are
    /// checked.
    pub fn line(&mut self, line: Line) -> Result<()> {
        if self.header.is_none() {
            let header = Header::of_line(line)?;
            for (key, value) in &header.meta {
                self.builder.meta(key, value)?;
            }
            self.header = Some(header);
            return Ok(());
        }
        self.body(line).map_err(|fault| match fault {
            Fault::Vox(error) => error,
            fault @ Fault::Lmdb(_) => self.builder.generation().fault(fault),
        })
    }

    fn body(&mut self, line: Line) -> Fallible<()> {
        if line.kind != ITEM {
            self.end_run()?;
        }
        let kind = match line.kind.as_str() {
            BLOB => self.blob(line).map(|()| BLOB)?,
            GONE => self.gone(line).map(|()| GONE)?,
            RAW_RUN => self.raw_run(line).map(|()| RAW_RUN)?,
            RUN => self.run(line).map(|()| RUN)?,
            ITEM => self.item(line).map(|()| ITEM)?,
            kind => {
                let layout = layouts::all().find(|layout| layout.line == kind);
                let layout =
                    layout.ok_or_else(|| wrong(format!("{kind:?} is no type of a line")))?;
                self.row(layout, line)?;
                layout.line
            }
        };
        *self.counts.entry(kind).or_default() += 1;
        Ok(())
    }

    fn row(&mut self, layout: &'static Layout, line: Line) -> Fallible<()> {
        let (key, value) = of_line(layout, line, &mut self.builder)?;
        let last = self.last.entry(layout.table).or_default();
        if !last.is_empty() && *last >= key {
            let message = format!("lines of type {:?} aren't in order", layout.line);
            return Err(wrong(message).into());
        }
        last.clone_from(&key);
        if layout.table == "symbols" {
            let number = key.try_into().map_or(0, u32::from_be_bytes);
            let text = String::from_utf8(value).map_err(|_| wrong("a symbol isn't UTF-8"))?;
            return Ok(self.builder.symbol(number, &text)?);
        }
        let table = self.builder.generation().tables.named(layout.table)?;
        Ok(self.builder.put(table, key, value)?)
    }

    fn blob(&mut self, mut line: Line) -> Fallible<()> {
        let hash = ContentHash(line.hex("hash")?);
        let holds: u32 = line.number_or_0("holds")?;
        let bytes = match (line.take("text"), line.take("bytes")) {
            (Some(Plain::Text(text)), None) => text.into_bytes(),
            (None, Some(Plain::Bytes(bytes))) => bytes,
            _ => return Err(wrong("a blob has one \"text\" or one \"bytes\"").into()),
        };
        line.done()?;
        let found = ContentHash::of(&bytes);
        if found != hash {
            let message = format!("the blob has the hash {found:?}, but claims {hash:?}");
            return Err(wrong(message).into());
        }
        if holds > i32::MAX as u32 {
            return Err(wrong(format!("{holds} holds are too many")).into());
        }
        Ok(self.builder.add(bytes, holds)?)
    }

    fn gone(&mut self, mut line: Line) -> Fallible<()> {
        let (hash, length) = (ContentHash(line.hex("hash")?), line.number("length")?);
        line.done()?;
        Ok(self.builder.gone(hash, length)?)
    }

    fn raw_run(&mut self, line: Line) -> Fallible<()> {
        let (key, value) = raw::of_line(line, &mut self.builder)?;
        let last = self.last.entry("raw_runs").or_default();
        if !last.is_empty() && *last >= key {
            return Err(wrong("raw runs aren't in order").into());
        }
        last.clone_from(&key);
        let table = self.builder.generation().tables.raw_runs;
        Ok(self.builder.put(table, key, value)?)
    }

    fn run(&mut self, line: Line) -> Fallible<()> {
        let run = RunLine::of_line(line)?;
        if self.last_run.is_some_and(|last| last >= run.no) {
            return Err(wrong("runs aren't in order").into());
        }
        self.last_run = Some(run.no);
        let writer = RunWriter::start(run.no, run.window, run.before);
        self.run = Some((run, writer));
        Ok(())
    }

    fn item(&mut self, line: Line) -> Fallible<()> {
        let (id, row, content) = items::of_line(line, &mut self.builder)?;
        let Some((run, writer)) = &mut self.run else {
            return Err(wrong("an item stands behind no run").into());
        };
        let next = ItemId::new(run.no, writer.len);
        if id != next || writer.len >= run.len {
            let message = format!("item {id} stands where {next} of {} should", run.len);
            return Err(wrong(message).into());
        }
        Ok(writer.push(&mut self.builder, row, &content)?)
    }

    fn end_run(&mut self) -> Result<()> {
        let Some((run, writer)) = self.run.take() else { return Ok(()) };
        if writer.len != run.len {
            let message = format!("run {} has {} of {} items", run.no, writer.len, run.len);
            return Err(wrong(message));
        }
        if writer.chain != run.chain {
            let message = format!("the items of run {} don't give the chain it claims", run.no);
            return Err(wrong(message));
        }
        writer.finish(&mut self.builder)
    }

    /// Makes the tables that follow, checks all of it and puts the archive in its place. Gives how
    /// many lines there were of each type.
    pub fn finish(mut self) -> Result<BTreeMap<&'static str, u64>> {
        self.end_run()?;
        let header = self.header.as_ref().ok_or_else(|| wrong("there is no header"))?;
        let claimed = |kind: &str| {
            header.counts.iter().find(|(name, _)| name == kind).map_or(0, |(_, count)| *count)
        };
        let known =
            layouts::all().map(|layout| layout.line).chain([BLOB, GONE, RAW_RUN, RUN, ITEM]);
        for kind in known {
            let (claimed, found) =
                (claimed(kind), self.counts.get(kind).copied().unwrap_or_default());
            if claimed != found {
                let message = format!(
                    "the header counts {claimed} lines of type {kind:?}; there are {found}"
                );
                return Err(wrong(message));
            }
        }
        self.builder.flush()?;
        let Self { builder, draft, counts, .. } = self;
        complete(builder.generation())?;
        drop(builder);
        draft.publish()?;
        Ok(counts)
    }
}

/// Makes the derived tables of a new archive, and checks all of it.
fn complete(generation: &Generation) -> Result<()> {
    let report = match verify::rebuild(generation, false)? {
        Some(report) => report,
        None => verify::verify_file(&generation.data_file(), &Options::default())?,
    };
    if report.verdict() == Verdict::Clean {
        return Ok(());
    }
    let first = report.findings.iter().max_by_key(|finding| !finding.repairable);
    let first = first.map(ToString::to_string).unwrap_or_default();
    let message =
        format!("what was read is no sound archive: {} faults, such as {first}", report.total);
    Err(Error::new(Code::Damaged, message))
}
