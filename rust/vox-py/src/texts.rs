//! Many texts from Python, borrowed where that can be: a list of objects, or Arrow arrays.

use arrow_array::ArrayRef;
use pyo3::{
    buffer::PyBuffer,
    exceptions::PyUnicodeEncodeError,
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    types::{PyByteArray, PyBytes, PyMemoryView, PyString, PyTuple},
};
use vox_types::{Code, Error};

use crate::{arrow_texts, door};

/// Texts that stay as they are while the GIL is released.
pub enum Texts {
    /// Of a list.
    Objects(Vec<Text>),
    /// Of Arrow arrays, one after the other.
    Arrays(Vec<ArrayRef>),
}

/// One text of a list.
pub enum Text {
    /// `bytes`.
    Bytes(PyBackedBytes),
    /// A `str` that has UTF-8.
    Utf8(PyBackedStr),
    /// A file that Python has mapped for reading, which may be larger than memory.
    Mapped(PyBuffer<u8>),
    /// What may change, or has no UTF-8, is copied.
    Own(Vec<u8>),
}

impl Texts {
    /// The bytes of each.
    pub fn slices(&self) -> Vec<&[u8]> {
        match self {
            Self::Objects(texts) => texts.iter().map(AsRef::as_ref).collect(),
            Self::Arrays(arrays) => arrow_texts::slices(arrays),
        }
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Utf8(text) => text.as_bytes(),
            // SAFETY: the buffer holds the map, which can't be closed or resized meanwhile; it is
            // contiguous, and read-only for this process. That nobody else changes the file is
            // assumed, as wherever a file is mapped.
            #[expect(unsafe_code, reason = "a mapped file has no other view that isn't a copy")]
            Self::Mapped(map) => unsafe {
                std::slice::from_raw_parts(map.buf_ptr().cast::<u8>(), map.len_bytes())
            },
            Self::Own(bytes) => bytes,
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Texts {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let py = value.py();
        if let Some(arrays) = arrow_texts::import(value)? {
            return Ok(Self::Arrays(arrays));
        }
        // A tuple: whoever changes a list meanwhile doesn't change it.
        let items = match value.cast::<PyTuple>() {
            Ok(items) => items.to_owned(),
            Err(_) if one_text(value) => {
                let kind = value.get_type().name()?;
                let says = format!("a list of texts is wanted, not one {kind}: put it in a list");
                return Err(wrong(py, says));
            }
            Err(_) if value.try_iter().is_err() => {
                let kind = value.get_type().name()?;
                let says = format!("a list of texts or an Arrow array is wanted, not {kind}");
                return Err(wrong(py, says));
            }
            Err(_) => py.get_type::<PyTuple>().call1((value,))?.cast_into::<PyTuple>()?,
        };
        let items = items.iter_borrowed().enumerate();
        items
            .map(|(place, item)| text(item, Some(place)))
            .collect::<PyResult<_>>()
            .map(Self::Objects)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        text(value, None)
    }
}

/// One text: the `place`th of a list, or one that was given alone.
fn text(value: Borrowed<'_, '_, PyAny>, place: Option<usize>) -> PyResult<Text> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Text::Bytes(bytes.to_owned().into()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return match PyBackedStr::try_from(text.to_owned()) {
            Ok(text) => Ok(Text::Utf8(text)),
            Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(value.py()) => {
                joined(value).map(Text::Own)
            }
            Err(error) => Err(error),
        };
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Text::Own(bytes.to_vec()));
    }
    match PyBuffer::<u8>::get(&value) {
        Ok(buffer) if is_mapped(value, &buffer)? => Ok(Text::Mapped(buffer)),
        Ok(buffer) => buffer.to_vec(value.py()).map(Text::Own),
        Err(_) => {
            let kind = value.get_type().name()?;
            let subject = place.map_or("the text".to_owned(), |place| format!("item {place}"));
            let says = format!("{subject} is neither bytes nor str but {kind}");
            Err(wrong(value.py(), says))
        }
    }
}

/// Whether this is a `memoryview` of all of a `mmap.mmap` that nothing can be written through.
fn is_mapped(value: Borrowed<'_, '_, PyAny>, buffer: &PyBuffer<u8>) -> PyResult<bool> {
    let whole = value.is_instance_of::<PyMemoryView>()
        && buffer.readonly()
        && buffer.is_c_contiguous()
        && buffer.len_bytes() > 0;
    let mapped = || {
        let map = value.py().import("mmap")?.getattr("mmap")?;
        value.getattr("obj")?.is_instance(&map)
    };
    Ok(whole && mapped()?)
}

/// The UTF-8 of a `str` with surrogates: two that make a pair are one character, any other is
/// U+FFFD.
fn joined(text: Borrowed<'_, '_, PyAny>) -> PyResult<Vec<u8>> {
    let encoded = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let bytes = encoded.cast::<PyBytes>()?.as_bytes();
    let units = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let whole = char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
    Ok(whole.collect::<String>().into_bytes())
}

fn one_text(value: Borrowed<'_, '_, PyAny>) -> bool {
    value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
}

fn wrong(py: Python<'_>, says: String) -> PyErr {
    door::to_python(py, &Error::new(Code::InvalidArgument, says))
}
