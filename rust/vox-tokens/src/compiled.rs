//! Compiled forms of tokenizers, kept in a folder between processes: a plan, which is small, and
//! tables in one run of bytes, which are mapped from there and used as they lie.
//!
//! | bytes | what |
//! |---|---|
//! | 0–8 | magic of the kind |
//! | 8–16 | versions of this layout, of the kind, of `vox-bpe`'s tables |
//! | 16–48 | BLAKE3 of what it was compiled from |
//! | 48–80 | BLAKE3 of everything behind it |
//! | 80–128 | bytes of the plan and of the five tables |
//! | 128– | these six, each from a multiple of 64 on |
//!
//! All numbers are little-endian. What is damaged, cut off, foreign or of another version is as if
//! it weren't there.

use std::{
    fs::{self, File},
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use memmap2::Mmap;
use serde::{Serialize, de::DeserializeOwned};
use vox_types::{Code, Error, Result};

const HEADER: usize = 128;
/// Where in it lengths begin, and what is checked.
const LENGTHS: usize = 80;
const LINE: usize = 64;
/// Tables that a form has room for.
const TABLES: usize = 5;
const PARTS: usize = 1 + TABLES;
/// Judgement. Names of drafts that are tried; one is taken only while it is written, or where a
/// process was killed that had the same number.
const DRAFTS: u32 = 64;

/// The tables of a form; what each is, and which are empty, its kind and plan say.
pub type Tables = [Vec<u64>; TABLES];

/// Values of 32 bits as words, the last of which may be padded.
pub fn words(values: &[u32]) -> Vec<u64> {
    let mut words = vec![0; values.len().div_ceil(2)];
    bytemuck::cast_slice_mut(&mut words)[..values.len()].copy_from_slice(values);
    words
}

/// What forms are of.
pub struct Kind {
    /// What they begin with.
    pub magic: [u8; 8],
    /// Rises with every change of the plan or of what a table means.
    pub version: u16,
    /// What names of files end in.
    pub extension: &'static str,
}

/// A compiled form, in memory or mapped.
pub struct Form<P> {
    /// Everything but the tables.
    pub plan: P,
    /// BLAKE3 of plan and tables.
    pub hash: [u8; 32],
    bytes: Arc<Bytes>,
    parts: [Range<usize>; PARTS],
}

enum Bytes {
    Memory(Vec<u64>),
    Mapped(Mmap),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Memory(words) => bytemuck::cast_slice(words),
            Self::Mapped(map) => map,
        }
    }
}

/// One table of a form.
#[derive(Clone)]
pub struct Table {
    bytes: Arc<Bytes>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Table {
    fn as_ref(&self) -> &[u8] {
        &(*self.bytes).as_ref()[self.range.clone()]
    }
}

impl Table {
    /// The table as words. It begins at a multiple of 64 bytes.
    pub fn words(&self) -> &[u64] {
        bytemuck::cast_slice(self.as_ref())
    }

    /// The table as values of 32 bits; behind the last of them may be a 0.
    pub fn values(&self) -> &[u32] {
        bytemuck::cast_slice(self.as_ref())
    }

    /// The table as numbers.
    pub fn numbers(&self) -> &[f64] {
        bytemuck::cast_slice(self.as_ref())
    }
}

impl<P> Form<P> {
    /// One of the tables.
    pub fn table(&self, at: usize) -> Table {
        Table { bytes: self.bytes.clone(), range: self.parts[1 + at].clone() }
    }

    /// All of them.
    pub fn tables(&self) -> [Table; TABLES] {
        std::array::from_fn(|at| self.table(at))
    }
}

impl Kind {
    /// The form of what has the BLAKE3 `origin`: from the folder `cache` if it is there and whole,
    /// else compiled, and put there for the next time. A folder that can't be written only costs
    /// time.
    ///
    /// # Errors
    ///
    /// Those of `compile`.
    pub fn form<P: Serialize + DeserializeOwned>(
        &self,
        origin: &[u8; 32],
        cache: Option<&Path>,
        compile: impl FnOnce() -> Result<(P, Tables)>,
    ) -> Result<Form<P>> {
        let place = cache.map(|folder| self.place(folder, origin));
        if let Some(kept) = place.as_ref().and_then(|place| self.load(place, origin)) {
            return Ok(kept);
        }
        let (plan, tables) = compile()?;
        let new = self.written(origin, &plan, &tables).and_then(|words| {
            self.read(Bytes::Memory(words), origin)
                .ok_or_else(|| unreadable("it changes on the way"))
        })?;
        if let Some(place) = place {
            let _ = keep(&place, (*new.bytes).as_ref());
        }
        Ok(new)
    }

    fn version(&self) -> u64 {
        u64::from(self.version) << 32 | u64::from(vox_bpe::VERSION)
    }

