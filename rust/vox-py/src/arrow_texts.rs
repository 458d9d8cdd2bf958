//! Texts in Arrow arrays of other libraries, taken over through the PyCapsule interface without a
//! copy.

use std::ffi::{CStr, c_int};

use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
    cast::AsArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type},
    ffi_stream::FFI_ArrowArrayStream,
    make_array,
};
use arrow_schema::DataType;
use pyo3::{
    exceptions::PyRuntimeError,
    prelude::*,
    types::{PyCapsule, PyTuple},
};
use vox_types::{Code, Error};

use crate::door;

/// The arrays that `value` offers; None if it is nothing of Arrow.
///
/// Raises `InvalidArgumentError` if they hold no texts.
pub fn import(value: Borrowed<'_, '_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    if value.hasattr("__arrow_c_array__")? {
        let capsules = value.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
        let schema = capsules.get_item(0)?.cast_into::<PyCapsule>()?;
        let array = capsules.get_item(1)?.cast_into::<PyCapsule>()?;
        return one(value.py(), &schema, &array).map(|array| Some(vec![array]));
    }
    if value.hasattr("__arrow_c_stream__")? {
        let capsule = value.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        return all(value.py(), &capsule).map(Some);
    }
    Ok(None)
}

/// The bytes of each text. A null has none.
pub fn slices(arrays: &[ArrayRef]) -> Vec<&[u8]> {
    let mut slices = Vec::with_capacity(arrays.iter().map(|array| array.len()).sum());
    arrays.iter().for_each(|array| add(array, &mut slices));
    slices
}

fn add<'a>(array: &'a dyn Array, slices: &mut Vec<&'a [u8]>) {
    macro_rules! each {
        ($array:expr) => {
            slices.extend($array.iter().map(Option::unwrap_or_default))
        };
    }
    let any = array.as_any();
    if let Some(array) = any.downcast_ref::<BinaryArray>() {
        each!(array);
    } else if let Some(array) = any.downcast_ref::<LargeBinaryArray>() {
        each!(array);
    } else if let Some(array) = any.downcast_ref::<BinaryViewArray>() {
        each!(array);
    } else if let Some(array) = any.downcast_ref::<FixedSizeBinaryArray>() {
        each!(array);
    } else if let Some(dictionary) = array.as_any_dictionary_opt()
        && !dictionary.values().is_empty()
    {
        let mut values = Vec::with_capacity(dictionary.values().len());
        add(dictionary.values(), &mut values);
        let keys = dictionary.normalized_keys();
        let texts = keys.into_iter().enumerate();
        slices.extend(texts.map(|(place, key)| {
            if dictionary.is_null(place) { Default::default() } else { values[key] }
        }));
    } else {
        // Of type null, or a dictionary without words.
        slices.resize(slices.len() + array.len(), &[]);
    }
}

/// The type under which an array of `kind` is read: text as bytes, which needn't be UTF-8.
fn readable(py: Python<'_>, kind: &DataType) -> PyResult<DataType> {
    Ok(match kind {
        DataType::Binary | DataType::Utf8 => DataType::Binary,
        DataType::LargeBinary | DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::BinaryView | DataType::Utf8View => DataType::BinaryView,
        DataType::FixedSizeBinary(_) | DataType::Null => kind.clone(),
        DataType::Dictionary(keys, words) => {
            DataType::Dictionary(keys.clone(), Box::new(readable(py, words)?))
        }
        _ => {
            let hint = match kind {
                DataType::Struct(_) => ": take one column of it",
                _ => "",
            };
            let says = format!("an Arrow array of bytes or text is wanted, not of {kind}{hint}");
            return Err(door::to_python(py, &Error::new(Code::InvalidArgument, says)));
        }
    })
}

#[expect(unsafe_code, reason = "capsules hold pointers")]
fn one(
    py: Python<'_>,
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<ArrayRef> {
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold these structures, for as long as the capsules live.
    // The array is moved out of its own, which the interface allows its consumer once.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    let kind = readable(py, &DataType::try_from(schema).map_err(broken)?)?;
    taken(array, kind)
}

#[expect(unsafe_code, reason = "a stream is functions of C")]
fn all(py: Python<'_>, capsule: &Bound<'_, PyCapsule>) -> PyResult<Vec<ArrayRef>> {
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds a stream, moved out of it as the interface allows once.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.cast().as_ptr()) };
    let (Some(get_schema), Some(get_next)) = (stream.get_schema(), stream.get_next()) else {
        return Err(PyRuntimeError::new_err("the Arrow stream was used before"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream's own function, with the stream and a place for its answer.
    let status = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    worked(&mut stream, status)?;
    let kind = readable(py, &DataType::try_from(&schema).map_err(broken)?)?;
    let mut arrays = Vec::new();
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as above.
        let status = unsafe { get_next(&raw mut stream, &raw mut array) };
        worked(&mut stream, status)?;
        if array.is_released() {
            return Ok(arrays);
        }
        arrays.push(taken(array, kind.clone())?);
    }
}

#[expect(unsafe_code, reason = "what other libraries export is believed")]
fn taken(array: FFI_ArrowArray, kind: DataType) -> PyResult<ArrayRef> {
    // SAFETY: the interface promises buffers that fit the schema; text is laid out as bytes are.
    let data = unsafe { from_ffi_and_data_type(array, kind) }.map_err(broken)?;
    Ok(make_array(data))
}

#[expect(unsafe_code, reason = "a stream is functions of C")]
fn worked(stream: &mut FFI_ArrowArrayStream, status: c_int) -> PyResult<()> {
    if status == 0 {
        return Ok(());
    }
    let says = stream.get_last_error().map(|last| {
        // SAFETY: the stream's own function; its text lives until the next call.
        let text = unsafe { last(&raw mut *stream) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: it is not null, and ends with a zero.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    });
    let says = says.unwrap_or_default();
    Err(PyRuntimeError::new_err(format!("the Arrow stream failed with {status}: {says}")))
}

fn broken(error: arrow_schema::ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
