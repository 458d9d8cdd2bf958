//! Arrow arrays from columns of numbers, taking their memory over where the form is the same.

use std::sync::{Arc, LazyLock};

use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, FixedSizeBinaryArray, Int32Array, Int64Array,
    StringArray, TimestampMillisecondArray, UInt32Array, UInt64Array, types::Int32Type,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use vox_format::preview_blocks::Texts;
use vox_types::{Error, Result};

static UTC: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from("UTC"));

/// A column of `u64`.
pub(crate) fn numbers(values: Vec<u64>) -> ArrayRef {
    Arc::new(UInt64Array::from(values))
}

/// A column of `u32`.
pub(crate) fn small_numbers(values: Vec<u32>) -> ArrayRef {
    Arc::new(UInt32Array::from(values))
}

/// Signed numbers, null where `set` is false.
pub(crate) fn signed(values: Vec<i64>, set: Option<NullBuffer>) -> ArrayRef {
    Arc::new(Int64Array::new(values.into(), set))
}

/// Times in UTC ms, as two's complement.
pub(crate) fn times(values: Vec<u64>) -> ArrayRef {
    let length = values.len();
    times_of(ScalarBuffer::new(Buffer::from_vec(values), 0, length), None)
}

/// Times in UTC ms, null where `set` is false.
pub(crate) fn nullable_times(values: Vec<i64>, set: Option<NullBuffer>) -> ArrayRef {
    times_of(values.into(), set)
}

fn times_of(values: ScalarBuffer<i64>, set: Option<NullBuffer>) -> ArrayRef {
    Arc::new(TimestampMillisecondArray::new(values, set).with_timezone(Arc::clone(&UTC)))
}

/// One bit of each of `words`.
pub(crate) fn bits(words: &[u64], bit: u32) -> ArrayRef {
    flags(BooleanBuffer::collect_bool(words.len(), |row| words[row] >> bit & 1 == 1))
}

/// A column of truth values.
pub(crate) fn flags(values: BooleanBuffer) -> ArrayRef {
    Arc::new(BooleanArray::new(values, None))
}

/// A column of texts.
pub(crate) fn texts(texts: Texts) -> Result<ArrayRef> {
    let (offsets, bytes) = texts.into_parts();
    StringArray::try_new(OffsetBuffer::new(offsets.into()), Buffer::from_vec(bytes), None)
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|error| Error::damaged(format!("previews: {error}")))
}

/// A column of hashes, 32 bytes each, from the bytes of all.
pub(crate) fn hashes(bytes: Vec<u8>) -> ArrayRef {
    Arc::new(FixedSizeBinaryArray::new(32, Buffer::from_vec(bytes), None))
}

/// Symbols as a dictionary of their texts, null where the symbol is 0. `text` gives a symbol's
/// text and is asked once for each symbol that occurs.
pub(crate) fn symbols<'s, T: AsRef<str> + 's>(
    rows: &[u64],
    mut text: impl FnMut(u32) -> Result<T>,
) -> Result<ArrayRef> {
    let mut distinct = rows.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let null = distinct.first() == Some(&0);
    if null {
        distinct.remove(0);
    }
    let text_of = |symbol: &u64| match u32::try_from(*symbol) {
        Ok(symbol) => text(symbol),
        Err(_) => Err(Error::damaged(format!("an item's name is symbol {symbol}"))),
    };
    let texts = distinct.iter().map(text_of).collect::<Result<Vec<T>>>()?;
    let keys = rows.iter().map(|row| distinct.binary_search(row).unwrap_or(0) as i32);
    let set = null
        .then(|| NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), |row| rows[row] != 0)));
    let keys = Int32Array::new(keys.collect(), set);
    DictionaryArray::<Int32Type>::try_new(keys, Arc::new(StringArray::from_iter_values(texts)))
        .map(|array| Arc::new(array) as ArrayRef)
        .map_err(|error| Error::damaged(format!("names: {error}")))
}
