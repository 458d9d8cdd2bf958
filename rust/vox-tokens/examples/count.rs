//! Counts files with a shipped encoding or a `tokenizer.json`, each from a fresh tokenizer, and says
//! how fast: `cargo run --release -p vox-tokens --example count -- o200k_base FILE…`. For profiling.

use std::{fs, time::Instant};

use rustix::time::{ClockId, clock_gettime};
use vox_tokens::{huggingface, shipped};

/// Bytes of an item, as a transcript's might be.
const ITEM: usize = 4096;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("name an encoding, then files")?;
    for path in arguments {
        let text = fs::read_to_string(&path)?;
        let items = items(&text);
        let start = Instant::now();
        let tokenizer = match shipped(&name)? {
            Some(tokenizer) => tokenizer,
            None => huggingface::from_bytes(&fs::read(&name)?, None)?,
        };
        let opened = start.elapsed();
        let start = on_cpu();
        let count: u64 =
            items.iter().map(|item| tokenizer.with(|worker| worker.count(item, u64::MAX))).sum();
        let seconds = (on_cpu() - start) as f64 / 1e9;
        println!(
            "{:8.1} MB/s  {:6.1} ns/token  {count} tokens  opened in {opened:?}  {path}",
            text.len() as f64 / seconds / 1e6,
            seconds * 1e9 / count as f64,
        );
    }
    Ok(())
}

/// Nanoseconds that this thread was on a processor: what others do there doesn't count.
fn on_cpu() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn items(mut text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    while !text.is_empty() {
        let mut end = text.len().min(ITEM);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let (item, rest) = text.split_at(end);
        items.push(item);
        text = rest;
    }
    items
}
