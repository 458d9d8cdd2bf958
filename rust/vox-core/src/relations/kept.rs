//! What is kept of a window, as the bytes of a file: `contracts/relations.md` says which.
//!
//! Nothing is believed of a file but one that is whole: a check over all of it stands at its end.

use std::collections::{HashMap, VecDeque};

use vox_search::touched::LONGEST_FILE;
use vox_types::ContentHash;

use super::{
    mentions::{MOST_NAMES, Mentions, Seen},
    touches::{MOST_PATHS, MOST_WAITING, Touches, Waiting},
};

const MAGIC: &[u8; 8] = b"voxrelat";
/// Changes whenever other names are found in any text, or anything else is made of them.
const VERSION: u32 = 1;
const CHECK: usize = 32;

/// An archive's window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Whose {
    pub archive: [u8; 16],
    pub window: [u8; 16],
}

/// An event of an archive: its number, and the first bytes of the hash of its row.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Stamp {
    pub event: u64,
    pub proof: [u8; 16],
}

/// What is known of the first items of a window.
#[derive(Default)]
pub(super) struct Kept {
    /// The last event when they were read.
    pub stamp: Stamp,
    /// How many of them were purged.
    pub purged: u64,
    pub mentions: Mentions,
    pub touches: Touches,
}

/// The most bytes that a file of a window with so many items has.
pub(super) fn most_bytes(items: u64) -> u64 {
    let paths = MOST_PATHS * (4 + LONGEST_FILE);
    let rest = 1024 + paths + MOST_WAITING * 12 + MOST_NAMES * 20;
    items.saturating_mul(12).saturating_add(rest as u64)
}

impl Kept {
    /// As the bytes of a file.
    pub fn encode(&self, whose: &Whose) -> Vec<u8> {
        let Self { stamp, purged, mentions, touches } = self;
        let mut out =
            Vec::with_capacity(1024 + mentions.counts.len() * 12 + mentions.names.len() * 20);
        let number = |out: &mut Vec<u8>, value: u32| out.extend_from_slice(&value.to_le_bytes());
        out.extend_from_slice(MAGIC);
        number(&mut out, VERSION);
        out.extend_from_slice(&whose.archive);
        out.extend_from_slice(&whose.window);
        out.extend_from_slice(&stamp.event.to_le_bytes());
        out.extend_from_slice(&stamp.proof);
        out.extend_from_slice(&purged.to_le_bytes());
        for length in [
            mentions.counts.len(),
            touches.paths.len(),
            touches.waiting.len(),
            mentions.names.len(),
        ] {
            number(&mut out, length as u32);
        }
        out.extend(mentions.counts.iter().flat_map(|count| count.to_le_bytes()));
        out.extend(mentions.last_uses.iter().flat_map(|item| item.to_le_bytes()));
        out.extend(touches.files.iter().flat_map(|file| file.to_le_bytes()));
        for path in &touches.paths {
            number(&mut out, path.len() as u32);
            out.extend_from_slice(path.as_bytes());
        }
        for waiting in &touches.waiting {
            [waiting.call, waiting.tool].into_iter().for_each(|value| number(&mut out, value));
            out.extend_from_slice(&waiting.path.to_le_bytes());
        }
        for (name, seen) in &mentions.names {
            out.extend_from_slice(&name.to_le_bytes());
            [seen.first, seen.last, seen.items]
                .into_iter()
                .for_each(|value| number(&mut out, value));
        }
        let check = ContentHash::of(&out);
        out.extend_from_slice(&check.0);
        out
    }

