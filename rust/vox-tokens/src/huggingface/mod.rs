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

use std::{fs::File, io::Read, path::Path, sync::Arc};

use vox_types::{Code, Error, Result};

pub use components::{NORMALISERS, PRE_TOKENISERS};

use self::pipeline::Pipeline;
use crate::{Fingerprint, Tokenizer, compiled::Kind};

/// Said before what a fingerprint is of. Rises when the same plan counts otherwise.
const ALGORITHM: &str = "vox tokenizer.json 1";

/// Judgement. Bytes of the largest file that is read: those of 260,000 tokens have 33 million.
const LARGEST: u64 = 1 << 28;

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
/// error of the system if it can't be read, `too_large` if it has more than 256 MiB.
pub fn open(path: &Path, cache: Option<&Path>) -> Result<Tokenizer> {
    let bytes = read(path)?;
    from_bytes(&bytes, cache)
        .map_err(|error| Error::new(error.code, format!("{}: {error}", path.display())))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| {
        // What the system says of its size may be wrong, or no longer true.
        let size = file.metadata()?.len();
        if size <= LARGEST {
            bytes.reserve(size as usize + 1);
            file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        }
        Ok(size.max(bytes.len() as u64))
    });
    let size = read.map_err(|error| Error::io(&error, path))?;
    if size > LARGEST {
        let message = format!(
            "{}: a tokenizer.json of {size} bytes; vox reads up to {LARGEST}, which no \
             known tokenizer comes near. Is it one?",
            path.display()
        );
        return Err(Error::new(Code::TooLarge, message));
    }
    Ok(bytes)
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
