//! The inside of a JSON string to item bytes.
//!
//! Item bytes are UTF-8, with a lone surrogate as its three WTF-8 bytes and invalid bytes as
//! they stood.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use vox_format::forms::surrogate_at;
use vox_types::CutForm;

/// The decoded string, and the form that gives `inside` back, if one does.
///
/// `inside` is what stands between the quotes of a string that was found to be JSON.
pub(super) fn decode(inside: &[u8]) -> (Cow<'_, [u8]>, Option<CutForm>) {
    let Some(first) = memchr(b'\\', inside) else {
        let form = if has_raw_surrogate(inside) { CutForm::Verbatim } else { CutForm::Text };
        return (Cow::Borrowed(inside), Some(form));
    };
    let ascii = inside.is_ascii();
    let mut fits = Fits {
        text: ascii || !has_raw_surrogate(inside),
        ascii: ascii && memchr(0x7f, inside).is_none(),
    };
    let mut out = Vec::with_capacity(inside.len());
    out.extend_from_slice(&inside[..first]);
    let mut at = first;
    while at < inside.len() {
        if inside[at] == b'\\' {
            at += escape(&inside[at..], &mut out, &mut fits);
        } else {
            let run = memchr(b'\\', &inside[at..]).unwrap_or(inside.len() - at);
            out.extend_from_slice(&inside[at..at + run]);
            at += run;
        }
    }
    let form = match fits {
        Fits { text: true, .. } => Some(CutForm::Text),
        Fits { ascii: true, .. } => Some(CutForm::Ascii),
        _ => None,
    };
    (Cow::Owned(out), form)
}

/// Which ways to escape would have written what was read so far.
struct Fits {
    text: bool,
    ascii: bool,
}

/// Decodes the escape that `rest` begins with; gives its length.
fn escape(rest: &[u8], out: &mut Vec<u8>, fits: &mut Fits) -> usize {
    let short = match rest.get(1) {
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(&byte @ (b'"' | b'\\')) => byte,
        Some(b'/') => {
            *fits = Fits { text: false, ascii: false };
            b'/'
        }
        _ => {
            let Some((unit, lower)) = code_unit(rest) else {
                // Not JSON, which the caller ruled out; kept as it is.
                *fits = Fits { text: false, ascii: false };
                out.push(b'\\');
                return 1;
            };
            let low = (0xd800..0xdc00)
                .contains(&unit)
                .then(|| rest.get(6..).and_then(code_unit))
                .flatten()
                .filter(|(low, _)| (0xdc00..0xe000).contains(low));
            if let Some((low, lower_too)) = low {
                fits.text = false;
                fits.ascii &= lower && lower_too;
                push_code_point(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), out);
                return 12;
            }
            let short_exists = matches!(unit, 0x08 | 0x09 | 0x0a | 0x0c | 0x0d);
            let surrogate = (0xd800..0xe000).contains(&unit);
            fits.text &= lower && !short_exists && (unit < 0x20 || surrogate);
            fits.ascii &= lower && !short_exists && !(0x20..0x7f).contains(&unit);
            push_code_point(unit, out);
            return 6;
        }
    };
    out.push(short);
    2
}

/// The number of the `\uxxxx` that `rest` begins with, and whether its digits are lower-case.
fn code_unit(rest: &[u8]) -> Option<(u32, bool)> {
    let digits = rest.get(..6)?.strip_prefix(b"\\u")?;
    let mut unit = 0;
    for &digit in digits {
        unit = unit << 4 | char::from(digit).to_digit(16)?;
    }
    Some((unit, !digits.iter().any(u8::is_ascii_uppercase)))
}

/// Appends a code point in UTF-8; a surrogate in the same way as any other of three bytes.
fn push_code_point(point: u32, out: &mut Vec<u8>) {
    let tail = |shift: u32| 0x80 | (point >> shift & 0x3f) as u8;
    match point {
        0..0x80 => out.push(point as u8),
        0x80..0x800 => out.extend([0xc0 | (point >> 6) as u8, tail(0)]),
        0x800..0x10000 => out.extend([0xe0 | (point >> 12) as u8, tail(6), tail(0)]),
        _ => out.extend([0xf0 | (point >> 18) as u8, tail(12), tail(6), tail(0)]),
    }
}

/// Whether a WTF-8 surrogate stands in `bytes`.
fn has_raw_surrogate(bytes: &[u8]) -> bool {
    memchr_iter(0xed, bytes).any(|at| surrogate_at(&bytes[at..]).is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use vox_format::forms::stands_for;

    #[test]
    fn each_way_to_escape_is_recognised() {
        let form = |inside: &[u8]| decode(inside).1;
        assert_eq!(form(b"plain"), Some(CutForm::Text));
        assert_eq!(form("gr\u{fc}n\\n".as_bytes()), Some(CutForm::Text));
        assert_eq!(form(b"\\u0000\\u001f\\ud800"), Some(CutForm::Text));
        assert_eq!(form(b"gr\\u00fcn"), Some(CutForm::Ascii));
        assert_eq!(form(b"\\ud83d\\ude00 \\u007f"), Some(CutForm::Ascii));
        assert_eq!(form(b"\\ud83d\\n"), Some(CutForm::Text));
        assert_eq!(form(b"\xed\xa0\x80"), Some(CutForm::Verbatim));
        for neither in ["\\/", "\\u00FC", "\\u000a", "\\u0041", "\\u00fc\u{fc}", "\\u00fc\u{7f}"] {
            assert_eq!(form(neither.as_bytes()), None, "{neither}");
        }
    }

    #[test]
    fn surrogates_decode_to_a_pair_or_stay_alone() {
        assert_eq!(decode(b"\\ud83d\\ude00").0.as_ref(), "\u{1f600}".as_bytes());
        assert_eq!(decode(b"\\ude00\\ud83d").0.as_ref(), b"\xed\xb8\x80\xed\xa0\xbd");
    }

    fn inside() -> impl Strategy<Value = Vec<u8>> {
        let part = prop::sample::select(vec![
            &b"a"[..],
            b" ",
            b"\x7f",
            b"\xc3\xbc",
            b"\xed\x95\x9c",
            b"\xf0\x9f\x98\x80",
            b"\xff",
            b"\xed",
            b"\xed\xa0\x80",
            b"\\n",
            b"\\\"",
            b"\\\\",
            b"\\/",
            b"\\u0000",
            b"\\u000a",
            b"\\u00fc",
            b"\\u00FC",
            b"\\u007f",
            b"\\ud83d",
            b"\\ude00",
            b"\\uD83D",
        ]);
        prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn a_form_is_named_exactly_when_it_gives_the_source_back(inside in inside()) {
            let (item, form) = decode(&inside);
            let forms = [CutForm::Text, CutForm::Ascii, CutForm::Verbatim];
            let expected = forms.into_iter().find(|form| stands_for(&item, *form, &inside));
            prop_assert_eq!(form, expected);
        }

        #[test]
        fn decoding_agrees_with_serde_json(text in ".{0,80}") {
            let json = serde_json::to_string(&text).unwrap();
            let (item, form) = decode(&json.as_bytes()[1..json.len() - 1]);
            prop_assert_eq!(item.as_ref(), text.as_bytes());
            prop_assert_eq!(form, Some(CutForm::Text));
        }
    }
}
