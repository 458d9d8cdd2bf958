//! The one door between Python and the core: releases the GIL, maps errors, borrows bytes.

use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    pybacked::{PyBackedBytes, PyBackedStr},
    sync::PyOnceLock,
    types::{PyBytes, PyDict, PyString},
};
use vox_types::{Code, ContentHash, Error};

/// Runs `work` without the GIL and maps its error.
pub fn core<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|error| to_python(py, &error))
}

/// The exception of `vox.errors` that stands for `error`.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    static CLASSES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let raise = || {
        let classes = CLASSES.get_or_try_init(py, || {
            let classes = py.import("vox.errors")?.getattr("BY_CODE")?;
            py.get_type::<PyDict>()
                .call1((classes,))?
                .cast_into::<PyDict>()
                .map(Bound::unbind)
                .map_err(PyErr::from)
        })?;
        let class = classes.bind(py).as_any().get_item(error.code.name())?;
        Ok::<_, PyErr>(PyErr::from_value(class.call1((error.message.as_str(),))?))
    };
    raise().unwrap_or_else(|broken| broken)
}

/// `bytes`, or a `str` as its UTF-8, borrowed.
pub enum AnyBytes {
    /// `bytes` or `bytearray`.
    Bytes(PyBackedBytes),
    /// `str`.
    Text(PyBackedStr),
}

impl AsRef<[u8]> for AnyBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for AnyBytes {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = value.extract::<PyBackedBytes>() {
            return Ok(Self::Bytes(bytes));
        }
        if value.is_instance_of::<PyString>() {
            // Half a surrogate has no UTF-8; Python's own error says where it stands.
            return Ok(Self::Text(value.extract()?));
        }
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("bytes or str wanted, not {kind}")))
    }
}

/// A content hash, given as its 32 bytes.
pub struct Hash(pub ContentHash);

impl<'a, 'py> FromPyObject<'a, 'py> for Hash {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let value = value.cast::<PyBytes>()?;
        let bytes = value.as_bytes();
        match bytes.try_into() {
            Ok(hash) => Ok(Self(ContentHash(hash))),
            Err(_) => {
                let says = format!("a hash is 32 bytes long, not {}", bytes.len());
                Err(to_python(value.py(), &Error::new(Code::InvalidArgument, says)))
            }
        }
    }
}
