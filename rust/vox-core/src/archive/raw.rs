//! Giving source files back as they were read.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Path, PathBuf},
};

use vox_format::{chunk::Chunk, keys::Domain, rows::CursorRow};
use vox_store::{
    Snapshot,
    raw::{self, FileStretch},
};
use vox_types::{Code, Error, Rest, Result, WindowNo};

use super::{
    Archive,
    standing::{path_bytes, path_of},
};

/// What is kept of one reading of a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawFile {
    /// Where the file stood.
    pub path: PathBuf,
    /// Which reading of it.
    pub reading: u32,
    /// Every reading of which something is kept.
    pub readings: Vec<u32>,
    /// Whether it was read to its end.
    pub whole: bool,
    /// The stretches, in order: place, length and raw run.
    pub stretches: Vec<(u64, u64, u64)>,
}

/// Source bytes of a raw run, and which of them were purged.
pub type Piece = (Vec<u8>, Vec<Range<usize>>);

impl Archive {
    /// The source files that `text` names: the path of one that was read, or the end of one path
    /// alone, or a window, which names those that it was read from.
    pub fn raw_sources(&self, text: &str) -> Result<Vec<PathBuf>> {
        let cursors = self.store.snapshot(|snapshot| snapshot.cursors())?;
        let wanted = std::path::absolute(text).unwrap_or_else(|_| PathBuf::from(text));
        if cursors.iter().any(|cursor| cursor.path == path_bytes(&wanted)) {
            return Ok(vec![wanted]);
        }
        match self.find_window(text) {
            Ok(window) => return self.sources_of(window, &cursors),
            Err(error) if error.code != Code::NotFound => return Err(error),
            Err(_) => {}
        }
        let ends = |cursor: &&CursorRow| path_of(&cursor.path).ends_with(text);
        let found: Vec<PathBuf> =
            cursors.iter().filter(ends).map(|cursor| path_of(&cursor.path)).collect();
        match found.len() {
            0 => Err(Error::new(
                Code::NotFound,
                format!("there is no window and no source file {text:?}; `vox ls` lists windows"),
            )),
            1 => Ok(found),
            more => Err(Error::new(
                Code::InvalidArgument,
                format!("{more} source files have paths that end with {text}; give more of it"),
            )),
        }
    }

    /// The files that a window was read from: that which it began in, then others that brought
    /// items of its own.
    fn sources_of(&self, window: WindowNo, cursors: &[CursorRow]) -> Result<Vec<PathBuf>> {
        let (first, runs, stretches) = self.store.snapshot(|snapshot| {
            let source = snapshot.window(window)?.source;
            Ok((source, raw_runs_of(snapshot, window)?, snapshot.all_raw_stretches()?))
        })?;
        let runs_of = |source: [u8; 16]| -> BTreeSet<u64> {
            let own = stretches.iter().filter(|stretch| stretch.cursor == source);
            own.map(|stretch| stretch.row.run).collect()
        };
        let mut left = runs;
        let mut sources: Vec<[u8; 16]> = first.into_iter().collect();
        if let Some(first) = first {
            let runs = runs_of(first);
            left.retain(|run| !runs.contains(run));
        }
        for stretch in &stretches {
            if left.contains(&stretch.row.run) {
                let runs = runs_of(stretch.cursor);
                left.retain(|run| !runs.contains(run));
                sources.push(stretch.cursor);
            }
        }
        let path = |source: &[u8; 16]| {
            let of = |cursor: &&CursorRow| raw::source_key(&cursor.path) == *source;
            cursors.iter().find(of).map(|cursor| path_of(&cursor.path))
        };
        let paths: Vec<PathBuf> = sources.iter().filter_map(path).collect();
        if paths.is_empty() {
            let message = "the window was not read from a file: there are no source bytes of it";
            return Err(Error::new(Code::NotFound, message));
        }
        Ok(paths)
    }

    /// What is kept of the file at `path`: of its last reading, or of that with a number.
    pub fn raw_file(&self, path: &Path, reading: Option<u32>) -> Result<RawFile> {
        self.store.snapshot(|snapshot| {
            let bytes = path_bytes(path);
            let missing = |what: String| Error::new(Code::NotFound, what);
            let cursor = snapshot.cursor(bytes)?.ok_or_else(|| {
                missing(format!("{} was never read into this archive", path.display()))
            })?;
            let all = snapshot.raw_file(bytes)?;
            let readings: BTreeSet<u32> = all.iter().map(|stretch| stretch.reading).collect();
            let reading = reading.unwrap_or(cursor.reading);
            let in_domain = |domain| {
                let of = move |stretch: &&FileStretch| {
                    stretch.reading == reading && stretch.domain == domain
                };
                all.iter().filter(of).map(|s| (s.offset, s.row.length, s.row.run)).collect()
            };
            let mut stretches: Vec<_> = in_domain(Domain::Stored);
            if stretches.is_empty() {
                stretches = in_domain(Domain::Content);
            }
            let is_last = reading == cursor.reading;
            if stretches.is_empty() && !(is_last && cursor.size == 0) {
                let readings: Vec<String> = readings.iter().map(u32::to_string).collect();
                return Err(missing(match readings.is_empty() {
                    true => format!("no bytes of {} are kept", path.display()),
                    false => format!(
                        "no bytes of reading {reading} of {} are kept; of these they are: {}",
                        path.display(),
                        readings.join(", ")
                    ),
                }));
            }
            Ok(RawFile {
                path: path.to_owned(),
                reading,
                readings: readings.into_iter().collect(),
                whole: !is_last || cursor.size != u64::MAX,
                stretches,
            })
        })
    }

    /// The source bytes of a raw run, checked against their hash.
    pub fn raw_piece(&self, run: u64) -> Result<Piece> {
        let source = self.store.snapshot(|snapshot| snapshot.raw_source(run))?;
        Ok((source.bytes, source.holes))
    }
}

/// The raw runs that hold records of the items that a window owns.
fn raw_runs_of(snapshot: &Snapshot<'_>, window: WindowNo) -> Result<BTreeSet<u64>> {
    let mut found = BTreeSet::new();
    let mut ordinal = 0;
    while let Some(extent) = snapshot.extent_at(window, ordinal)? {
        ordinal = extent.end();
        if snapshot.run(extent.run)?.window != window {
            continue;
        }
        let mut position = extent.first;
        while position < extent.end_position() {
            let Some((first, chunk)) = snapshot.chunk(extent.run, position)? else { break };
            let chunk = Chunk::parse(chunk)?;
            for place in 0..chunk.len() {
                if let Some(Rest::Record(record)) = chunk.rest_at(place) {
                    found.insert(record.run());
                }
            }
            position = first + chunk.len() as u32;
        }
    }
    Ok(found)
}
