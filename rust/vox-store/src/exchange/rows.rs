//! Rows of a table as lines, and back, by the table's layout.

use vox_format::{name::Target, rows};
use vox_types::{BlobRef, ItemId, Result};

use super::{
    layouts::{Field, Key, Layout, Value, Word},
    line::{Finds, Line, Says, hex, of_hex, wrong},
    plain::Plain,
};
use crate::fault::Fallible;

/// The line of a row.
pub fn to_line(layout: &Layout, key: &[u8], value: &[u8], says: &mut dyn Says) -> Fallible<Line> {
    let mut line = Line::new(layout.line);
    match layout.key {
        Key::Words(parts) => words_to(&mut line, layout, parts, key, true, says)?,
        Key::Text(name) => line = line.with(name, text_of(layout, key)?),
        Key::Head(head, number) => {
            let parts = head_parts(head, number);
            let parts = if key.len() > HEAD { &parts[..] } else { &parts[..1] };
            words_to(&mut line, layout, parts, key, true, says)?;
        }
    }
    match layout.value {
        Value::Words(parts) => words_to(&mut line, layout, parts, value, false, says)?,
        Value::Text(name) => line = line.with(name, text_of(layout, value)?),
        Value::Row(fields) => {
            let mut row: Plain = rows::decode(value, layout.line)?;
            fields_to(&mut row, fields, says)?;
            line = line.with("row", row);
        }
        Value::Target => {
            line = match Target::decode(value)? {
                Target::Blob(blob) => line.with("blob", says.blob(blob)?),
                Target::Window(window) => line.with("window", window),
                Target::Item(item) => line.with("item", item.to_string()),
            }
        }
    }
    Ok(line)
}

/// The row of a line: key and value.
pub fn of_line(
    layout: &Layout,
    mut line: Line,
    finds: &mut dyn Finds,
) -> Fallible<(Vec<u8>, Vec<u8>)> {
    let key = match layout.key {
        Key::Words(parts) => words_of(&mut line, parts, true, finds)?,
        Key::Text(name) => line.text(name)?.into_bytes(),
        Key::Head(head, number) => {
            let parts = head_parts(head, number);
            let numbered = line.fields.iter().any(|(name, _)| name == number);
            words_of(&mut line, if numbered { &parts[..] } else { &parts[..1] }, true, finds)?
        }
    };
    let value = match layout.value {
        Value::Words(parts) => words_of(&mut line, parts, false, finds)?,
        Value::Text(name) => line.text(name)?.into_bytes(),
        Value::Row(fields) => {
            let mut row = line.expect("row")?;
            if !matches!(row, Plain::Map(_)) {
                return Err(wrong("\"row\" is no object").into());
            }
            fields_of(&mut row, fields, finds)?;
            rows::encode(&row)?
        }
        Value::Target => target_of(&mut line, finds)?.encode(),
    };
    line.done()?;
    Ok((key, value))
}

/// Bytes of a head.
const HEAD: usize = 16;

fn head_parts(head: &'static str, number: &'static str) -> [(&'static str, Word); 2] {
    [(head, Word::Hex(HEAD)), (number, Word::Number(8))]
}

fn target_of(line: &mut Line, finds: &mut dyn Finds) -> Fallible<Target> {
    Ok(if line.fields.iter().any(|(name, _)| name == "blob") {
        Target::Blob(finds.blob(&line.text("blob")?)?)
    } else if line.fields.iter().any(|(name, _)| name == "window") {
        Target::Window(line.number("window")?)
    } else {
        Target::Item(line.text("item")?.parse::<ItemId>()?)
    })
}

fn text_of<'v>(layout: &Layout, bytes: &'v [u8]) -> Result<&'v str> {
    std::str::from_utf8(bytes).map_err(|_| wrong(format!("a row of {} isn't UTF-8", layout.table)))
}

