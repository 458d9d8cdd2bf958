//! The extra of a record, as archives of format 1 kept it: what is left of it, and which item goes
//! where.

use vox_format::forms::{self, Sink};
use vox_types::{CutForm, Error, Result};

/// The record that `extra` was made of, with the bytes of its items.
///
/// Fails with `damaged` if the extra is cut off or doesn't go with the items.
pub fn restore<T: AsRef<[u8]>>(extra: &[u8], items: &[T]) -> Result<Vec<u8>> {
    let mut record = Vec::with_capacity(extra.len());
    restore_into(&mut record, extra, |index| items.get(index).map(AsRef::as_ref))
        .ok_or_else(|| Error::damaged("the extra of a record doesn't go with its items"))?;
    Ok(record)
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
        forms::put(item(index)?, form, out)?;
        rest = after;
    }
    out.put(rest);
    Some(())
}

fn take_cut(head: &mut &[u8]) -> Option<(usize, usize, CutForm)> {
    let gap = take_varint(head)?;
    let item = take_varint(head)?;
    let (&form, after) = head.split_first()?;
    *head = after;
    Some((gap, item, CutForm::from_number(form)?))
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
        assert_eq!(take_varint(&mut &[0xac, 0x02][..]), Some(300));
    }
}
