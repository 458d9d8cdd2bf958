//! Any bytes, taken for a value of a table, decode or are an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vox_format::{chunk::Chunk, leaf::Leaf, segment::Group};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(chunk) = Chunk::parse(bytes) {
        drop(chunk.rows());
    }
    if let Ok(group) = Group::parse(bytes) {
        for slot in 0..group.len() {
            drop(group.slot(slot));
        }
    }
    if let Ok(leaf) = Leaf::parse(bytes) {
        for entry in leaf.entries() {
            std::hint::black_box(entry);
        }
    }
});
