//! Compiles the vocabularies of `contracts/vocabularies`.

use std::{error::Error, fs, io::Read, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::GzDecoder;
use vox_bpe::{Source, Vocabulary};

const NAMES: [&str; 3] = ["o200k_base", "cl100k_base", "p50k_base"];

fn main() -> Result<(), Box<dyn Error>> {
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("run this by cargo")?;
    let out = std::env::var_os("OUT_DIR").ok_or("run this by cargo")?;
    let folder = Path::new(&crate_folder).join("../../contracts/vocabularies");
    for name in NAMES {
        let path = folder.join(format!("{name}.tiktoken.gz"));
        println!("cargo::rerun-if-changed={}", path.display());
        let mut text = String::new();
        GzDecoder::new(fs::File::open(&path)?).read_to_string(&mut text)?;
        let vocabulary = Vocabulary::compile(&Source::ranks(tokens(&text)?))?;
        let out = Path::new(&out).join(name);
        fs::write(&out, vocabulary.as_bytes())?;
        fs::write(out.with_extension("blake3"), blake3::hash(text.as_bytes()).as_bytes())?;
    }
    Ok(())
}

/// The tokens of a `.tiktoken` file: on each line the bytes in base64, and the rank.
fn tokens(text: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let (bytes, rank) = line.split_once(' ').ok_or("a line without a rank")?;
        let rank: usize = rank.parse()?;
        if tokens.len() <= rank {
            tokens.resize(rank + 1, Vec::new());
        }
        tokens[rank] = STANDARD.decode(bytes)?;
    }
    Ok(tokens)
}
