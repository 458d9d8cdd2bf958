//! A compact map from long ids to places, for adapters that must look back in a big file.

use std::collections::BTreeMap;

use pyo3::{exceptions::PyOverflowError, prelude::*};
use vox_types::ContentHash;

/// Bits of a value; the others tell keys apart whose first eight bytes of hash are the same.
const VALUE_BITS: u32 = 56;

/// From ids to numbers below 2⁵⁶, in about 25 bytes an entry. Ids are told apart by 72 bits of
/// their hash: among ten million the chance of one mistake is 10⁻⁸.
///
/// A tree, since a table doubles when it is full and for that moment takes three times its room.
#[pyclass(module = "vox._native")]
#[derive(Default)]
pub struct IdMap(BTreeMap<u64, u64>);

#[pymethods]
impl IdMap {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Gives `key` the number `value`.
    fn put(&mut self, key: &str, value: u64) -> PyResult<()> {
        if value >> VALUE_BITS != 0 {
            return Err(PyOverflowError::new_err(format!(
                "{value} has more than {VALUE_BITS} bits"
            )));
        }
        let (place, mark) = split(key);
        self.0.insert(place, mark << VALUE_BITS | value);
        Ok(())
    }

    /// The number of `key`.
    fn get(&self, key: &str) -> Option<u64> {
        let (place, mark) = split(key);
        let entry = *self.0.get(&place)?;
        (entry >> VALUE_BITS == mark).then_some(entry & ((1 << VALUE_BITS) - 1))
    }

    fn __contains__(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// Eight bytes of the key's hash, and the one after them.
fn split(key: &str) -> (u64, u64) {
    let hash = ContentHash::of(key.as_bytes()).0;
    let mark = u64::from(hash[8]);
    (u64::from_le_bytes(hash.first_chunk().copied().unwrap_or_default()), mark)
}
