//! The analyser as tantivy calls it.

use tantivy::tokenizer::TokenizerManager;

/// Which texts have which terms. Whatever changes that changes this number, and indexes are built
/// anew.
pub(super) const VERSION: u32 = 1;

/// The analysers of all fields.
pub(super) fn analysers() -> TokenizerManager {
    TokenizerManager::default()
}
