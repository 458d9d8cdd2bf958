//! Runs and their items as lines, and back.

use vox_format::chunk::ItemRow;
use vox_types::{
    ChainHash, ContentHash, Fidelity, ItemId, ItemKind, RecordRef, Rest, Result, Role, RunNo,
    WindowNo,
};

use super::{
    line::{Finds, Line, Says, hex, of_blob_name, wrong},
    plain::Plain,
};
use crate::fault::Fallible;

/// The type of the lines of runs.
pub const RUN: &str = "run";
/// The type of the lines of items, which follow that of their run in order.
pub const ITEM: &str = "item";

/// A run as its line says it.
pub struct RunLine {
    /// Its number.
    pub no: RunNo,
    /// The window that owns it.
    pub window: WindowNo,
    /// How many items follow.
    pub len: u32,
    /// The chain before its first item.
    pub before: ChainHash,
    /// The chain behind its last item.
    pub chain: ChainHash,
}

impl RunLine {
    /// The line.
    pub fn to_line(&self) -> Line {
        Line::new(RUN)
            .with("no", self.no)
            .with("window", self.window)
            .with("len", self.len)
            .with("before", hex(&self.before.0))
            .with("chain", hex(&self.chain.0))
    }

    /// Reads a line.
    pub fn of_line(mut line: Line) -> Result<Self> {
        let run = Self {
            no: line.number("no")?,
            window: line.number("window")?,
            len: line.number("len")?,
            before: ChainHash(line.hex("before")?),
            chain: ChainHash(line.hex("chain")?),
        };
        line.done()?;
        Ok(run)
    }
}

/// The line of an item. What is as it mostly is stays out: fidelity `recorded`, false flags, an
/// unknown estimate of tokens, no name, no call.
pub fn to_line(item: ItemId, row: &ItemRow, says: &mut dyn Says) -> Fallible<Line> {
    let line = Line::new(ITEM)
        .with("id", item.to_string())
        .with("role", row.role.name())
        .with("kind", row.kind.name())
        .with("at", row.created_at)
        .with("content", says.blob(row.content)?)
        .with("bytes", row.byte_len);
    let line = match row.name {
        0 => line,
        name => line.with("name", says.symbol(name)?),
    };
    let line = match row.fidelity {
        Fidelity::Recorded => line,
        other => line.with("fidelity", other.name()),
    };
    let line = line
        .with_some("redacted", Plain::Bool(row.redacted))
        .with_some("side", Plain::Bool(row.side))
        .with_some("purged", Plain::Bool(row.purged))
        .with_some("tokens", row.token_estimate)
        .with_some("call", row.call);
    let line = match row.rest {
        None => line,
        Some(Rest::Record(record)) => {
            line.with("record", format!("{}.{}", record.run(), record.index()))
        }
        Some(Rest::Extra(blob)) => line.with("extra", says.blob(blob)?),
    };
    Ok(line.with_some("preview", row.preview.as_str()))
}

/// Reads the line of an item; gives also the hash of its content.
pub fn of_line(mut line: Line, finds: &mut dyn Finds) -> Fallible<(ItemId, ItemRow, ContentHash)> {
    let id = line.text("id")?.parse::<ItemId>()?;
    let role = Role::from_name(&line.text("role")?)?;
    let kind = ItemKind::from_name(&line.text("kind")?)?;
    let created_at = line.signed("at")?;
    let content = line.text("content")?;
    let hash = ContentHash(of_blob_name(&content)?.0);
    let content = finds.blob(&content)?;
    let byte_len = line.number("bytes")?;
    let name = match line.take("name") {
        None => 0,
        Some(Plain::Text(text)) => finds.symbol(&text)?,
        Some(other) => return Err(wrong(format!("\"name\" is no text: {other:?}")).into()),
    };
    let fidelity = match line.take("fidelity") {
        None => Fidelity::Recorded,
        Some(Plain::Text(text)) => Fidelity::from_name(&text)?,
        Some(other) => return Err(wrong(format!("\"fidelity\" is no text: {other:?}")).into()),
    };
    let rest = match (line.take("record"), line.take("extra")) {
        (None, None) => None,
        (Some(Plain::Text(record)), None) => Some(Rest::Record(record_of(&record)?)),
        (None, Some(Plain::Text(extra))) => Some(Rest::Extra(finds.blob(&extra)?)),
        _ => return Err(wrong("an item has one \"record\" or one \"extra\"").into()),
    };
    let row = ItemRow {
        content,
        rest,
        created_at,
        byte_len,
        role,
        kind,
        fidelity,
        redacted: line.flag("redacted")?,
        side: line.flag("side")?,
        purged: line.flag("purged")?,
        name,
        token_estimate: line.number_or_0("tokens")?,
        call: line.number_or_0("call")?,
        preview: match line.take("preview") {
            None => String::new(),
            Some(Plain::Text(text)) if text.len() <= vox_format::preview::MAX_PREVIEW => text,
            Some(_) => return Err(wrong("\"preview\" is no text of at most 120 bytes").into()),
        },
    };
    line.done()?;
    Ok((id, row, hash))
}

fn record_of(text: &str) -> Result<RecordRef> {
    let parse = || {
        let (run, index) = text.split_once('.')?;
        let run = run.parse::<u64>().ok().filter(|run| *run < 1 << 47)?;
        Some(RecordRef::new(run, index.parse().ok()?))
    };
    parse().ok_or_else(|| wrong(format!("{text:?} is no record of a raw run")))
}
