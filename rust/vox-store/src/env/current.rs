//! The `CURRENT` file, which names the generation in use.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use vox_types::{Code, Error, Result};

/// The format this build reads and writes.
pub const FORMAT: u32 = 2;

/// What `CURRENT` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Current {
    /// The number of the generation in use.
    pub generation: u64,
}

impl Current {
    /// Where the generation's files are.
    pub fn folder(&self, archive: &Path) -> PathBuf {
        archive.join("db").join(self.generation.to_string())
    }

    /// Writes `CURRENT` so that a crash leaves the old or the new one.
    pub fn write(&self, archive: &Path) -> Result<()> {
        let draft = archive.join(format!("CURRENT.{}", std::process::id()));
        let write = || {
            let mut file = File::create(&draft)?;
            writeln!(file, "vox-archive {FORMAT} {}", self.generation)?;
            file.sync_all()?;
            fs::rename(&draft, archive.join("CURRENT"))?;
            sync_folder(archive)
        };
        write().map_err(|error| Error::io(&error, archive))
    }
}

/// Returns when the entries of `folder` are on disk.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Where folders can't be synced there is nothing to do.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Reads `CURRENT`; none if the folder is missing or empty, and so free to become an archive.
pub fn read_current(archive: &Path) -> Result<Option<Current>> {
    let path = archive.join("CURRENT");
    match fs::read_to_string(&path) {
        Ok(text) => parse(&text, &path).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => match fs::read_dir(archive) {
            Ok(mut entries) => match entries.next() {
                None => Ok(None),
                Some(_) if archive.join("db").is_dir() => Ok(None),
                Some(_) => Err(Error::new(
                    Code::NotAnArchive,
                    format!(
                        "{} holds files but no vox archive (no CURRENT); choose an empty folder or an archive",
                        archive.display()
                    ),
                )),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Err(Error::new(
                Code::NotAnArchive,
                format!("{} is a file, not an archive", archive.display()),
            )),
            Err(error) => Err(Error::io(&error, archive)),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Err(Error::new(
            Code::NotAnArchive,
            format!("{} is a file, not an archive", archive.display()),
        )),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(not_current(&path)),
        Err(error) => Err(Error::io(&error, &path)),
    }
}

fn parse(text: &str, path: &Path) -> Result<Current> {
    let mut words = text.split_whitespace();
    let (Some("vox-archive"), Some(format), Some(generation), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(not_current(path));
    };
    if format.parse() != Ok(FORMAT) {
        return Err(Error::new(
            Code::WrongVersion,
            format!(
                "{} names archive format {format}; this vox reads format {FORMAT}: use a newer vox",
                path.display()
            ),
        ));
    }
    let generation = generation.parse().map_err(|_| not_current(path))?;
    Ok(Current { generation })
}

fn not_current(path: &Path) -> Error {
    Error::new(
        Code::NotAnArchive,
        format!("{} isn't a vox CURRENT file; the folder is no vox archive", path.display()),
    )
}