    /// What a file says, if it is one of `whose`.
    pub fn decode(file: &[u8], whose: &Whose) -> Option<Self> {
        let (all, check) = file.split_at_checked(file.len().checked_sub(CHECK)?)?;
        let mut rest = Rest(all);
        let head = rest.array::<8>()? == *MAGIC
            && rest.number()? == VERSION
            && rest.array()? == whose.archive
            && rest.array()? == whose.window;
        if !head || ContentHash::of(all).0 != *check {
            return None;
        }
        let stamp = Stamp { event: u64::from_le_bytes(rest.array()?), proof: rest.array()? };
        let purged = u64::from_le_bytes(rest.array()?);
        let [items, paths, waiting, names] =
            [rest.number()?, rest.number()?, rest.number()?, rest.number()?];
        let within = paths as usize <= MOST_PATHS
            && waiting as usize <= MOST_WAITING
            && names as usize <= MOST_NAMES;
        if !within {
            return None;
        }
        let counts = rest.many(items, |bytes| Some(u32::from_le_bytes(bytes)))?;
        let is_item = |item: &u32| *item < items;
        let last_uses =
            rest.many(items, |bytes| Some(u32::from_le_bytes(bytes)).filter(is_item))?;
        let is_file = |file: &i32| *file >= -1 && i64::from(*file) < i64::from(paths);
        let file = |bytes| Some(i32::from_le_bytes(bytes)).filter(is_file);
        let files = rest.many(items, file)?;
        let paths = (0..paths)
            .map(|_| {
                let length = rest.number()?;
                String::from_utf8(rest.bytes(length as usize)?.to_vec()).ok()
            })
            .collect::<Option<Vec<String>>>()?;
        let waiting = (0..waiting)
            .map(|_| {
                let (call, tool) = (rest.number()?, rest.number()?);
                let path = Some(i32::from_le_bytes(rest.array()?)).filter(is_file)?;
                Some(Waiting { call, tool, path })
            })
            .collect::<Option<VecDeque<Waiting>>>()?;
        let names = (0..names)
            .map(|_| {
                let name = u64::from_le_bytes(rest.array()?);
                let seen =
                    Seen { first: rest.number()?, last: rest.number()?, items: rest.number()? };
                (seen.first <= seen.last && seen.last < items).then_some((name, seen))
            })
            .collect::<Option<HashMap<u64, Seen>>>()?;
        let mentions = Mentions::after(counts, last_uses, names);
        let touches = Touches::after(files, paths, waiting);
        rest.0.is_empty().then_some(Self { stamp, purged, mentions, touches })
    }
}

/// What of a file is still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// So many values of four bytes.
    fn many<T>(&mut self, count: u32, value: impl Fn([u8; 4]) -> Option<T>) -> Option<Vec<T>> {
        let bytes = self.bytes(usize::try_from(u64::from(count) * 4).ok()?)?;
        bytes.as_chunks::<4>().0.iter().map(|bytes| value(*bytes)).collect()
    }
}

#[cfg(test)]
mod tests {
    use vox_types::ItemKind;

    use super::*;

    const WHOSE: Whose = Whose { archive: [1; 16], window: [2; 16] };

    fn some() -> Kept {
        let (mut mentions, mut touches) = (Mentions::default(), Touches::default());
        for item in 0..20_u32 {
            mentions.add(&[u64::from(item % 7), u64::from(item) << 40]);
            touches.add(ItemKind::ToolCall, 3, item, Some(format!("{}.rs", item % 4)));
        }
        Kept { stamp: Stamp { event: 9, proof: [7; 16] }, purged: 1, mentions, touches }
    }

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        let kept = some();
        let read = Kept::decode(&kept.encode(&WHOSE), &WHOSE).expect("a whole file");
        assert_eq!((read.stamp, read.purged), (kept.stamp, kept.purged));
        assert_eq!(read.mentions.counts, kept.mentions.counts);
        assert_eq!(read.mentions.last_uses, kept.mentions.last_uses);
        assert_eq!(read.mentions.names, kept.mentions.names);
        assert_eq!(read.touches.files, kept.touches.files);
        assert_eq!(read.touches.paths, kept.touches.paths);
        assert_eq!(read.touches.waiting, kept.touches.waiting);
        assert!(kept.encode(&WHOSE).len() as u64 <= most_bytes(20));
    }

    #[test]
    fn a_file_of_others_or_with_any_byte_changed_or_cut_says_nothing() {
        let file = some().encode(&WHOSE);
        assert!(Kept::decode(&file, &Whose { archive: [3; 16], ..WHOSE }).is_none());
        assert!(Kept::decode(&file, &Whose { window: [3; 16], ..WHOSE }).is_none());
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Kept::decode(&damaged, &WHOSE).is_none(), "byte {at}");
            assert!(Kept::decode(&file[..at], &WHOSE).is_none(), "{at} bytes");
        }
        assert!(Kept::decode(&[&file[..], b"x"].concat(), &WHOSE).is_none());
    }

    /// The check says that a file is as it was written, not that what was written makes sense.
    #[test]
    fn a_whole_file_that_names_what_there_is_not_says_nothing() {
        let breaks: [fn(&mut Kept); 4] = [
            |kept| kept.mentions.last_uses[3] = 20,
            |kept| kept.touches.files[3] = 4,
            |kept| kept.touches.waiting[0].path = -2,
            |kept| {
                kept.mentions.names.insert(1, Seen { first: 0, last: 20, items: 1 });
            },
        ];
        for wrong in breaks {
            let mut kept = some();
            wrong(&mut kept);
            assert!(Kept::decode(&kept.encode(&WHOSE), &WHOSE).is_none());
        }
    }
}
