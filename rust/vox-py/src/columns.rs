//! Arrow columns for Python, through the PyCapsule interface.

use arrow_array::{
    Array, BooleanArray, DictionaryArray, FixedSizeBinaryArray, Int64Array, ListArray, RecordBatch,
    StringArray, StructArray, TimestampMillisecondArray, UInt32Array, UInt64Array,
    cast::AsArray,
    ffi::{FFI_ArrowArray, FFI_ArrowSchema},
    types::{Int8Type, Int16Type, Int32Type},
};
use arrow_schema::DataType;
use pyo3::{
    IntoPyObjectExt,
    exceptions::{PyIndexError, PyRuntimeError},
    prelude::*,
    types::{PyBytes, PyCapsule, PyDict, PyList, PyTuple},
};

/// Rows as Arrow columns. pyarrow, polars and duckdb take it without a copy:
/// `pyarrow.record_batch(columns)`.
#[pyclass(module = "vox._native", frozen)]
pub struct Columns(pub RecordBatch);

#[pymethods]
impl Columns {
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The schema as an Arrow C capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let fields = DataType::Struct(self.0.schema_ref().fields().clone());
        let schema = FFI_ArrowSchema::try_from(&fields)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Schema and rows as Arrow C capsules. A wish for another schema is not followed.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        drop(requested_schema);
        let rows = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).into_data());
        let rows = PyCapsule::new_with_value(py, rows, c"arrow_array")?;
        PyTuple::new(py, [self.__arrow_c_schema__(py)?, rows])
    }

    /// The values of one column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        match self.0.column_by_name(name) {
            Some(column) => PyList::new(py, values(py, column.as_ref())?),
            None => Err(PyIndexError::new_err(format!("there is no column {name:?}"))),
        }
    }

    /// The rows as dictionaries. Times are UTC milliseconds.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows: Vec<_> = (0..self.0.num_rows()).map(|_| PyDict::new(py)).collect();
        for (field, column) in self.0.schema_ref().fields().iter().zip(self.0.columns()) {
            let name = pyo3::types::PyString::intern(py, field.name());
            for (row, value) in rows.iter().zip(values(py, column.as_ref())?) {
                row.set_item(&name, value)?;
            }
        }
        Ok(rows)
    }

    fn __repr__(&self) -> String {
        let rows = self.0.num_rows();
        format!("Columns({rows} rows: {})", self.names().join(", "))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 20;
        let escape =
            |text: String| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let head: String =
            self.names().into_iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
        let shown = self.0.slice(0, self.0.num_rows().min(SHOWN));
        let mut rows = vec![String::new(); shown.num_rows()];
        for column in shown.columns() {
            for (row, value) in rows.iter_mut().zip(values(py, column.as_ref())?) {
                let text = if value.is_none() { String::new() } else { value.str()?.to_string() };
                row.push_str(&format!("<td>{}</td>", escape(text)));
            }
        }
        let body: String = rows.into_iter().map(|row| format!("<tr>{row}</tr>")).collect();
        let more = match self.0.num_rows() - shown.num_rows() {
            0 => String::new(),
            more => format!("<p>and {more} more rows</p>"),
        };
        Ok(format!("<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"))
    }
}

fn values<'py>(py: Python<'py>, column: &dyn Array) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let any = column.as_any();
    let object =
        |value: Option<Bound<'py, PyAny>>| value.unwrap_or_else(|| py.None().into_bound(py));
    macro_rules! each {
        ($array:expr) => {
            $array
                .iter()
                .map(|value| value.map(|value| value.into_bound_py_any(py)).transpose().map(object))
                .collect()
        };
    }
    if let Some(array) = any.downcast_ref::<UInt64Array>() {
        return each!(array);
    }
    if let Some(array) = any.downcast_ref::<UInt32Array>() {
        return each!(array);
    }
    if let Some(array) = any.downcast_ref::<Int64Array>() {
        return each!(array);
    }
    if let Some(array) = any.downcast_ref::<TimestampMillisecondArray>() {
        return each!(array);
    }
    if let Some(array) = any.downcast_ref::<BooleanArray>() {
        return each!(array);
    }
    if let Some(array) = any.downcast_ref::<StringArray>() {
        return each!(array);
    }
    if let Some(array) = any.downcast_ref::<ListArray>() {
        let list = |row: Option<_>| match row {
            Some(row) => Ok(PyList::new(py, values(py, &row)?)?.into_any()),
            None => Ok(py.None().into_bound(py)),
        };
        return array.iter().map(list).collect();
    }
    if let Some(array) = any.downcast_ref::<FixedSizeBinaryArray>() {
        return Ok(array
            .iter()
            .map(|value| object(value.map(|value| PyBytes::new(py, value).into_any())))
            .collect());
    }
    let (keys, texts): (Vec<Option<usize>>, _) =
        if let Some(array) = any.downcast_ref::<DictionaryArray<Int8Type>>() {
            (array.keys().iter().map(|key| key.map(|key| key as usize)).collect(), array.values())
        } else if let Some(array) = any.downcast_ref::<DictionaryArray<Int16Type>>() {
            (array.keys().iter().map(|key| key.map(|key| key as usize)).collect(), array.values())
        } else if let Some(array) = any.downcast_ref::<DictionaryArray<Int32Type>>() {
            (array.keys().iter().map(|key| key.map(|key| key as usize)).collect(), array.values())
        } else {
            let kind = column.data_type();
            return Err(PyRuntimeError::new_err(format!("columns of {kind} aren't known here")));
        };
    let texts = values_of_texts(py, texts.as_string::<i32>())?;
    Ok(keys.into_iter().map(|key| object(key.and_then(|key| texts.get(key).cloned()))).collect())
}

fn values_of_texts<'py>(py: Python<'py>, texts: &StringArray) -> PyResult<Vec<Bound<'py, PyAny>>> {
    texts.iter().map(|text| text.into_bound_py_any(py)).collect()
}
