//! Exports as lines of JSON, and imports of them. Bytes go through functions of Python's files, in
//! large pieces.

use std::{
    collections::BTreeMap,
    io::{self, BufReader, BufWriter, Read, Write},
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use pyo3::{prelude::*, pybacked::PyBackedBytes, types::PyBytes};
use vox_core::exchange;
use vox_types::{Code, Error};

use crate::{archive::Archive, door};

/// Bytes that are handed over at once. Judgement.
const PIECE: usize = 1 << 20;

/// A function of Python that takes or gives bytes, and the error with which it ended.
struct Function<'f> {
    function: Py<PyAny>,
    raised: &'f Mutex<Option<PyErr>>,
}

impl Function<'_> {
    fn call<T>(&self, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> io::Result<T> {
        Python::attach(|py| {
            py.check_signals().and_then(|()| work(self.function.bind(py))).map_err(|error| {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                io::Error::other("the function of Python failed")
            })
        })
    }
}

impl Write for Function<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.call(|function| function.call1((PyBytes::new(function.py(), bytes),)).map(drop))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Function<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let piece = self.call(|function| {
            let piece = function.call1((bytes.len(),))?.extract::<PyBackedBytes>()?;
            if piece.len() > bytes.len() {
                let message = "the function gave more bytes than were wanted";
                return Err(pyo3::exceptions::PyValueError::new_err(message));
            }
            Ok(piece)
        })?;
        bytes[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

/// Runs `work` with the function; the error of the function is the error of both.
fn through<T: Send>(
    py: Python<'_>,
    function: Py<PyAny>,
    work: impl FnOnce(Function<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let raised = Mutex::new(None);
    let done = door::core(py, || work(Function { function, raised: &raised }));
    match raised.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => done,
    }
}

/// Writes an archive as lines of JSON through `write`, which takes bytes; gives how many lines and
/// bytes.
#[pyfunction]
pub fn export_jsonl(
    py: Python<'_>,
    archive: &Archive,
    write: Py<PyAny>,
    mask: bool,
) -> PyResult<(u64, u64)> {
    let archive = archive.open_core().map_err(|error| door::to_python(py, &error))?;
    through(py, write, |write| {
        let mut write = BufWriter::with_capacity(PIECE, write);
        let exported = exchange::export(archive.store(), mask, &mut write)?;
        let failed = |error| Error::new(Code::Io, format!("the export can't be written: {error}"));
        write.flush().map_err(failed)?;
        Ok((exported.lines, exported.bytes))
    })
}

/// Reads lines of JSON through `read`, which gives at most so many bytes as it is asked for, into a
/// new archive at `target`; gives how many lines there were of each type.
#[pyfunction]
pub fn import_jsonl(
    py: Python<'_>,
    read: Py<PyAny>,
    target: PathBuf,
) -> PyResult<BTreeMap<&'static str, u64>> {
    through(py, read, |read| {
        let imported = exchange::import(&mut BufReader::with_capacity(PIECE, read), &target)?;
        Ok(imported.counts)
    })
}
