//! `vox._native`: the core of vox as a Python extension module.

use pyo3::prelude::*;

/// The core of vox.
#[pymodule]
mod _native {
    use pyo3::prelude::*;
    use vox_types::Code;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The codes that errors of the core carry.
    #[pyfunction]
    fn error_codes() -> Vec<&'static str> {
        Code::ALL.iter().map(|code| code.name()).collect()
    }
}
