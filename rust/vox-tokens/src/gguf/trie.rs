//! Which token is the longest beginning of a text.

use std::collections::VecDeque;

/// No token.
const NONE: u32 = u32::MAX;

/// Byte strings by their bytes; the children of a node lie side by side.
pub struct Trie {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    first: u32,
    children: u16,
    label: u8,
    value: u32,
}

/// A place in a trie.
#[derive(Clone, Copy, PartialEq)]
pub struct Place(u32);

impl Trie {
    /// A trie of `keys`; of one that is there twice the last value counts.
    pub fn new<'k>(keys: impl IntoIterator<Item = (&'k [u8], u32)>) -> Self {
        let mut keys: Vec<(&[u8], u32)> = keys.into_iter().collect();
        // Stable: equal keys stay in their order.
        keys.sort_by_key(|(key, _)| *key);
        let node = |label, value| Node { first: 0, children: 0, label, value };
        let mut nodes = vec![node(0, NONE)];
        let mut open = VecDeque::from([(0, 0..keys.len(), 0)]);
        while let Some((at, mut range, depth)) = open.pop_front() {
            nodes[at].first = nodes.len() as u32;
            while range.start < range.end && keys[range.start].0.len() == depth {
                nodes[at].value = keys[range.start].1;
                range.start += 1;
            }
            while range.start < range.end {
                let label = keys[range.start].0[depth];
                let same = keys[range.clone()].partition_point(|(key, _)| key[depth] == label);
                open.push_back((nodes.len(), range.start..range.start + same, depth + 1));
                nodes.push(node(label, NONE));
                nodes[at].children += 1;
                range.start += same;
            }
        }
        Self { nodes }
    }

    /// Where all walks begin.
    pub fn root(&self) -> Place {
        Place(0)
    }

    /// Where `byte` leads from `place`.
    #[inline]
    pub fn step(&self, place: Place, byte: u8) -> Option<Place> {
        let node = self.nodes[place.0 as usize];
        let first = node.first as usize;
        let children = &self.nodes[first..first + usize::from(node.children)];
        let at = match children.len() {
            0..=8 => children.iter().position(|child| child.label == byte)?,
            _ => children.binary_search_by_key(&byte, |child| child.label).ok()?,
        };
        Some(Place((first + at) as u32))
    }

    /// The value of the key that ends at `place`.
    #[inline]
    pub fn value(&self, place: Place) -> Option<u32> {
        Some(self.nodes[place.0 as usize].value).filter(|&value| value != NONE)
    }

    /// The longest key that `text` begins with: its value and its length.
    pub fn longest(&self, text: &[u8]) -> Option<(u32, usize)> {
        let mut place = self.root();
        let mut found = None;
        for (at, &byte) in text.iter().enumerate() {
            let Some(next) = self.step(place, byte) else { break };
            place = next;
            found = self.value(place).map(|value| (value, at + 1)).or(found);
        }
        found
    }

    /// How many bytes of `text` a walk goes along, whether or not a key ends there.
    pub fn walk(&self, text: &[u8]) -> usize {
        let mut place = self.root();
        for (at, &byte) in text.iter().enumerate() {
            match self.step(place, byte) {
                Some(next) => place = next,
                None => return at,
            }
        }
        text.len()
    }
}
