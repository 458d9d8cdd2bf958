//! Blobs numbered from 0 on without gaps, so that what is known of each stands in plain arrays.

use vox_format::{
    keys,
    segment::{GONE, Group},
};
use vox_types::{BlobRef, Error, Result};

use super::steps::Source;

/// One bit for each blob.
#[derive(Clone, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub fn of(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    pub fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    pub fn set(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word |= 1 << (i % 64);
        }
    }

    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// The blobs that were there when it was made. Eight bytes for each segment and a bit for each
/// blob.
#[derive(Default)]
pub(crate) struct Places {
    /// The place of each segment's first blob, and behind the last one the number of blobs.
    starts: Vec<u64>,
    /// Blobs whose content was removed.
    pub gone: Bits,
}

impl Places {
    /// Numbers the blobs of an archive.
    pub fn read(source: Source<'_>) -> Result<Self> {
        let tables = &source.generation().tables;
        let mut places = Self { starts: vec![0], gone: Bits::default() };
        let mut len = 0u64;
        let take = |gone: &mut Bits, len: &mut u64, value: &[u8]| {
            let group = Group::parse(value)?;
            gone.0.resize((*len as usize + group.len()).div_ceil(64), 0);
            for i in (0..group.len()).filter(|i| group.codec(*i) == GONE) {
                gone.set(*len as usize + i);
            }
            *len += group.len() as u64;
            Ok::<_, Error>(())
        };
        let number_of = |key: &[u8]| {
            let number = key.try_into().map(u64::from_be_bytes);
            number.map_err(|_| Error::damaged("the key of a segment isn't 8 bytes long"))
        };
        source.rows(tables.segments, |_, key, value| {
            if number_of(key)? + 1 != places.starts.len() as u64 {
                return Err(Error::damaged("a segment is missing").into());
            }
            take(&mut places.gone, &mut len, value)?;
            places.starts.push(len);
            Ok(())
        })?;
        // In one step with the segments that were closed meanwhile.
        source.step(|txn| {
            loop {
                let next = places.starts.len() as u64 - 1;
                let Some(value) = tables.segments.get(txn, &next.to_be_bytes())? else { break };
                take(&mut places.gone, &mut len, value)?;
                places.starts.push(len);
            }
            let open = places.starts.len() as u64 - 1;
            for row in tables.tails.prefix_iter(txn, &open.to_be_bytes())? {
                let (key, value) = row?;
                let slots = len - places.starts[open as usize];
                if keys::split_tail(key).is_none_or(|(_, first)| u64::from(first) != slots) {
                    return Err(Error::damaged("a part of the open segment is missing").into());
                }
                take(&mut places.gone, &mut len, value)?;
            }
            places.starts.push(len);
            Ok(())
        })?;
        Ok(places)
    }

    /// How many blobs.
    pub fn len(&self) -> usize {
        self.starts.last().map_or(0, |len| *len as usize)
    }

    /// The place of a blob; none if it came later, or isn't there.
    pub fn find(&self, blob: BlobRef) -> Option<usize> {
        let segment = usize::try_from(blob.segment()).ok()?;
        let (start, end) = (*self.starts.get(segment)?, *self.starts.get(segment + 1)?);
        let place = start + u64::from(blob.slot());
        (place < end).then_some(place as usize)
    }

    /// The blob at `place`, which is below [`Places::len`].
    pub fn blob(&self, place: usize) -> BlobRef {
        let segment = self.starts.partition_point(|start| *start <= place as u64) - 1;
        BlobRef((segment as u64) << 16 | (place as u64 - self.starts[segment]))
    }

    /// The numbers of segments.
    pub fn segments(&self) -> std::ops::Range<u64> {
        0..self.starts.len().saturating_sub(1) as u64
    }

    /// The places of a segment's blobs.
    pub fn of_segment(&self, segment: u64) -> std::ops::Range<usize> {
        let at = |i: usize| self.starts.get(i).map_or(self.len(), |start| *start as usize);
        at(segment as usize)..at(segment as usize + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_that_were_set() {
        let mut bits = Bits::of(130);
        for i in [0, 63, 64, 129] {
            bits.set(i);
        }
        bits.set(500);
        let set: Vec<usize> = (0..600).filter(|i| bits.has(*i)).collect();
        assert_eq!((set, bits.count()), (vec![0, 63, 64, 129], 4));
    }

    #[test]
    fn a_blob_of_a_later_segment_or_slot_has_no_place() {
        let places = Places { starts: vec![0, 3, 3, 5], gone: Bits::default() };
        let find = |segment, slot| places.find(BlobRef::new(segment, slot));
        assert_eq!([find(0, 0), find(0, 2), find(2, 1)], [Some(0), Some(2), Some(4)]);
        assert_eq!([find(0, 3), find(1, 0), find(2, 2), find(3, 0), find(1 << 47, 0)], [None; 5]);
        assert_eq!((places.len(), places.segments(), places.of_segment(2)), (5, 0..3, 3..5));
        assert!((0..5).all(|place| places.find(places.blob(place)) == Some(place)));
    }
}
