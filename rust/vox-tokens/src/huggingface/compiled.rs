//! The compiled form of a file: a plan and tables in one run of bytes, kept in a folder and
//! mapped from there.
//!
//! | bytes | what |
//! |---|---|
//! | 0–8 | magic |
//! | 8–16 | version of this layout and of what the tables mean |
//! | 16–48 | BLAKE3 of the `tokenizer.json` |
//! | 48–80 | BLAKE3 of everything from byte 128 on |
//! | 80–128 | bytes of the plan, the vocabulary, the trie, the merges, the scores, the ordered vocabulary |
//! | 128– | these six, each from a multiple of 64 on |
//!
//! All numbers are little-endian.

use std::{
    fs::{self, File},
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use memmap2::Mmap;
use vox_types::Result;

use super::{
    parse::{self, malformed},
    plan::{self, Plan, Tables},
};

const MAGIC: &[u8; 8] = b"voxtoken";
/// Rises with every change of the layout, of the plan or of what a table means.
const VERSION: u64 = 2;
const HEADER: usize = 128;
const LINE: usize = 64;
const PARTS: usize = 6;

/// A compiled file, in memory or mapped.
pub struct Compiled {
    pub plan: Plan,
    bytes: Arc<Bytes>,
    parts: [Range<usize>; PARTS],
    body: [u8; 32],
}

enum Bytes {
    Memory(Vec<u64>),
    Mapped(Mmap),
}

/// One table of a compiled file.
#[derive(Clone)]
pub struct Table {
    bytes: Arc<Bytes>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Memory(words) => bytemuck::cast_slice(words),
            Self::Mapped(map) => map,
        }
    }
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

    /// The table as numbers.
    pub fn numbers(&self) -> &[f64] {
        bytemuck::cast_slice(self.as_ref())
    }
}

impl Compiled {
    /// The compiled form of a `tokenizer.json`: from `cache` if it is there and whole, else
    /// compiled, and put there for the next time. A cache that can't be written only costs time.
    ///
    /// # Errors
    ///
    /// `unsupported` if a part of the file isn't covered; `malformed` if it contradicts itself.
    pub fn of(file: &[u8], cache: Option<&Path>) -> Result<Self> {
        let hash = *blake3::hash(file).as_bytes();
        let place = cache.map(|folder| place(folder, &hash));
        if let Some(kept) = place.as_ref().and_then(|place| Self::load(place, &hash)) {
            return Ok(kept);
        }
        let new = Self::compile(file, &hash)?;
        if let Some(place) = place {
            let _ = keep(&place, (*new.bytes).as_ref());
        }
        Ok(new)
    }

    fn compile(file: &[u8], hash: &[u8; 32]) -> Result<Self> {
        let (plan, tables) = plan::compile(parse::File::read(file)?)?;
        let Tables { vocabulary, trie, merges, scores, ordered, .. } = tables;
        let mut plan = serde_json::to_vec(&plan).map_err(|error| malformed(error.to_string()))?;
        let lengths = [
            plan.len(),
            8 * vocabulary.len(),
            8 * trie.len(),
            8 * merges.len(),
            8 * scores.len(),
            8 * ordered.len(),
        ];
        let (parts, end) = layout(lengths);
        plan.resize(plan.len().next_multiple_of(8), 0);
        let mut words = vec![0_u64; end / 8];
        let plan: Vec<u64> =
            plan.as_chunks().0.iter().map(|chunk| u64::from_ne_bytes(*chunk)).collect();
        for (part, table) in
            parts.iter().zip([&plan, &vocabulary, &trie, &merges, &scores, &ordered])
        {
            words[part.start / 8..][..table.len()].copy_from_slice(table);
        }
        let body = *blake3::hash(&bytemuck::cast_slice(&words)[HEADER..]).as_bytes();
        let header: &mut [u8] = &mut bytemuck::cast_slice_mut(&mut words)[..HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..16].copy_from_slice(&VERSION.to_le_bytes());
        header[16..48].copy_from_slice(hash);
        header[48..80].copy_from_slice(&body);
        for (place, length) in header[80..128].as_chunks_mut().0.iter_mut().zip(lengths) {
            *place = (length as u64).to_le_bytes();
        }
        Self::read(Bytes::Memory(words), hash)
            .ok_or_else(|| malformed("what was compiled from it can't be read back"))
    }

    /// What stands at `place`, if it is what was compiled from this file, whole.
    fn load(place: &Path, hash: &[u8; 32]) -> Option<Self> {
        let file = File::open(place).ok()?;
        Self::read(Bytes::Mapped(map(&file).ok()?), hash)
    }

    fn read(bytes: Bytes, hash: &[u8; 32]) -> Option<Self> {
        let all = bytes.as_ref();
        let header = all.get(..HEADER)?;
        let is_ours = header[..8] == *MAGIC
            && header[8..16] == VERSION.to_le_bytes()
            && header[16..48] == *hash;
        let body = *header[48..80].first_chunk()?;
        if !is_ours || *blake3::hash(&all[HEADER..]).as_bytes() != body {
            return None;
        }
        let mut lengths = [0; PARTS];
        for (length, stated) in lengths.iter_mut().zip(header[80..128].as_chunks().0) {
            *length = usize::try_from(u64::from_le_bytes(*stated)).ok()?;
        }
        let (parts, end) = layout(lengths);
        if end != all.len() {
            return None;
        }
        let plan = serde_json::from_slice(&all[parts[0].clone()]).ok()?;
        Some(Self { plan, bytes: Arc::new(bytes), parts, body })
    }

    /// BLAKE3 of all that decides counts.
    pub fn hash(&self) -> [u8; 32] {
        self.body
    }

    pub fn vocabulary(&self) -> Table {
        self.table(1)
    }

    pub fn trie(&self) -> Table {
        self.table(2)
    }

    pub fn merges(&self) -> Table {
        self.table(3)
    }

    pub fn scores(&self) -> Table {
        self.table(4)
    }

    pub fn ordered(&self) -> Table {
        self.table(5)
    }

    fn table(&self, part: usize) -> Table {
        Table { bytes: self.bytes.clone(), range: self.parts[part].clone() }
    }
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

fn place(folder: &Path, hash: &[u8; 32]) -> PathBuf {
    folder.join(format!("{}-{VERSION}.voxtoken", blake3::Hash::from_bytes(*hash).to_hex()))
}

#[expect(unsafe_code, reason = "mapping a file; see below")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: compiled files are never written in place: a draft is renamed, so that the bytes
    // behind a mapping stay what they were when their hash was checked.
    unsafe { Mmap::map(file) }
}

/// Writes a draft and renames it, so that nobody ever sees a half of it.
fn keep(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let draft = place.with_extension(format!("{}.draft", std::process::id()));
    let written = File::create(&draft)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&draft, place));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}
