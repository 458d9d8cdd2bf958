//! `vox._native`: the core of vox as a Python extension module.

mod archive;
mod arrow_texts;
mod bounds;
mod columns;
mod committing;
mod content;
mod counts;
mod door;
mod drafts;
mod exchange;
mod filters;
mod frames;
mod generations;
mod gguf;
mod ids;
mod keeping;
mod outline;
mod pack;
mod producers;
mod ratios;
mod relations;
mod salvage;
mod search;
mod secrets;
mod soundness;
mod texts;
mod tokens;
mod view;
mod window_ops;

use pyo3::prelude::*;

/// The core of vox.
#[pymodule]
mod _native {
    use pyo3::{prelude::*, types::PyBytes};
    use rayon::prelude::*;
    use vox_types::{Code, ContentHash};

    #[pymodule_export]
    use crate::{
        archive::{Archive, Prepared, SourceToken},
        bounds::{AssumedBound, StreamBound},
        columns::Columns,
        committing::{commit_context, committed_context, set_fates, set_route},
        content::ContentStore,
        counts::{CountCache, count_items, view_item_ids},
        exchange::{export_jsonl, import_jsonl},
        frames::{Framer, Records},
        gguf::Gguf,
        ids::IdMap,
        outline::{Outline, outline},
        pack::pack,
        producers::{
            add_history, append_messages, append_session_events, conversations,
            create_conversation, delete_conversation, history, messages, pin_history,
            refold_sessions, remove_history, rename_conversation, session_events, sessions,
        },
        ratios::{Ratio, census, content_classes},
        relations::{Relations, read_many, relations},
        salvage::salvage_archive,
        search::{Answered, related, search, update_index},
        secrets::{
            find_secrets, item_secrets, mask_secrets, masked_item, masked_previews, scan_secrets,
            secret_rules_version,
        },
        tokens::Tokenizer,
        view::WindowView,
        window_ops::{fork, label, links, mark, merge},
    };

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// `contracts/models.toml`, as it stands: which tokenizer a model has.
    #[pymodule_export]
    const MODELS: &str = include_str!("../../../contracts/models.toml");
    /// `contracts/models/catalogue.jsonl`, as it stands: what is known of models.
    #[pymodule_export]
    const CATALOGUE: &str = include_str!("../../../contracts/models/catalogue.jsonl");
    /// `contracts/framing.toml`, as it stands: what a request costs beyond its texts.
    #[pymodule_export]
    const FRAMING: &str = include_str!("../../../contracts/framing.toml");

    /// The codes that errors of the core carry.
    #[pyfunction]
    fn error_codes() -> Vec<&'static str> {
        Code::ALL.iter().map(|code| code.name()).collect()
    }

    /// Checks the archive at a path, also one that can't be opened.
    #[pyfunction]
    fn verify_archive<'py>(
        py: Python<'py>,
        path: std::path::PathBuf,
        sample: Option<u64>,
    ) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let options = vox_store::verify::Options { sample };
        let report = crate::door::core(py, || vox_store::verify::verify_archive(&path, &options))?;
        crate::soundness::report(py, &report)
    }

    /// Brings the archive at a path to the format of this build; None if it has that.
    #[pyfunction]
    fn migrate_archive<'py>(
        py: Python<'py>,
        path: std::path::PathBuf,
    ) -> PyResult<Option<Bound<'py, pyo3::types::PyDict>>> {
        let done = crate::door::core(py, || vox_store::generations::migrate(&path))?;
        done.map(|done| crate::generations::migrated(py, &done)).transpose()
    }

    /// BLAKE3-256 of each of `items`, 32 bytes apiece, in one piece.
    #[pyfunction]
    fn hash_many<'py>(
        py: Python<'py>,
        items: Vec<crate::door::AnyBytes>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let items: Vec<&[u8]> = items.iter().map(|item| item.as_ref()).collect();
        let hash_all = || items.par_iter().with_min_len(64).map(|item| ContentHash::of(item).0);
        let hashes: Vec<[u8; 32]> =
            crate::door::core(py, || vox_store::cores::on_all(|| hash_all().collect()))?;
        Ok(PyBytes::new(py, hashes.as_flattened()))
    }
}
