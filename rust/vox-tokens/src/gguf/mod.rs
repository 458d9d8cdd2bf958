//! The tokenizer inside a GGUF file: exact means the ids that llama.cpp gives.
//!
//! Contents are counted as llama.cpp's server counts them: without what it puts before and behind
//! a prompt, and control tokens in them are text; user-defined tokens are matched. [`Framing`] has
//! what is put around contents.

mod bpe;
mod charsmap;
mod defined;
mod encoding;
mod metadata;
mod model;
mod plan;
mod prefix;
mod reader;
mod registry;
mod rwkv;
mod split;
mod spm;
mod ugm;
mod vocab;
mod wpm;

use std::{fmt, io::Read, path::Path, sync::Arc};

use vox_types::Result;

pub use metadata::Framing;

use crate::{Fingerprint, Tokenizer};

/// What the metadata of a GGUF file says; tensors are never read.
pub struct Gguf {
    tokenizer: metadata::Tokenizer,
    framing: Framing,
}

impl fmt::Debug for Gguf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gguf")
            .field("architecture", &self.architecture())
            .field("model", &self.model())
            .field("pre", &self.pre())
            .field("tokens", &self.tokens())
            .field("framing", &self.framing)
            .finish()
    }
}

impl Gguf {
    /// Reads the metadata of the file at `path`. Of a model in several files it must be the first.
    ///
    /// # Errors
    ///
    /// `malformed` if this is no whole GGUF file; `unsupported` if it is of version 1, or a later
    /// file of several; `not_found`, `permission_denied`, `io`.
    pub fn open(path: &Path) -> Result<Self> {
        let (tokenizer, framing) = metadata::open(path)?;
        Ok(Self { tokenizer, framing })
    }

    /// Reads the metadata of a file of `size` bytes.
    ///
    /// # Errors
    ///
    /// As [`Gguf::open`].
    pub fn read(from: impl Read, size: u64) -> Result<Self> {
        let (tokenizer, framing) = metadata::read(from, size)?;
        Ok(Self { tokenizer, framing })
    }

    /// `tokenizer.ggml.model`: the kind of tokenizer.
    pub fn model(&self) -> &str {
        &self.tokenizer.model
    }

    /// `tokenizer.ggml.pre`: how text is cut before merging; empty if the file doesn't say.
    pub fn pre(&self) -> &str {
        &self.tokenizer.pre
    }

    /// `general.architecture`
    pub fn architecture(&self) -> &str {
        &self.tokenizer.architecture
    }

    /// `general.name`
    pub fn name(&self) -> &str {
        &self.tokenizer.name
    }

    /// How many tokens the vocabulary has.
    pub fn tokens(&self) -> usize {
        self.tokenizer.tokens.len()
    }

    /// What is put around contents.
    pub fn framing(&self) -> &Framing {
        &self.framing
    }

    /// What counts of its tokenizer are kept under: BLAKE3 of all metadata that decides them.
    pub fn fingerprint(&self) -> Fingerprint {
        self.tokenizer.fingerprint()
    }

    /// The exact tokenizer.
    ///
    /// With `cache`, a folder, its compiled form is kept there and mapped the next time: some
    /// milliseconds instead of up to a second. What is damaged there is compiled again.
    ///
    /// # Errors
    ///
    /// `unsupported` if there is none, and why: of an unknown kind or with an unknown way of
    /// cutting text, or one whose counts llama.cpp leaves open. `malformed` if the vocabulary
    /// contradicts itself.
    pub fn tokenizer(&self, cache: Option<&Path>) -> Result<Tokenizer> {
        let fingerprint = self.fingerprint();
        let form = plan::COMPILED.form(&fingerprint.0, cache, || plan::compile(&self.tokenizer))?;
        Ok(Tokenizer::new(fingerprint, Arc::new(plan::open(form)?)))
    }
}

#[cfg(test)]
mod tests;
