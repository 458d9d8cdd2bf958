//! Raw runs as lines, and back.

use heed::RoTxn;
use vox_format::raw::{Head, RawRun, Record, RunCut};
use vox_types::{BlobRef, ContentHash, CutForm, Result};

use super::{
    builder::Builder,
    line::{Finds, Line, Says, hex, wrong},
    plain::Plain,
};
use crate::{
    fault::Fallible,
    raw::{self, Parts},
    tables::Tables,
};

/// The type of the lines of raw runs.
pub const RAW_RUN: &str = "raw_run";

/// The line of a raw run. Its rest is said as it is, whatever it is compressed against.
pub fn to_line(
    tables: &Tables,
    txn: &RoTxn<'_>,
    no: u64,
    value: &[u8],
    says: &mut dyn Says,
) -> Fallible<Line> {
    let run = RawRun::parse(value)?;
    let rest = raw::rest(tables, txn, &run)?;
    let records = run.records()?.into_iter();
    let records = records.map(|Record { start, len }| Plain::List(vec![start.into(), len.into()]));
    let mut cuts = Vec::with_capacity(run.cut_count());
    for RunCut { blob, gap, len, form } in run.cuts()? {
        let blob = match form {
            CutForm::Hole => Plain::Null,
            _ => says.blob(blob)?.into(),
        };
        cuts.push(Plain::List(vec![blob, gap.into(), len.into(), form.name().into()]));
    }
    let line = Line::new(RAW_RUN)
        .with("no", no)
        .with("hash", hex(&run.head.hash.0))
        .with("length", run.head.source_len)
        .with_some("base", run.head.base.map_or(Plain::Null, Plain::from))
        .with("records", Plain::List(records.collect()))
        .with("cuts", Plain::List(cuts));
    Ok(match String::from_utf8(rest) {
        Ok(text) => line.with("text", text),
        Err(error) => line.with("bytes", Plain::Bytes(error.into_bytes())),
    })
}

/// Reads the line of a raw run; gives its key and its value.
pub fn of_line(mut line: Line, builder: &mut Builder) -> Fallible<(Vec<u8>, Vec<u8>)> {
    let no: u64 = line.number("no")?;
    let hash = ContentHash(line.hex("hash")?);
    let source_len = line.number("length")?;
    let base = match line.take("base") {
        None => None,
        Some(Plain::Unsigned(base)) => Some(base),
        Some(other) => return Err(wrong(format!("\"base\" is no number: {other:?}")).into()),
    };
    let mut records = Vec::new();
    for record in list(line.expect("records")?)? {
        let [start, len] = numbers(&list(record)?)?;
        records.push(Record { start, len });
    }
    let mut cuts = Vec::new();
    for cut in list(line.expect("cuts")?)? {
        let mut parts = list(cut)?;
        let (Some(Plain::Text(form)), true) = (parts.pop(), parts.len() == 3) else {
            return Err(wrong("a cut has a blob, two numbers and a form").into());
        };
        let form = CutForm::from_name(&form)?;
        let [gap, len] = numbers(&parts[1..])?;
        let blob = match (&parts[0], form) {
            (Plain::Null, CutForm::Hole) => BlobRef(0),
            (Plain::Text(name), _) if form != CutForm::Hole => Finds::blob(builder, name)?,
            _ => return Err(wrong("a cut has a blob unless it is a hole").into()),
        };
        cuts.push(RunCut { blob, gap, len, form });
    }
    let rest = match (line.take("text"), line.take("bytes")) {
        (Some(Plain::Text(text)), None) => text.into_bytes(),
        (None, Some(Plain::Bytes(bytes))) => bytes,
        _ => return Err(wrong("a raw run has one \"text\" or one \"bytes\"").into()),
    };
    line.done()?;
    let against = match base {
        Some(base) => {
            builder.flush()?;
            let generation = builder.generation();
            let tables = &generation.tables;
            Some(generation.reading(|txn| raw::rest(tables, txn, &raw::run(tables, txn, base)?))?)
        }
        None => None,
    };
    let rest_len = rest.len() as u32;
    let head = Head { codec: 0, base, hash, source_len, rest_len };
    let value = Parts { head, records, cuts, rest }.encode(against.as_deref())?;
    Ok((no.to_be_bytes().to_vec(), value))
}

fn list(plain: Plain) -> Result<Vec<Plain>> {
    match plain {
        Plain::List(list) => Ok(list),
        other => Err(wrong(format!("a list should stand where {other:?} does"))),
    }
}

fn numbers(list: &[Plain]) -> Result<[u32; 2]> {
    let number = |plain: &Plain| match plain {
        Plain::Unsigned(number) => u32::try_from(*number).ok(),
        _ => None,
    };
    match list {
        [one, other] => number(one).zip(number(other)).map(|(one, other)| [one, other]),
        _ => None,
    }
    .ok_or_else(|| wrong("two numbers should stand in a list"))
}
