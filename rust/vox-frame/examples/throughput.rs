//! How fast a file is framed, and its string values cut:
//! `cargo run --release --package vox-frame --example throughput FILE`.
//!
//! Prints MB/s (10⁶ bytes of decompressed input per second), the better of nine goes.

use std::{path::Path, process::ExitCode, time::Instant};

use vox_frame::{Framer, Limits, Step, Want, WantForm, cut};
use vox_types::Result;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: throughput FILE");
        return ExitCode::from(2);
    };
    match measure(Path::new(&path)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(path: &Path) -> Result<()> {
    let mut best = (f64::MAX, f64::MAX);
    let (mut bytes, mut records, mut cut_bytes) = (0, 0, 0);
    let wants = wants();
    for _ in 0..9 {
        (records, cut_bytes) = (0, 0);
        let (mut framing, mut cutting) = (0.0, 0.0);
        let mut framer = Framer::open(path, 0, Limits::default())?;
        loop {
            let start = Instant::now();
            let batch = framer.next_batch()?;
            framing += start.elapsed().as_secs_f64();
            let Some(batch) = batch else { break };
            records += batch.len();
            let start = Instant::now();
            for record in batch.iter() {
                let apart = cut(record.bytes, &wants)?;
                cut_bytes += record.bytes.len();
                std::hint::black_box(apart);
            }
            cutting += start.elapsed().as_secs_f64();
        }
        bytes = framer.end();
        best = (best.0.min(framing), best.1.min(cutting));
    }
    println!("{records} records, {bytes} bytes");
    println!("framing {:.0} MB/s", bytes as f64 / best.0 / 1e6);
    println!("cutting {:.0} MB/s", cut_bytes as f64 / best.1 / 1e6);
    Ok(())
}

/// Where Claude Code and Codex keep most of their text.
fn wants() -> Vec<Want> {
    let key = |text: &str| Step::Key(text.to_owned());
    let want = |path: Vec<Step>, form| Want { path, form };
    let content = || vec![key("message"), key("content"), Step::Index(0)];
    let inside = |name| [content(), vec![key(name)]].concat();
    vec![
        want(inside("text"), WantForm::String),
        want(inside("thinking"), WantForm::String),
        want(inside("content"), WantForm::String),
        want(inside("input"), WantForm::Slice),
        want(vec![key("payload"), key("output")], WantForm::String),
        want(vec![key("payload"), key("arguments")], WantForm::String),
    ]
}