    fn place(&self, folder: &Path, origin: &[u8; 32]) -> PathBuf {
        let origin = blake3::Hash::from_bytes(*origin).to_hex();
        folder.join(format!("{origin}-{}.{}.{}", self.version, vox_bpe::VERSION, self.extension))
    }

    /// The words of a form.
    fn written(
        &self,
        origin: &[u8; 32],
        plan: &impl Serialize,
        tables: &Tables,
    ) -> Result<Vec<u64>> {
        let plan = serde_json::to_vec(plan).map_err(|error| unreadable(&error.to_string()))?;
        let mut lengths = [plan.len(); PARTS];
        for (length, table) in lengths[1..].iter_mut().zip(tables) {
            *length = 8 * table.len();
        }
        let (parts, end) = layout(lengths);
        let mut words = vec![0_u64; end / 8];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        bytes[parts[0].clone()].copy_from_slice(&plan);
        for (part, table) in parts[1..].iter().zip(tables) {
            bytes[part.clone()].copy_from_slice(bytemuck::cast_slice(table));
        }
        for (place, length) in bytes[LENGTHS..HEADER].as_chunks_mut().0.iter_mut().zip(lengths) {
            *place = (length as u64).to_le_bytes();
        }
        let hash = *blake3::hash(&bytes[LENGTHS..]).as_bytes();
        bytes[..8].copy_from_slice(&self.magic);
        bytes[8..16].copy_from_slice(&self.version().to_le_bytes());
        bytes[16..48].copy_from_slice(origin);
        bytes[48..LENGTHS].copy_from_slice(&hash);
        Ok(words)
    }

    /// What stands at `place`, if it is what was compiled from this origin, whole.
    fn load<P: DeserializeOwned>(&self, place: &Path, origin: &[u8; 32]) -> Option<Form<P>> {
        let file = File::open(place).ok()?;
        self.read(Bytes::Mapped(map(&file).ok()?), origin)
    }

    fn read<P: DeserializeOwned>(&self, bytes: Bytes, origin: &[u8; 32]) -> Option<Form<P>> {
        let all = bytes.as_ref();
        let header = all.get(..HEADER)?;
        let is_ours = header[..8] == self.magic
            && header[8..16] == self.version().to_le_bytes()
            && header[16..48] == *origin;
        let hash = *header[48..LENGTHS].first_chunk()?;
        if !is_ours || *blake3::hash(&all[LENGTHS..]).as_bytes() != hash {
            return None;
        }
        let mut lengths = [0; PARTS];
        for (length, stated) in lengths.iter_mut().zip(header[LENGTHS..].as_chunks().0) {
            *length = usize::try_from(u64::from_le_bytes(*stated)).ok()?;
        }
        let (parts, end) = layout(lengths);
        if end != all.len() {
            return None;
        }
        let plan = serde_json::from_slice(&all[parts[0].clone()]).ok()?;
        Some(Form { plan, hash, bytes: Arc::new(bytes), parts })
    }
}

fn unreadable(why: &str) -> Error {
    let message = format!("What was compiled of a tokenizer can't be read back: {why}.");
    Error::new(Code::Malformed, message)
}

/// Where parts of these lengths lie, and where the last one ends.
fn layout(lengths: [usize; PARTS]) -> ([Range<usize>; PARTS], usize) {
    let mut next = HEADER;
    let parts = lengths.map(|length| {
        let start = next;
        next = start.saturating_add(length).next_multiple_of(LINE);
        start..start.saturating_add(length)
    });
    (parts, next)
}

#[expect(unsafe_code, reason = "mapping a file; see below")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: compiled files are never written in place: a draft, which no one else writes, is
    // renamed, so that the bytes behind a mapping stay what they were when their hash was checked.
    unsafe { Mmap::map(file) }
}

/// Writes a draft and renames it, so that nobody ever sees a half of it.
fn keep(place: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(place.parent().unwrap_or(Path::new(".")))?;
    let (mut file, draft) = draft(place)?;
    let written = file.write_all(bytes).and_then(|()| fs::rename(&draft, place));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written.and_then(|()| tidy(place))
}

/// Removes drafts of what is at `place` now: those that killed processes left, and those of
/// processes that wouldn't write anything else there.
fn tidy(place: &Path) -> io::Result<()> {
    let Some(folder) = place.parent() else { return Ok(()) };
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_draft = path.extension().is_some_and(|end| end == "draft");
        if is_draft && path.with_extension("").file_stem() == place.file_stem() {
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}

/// A new file beside `place`, which no other thread or process has.
fn draft(place: &Path) -> io::Result<(File, PathBuf)> {
    let mut taken = None;
    for number in 0..DRAFTS {
        let draft = place.with_extension(format!("{}-{number}.draft", std::process::id()));
        match File::create_new(&draft) {
            Ok(file) => return Ok((file, draft)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(taken.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into()))
}

#[cfg(test)]
mod tests;
