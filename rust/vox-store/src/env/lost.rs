//! Generations as they lie on disk, and which is in use when `CURRENT` is lost.

use std::{fs, io::ErrorKind, path::Path};

use vox_format::rows;
use vox_pages::PageFile;
use vox_types::{Error, Result};

use super::current::Current;

/// What a generation says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// Its format; none if it was never completed.
    pub format: Option<u32>,
    /// The generation that took its place.
    pub superseded_by: Option<u64>,
}

/// What the generation with the data file `data` says of itself. Read without LMDB, which would
/// map the file: this process may have it open.
pub fn look(data: &Path) -> Result<Claims> {
    let file = PageFile::open(data)?;
    let damage = |finding: vox_pages::Finding| Error::damaged(finding.message);
    let mut claims = Claims::default();
    let Some(meta) = file.database("meta").map_err(damage)? else { return Ok(claims) };
    if let Some(format) = meta.get(&file, b"format").map_err(damage)? {
        claims.format = Some(rows::decode(&format, "meta/format")?);
    }
    if let Some(successor) = meta.get(&file, b"superseded_by").map_err(damage)? {
        claims.superseded_by = Some(rows::decode(&successor, "meta/superseded_by")?);
    }
    Ok(claims)
}

/// The numbers of the generations that have a folder, in order.
pub fn folders(archive: &Path) -> Result<Vec<u64>> {
    let db = archive.join("db");
    let entries = match fs::read_dir(&db) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(&error, &db)),
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| Error::io(&error, &db))?.file_name();
        numbers.extend(name.to_str().and_then(|name| name.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The generation in use of an archive without `CURRENT`: the lowest one that is complete and not
/// superseded. A higher one is a draft that was completed but never took its place, and what was
/// written to the lower one since isn't in it.
pub fn find_lost(archive: &Path) -> Result<Option<Current>> {
    for number in folders(archive)? {
        let data = Current::of(number).folder(archive).join("data.mdb");
        if fs::metadata(&data).is_ok_and(|data| data.len() > 0)
            && let Claims { format: Some(format), superseded_by: None } = look(&data)?
        {
            return Ok(Some(Current { format, generation: number }));
        }
    }
    Ok(None)
}
