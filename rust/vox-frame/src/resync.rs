//! Finding the next record inside a line that is damaged.

use memchr::memmem;

use crate::scan::{Scanned, Scanner, skip_space};

/// How often the bytes of a line may be read again in search of a record.
const EFFORT: usize = 32;

/// The first place after the start of `line` from which a whole object reaches its end.
///
/// A torn record leaves objects open, each of which is tried in turn; a line built to make that
/// slow is given up.
pub(crate) fn later_record(line: &[u8]) -> Option<usize> {
    let mut effort = line.len().saturating_mul(EFFORT);
    for start in memmem::find_iter(line, b"{\"").skip_while(|&start| start == 0) {
        let left = (line.len() - start).min(effort);
        match Scanner::default().scan(&line[..start + left], start) {
            Scanned::Complete(end) if skip_space(line, end) == line.len() => return Some(start),
            Scanned::Complete(at) | Scanned::Broken(at) => effort -= (at - start).min(effort),
            Scanned::Open | Scanned::CutOff | Scanned::TooDeep => effort -= left,
        }
        if effort == 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_object_that_reaches_the_end_is_found() {
        let line = br#"{"a":"cut{"type":"x","in":{"y":1}}  "#;
        assert_eq!(later_record(line), Some(9));
        assert_eq!(later_record(br#"{"a":[{"b":1},{"c":2"#), None);
        assert_eq!(later_record(b"\0\0\0{\"a\":1}"), Some(3));
    }

    #[test]
    fn a_line_of_openings_is_given_up() {
        let line = b"{\"a\":[".repeat(50_000);
        assert_eq!(later_record(&line), None);
    }
}
