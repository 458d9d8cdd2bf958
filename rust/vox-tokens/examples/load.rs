//! Opens tokenizers of files and says how long that took, with what is compiled kept in a folder:
//! `cargo run --release -p vox-tokens --example load -- FOLDER FILE…`. For profiling.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use vox_tokens::{gguf::Gguf, huggingface};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().ok_or("name a folder, then files")?;
    for path in arguments {
        for _ in 0..2 {
            load(&path, &folder)?;
        }
    }
    Ok(())
}

fn load(path: &Path, folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let (read, tokenizer) = if path.extension().is_some_and(|end| end == "gguf") {
        let gguf = Gguf::open(path)?;
        (start.elapsed(), gguf.tokenizer(Some(folder))?)
    } else {
        (start.elapsed(), huggingface::open(path, Some(folder))?)
    };
    let opened = start.elapsed();
    tokenizer.symbols();
    let bounds = start.elapsed() - opened;
    println!(
        "opened in {opened:9.1?}, of which reading {read:9.1?}; bounds in {bounds:9.1?}  {}",
        path.display()
    );
    Ok(())
}
