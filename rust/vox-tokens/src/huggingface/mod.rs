//! Any `tokenizer.json` of Hugging Face's tokenizers library.
//!
//! Counts are those of the library's `encode` with `encode_special_tokens=True` and
//! `add_special_tokens=False`: what looks like a control token is text, other added tokens are
//! found, nothing is put around the text. `contracts/tokenizers.md` lists the components that are
//! covered; a file that has any other is refused.
//!
//! [`plan`] makes of a file what is kept of it, [`pipeline`] is what runs. A text is first searched for
//! [`added`] tokens; the stretches between go through [`normalise`] and [`pre_tokenise`], and each
//! piece that comes out through one of the [`models`].

mod added;
mod components;
mod fast;
mod find;
mod models;
mod normalise;
mod parse;
mod pipeline;
mod plan;
mod pre_tokenise;
mod symbols;
#[cfg(test)]
mod tests;
mod text;

use std::{fs, path::Path, sync::Arc};

use vox_types::{Error, Result};

pub use components::{NORMALISERS, PRE_TOKENISERS};

use self::pipeline::Pipeline;
use crate::{Fingerprint, Tokenizer, compiled::Kind};

/// Said before what a fingerprint is of. Rises when the same plan counts otherwise.
const ALGORITHM: &str = "vox tokenizer.json 1";

/// Compiled forms of files.
const COMPILED: Kind = Kind { magic: *b"voxtoken", version: 3, extension: "voxtoken" };

/// The tokenizer of a `tokenizer.json` file.
///
/// With `cache`, a folder, the compiled form is kept there and mapped the next time: some
/// milliseconds instead of up to a second. What is damaged there is compiled again.
///
/// # Errors
///
/// `unsupported` if a part of the file isn't covered; `malformed` if it contradicts itself; an
/// error of the system if it can't be read.
pub fn open(path: &Path, cache: Option<&Path>) -> Result<Tokenizer> {
    let bytes = fs::read(path).map_err(|error| Error::io(&error, path))?;
    from_bytes(&bytes, cache)
        .map_err(|error| Error::new(error.code, format!("{}: {error}", path.display())))
}

/// The tokenizer that the bytes of a `tokenizer.json` describe; see [`open`].
///
/// # Errors
///
/// `unsupported` if a part of it isn't covered; `malformed` if it contradicts itself.
pub fn from_bytes(bytes: &[u8], cache: Option<&Path>) -> Result<Tokenizer> {
    let origin = *blake3::hash(bytes).as_bytes();
    let compiled = COMPILED.form(&origin, cache, || plan::compile(parse::File::read(bytes)?))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(ALGORITHM.as_bytes());
    hasher.update(&compiled.hash);
    let fingerprint = Fingerprint(*hasher.finalize().as_bytes());
    Ok(Tokenizer::new(fingerprint, Arc::new(Pipeline::new(&compiled)?)))
}
