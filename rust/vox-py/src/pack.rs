//! The knapsack solver.

use pyo3::{
    buffer::{Element, PyBuffer},
    exceptions::PyBufferError,
    prelude::*,
    types::PyByteArray,
};
use vox_pack::Problem;

use crate::{door, tokens::numbers};

/// Fates as `uint8`, the tokens that they cost, their value, the bound, the gap, and the tokens of
/// each claimant as `uint64`.
type Packed<'py> = (Bound<'py, PyByteArray>, u64, f64, f64, f64, Bound<'py, PyByteArray>);

/// Chooses a fate for each item. Columns are buffers of the types that `vox.pack` names, one row
/// of `costs` and `values` for each item.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the columns of vox.pack")]
#[pyo3(signature = (costs, values, fates, budget, groups, pins, claimants, caps))]
pub fn pack<'py>(
    py: Python<'py>,
    costs: PyBuffer<u32>,
    values: PyBuffer<f64>,
    fates: usize,
    budget: u64,
    groups: Option<PyBuffer<i32>>,
    pins: Option<PyBuffer<i8>>,
    claimants: Option<PyBuffer<u8>>,
    caps: Option<PyBuffer<u64>>,
) -> PyResult<Packed<'py>> {
    let groups = groups.map(|column| column.to_vec(py)).transpose()?;
    let pins = pins.map(|column| column.to_vec(py)).transpose()?;
    let claimants = claimants.map(|column| column.to_vec(py)).transpose()?;
    let caps = caps.map(|column| column.to_vec(py)).transpose()?;
    let (cost_rows, value_rows) = (borrowed(&costs)?, borrowed(&values)?);
    let packing = door::core(py, || {
        let problem = Problem {
            costs: cost_rows,
            values: value_rows,
            fates,
            budget,
            groups: groups.as_deref(),
            pins: pins.as_deref(),
            claimants: claimants.as_deref(),
            caps: caps.as_deref(),
        };
        if vox_pack::wants_threads(problem.items()) {
            vox_store::cores::on_all(|| vox_pack::pack(&problem))?
        } else {
            vox_pack::pack(&problem)
        }
    })?;
    Ok((
        PyByteArray::new(py, &packing.fates),
        packing.used,
        packing.value,
        packing.bound,
        packing.gap(),
        numbers(py, &packing.by_claimant, u64::to_ne_bytes)?,
    ))
}

/// The numbers of a column where they stand: copying them would take as long as packing.
#[expect(unsafe_code, reason = "a buffer has no other view for several threads that isn't a copy")]
fn borrowed<T: Element>(column: &PyBuffer<T>) -> PyResult<&[T]> {
    if !column.is_c_contiguous() {
        return Err(PyBufferError::new_err("the rows must lie side by side"));
    }
    if column.item_count() == 0 {
        return Ok(&[]);
    }
    // SAFETY: the buffer is held for as long as the slice lives, it is aligned and in order as
    // `PyBuffer` checks, and any bits are a number. `vox.pack` says that nobody may write to it.
    Ok(unsafe { std::slice::from_raw_parts(column.buf_ptr().cast(), column.item_count()) })
}
