//! A compact map from long ids to numbers, for adapters that must look back in a big file.

use std::collections::HashMap;

use pyo3::prelude::*;
use vox_types::ContentHash;

/// From ids to numbers, in about 40 bytes an entry. Ids are told apart by 128 bits of their hash.
#[pyclass(module = "vox._native")]
#[derive(Default)]
pub struct IdMap(HashMap<u128, u64>);

#[pymethods]
impl IdMap {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Gives `key` the number `value`.
    fn put(&mut self, key: &str, value: u64) {
        self.0.insert(short(key), value);
    }

    /// The number of `key`.
    fn get(&self, key: &str) -> Option<u64> {
        self.0.get(&short(key)).copied()
    }

    fn __contains__(&self, key: &str) -> bool {
        self.0.contains_key(&short(key))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

fn short(key: &str) -> u128 {
    let hash = ContentHash::of(key.as_bytes());
    hash.0.first_chunk().copied().map_or(0, u128::from_le_bytes)
}
