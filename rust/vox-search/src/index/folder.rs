//! The folder of an index: what state it is in, and what it covers.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tantivy::{
    IndexReader, ReloadPolicy, TantivyError, directory::error::OpenReadError,
    index::SegmentComponent,
};
use vox_types::{Code, Error, Result};

use super::{
    Searcher, Writer, checked,
    directory::Mapped,
    errors::{self, input_output},
    fields::{Fields, schema},
    tokens,
};
use crate::analyse;

/// The format of documents and fields. An index of another one is built anew.
const FORMAT: u32 = 1;
/// The file that says which segments there are.
const META: &str = "meta.json";
/// Attempts to see segments and watermark of one commit. Judgement: commits are seconds apart.
const ATTEMPTS: u32 = 100;

/// What an index covers: everything that the log of `archive` says up to an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watermark {
    /// The archive's id.
    pub archive: [u8; 16],
    /// The last event that is covered.
    pub event: u64,
    /// The first bytes of that event's hash: an archive that was put back to an earlier state and
    /// went on from there has another event of this number.
    pub proof: [u8; 16],
    /// How many items the archive had then, so that a log which doesn't tell of all is noticed.
    pub items: u64,
}

/// What a commit says about itself.
#[derive(Serialize, Deserialize)]
struct Payload {
    format: u32,
    analyser: u32,
    watermark: Watermark,
}

/// What was found in a folder.
#[derive(Debug)]
pub enum Opened {
    /// An index that can be used.
    Ready(Box<Index>),
    /// Nothing, or an index that was never finished.
    Missing,
    /// An index of an earlier format or analyser.
    Older,
    /// An index of a later format or analyser.
    Newer,
    /// An index that can't be read, and why.
    Damaged(String),
}

/// An index as its last commit left it when it was opened.
pub struct Index {
    folder: PathBuf,
    index: tantivy::Index,
    searcher: Searcher,
    fields: Fields,
    watermark: Watermark,
    stand: Option<Stand>,
}

/// Tells two states of [`META`] apart: a commit replaces the file.
type Stand = (u64, i64, i64, u64);

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("folder", &self.folder)
            .field("watermark", &self.watermark)
            .finish_non_exhaustive()
    }
}

/// Opens the index in `folder`.
///
/// Errors: those of the system, such as a folder that may not be read.
pub fn open(folder: &Path) -> Result<Opened> {
    if !folder.join(META).try_exists().map_err(|error| Error::io(&error, folder))? {
        return Ok(Opened::Missing);
    }
    match open_there(folder) {
        Ok(opened) => Ok(opened),
        Err(error) => match input_output(&error) {
            // It went while it was opened.
            Some(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Opened::Missing),
            Some(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                Err(Error::io(error, folder))
            }
            _ => Ok(Opened::Damaged(errors::fault(&error, folder))),
        },
    }
}

fn open_there(folder: &Path) -> tantivy::Result<Opened> {
    let mut index = match tantivy::Index::open(Mapped::open(folder)?) {
        Ok(index) => index,
        Err(TantivyError::IncompatibleIndex(_)) => return Ok(Opened::Older),
        Err(error) => return Err(error),
    };
    index.set_tokenizers(tokens::analysers());
    let (schema, fields) = schema();
    for _ in 0..ATTEMPTS {
        let stand = stand(folder);
        let meta = index.load_metas()?;
        let Some(payload) = &meta.payload else { return Ok(Opened::Missing) };
        let payload: Payload = serde_json::from_str(payload)?;
        if payload.format > FORMAT || payload.analyser > analyse::VERSION {
            return Ok(Opened::Newer);
        }
        if payload.format < FORMAT
            || payload.analyser < analyse::VERSION
            || index.schema() != schema
        {
            return Ok(Opened::Older);
        }
        for segment in &meta.segments {
            // Without it, tantivy would read on and find no phrase.
            let positions = segment.relative_path(SegmentComponent::Positions);
            if !folder.join(&positions).try_exists()? {
                return Err(OpenReadError::FileDoesNotExist(positions).into());
            }
        }
        if let Some(file) = checked::check(&index, &meta, folder)? {
            let file = folder.join(file);
            return Ok(Opened::Damaged(format!("{} is not what was written", file.display())));
        }
        let reader: IndexReader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        if index.load_metas()?.opstamp == meta.opstamp {
            let watermark = payload.watermark;
            let searcher = Searcher::new(reader.searcher(), fields, folder)?;
            let folder = folder.to_owned();
            let index = Index { folder, index, searcher, fields, watermark, stand };
            return Ok(Opened::Ready(Box::new(index)));
        }
    }
    Err(TantivyError::SystemError("it changes faster than it can be opened".into()))
}

/// Makes an empty index in `folder`, which must be empty or not exist. It counts as missing until
/// the first commit.
///
/// Errors: those of the system; `busy` if another process writes there.
pub fn create(folder: &Path) -> Result<Writer> {
    fs::create_dir_all(folder).map_err(|error| Error::io(&error, folder))?;
    let (schema, fields) = schema();
    let make = || {
        let mut index = tantivy::Index::create(
            Mapped::open(folder)?,
            schema,
            tantivy::IndexSettings::default(),
        )?;
        index.set_tokenizers(tokens::analysers());
        Writer::open(&index, fields, folder)
    };
    make().map_err(|error| errors::error(&error, folder))?.ok_or_else(|| {
        Error::new(Code::Busy, format!("{}: another process builds an index", folder.display()))
    })
}

/// The text that goes with a commit that covers `watermark`.
pub(super) fn payload(watermark: Watermark) -> String {
    let payload = Payload { format: FORMAT, analyser: analyse::VERSION, watermark };
    serde_json::to_string(&payload).unwrap_or_default()
}

fn stand(folder: &Path) -> Option<Stand> {
    let meta = fs::metadata(folder.join(META)).ok()?;
    Some((meta.ino(), meta.mtime(), meta.mtime_nsec(), meta.len()))
}

impl Index {
    /// What it covers.
    pub fn watermark(&self) -> Watermark {
        self.watermark
    }

    /// Whether nothing was committed since it was opened, and the folder is still there.
    pub fn is_current(&self) -> bool {
        self.stand.is_some() && stand(&self.folder) == self.stand
    }

    /// Whether its folder still is an index; nobody removed it.
    pub fn is_there(&self) -> bool {
        stand(&self.folder).is_some()
    }

    /// How many documents it holds.
    pub fn len(&self) -> u64 {
        self.searcher.documents()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Answers questions from it.
    pub fn searcher(&self) -> Searcher {
        self.searcher.clone()
    }

    /// Writes to it; none: another writer is at work, here or in another process.
    ///
    /// Errors: those of the system.
    pub fn writer(&self) -> Result<Option<Writer>> {
        Writer::open(&self.index, self.fields, &self.folder)
            .map_err(|error| errors::error(&error, &self.folder))
    }
}
