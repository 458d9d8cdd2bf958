//! `vox._native`: the core of vox as a Python extension module.

use pyo3::prelude::*;

/// The core of vox.
#[pymodule]
mod _native {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
