//! What each character is to the analyser, from the tables of the crate regex-syntax.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// Bits of a character.
pub(crate) type Kind = u8;

/// `[\p{L}\p{M}\p{N}_]`: words consist of these.
pub(crate) const WORD: Kind = 1;
/// `[\p{Lu}\p{Lt}]`.
pub(crate) const UPPER: Kind = 1 << 1;
/// `\p{Ll}`.
pub(crate) const LOWER: Kind = 1 << 2;
/// Of a script without spaces.
pub(crate) const DENSE: Kind = 1 << 3;
/// `\p{M}` that belongs to no script without spaces: goes with what it follows.
pub(crate) const MARK: Kind = 1 << 4;
/// `[\p{P}\p{S}]` but `_`: what can join words.
pub(crate) const VISIBLE: Kind = 1 << 5;
/// Folds to another character.
pub(crate) const FOLDS: Kind = 1 << 6;
/// `_`.
pub(crate) const UNDERSCORE: Kind = 1 << 7;

/// Characters of scripts that are written without spaces between words, or (Hangul) with endings
/// and particles joined to them. Marks and signs that several scripts share have them as
/// extensions only; of these the letters count.
const DENSE_SCRIPTS: &str = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}[[\p{scx:Han}\p{scx:Hiragana}\p{scx:Katakana}\p{scx:Hangul}\p{scx:Bopomofo}\p{scx:Thai}\p{scx:Lao}\p{scx:Khmer}\p{scx:Myanmar}]&&[\p{L}\p{N}]]]";

/// Kinds and foldings of all characters.
pub(crate) struct Tables {
    /// Of bytes that are characters; [`DENSE`], which none of these is, for the others.
    pub(crate) ascii: [Kind; 256],
    kinds: Vec<Kind>,
    folds: Vec<u32>,
}

/// The tables, made when they are first asked for.
pub(crate) fn tables() -> &'static Tables {
    static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);
    &TABLES
}

impl Tables {
    fn new() -> Self {
        let mut kinds = vec![0; 0x11_0000];
        let mut set = |pattern: &str, kind: Kind| {
            for range in ranges(pattern) {
                for kept in &mut kinds[range.start() as usize..=range.end() as usize] {
                    *kept |= kind;
                }
            }
        };
        set(r"[\p{L}\p{M}\p{N}_]", WORD);
        set(r"[\p{Lu}\p{Lt}]", UPPER);
        set(r"\p{Ll}", LOWER);
        set(&format!(r"[{DENSE_SCRIPTS}&&[\p{{L}}\p{{M}}\p{{N}}]]"), DENSE);
        set(&format!(r"[\p{{M}}--{DENSE_SCRIPTS}]"), MARK);
        set(r"[[\p{P}\p{S}]--_]", VISIBLE);
        set("_", UNDERSCORE);

        let mut folds = vec![0; 0x1_f000];
        for cased in ranges(r"\p{Changes_When_Casemapped}") {
            for code in cased.start()..=cased.end() {
                if folds[code as usize] != 0 {
                    continue;
                }
                let mut class = ClassUnicode::new([ClassUnicodeRange::new(code, code)]);
                class.try_case_fold_simple().expect("regex-syntax has case folding");
                let members: Vec<char> =
                    class.iter().flat_map(|range| range.start()..=range.end()).collect();
                let lower = members.iter().find(|member| kinds[**member as usize] & LOWER != 0);
                let folded = *lower.unwrap_or(&members[0]);
                for member in members.into_iter().filter(|member| *member != folded) {
                    folds[member as usize] = folded.into();
                    kinds[member as usize] |= FOLDS;
                }
            }
        }

        let mut ascii = [DENSE; 256];
        ascii[..128].copy_from_slice(&kinds[..128]);
        Self { ascii, kinds, folds }
    }

    /// What `char` is.
    #[inline]
    pub(crate) fn kind(&self, char: char) -> Kind {
        self.kinds[char as usize]
    }

    /// The character that stands for all that `char` equals but for case: simple case folding, so
    /// one for one. It is the first lower-case one of them.
    #[inline]
    pub(crate) fn fold(&self, char: char) -> char {
        if char.is_ascii() {
            return char.to_ascii_lowercase();
        }
        match self.folds.get(char as usize) {
            None | Some(0) => char,
            Some(folded) => char::from_u32(*folded).unwrap_or(char),
        }
    }
}