fn words_to(
    line: &mut Line,
    layout: &Layout,
    parts: &[(&'static str, Word)],
    mut bytes: &[u8],
    big_endian: bool,
    says: &mut dyn Says,
) -> Fallible<()> {
    if bytes.len() != parts.iter().map(|(_, word)| word.len()).sum::<usize>() {
        let message = format!("a row of {} is {} bytes long", layout.table, bytes.len());
        return Err(wrong(message).into());
    }
    for (name, word) in parts {
        let (part, rest) = bytes.split_at(word.len());
        bytes = rest;
        let value = match word {
            Word::Hex(_) => Plain::Text(hex(part)),
            Word::Number(_) => Plain::Unsigned(number(part, big_endian)),
            Word::Signed => Plain::from(number(part, big_endian) as i64),
            Word::Blob => Plain::Text(says.blob(BlobRef(number(part, big_endian)))?),
            Word::Name(list) => {
                let number = number(part, big_endian);
                list.name(number).map_or(Plain::Unsigned(number), Plain::from)
            }
        };
        line.fields.push(((*name).to_owned(), value));
    }
    Ok(())
}

fn words_of(
    line: &mut Line,
    parts: &[(&'static str, Word)],
    big_endian: bool,
    finds: &mut dyn Finds,
) -> Fallible<Vec<u8>> {
    let mut bytes = Vec::new();
    for (name, word) in parts {
        let number = match word {
            Word::Hex(length) => {
                let part = of_hex(&line.text(name)?)?;
                if part.len() != *length {
                    let message = format!("{name:?} has {} of {length} bytes", part.len());
                    return Err(wrong(message).into());
                }
                bytes.extend_from_slice(&part);
                continue;
            }
            Word::Number(_) => line.number::<u64>(name)?,
            Word::Signed => line.signed(name)? as u64,
            Word::Blob => finds.blob(&line.text(name)?)?.0,
            Word::Name(list) => {
                let text = line.text(name)?;
                let number = list.number(&text);
                number.ok_or_else(|| wrong(format!("{name:?} can't be {text:?}")))?.into()
            }
        };
        let all = if big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
        let (part, rest) = if big_endian {
            let (rest, part) = all.split_at(8 - word.len());
            (part, rest)
        } else {
            all.split_at(word.len())
        };
        if rest.iter().any(|byte| *byte != 0) {
            return Err(wrong(format!("{name:?} is {number}, which is too large")).into());
        }
        bytes.extend_from_slice(part);
    }
    Ok(bytes)
}

fn number(part: &[u8], big_endian: bool) -> u64 {
    let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if big_endian { part.iter().fold(0, push) } else { part.iter().rev().fold(0, push) }
}

/// Changes every field with one of the names, at any depth.
fn fields_to(
    row: &mut Plain,
    fields: &[(&'static str, Field)],
    says: &mut dyn Says,
) -> Fallible<()> {
    each_field(row, fields, &mut |field, value| {
        let changed = match (field, &*value) {
            (_, Plain::Null) => return Ok(()),
            (Field::Hex, Plain::Bytes(bytes)) => Plain::Text(hex(bytes)),
            (Field::Text, Plain::Bytes(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) => Plain::from(text),
                Err(_) => return Ok(()),
            },
            (Field::Name(list), Plain::Unsigned(number)) => match list.name(*number) {
                Some(name) => Plain::from(name),
                None => return Ok(()),
            },
            (Field::Blob, Plain::Unsigned(blob)) => Plain::Text(says.blob(BlobRef(*blob))?),
            (Field::Symbol, Plain::Unsigned(number)) => symbol_to(*number, says)?,
            (Field::Symbols, Plain::List(list)) => {
                let each = list.iter().map(|symbol| match symbol {
                    Plain::Unsigned(number) => symbol_to(*number, says),
                    other => Err(wrong(format!("{other:?} is no symbol")).into()),
                });
                Plain::List(each.collect::<Fallible<_>>()?)
            }
            (field, other) => {
                return Err(wrong(format!("a row has {other:?} for {field:?}")).into());
            }
        };
        *value = changed;
        Ok(())
    })
}

fn symbol_to(number: u64, says: &mut dyn Says) -> Fallible<Plain> {
    let symbol = u32::try_from(number).map_err(|_| wrong(format!("{number} is no symbol")))?;
    Ok(if symbol == 0 { Plain::Null } else { Plain::Text(says.symbol(symbol)?) })
}

fn fields_of(
    row: &mut Plain,
    fields: &[(&'static str, Field)],
    finds: &mut dyn Finds,
) -> Fallible<()> {
    each_field(row, fields, &mut |field, value| {
        let changed = match (field, &*value) {
            (Field::Symbol, Plain::Null) => Plain::Unsigned(0),
            (Field::Symbol, Plain::Text(text)) => finds.symbol(text)?.into(),
            (Field::Symbols, Plain::List(list)) => {
                let each = list.iter().map(|symbol| match symbol {
                    Plain::Text(text) => Ok(finds.symbol(text)?.into()),
                    other => Err(wrong(format!("{other:?} is no symbol")).into()),
                });
                Plain::List(each.collect::<Fallible<_>>()?)
            }
            (_, Plain::Null) => return Ok(()),
            (Field::Hex, Plain::Text(text)) => Plain::Bytes(of_hex(text)?),
            (Field::Text, Plain::Text(text)) => Plain::Bytes(text.clone().into_bytes()),
            (Field::Text, Plain::Bytes(_)) | (Field::Name(_), Plain::Unsigned(_)) => return Ok(()),
            (Field::Name(list), Plain::Text(text)) => match list.number(text) {
                Some(number) => Plain::Unsigned(number.into()),
                None => return Err(wrong(format!("{text:?} is no name of {list:?}")).into()),
            },
            (Field::Blob, Plain::Text(name)) => finds.blob(name)?.0.into(),
            (field, other) => {
                return Err(wrong(format!("a row has {other:?} for {field:?}")).into());
            }
        };
        *value = changed;
        Ok(())
    })
}

fn each_field(
    row: &mut Plain,
    fields: &[(&'static str, Field)],
    change: &mut dyn FnMut(Field, &mut Plain) -> Fallible<()>,
) -> Fallible<()> {
    match row {
        Plain::Map(map) => map.iter_mut().try_for_each(|(name, value)| {
            match fields.iter().find(|(known, _)| known == name) {
                // What has more than one form stands one level deeper.
                Some((_, field)) if !matches!(value, Plain::Map(_)) => change(*field, value),
                _ => each_field(value, fields, change),
            }
        }),
        Plain::List(list) => {
            list.iter_mut().try_for_each(|value| each_field(value, fields, change))
        }
        _ => Ok(()),
    }
}
