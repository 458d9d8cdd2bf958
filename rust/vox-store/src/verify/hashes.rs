//! Content hashes by blob: those of recently used groups are kept, others are read again.

use std::collections::{HashMap, VecDeque};

use vox_format::segment::Group;
use vox_types::ContentHash;

use super::{image::Image, slots::Slots};

/// Hashes that are kept: 4 million, 128 MB.
const MOST: usize = 4 << 20;

#[derive(Default)]
pub(super) struct Hashes {
    groups: HashMap<usize, Vec<ContentHash>>,
    order: VecDeque<usize>,
    kept: usize,
}

impl Hashes {
    /// Keeps the hashes of the group at place `group`.
    pub fn keep(&mut self, group: usize, hashes: Vec<ContentHash>) {
        self.kept += hashes.len();
        if let Some(old) = self.groups.insert(group, hashes) {
            self.kept -= old.len();
        } else {
            self.order.push_back(group);
        }
        while self.kept > MOST && self.order.len() > 1 {
            let oldest = self.order.pop_front();
            let dropped = oldest.and_then(|oldest| self.groups.remove(&oldest));
            self.kept -= dropped.map_or(0, |hashes| hashes.len());
        }
    }

    /// The hash of the blob at place `index`.
    pub fn get(&mut self, image: &Image<'_>, slots: &Slots, index: usize) -> Option<ContentHash> {
        let place = slots.group_of(index);
        let group = slots.group(place)?;
        if !self.groups.contains_key(&place) {
            let value = image.get(group.table(), &group.key())?;
            self.keep(place, of_group(&Group::parse(&value).ok()?));
        }
        self.groups.get(&place)?.get(index - group.start).copied()
    }
}

/// Every hash of a group.
pub(super) fn of_group(group: &Group<'_>) -> Vec<ContentHash> {
    (0..group.len()).map_while(|slot| group.hash(slot).ok()).collect()
}