/// The character that stands for all that `char` equals but for case.
pub(crate) fn fold(char: char) -> char {
    tables().fold(char)
}

/// Whether `char` is of a script without spaces.
pub(crate) fn is_dense(char: char) -> bool {
    tables().kind(char) & DENSE != 0
}

/// Whether `char` belongs to whatever stands before it.
pub(crate) fn is_mark(char: char) -> bool {
    tables().kind(char) & MARK != 0
}

/// The characters a class of the regex syntax stands for.
fn ranges(pattern: &str) -> Vec<ClassUnicodeRange> {
    let hir = regex_syntax::parse(pattern).expect("a class that is written here");
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => class.ranges().to_vec(),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).expect("a literal that is written here");
            text.chars().map(|char| ClassUnicodeRange::new(char, char)).collect()
        }
        other => unreachable!("{pattern} is no class but {other:?}"),
    }
}

/// The character at a byte and its length; none if the bytes there aren't UTF-8.
#[inline]
pub(crate) fn char_at(text: &[u8], at: usize) -> Option<(char, usize)> {
    let first = *text.get(at)?;
    if first.is_ascii() {
        return Some((first.into(), 1));
    }
    // The bits of a following byte; decoding by hand is three times as fast as by slices.
    let rest = |distance: usize| match text.get(at + distance) {
        Some(byte) if byte & 0xc0 == 0x80 => Some(u32::from(byte & 0x3f)),
        _ => None,
    };
    let (code, length) = match first {
        0xc2..0xe0 => (u32::from(first & 0x1f) << 6 | rest(1)?, 2),
        0xe0..0xf0 => (u32::from(first & 0xf) << 12 | rest(1)? << 6 | rest(2)?, 3),
        0xf0..0xf5 => (u32::from(first & 7) << 18 | rest(1)? << 12 | rest(2)? << 6 | rest(3)?, 4),
        _ => return None,
    };
    // Surrogates, what is beyond the last character, and what is written longer than it need be
    // aren't UTF-8.
    char::from_u32(code).filter(|char| char.len_utf8() == length).map(|char| (char, length))
}

/// The character that ends before a byte and its length; none if the bytes there aren't UTF-8.
#[inline]
pub(crate) fn char_before(text: &[u8], at: usize) -> Option<(char, usize)> {
    let length = (1..=4.min(at)).find(|length| text[at - length] & 0xc0 != 0x80)?;
    char_at(text, at - length).filter(|(_, whole)| *whole == length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_is_that_of_the_regex_syntax_for_every_character() {
        let tables = tables();
        for char in '\0'..=char::MAX {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(char, char)]);
            class.try_case_fold_simple().expect("folding is there");
            let mut equal = class.iter().flat_map(|range| range.start()..=range.end());
            assert!(equal.all(|other| tables.fold(other) == tables.fold(char)), "{char:?}");
            let folded = tables.fold(char);
            assert!(class.iter().any(|range| (range.start()..=range.end()).contains(&folded)));
            assert_eq!(tables.kind(char) & FOLDS != 0, folded != char, "{char:?}");
        }
    }

    #[test]
    fn characters_are_read_as_the_standard_library_does() {
        for first in 0x80..=u8::MAX {
            for second in [0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2] {
                for rest in [[0x80, 0x80], [0xbf, 0xbf], [0xbf, 0x41], [0x41, 0x41]] {
                    let bytes = [first, second, rest[0], rest[1]];
                    let expected = bytes.utf8_chunks().next().and_then(|chunk| {
                        let char = chunk.valid().chars().next()?;
                        Some((char, char.len_utf8()))
                    });
                    assert_eq!(char_at(&bytes, 0), expected, "{bytes:x?}");
                }
            }
        }
    }

    #[test]
    fn characters_are_read_in_both_directions() {
        let text = "aé中𝒳".as_bytes();
        assert_eq!(char_at(text, 1), Some(('é', 2)));
        assert_eq!(char_before(text, 6), Some(('中', 3)));
        assert_eq!(char_before(text, 10), Some(('𝒳', 4)));
        assert_eq!(char_before(text, 5), None);
        assert_eq!(char_at(b"\xe4\xb8", 0), None);
        assert_eq!(char_before(b"\xb8\xad", 2), None);
        assert_eq!(char_before(b"", 0), None);
    }
}
