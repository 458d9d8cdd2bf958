//! How fast an index is built and asked, beside tantivy as it comes, over the lines of a file.
//!
//! `index_speed FILE FOLDER REPEATS QUERY...` prints one JSON object for each of both: seconds to
//! build, bytes on disk, anonymous memory at most, milliseconds to open and ask, and for each query
//! the median of the ten best in milliseconds. `benches/bench_search.py` runs it.

use std::{
    error::Error,
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};
use tantivy::{
    IndexWriter, TantivyDocument, Term,
    collector::TopDocs,
    query::{BooleanQuery, Query, TermQuery},
    schema::{FAST, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
};
use vox_search::{
    index::{self, Document, Everything, Opened, Watermark},
    query::{Atom, AtomKind, Node},
};
use vox_types::ItemId;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// What both may use, as `index` has it: memory for postings, threads.
const MEMORY: usize = 128 << 20;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder, repeats, queries @ ..] = &arguments[..] else {
        return Err("FILE FOLDER REPEATS QUERY...".into());
    };
    let text = fs::read_to_string(file)?;
    let lines: Vec<&str> = text.lines().collect();
    let (folder, repeats) = (Path::new(folder), repeats.parse()?);
    let queries: Vec<Vec<&str>> = queries.iter().map(|query| query.split(' ').collect()).collect();
    bare(&lines, &folder.join("tantivy"), repeats, &queries)?;
    vox(&lines, &folder.join("words"), true, repeats, &queries)?;
    vox(&lines, &folder.join("all"), false, repeats, &queries)
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(4)
}

fn vox(
    lines: &[&str],
    folder: &Path,
    only_words: bool,
    repeats: usize,
    queries: &[Vec<&str>],
) -> Result<()> {
    let (built, memory) = measured(|| {
        let mut writer = index::create(folder)?;
        if only_words {
            writer.only_words();
        }
        for (number, line) in (0..).zip(lines) {
            writer.add(&Document {
                item: ItemId(number),
                content: number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
                time: number as i64,
                attributes: 0,
                name: 0,
                text: line.as_bytes(),
                touched: &[],
            })?;
        }
        writer.commit(Watermark { archive: [0; 16], event: 0, proof: [0; 16], items: 0 })?;
        Ok(writer.finish()?)
    })?;
    let node = |words: &[&str]| {
        let atom = |word: &&str| {
            let text = (*word).to_owned();
            Node::Atom(Atom { kind: AtomKind::Word, text, at: 0..0 })
        };
        Node::And(words.iter().map(atom).collect())
    };
    let open = || match index::open(folder) {
        Ok(Opened::Ready(index)) => Ok(index),
        other => Err(format!("{other:?}")),
    };
    let start = Instant::now();
    let first = queries.first().ok_or("no query")?;
    open()?.searcher().top(&node(first), &Everything, 10)?;
    let opened = start.elapsed();
    let searcher = open()?.searcher();
    let mut best = Map::new();
    for query in queries {
        let time = median(repeats, || Ok(searcher.top(&node(query), &Everything, 10)?.len()))?;
        best.insert(query.join(" "), json!(time));
    }
    let name = if only_words { "vox, words alone" } else { "vox" };
    report(name, lines, built, memory, opened, folder, best)
}

fn bare(lines: &[&str], folder: &Path, repeats: usize, queries: &[Vec<&str>]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut schema = Schema::builder();
    let id = schema.add_u64_field("id", FAST | INDEXED);
    let words = TextFieldIndexing::default()
        .set_tokenizer("default")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let body = schema.add_text_field("body", TextOptions::default().set_indexing_options(words));
    let index = tantivy::Index::create_in_dir(folder, schema.build())?;
    let (built, memory) = measured(|| {
        let mut writer: IndexWriter = index.writer_with_num_threads(threads(), MEMORY)?;
        for (number, line) in (0..).zip(lines) {
            let mut document = TantivyDocument::new();
            document.add_u64(id, number);
            document.add_text(body, line);
            writer.add_document(document)?;
        }
        writer.commit()?;
        Ok(writer.wait_merging_threads()?)
    })?;
    let query = |words: &[&str]| -> Box<dyn Query> {
        let term = |word: &&str| -> Box<dyn Query> {
            let term = Term::from_field_text(body, word);
            Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
        };
        match words {
            [word] => term(word),
            words => Box::new(BooleanQuery::intersection(words.iter().map(term).collect())),
        }
    };
    let best_of = |searcher: &tantivy::Searcher, words: &[&str]| {
        searcher.search(&query(words), &TopDocs::with_limit(10).order_by_score())
    };
    let start = Instant::now();
    let first = queries.first().ok_or("no query")?;
    best_of(&tantivy::Index::open_in_dir(folder)?.reader()?.searcher(), first)?;
    let opened = start.elapsed();
    let searcher = tantivy::Index::open_in_dir(folder)?.reader()?.searcher();
    let mut best = Map::new();
    for words in queries {
        let time = median(repeats, || Ok(best_of(&searcher, words)?.len()))?;
        best.insert(words.join(" "), json!(time));
    }
    report("tantivy", lines, built, memory, opened, folder, best)
}

/// The median of `repeats` runs after one that isn't counted, in milliseconds.
fn median(repeats: usize, mut run: impl FnMut() -> Result<usize>) -> Result<f64> {
    run()?;
    let mut times = Vec::new();
    for _ in 0..repeats.max(1) {
        let start = Instant::now();
        std::hint::black_box(run()?);
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64() * 1e3)
}

/// How long `work` took, and how many bytes of anonymous memory the process had more at most.
fn measured(work: impl FnOnce() -> Result<()>) -> Result<(Duration, u64)> {
    let before = anonymous();
    let (most, done) = (AtomicU64::new(before), AtomicBool::new(false));
    let time = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                most.fetch_max(anonymous(), Ordering::Relaxed);
                thread::park_timeout(Duration::from_millis(20));
            }
        });
        let start = Instant::now();
        let result = work().map(|()| start.elapsed());
        done.store(true, Ordering::Relaxed);
        result
    })?;
    Ok((time, most.load(Ordering::Relaxed) - before))
}

fn anonymous() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

fn report(
    name: &str,
    lines: &[&str],
    built: Duration,
    memory: u64,
    opened: Duration,
    folder: &Path,
    best: Map<String, Value>,
) -> Result<()> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        size += entry?.metadata()?.len();
    }
    let text: usize = lines.iter().map(|line| line.len()).sum();
    println!(
        "{}",
        json!({
            "name": name,
            "documents": lines.len(),
            "text_bytes": text,
            "build_s": built.as_secs_f64(),
            "disk_bytes": size,
            "anonymous_bytes": memory,
            "open_and_ask_ms": opened.as_secs_f64() * 1e3,
            "top_10_ms": best,
        })
    );
    Ok(())
}
