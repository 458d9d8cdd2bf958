//! The extra of a record: what is left of it, and which item goes where.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD};
use vox_types::{CutForm, Error, Result};

use super::escape::{Same, Sink, encode_ascii, encode_text};

/// The bytes of a record from `start` up to `end`, which `item` gives back in `form`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) item: usize,
    pub(super) form: CutForm,
}

/// The extra of `record` with `cuts`, which are in the order of their places.
pub(super) fn encode(record: &[u8], cuts: &[Cut]) -> Vec<u8> {
    let cut_bytes: usize = cuts.iter().map(|cut| cut.end - cut.start).sum();
    let mut extra = Vec::with_capacity(record.len() - cut_bytes + 1 + 5 * cuts.len());
    push_varint(cuts.len() as u64, &mut extra);
    let mut at = 0;
    for cut in cuts {
        push_varint((cut.start - at) as u64, &mut extra);
        push_varint(cut.item as u64, &mut extra);
        extra.push(cut.form as u8);
        at = cut.end;
    }
    at = 0;
    for cut in cuts {
        extra.extend_from_slice(&record[at..cut.start]);
        at = cut.end;
    }
    extra.extend_from_slice(&record[at..]);
    extra
}

/// The record that `extra` was made of, with the bytes of its items.
///
/// Fails with `damaged` if the extra is cut off or doesn't go with the items.
pub fn restore<T: AsRef<[u8]>>(extra: &[u8], items: &[T]) -> Result<Vec<u8>> {
    let mut record = Vec::with_capacity(extra.len());
    restore_into(&mut record, extra, |index| items.get(index).map(AsRef::as_ref))
        .ok_or_else(|| Error::damaged("the extra of a record doesn't go with its items"))?;
    Ok(record)
}

/// Whether `extra` and `items` give `record` back.
pub(super) fn comes_back(record: &[u8], extra: &[u8], items: &[Option<Cow<'_, [u8]>>]) -> bool {
    let mut same = Same::as_expected(record);
    restore_into(&mut same, extra, |index| items.get(index)?.as_deref()).is_some()
        && same.is_whole()
}

/// What is left of a record in its `extra`: JSON, with empty strings and brackets where items were.
///
/// Fails with `damaged` if the extra is cut off.
pub fn rest_of_extra(extra: &[u8]) -> Result<&[u8]> {
    skip_header(extra).ok_or_else(|| Error::damaged("the extra of a record is cut off"))
}

fn skip_header(mut extra: &[u8]) -> Option<&[u8]> {
    for _ in 0..take_varint(&mut extra)? {
        take_cut(&mut extra)?;
    }
    Some(extra)
}

fn restore_into<'a>(
    out: &mut impl Sink,
    extra: &[u8],
    item: impl Fn(usize) -> Option<&'a [u8]>,
) -> Option<()> {
    let mut rest = skip_header(extra)?;
    let mut header = extra;
    let count = take_varint(&mut header)?;
    for _ in 0..count {
        let (gap, index, form) = take_cut(&mut header)?;
        let (before, after) = rest.split_at_checked(gap)?;
        out.put(before);
        put_inside(item(index)?, form, out)?;
        rest = after;
    }
    out.put(rest);
    Some(())
}

/// Appends the source bytes that `item` was cut out as.
fn put_inside(item: &[u8], form: CutForm, out: &mut impl Sink) -> Option<()> {
    match form {
        CutForm::Text => encode_text(item, out),
        CutForm::Ascii => encode_ascii(item, out)?,
        CutForm::Slice => match item {
            [b'{', inside @ .., b'}'] | [b'[', inside @ .., b']'] => out.put(inside),
            _ => return None,
        },
        CutForm::Base64 | CutForm::DataUrl => {
            // Pieces of a multiple of three bytes are encoded without padding between them.
            let mut encoded = [0; 4096];
            for piece in item.chunks(encoded.len() / 4 * 3) {
                let length = STANDARD.encode_slice(piece, &mut encoded).ok()?;
                out.put(&encoded[..length]);
            }
        }
        CutForm::Verbatim => out.put(item),
    }
    Some(())
}

fn take_cut(head: &mut &[u8]) -> Option<(usize, usize, CutForm)> {
    let gap = take_varint(head)?;
    let item = take_varint(head)?;
    let (&form, after) = head.split_first()?;
    *head = after;
    Some((gap, item, CutForm::from_number(form)?))
}

fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn take_varint(head: &mut &[u8]) -> Option<usize> {
    let mut value = 0u64;
    for shift in (0..63).step_by(7) {
        let (&byte, after) = head.split_first()?;
        *head = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return usize::try_from(value).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use vox_types::Code;

    use super::*;

    #[test]
    fn an_extra_that_does_not_go_with_the_items_is_damage() {
        let extra = b"\x01\x06\x00\x00{\"a\":\"\"}";
        assert_eq!(restore(extra, &[b"x"]).unwrap(), b"{\"a\":\"x\"}");
        assert_eq!(rest_of_extra(extra).unwrap(), b"{\"a\":\"\"}");
        let damaged = |extra: &[u8], items: &[&[u8]]| {
            restore(extra, items).unwrap_err().code == Code::Damaged
        };
        assert!(damaged(b"", &[]));
        assert!(damaged(extra, &[]));
        assert!(damaged(b"\x02\x06\x00\x00{\"a\":\"\"}", &[b"x"]));
        assert!(damaged(b"\x01\x7f\x00\x00{}", &[b"x"]));
        assert!(damaged(b"\x01\x01\x00\x09{}", &[b"x"]));
        assert!(damaged(b"\x01\x01\x00\x02{}", &[b"x"]));
        assert!(damaged(b"\x01\x01\x00\x01{}", &[b"\xff"]));
        assert!(damaged(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", &[]));
    }

    #[test]
    fn numbers_take_seven_bits_to_the_byte() {
        let mut bytes = Vec::new();
        push_varint(300, &mut bytes);
        assert_eq!(bytes, [0xac, 0x02]);
        assert_eq!(take_varint(&mut bytes.as_slice()), Some(300));
    }
}
