//! The character map that SentencePiece compiles into its models.
//!
//! It is a run of bytes: how many of them the trie is (32 bits), the trie, and all replacements,
//! each ended by NUL. The trie is a double array of 32-bit units as Darts-clone writes it; its
//! values are places in the replacements.

use unicode_segmentation::UnicodeSegmentation;
use vox_types::Result;

use crate::huggingface::{
    parse::malformed,
    text::{Normal, Rewriting},
};

/// The longest group of characters that is looked up as one, in bytes.
const LONGEST_GROUP: usize = 5;

/// A compiled character map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Precompiled {
    units: Vec<u32>,
    replacements: String,
    /// By ASCII character: whether it stays as it is when it stands alone.
    plain: [bool; 128],
}

impl Precompiled {
    /// Reads the bytes of a `precompiled_charsmap`.
    ///
    /// # Errors
    ///
    /// `malformed` if they are cut off or the replacements are no UTF-8.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let broken = |what: &str| malformed(format!("its precompiled_charsmap {what}"));
        let (size, rest) = bytes.split_first_chunk().ok_or_else(|| broken("is cut off"))?;
        let size = u32::from_le_bytes(*size) as usize / 4 * 4;
        let (trie, rest) = rest.split_at_checked(size).ok_or_else(|| broken("is cut off"))?;
        let units = trie.as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        let replacements =
            String::from_utf8(rest.to_vec()).map_err(|_| broken("holds no UTF-8"))?;
        let mut new = Self { units, replacements, plain: [false; 128] };
        for c in 0..128_u8 {
            new.plain[usize::from(c)] = new.replacement(&[c]).is_none();
        }
        Ok(new)
    }

    pub fn normalise(&self, normal: &mut Normal) {
        let is_plain = |c: u8| self.plain.get(usize::from(c)).is_some_and(|plain| *plain);
        if !normal.text.bytes().all(is_plain) {
            normal.rewrite(0, |old, new| self.rewrite(old, new));
        }
    }

    /// Between two ASCII characters there is always a boundary of groups, but within CR LF; so
    /// the search for boundaries, which is slow, is left out there.
    fn rewrite(&self, old: &str, new: &mut Rewriting) {
        let bytes = old.as_bytes();
        let bounds_group = |at: usize| {
            let (before, after) = (bytes[at - 1], bytes[at]);
            before < 128 && after < 128 && (before, after) != (b'\r', b'\n')
        };
        let mut writer = Writer { new, last: None };
        let mut from = 0;
        for at in 1..=bytes.len() {
            if at < bytes.len() && !bounds_group(at) {
                continue;
            }
            let stretch = &old[from..at];
            if stretch.len() == 1 && self.plain[usize::from(bytes[from])] {
                writer.push(char::from(bytes[from]), 0);
            } else {
                stretch.graphemes(true).for_each(|group| self.group(group, &mut writer));
            }
            from = at;
        }
        writer.finish();
    }

    fn group(&self, group: &str, writer: &mut Writer) {
        if group.len() <= LONGEST_GROUP
            && let Some(replacement) = self.replacement(group.as_bytes())
        {
            writer.replace(group, replacement);
            return;
        }
        for (at, c) in group.char_indices() {
            let part = &group[at..at + c.len_utf8()];
            match self.replacement(part.as_bytes()) {
                Some(replacement) => writer.replace(part, replacement),
                None => writer.push(c, 0),
            }
        }
    }

    /// What stands in the map for the shortest prefix of `bytes` that it knows.
    fn replacement(&self, bytes: &[u8]) -> Option<&str> {
        let mut at = offset(*self.units.first()?);
        for &byte in bytes {
            if byte == 0 {
                break;
            }
            let replaced;
            (at, replaced) = self.step(at, byte)?;
            if replaced.is_some() {
                return replaced;
            }
        }
        None
    }

    /// Where `byte` leads, and the replacement that ends there.
    fn step(&self, at: usize, byte: u8) -> Option<(usize, Option<&str>)> {
        let at = at ^ usize::from(byte);
        let unit = *self.units.get(at)?;
        if unit & (1 << 31 | 0xff) != u32::from(byte) {
            return None;
        }
        let at = at ^ offset(unit);
        if unit >> 8 & 1 == 0 {
            return Some((at, None));
        }
        let place = (self.units.get(at)? & !(1 << 31)) as usize;
        let rest = self.replacements.get(place..)?;
        Some((at, Some(rest.split('\0').next().unwrap_or(rest))))
    }

    /// Calls `each` with every replacement for a group that begins with `c`. Says whether `c` is
    /// replaced in any group.
    pub fn each_replacement(&self, c: char, mut each: impl FnMut(&str)) -> bool {
        let mut encoded = [0; 4];
        let bytes = c.encode_utf8(&mut encoded).as_bytes();
        if let Some(replacement) = self.replacement(bytes) {
            each(replacement);
            return true;
        }
        let Some(first) = self.units.first() else { return false };
        let mut at = offset(*first);
        for &byte in bytes {
            match self.step(at, byte) {
                Some((next, _)) => at = next,
                None => return false,
            }
        }
        let mut open = vec![(at, bytes.len())];
        while let Some((at, length)) = open.pop() {
            for (next, replacement) in (1..=255).filter_map(|byte| self.step(at, byte)) {
                match replacement {
                    Some(replacement) => each(replacement),
                    None if length + 1 < LONGEST_GROUP => open.push((next, length + 1)),
                    None => {}
                }
            }
        }
        false
    }
}

fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}

/// Says what stems from where as the tokenizers library does: characters more than before are
/// additions, and what is dropped is told with the last character written.
struct Writer<'w, 't> {
    new: &'w mut Rewriting<'t>,
    last: Option<(char, isize)>,
}

impl Writer<'_, '_> {
    fn push(&mut self, c: char, change: isize) {
        if let Some((before, change)) = self.last.replace((c, change)) {
            self.new.push(before, change);
        }
    }

    fn replace(&mut self, old: &str, replacement: &str) {
        let (before, after) = (old.chars().count(), replacement.chars().count());
        for (at, c) in replacement.chars().enumerate() {
            self.push(c, isize::from(at >= before));
        }
        if let Some((_, change)) = &mut self.last {
            *change -= before.saturating_sub(after) as isize;
        }
    }

    fn finish(self) {
        if let Some((last, change)) = self.last {
            self.new.push(last, change);
        }
    }
}
