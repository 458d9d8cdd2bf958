//! Closed lists as Arrow dictionaries: one byte for each row, the names once for all batches.

use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, DictionaryArray, Int8Array, StringArray, types::Int8Type};
use vox_types::{Error, Fidelity, ItemKind, Result, Role};

static ROLES: LazyLock<ArrayRef> = LazyLock::new(|| names(Role::ALL.iter().map(|x| x.name())));
static KINDS: LazyLock<ArrayRef> = LazyLock::new(|| names(ItemKind::ALL.iter().map(|x| x.name())));
static FIDELITIES: LazyLock<ArrayRef> =
    LazyLock::new(|| names(Fidelity::ALL.iter().map(|x| x.name())));

fn names(names: impl Iterator<Item = &'static str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(names))
}

/// Roles of items from their attributes.
pub(crate) fn roles(attributes: &[u64]) -> Result<ArrayRef> {
    column(attributes, 0, 3, &ROLES)
}

/// Kinds of items from their attributes.
pub(crate) fn kinds(attributes: &[u64]) -> Result<ArrayRef> {
    column(attributes, 2, 15, &KINDS)
}

/// Fidelities of items from their attributes.
pub(crate) fn fidelities(attributes: &[u64]) -> Result<ArrayRef> {
    column(attributes, 6, 3, &FIDELITIES)
}

fn column(attributes: &[u64], shift: u32, mask: u64, names: &ArrayRef) -> Result<ArrayRef> {
    let keys: Int8Array =
        attributes.iter().map(|word| (word >> shift & mask) as i8).collect::<Vec<_>>().into();
    DictionaryArray::<Int8Type>::try_new(keys, Arc::clone(names))
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|_| Error::damaged("an item has a kind or fidelity that is not in the list"))
}
