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
    /// The archive's format.
    pub format: u32,
    /// The number of the generation in use.
    pub generation: u64,
}

impl Current {
    /// Generation `generation` in the format of this build.
    pub fn of(generation: u64) -> Self {
        Self { format: FORMAT, generation }
    }

    /// Where the generation's files are.
    pub fn folder(&self, archive: &Path) -> PathBuf {
        archive.join("db").join(self.generation.to_string())
    }

    /// Writes `CURRENT` so that a crash leaves the old or the new one.
    pub fn write(&self, archive: &Path) -> Result<()> {
        let draft = archive.join(format!("CURRENT.{}", std::process::id()));
        let write = || {
            let mut file = File::create(&draft)?;
            writeln!(file, "vox-archive {} {}", self.format, self.generation)?;
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

/// Reads `CURRENT`; none if it is missing, and the folder too or empty or one that has a `db`.
/// An error if the archive's format isn't that of this build.
pub fn read_current(archive: &Path) -> Result<Option<Current>> {
    let current = read_any_current(archive)?;
    match current {
        Some(Current { format: FORMAT, .. }) | None => Ok(current),
        Some(Current { format, .. }) => Err(other_format(archive, format)),
    }
}

/// The error of an archive that has another format than this build reads.
pub fn other_format(archive: &Path, format: u32) -> Error {
    let advice = match format < FORMAT {
        true => "run `vox archive migrate`",
        false => "use a newer vox",
    };
    let archive = archive.display();
    let message = format!("{archive}: archive format {format}; this vox reads {FORMAT}: {advice}");
    Error::new(Code::WrongVersion, message)
}

/// Like [`read_current`], for an archive of any format.
pub fn read_any_current(archive: &Path) -> Result<Option<Current>> {
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
    let format = format.parse().map_err(|_| not_current(path))?;
    let generation = generation.parse().map_err(|_| not_current(path))?;
    Ok(Current { format, generation })
}

fn not_current(path: &Path) -> Error {
    Error::new(
        Code::NotAnArchive,
        format!("{} isn't a vox CURRENT file; the folder is no vox archive", path.display()),
    )
}
