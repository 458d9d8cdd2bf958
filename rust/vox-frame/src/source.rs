//! The bytes of a source file in their order, decompressed if need be.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use vox_types::{Code, Error, Result};

use crate::compressed::{Compressed, begins_frame};

/// What came of reading on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Filled {
    /// There may be more.
    More,
    /// The file ends here.
    End,
    /// The zstd frame that was read is damaged from here on; what follows is another frame.
    BadFrame,
}

/// An open source file. It is only ever read.
pub(crate) struct Source {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Plain(File),
    Compressed(Box<Compressed>),
}

impl Source {
    /// Opens `path` so that reading begins at `offset` (of the decompressed bytes).
    pub(crate) fn open(path: &Path, offset: u64) -> Result<Self> {
        let mut file = open_regular(path)?;
        let failed = |error| Error::io(&error, path);
        let kind = if is_compressed(path, &mut file).map_err(failed)? {
            Kind::Compressed(Box::new(Compressed::new(file, offset)))
        } else {
            file.seek(SeekFrom::Start(offset)).map_err(failed)?;
            Kind::Plain(file)
        };
        Ok(Self { path: path.to_owned(), kind })
    }

    /// Appends up to about `wanted` bytes to `bytes`.
    pub(crate) fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> Result<Filled> {
        let filled = match &mut self.kind {
            Kind::Plain(file) => {
                bytes.reserve(wanted);
                file.take(wanted as u64)
                    .read_to_end(bytes)
                    .map(|read| if read < wanted { Filled::End } else { Filled::More })
            }
            Kind::Compressed(compressed) => compressed.fill(bytes, wanted),
        };
        filled.map_err(|error| Error::io(&error, &self.path))
    }
}

/// Opens a file for reading; a folder, pipe or device is refused, as reading it may never end.
pub(crate) fn open_regular(path: &Path) -> Result<File> {
    let failed = |error| Error::io(&error, path);
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Error::new(
            Code::SourceUnreadable,
            format!("{} is no regular file; name a transcript file", path.display()),
        ));
    }
    File::open(path).map_err(failed)
}

/// Whether the file's name or first bytes say zstd. Leaves the position at the start.
pub(crate) fn is_compressed(path: &Path, file: &mut File) -> std::io::Result<bool> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(4).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(begins_frame(&head) || path.extension().is_some_and(|extension| extension == "zst"))
}
