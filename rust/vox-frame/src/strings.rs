//! The inside of JSON strings: where one ends, and whether its escapes are JSON.

/// Why a token has no end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The bytes end inside it.
    Cut,
    /// The byte at this index can't stand in it.
    Bad(usize),
}

/// The index just after the closing quote of the string whose inside begins at `at`.
///
/// Bytes from 0x80 on are not looked at, so that invalid UTF-8 passes.
pub(crate) fn string_end(bytes: &[u8], mut at: usize) -> Result<usize, Fault> {
    loop {
        at = next_special(bytes, at);
        match bytes.get(at) {
            None => return Err(Fault::Cut),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = escape_end(bytes, at)?,
            Some(_) => return Err(Fault::Bad(at)),
        }
    }
}

/// The index just after the escape that begins with the backslash at `at`.
fn escape_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        None => Err(Fault::Cut),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            for index in at + 2..at + 6 {
                match bytes.get(index) {
                    None => return Err(Fault::Cut),
                    Some(digit) if digit.is_ascii_hexdigit() => {}
                    Some(_) => return Err(Fault::Bad(index)),
                }
            }
            Ok(at + 6)
        }
        Some(_) => Err(Fault::Bad(at + 1)),
    }
}

/// The first quote, backslash or control character from `at` on, or the length of `bytes`.
pub(crate) fn next_special(bytes: &[u8], at: usize) -> usize {
    let mut at = at.min(bytes.len());
    // The first words one by one: most strings are short, or escape something soon.
    for _ in 0..4 {
        let Some(word) = bytes[at..].first_chunk::<8>() else { return tail(bytes, at) };
        let hits = special_in_word(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(block) = bytes[at..].first_chunk::<32>() {
        // Without branches, so that the compiler makes vector code of it.
        let any = block.iter().fold(false, |any, &byte| any | is_special(byte));
        if any {
            break;
        }
        at += 32;
    }
    while let Some(word) = bytes[at..].first_chunk::<8>() {
        let hits = special_in_word(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + hits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    tail(bytes, at)
}

fn tail(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().position(|&byte| is_special(byte)).unwrap_or(bytes.len() - at)
}

fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// The high bit of each special byte is set; bits above the lowest one may be set wrongly.
fn special_in_word(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    let zero_in = |x: u64| x.wrapping_sub(ONES) & !x & HIGHS;
    let quote = zero_in(word ^ (ONES * b'"' as u64));
    let backslash = zero_in(word ^ (ONES * b'\\' as u64));
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
    quote | backslash | control
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_next_special_byte_is_the_one_a_plain_search_finds(
            bytes in proptest::collection::vec(prop_oneof![20 => 0x20u8..=0xff, 1 => Just(b'"'), 1 => any::<u8>()], 0..200),
            start in 0usize..220,
        ) {
            let from = start.min(bytes.len());
            let plain = bytes[from..].iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20);
            prop_assert_eq!(next_special(&bytes, start), plain.map_or(bytes.len(), |p| from + p));
        }
    }

    #[test]
    fn an_escape_that_json_does_not_know_is_bad_where_it_stands() {
        assert_eq!(string_end(br#"a\q""#, 0), Err(Fault::Bad(2)));
        assert_eq!(string_end(br#"\u12g4""#, 0), Err(Fault::Bad(4)));
        assert_eq!(string_end(br#"\u12"#, 0), Err(Fault::Cut));
        assert_eq!(string_end(b"a\tb\"", 0), Err(Fault::Bad(1)));
        assert_eq!(string_end(b"\\ud800\xff\"rest", 0), Ok(8));
    }
}
