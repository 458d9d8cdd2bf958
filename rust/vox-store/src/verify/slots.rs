//! What is remembered of each blob while an archive is checked: 32 bytes.

use vox_types::BlobRef;

/// What is known of a blob, and what is counted of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Slot {
    /// The start of its hash.
    pub prefix: u64,
    /// Length of its raw bytes.
    pub raw_len: u32,
    /// Digest of its preview; 0 if its body wasn't looked at.
    pub preview: u32,
    /// Places found that name it.
    pub references: u32,
    /// References according to the index.
    pub indexed_references: i32,
    /// Holds according to the index.
    pub holds: i32,
    /// Whether the index names it.
    pub indexed: bool,
    /// Whether its content was removed.
    pub gone: bool,
}

/// A row of `segments` or `tails`.
#[derive(Clone, Copy)]
pub(super) struct GroupSpan {
    pub segment: u64,
    /// The slot of its first blob.
    pub first_slot: u16,
    /// The place of its first blob among all.
    pub start: usize,
    pub len: usize,
    /// Whether it stands in `tails`.
    pub tail: bool,
}

impl GroupSpan {
    pub fn table(&self) -> &'static str {
        if self.tail { "tails" } else { "segments" }
    }

    pub fn key(&self) -> Vec<u8> {
        if self.tail {
            vox_format::keys::tail(self.segment, self.first_slot).to_vec()
        } else {
            self.segment.to_be_bytes().to_vec()
        }
    }
}

/// Every blob, in the order of their references.
#[derive(Default)]
pub(super) struct Slots {
    groups: Vec<GroupSpan>,
    slots: Vec<Slot>,
}

impl Slots {
    /// Adds a group that stands behind all others; gives its place among the groups.
    pub fn add_group(
        &mut self,
        segment: u64,
        first_slot: u16,
        tail: bool,
        slots: &[Slot],
    ) -> usize {
        let start = self.slots.len();
        self.groups.push(GroupSpan { segment, first_slot, start, len: slots.len(), tail });
        self.slots.extend_from_slice(slots);
        self.groups.len() - 1
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn group(&self, group: usize) -> Option<&GroupSpan> {
        self.groups.get(group)
    }

    /// The place of a blob among all.
    pub fn find(&self, blob: BlobRef) -> Option<usize> {
        let wanted = (blob.segment(), blob.slot());
        let behind =
            self.groups.partition_point(|group| (group.segment, group.first_slot) <= wanted);
        let group = self.groups.get(behind.checked_sub(1)?)?;
        if group.segment != blob.segment() {
            return None;
        }
        let offset = usize::from(blob.slot().checked_sub(group.first_slot)?);
        (offset < group.len).then_some(group.start + offset)
    }

    /// The place of the group that holds the blob at place `index`.
    pub fn group_of(&self, index: usize) -> usize {
        self.groups.partition_point(|group| group.start <= index).saturating_sub(1)
    }

    pub fn get(&self, index: usize) -> Option<&Slot> {
        self.slots.get(index)
    }

    pub fn get_mut(&mut self, index: usize) -> Option<&mut Slot> {
        self.slots.get_mut(index)
    }

    /// Every blob with its reference.
    pub fn iter(&self) -> impl Iterator<Item = (BlobRef, &Slot)> {
        self.groups.iter().flat_map(|group| {
            let slots = self.slots.get(group.start..group.start + group.len).unwrap_or_default();
            slots.iter().enumerate().map(|(offset, slot)| {
                let number = usize::from(group.first_slot) + offset;
                (BlobRef(group.segment << 16 | number as u64), slot)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use vox_types::BlobRef;

    use super::{Slot, Slots};

    #[test]
    fn a_reference_into_a_segment_that_is_not_there_finds_nothing() {
        let mut slots = Slots::default();
        slots.add_group(5, 0, false, &[Slot::default(); 3]);
        slots.add_group(7, 100, true, &[Slot::default(); 2]);
        let find = |segment: u64, slot: u64| slots.find(BlobRef(segment << 16 | slot));
        assert_eq!([find(5, 2), find(7, 100), find(7, 101)], [Some(2), Some(3), Some(4)]);
        for (segment, slot) in [(4, 0), (5, 3), (6, 0), (7, 0), (7, 99), (7, 102), (8, 0)] {
            assert_eq!(find(segment, slot), None, "{segment}.{slot}");
        }
    }
}
