//! A second, trusting reading of the file layout: where the structure of a sound file lies.
#![allow(dead_code, reason = "shared by several tests")]

use super::PAGE;

/// A byte that belongs to the structure, and the bits whose change must be noticed.
pub struct Spot {
    pub offset: usize,
    pub bits: u8,
    pub what: &'static str,
}

pub fn u16_at(bytes: &[u8], at: usize) -> usize {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()).into()
}

pub fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Where the meta page of the last transaction begins.
pub fn current_meta(bytes: &[u8]) -> usize {
    if u64_at(bytes, 144) > u64_at(bytes, PAGE + 144) { 0 } else { PAGE }
}

/// The roots of the free list, the main database and the named ones.
pub fn roots(bytes: &[u8]) -> Vec<u64> {
    let meta = current_meta(bytes);
    let main = u64_at(bytes, meta + 128);
    let mut roots = vec![u64_at(bytes, meta + 80), main];
    for (node, payload) in leaf_nodes(bytes, main) {
        assert_eq!(u16_at(bytes, node + 4), 2, "only named databases stand in the main one");
        roots.push(u64_at(bytes, payload + 40));
    }
    roots.retain(|root| *root != u64::MAX);
    roots
}

/// Offsets of the nodes of a page.
pub fn nodes(bytes: &[u8], page: u64) -> Vec<usize> {
    let at = page as usize * PAGE;
    (16..u16_at(bytes, at + 12)).step_by(2).map(|slot| at + u16_at(bytes, at + slot)).collect()
}

pub fn is_branch(bytes: &[u8], page: u64) -> bool {
    u16_at(bytes, page as usize * PAGE + 10) == 1
}

pub fn child(bytes: &[u8], node: usize) -> u64 {
    u32_at(bytes, node) as u64 | (u16_at(bytes, node + 4) as u64) << 32
}

pub fn set_child(bytes: &mut [u8], node: usize, child: u64) {
    bytes[node..node + 6].copy_from_slice(&child.to_le_bytes()[..6]);
}

/// The pages of the tree below `root`, the root first.
pub fn tree_pages(bytes: &[u8], root: u64) -> Vec<u64> {
    let mut pages = vec![root];
    if is_branch(bytes, root) {
        for node in nodes(bytes, root) {
            pages.extend(tree_pages(bytes, child(bytes, node)));
        }
    }
    pages
}

/// Every leaf node below `root`: where it begins, and where its value does.
fn leaf_nodes(bytes: &[u8], root: u64) -> Vec<(usize, usize)> {
    let leaves = tree_pages(bytes, root).into_iter().filter(|page| !is_branch(bytes, *page));
    leaves
        .flat_map(|page| nodes(bytes, page))
        .map(|node| (node, node + 8 + u16_at(bytes, node + 6)))
        .collect()
}

/// Every byte of the structure of the trees.
pub fn structure(bytes: &[u8]) -> Vec<Spot> {
    let mut spots = Vec::new();
    let roots = roots(bytes);
    for &root in &roots {
        for page in tree_pages(bytes, root) {
            page_spots(bytes, page, &mut spots);
        }
    }
    for (_, payload) in leaf_nodes(bytes, roots[1]) {
        field(&mut spots, payload + 4, 44, "record of a database");
    }
    for (node, payload) in leaf_nodes(bytes, roots[0]) {
        let value = match u16_at(bytes, node + 4) {
            0 => payload,
            _ => u64_at(bytes, payload) as usize * PAGE + 16,
        };
        field(&mut spots, value, 8 * (1 + u64_at(bytes, value) as usize), "free list");
    }
    spots
}

fn page_spots(bytes: &[u8], page: u64, spots: &mut Vec<Spot>) {
    let at = page as usize * PAGE;
    field(spots, at, 8, "page number");
    field(spots, at + 10, 6, "page flags and bounds");
    field(spots, at + 16, u16_at(bytes, at + 12) - 16, "table of nodes");
    for node in nodes(bytes, page) {
        // The last bit of a size can hide in the byte that pads a node to an even size.
        let size = |spots: &mut Vec<Spot>, offset, what| {
            spots.push(Spot { offset, bits: 0xfe, what });
            spots.push(Spot { offset: offset + 1, bits: 0xff, what });
        };
        size(spots, node + 6, "size of a key");
        if is_branch(bytes, page) {
            field(spots, node, 6, "child");
            continue;
        }
        field(spots, node + 4, 2, "flags of a node");
        if u16_at(bytes, node + 4) & 1 == 0 {
            size(spots, node, "size of a value");
            field(spots, node + 2, 2, "size of a value");
        } else {
            let number = node + 8 + u16_at(bytes, node + 6);
            field(spots, number, 8, "overflow page of a value");
            let run = u64_at(bytes, number) as usize * PAGE;
            field(spots, run, 8, "page number of an overflow page");
            field(spots, run + 10, 6, "flags and length of an overflow run");
        }
    }
}

fn field(spots: &mut Vec<Spot>, from: usize, len: usize, what: &'static str) {
    spots.extend((from..from + len).map(|offset| Spot { offset, bits: 0xff, what }));
}
