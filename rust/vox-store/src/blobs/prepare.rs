//! What can be done for a batch of blobs before its write transaction: hash, look up, compress.

use std::collections::{HashMap, hash_map::Entry};

use heed::{RoTxn, RwTxn};
use rayon::prelude::*;
use vox_format::{leaf, rows, segment::JOINT_BYTES};
use vox_types::{BlobRef, Code, ContentHash, Error, Result};

use super::{
    codec::{Dictionary, MAX_BLOB, compress, compress_jointly},
    reader,
};
use crate::{cores, env::Generation, fault::Fallible, index::HashIndex, tables::Tables};

/// Bytes to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewBlob<'a> {
    /// The raw bytes.
    pub bytes: &'a [u8],
    /// What they are like.
    pub dictionary: Dictionary,
}

/// A blob that is ready to be stored.
#[derive(Debug)]
pub struct Prepared {
    /// Hash of the raw bytes.
    pub hash: ContentHash,
    /// Length of the raw bytes.
    pub raw_len: u32,
    /// Where it already stands, or its stored form.
    pub state: State,
}

/// Whether a prepared blob is new.
#[derive(Debug)]
pub enum State {
    /// It was in the archive.
    Known(BlobRef),
    /// It was not, when it was looked up.
    New {
        /// How `body` is coded.
        codec: u8,
        /// The stored bytes.
        body: Vec<u8>,
    },
    /// It was, and nothing used it: it may be collected before it is used again.
    Unused {
        /// How `body` is coded.
        codec: u8,
        /// The stored bytes.
        body: Vec<u8>,
    },
    /// Nobody has its bytes any more: it can be compared, and not be stored.
    Lost,
    /// It was not, and stands in this one of [`PreparedBlobs::frames`].
    Member(usize),
}

/// A frame of several blobs that are new.
#[derive(Debug)]
pub struct Frame {
    /// Their places in [`PreparedBlobs::unique`].
    pub members: Vec<usize>,
    /// The codec of its head.
    pub codec: u8,
    /// The stored bytes.
    pub body: Vec<u8>,
}

/// A batch that is ready to be stored.
#[derive(Debug)]
pub struct PreparedBlobs {
    /// Each different blob once.
    pub unique: Vec<Prepared>,
    /// Frames that several of them share.
    pub frames: Vec<Frame>,
    /// For each blob of the batch its place in `unique`.
    pub places: Vec<u32>,
    /// The generation that [`State::Known`] refers to.
    pub generation: u64,
    /// How often the index was merged before the look-ups.
    pub merges: u64,
    /// How often content was collected before them.
    pub sweeps: u64,
}

impl PreparedBlobs {
    /// The hash of the `i`-th blob of the batch.
    pub fn hash(&self, i: usize) -> ContentHash {
        self.unique[self.places[i] as usize].hash
    }

    /// Adds one whose bytes nobody has any more; gives its place.
    pub fn push_lost(&mut self, hash: ContentHash) -> usize {
        self.unique.push(Prepared { hash, raw_len: 0, state: State::Lost });
        self.places.push(self.unique.len() as u32 - 1);
        self.places.len() - 1
    }
}

/// How often content was collected, in `meta`: while this stays the same no blob is gone that was
/// found before.
const SWEEPS: &[u8] = b"blob_sweeps";

/// See [`PreparedBlobs::sweeps`].
pub fn sweeps(tables: &Tables, txn: &RoTxn<'_>) -> Fallible<u64> {
    match tables.meta.get(txn, SWEEPS)? {
        Some(value) => Ok(rows::decode(value, "the count of collections")?),
        None => Ok(0),
    }
}

/// Tells whoever looked a blob up before to look it up again.
pub fn count_sweep(tables: &Tables, txn: &mut RwTxn<'_>) -> Fallible<()> {
    let sweeps = sweeps(tables, txn)? + 1;
    tables.meta.put(txn, SWEEPS, &rows::encode(&sweeps)?)?;
    Ok(())
}

/// How many blobs one task of the thread pool takes. Judgement.
const TASK: usize = 128;

/// Hashes all of `blobs` and compresses those that aren't in `generation` yet, on all cores.
pub fn prepare(generation: &Generation, blobs: &[NewBlob<'_>]) -> Result<PreparedBlobs> {
    if let Some(blob) = blobs.iter().find(|blob| blob.bytes.len() > MAX_BLOB) {
        return Err(Error::new(
            Code::TooLarge,
            format!("a blob of {} bytes; the archive takes at most {MAX_BLOB}", blob.bytes.len()),
        ));
    }
    let tables = &generation.tables;
    let (merges, sweeps) = generation
        .reading(|txn| Ok((HashIndex::of_blobs(tables).merges(txn)?, sweeps(tables, txn)?)))?;
    let hash = |blob: &NewBlob<'_>| ContentHash::of(blob.bytes);
    let hashes: Vec<ContentHash> = if blobs.len() > TASK {
        cores::on_all(|| blobs.par_iter().with_min_len(TASK).map(hash).collect())?
    } else {
        blobs.iter().map(hash).collect()
    };
    let mut seen = HashMap::with_capacity(blobs.len());
    let mut firsts = Vec::with_capacity(blobs.len());
    let places = hashes
        .iter()
        .enumerate()
        .map(|(i, hash)| match seen.entry(*hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                firsts.push(i);
                *new.insert(firsts.len() as u32 - 1)
            }
        })
        .collect();
    let look_up = |part: &[usize]| prepare_part(generation, blobs, &hashes, part);
    let mut unique = if firsts.len() > TASK {
        let on_all = || firsts.par_chunks(TASK).map(look_up).collect::<Result<Vec<_>>>();
        cores::on_all(on_all)??.into_iter().flatten().collect()
    } else {
        look_up(&firsts)?
    };
    let frames = join(&mut unique, |place| blobs[firsts[place]].bytes)?;
    let generation = generation.number;
    Ok(PreparedBlobs { unique, frames, places, generation, merges, sweeps })
}

/// Compresses those of `unique` that are to share frames.
fn join<'b>(
    unique: &mut [Prepared],
    bytes: impl Fn(usize) -> &'b [u8] + Sync,
) -> Result<Vec<Frame>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut size = 0;
    for (place, blob) in unique.iter().enumerate() {
        if !matches!(blob.state, State::Member(_)) {
            continue;
        }
        let len = blob.raw_len as usize;
        match groups.last_mut() {
            Some(group) if size + len <= JOINT_BYTES => {
                group.push(place);
                size += len;
            }
            _ => {
                groups.push(vec![place]);
                size = len;
            }
        }
    }
    let compress = |members: Vec<usize>| {
        let raw = members.iter().map(|place| bytes(*place)).collect::<Vec<_>>().concat();
        let (codec, body) = match members.len() {
            1 => compress(&raw, Dictionary::Extra)?,
            _ => compress_jointly(&raw)?,
        };
        Ok(Frame { members, codec, body })
    };
    let mut frames: Vec<Frame> =
        cores::on_all(|| groups.into_par_iter().map(compress).collect::<Result<_>>())??;
    // One that stands alone after all is stored as others are.
    for frame in frames.extract_if(.., |frame| frame.members.len() == 1) {
        unique[frame.members[0]].state = State::New { codec: frame.codec, body: frame.body };
    }
    for (number, frame) in frames.iter().enumerate() {
        for place in &frame.members {
            unique[*place].state = State::Member(number);
        }
    }
    Ok(frames)
}

fn prepare_part(
    generation: &Generation,
    blobs: &[NewBlob<'_>],
    hashes: &[ContentHash],
    part: &[usize],
) -> Result<Vec<Prepared>> {
    let tables = &generation.tables;
    let known: Vec<Option<leaf::Entry>> = generation.reading(|txn| {
        let finder = HashIndex::of_blobs(tables).finder(txn)?;
        part.iter().map(|&i| reader::find(tables, &finder, txn, &hashes[i])).collect()
    })?;
    part.iter()
        .zip(known)
        .map(|(&i, known)| {
            let used = known.filter(|entry| entry.references > 0 || entry.holds > 0);
            let compress = || compress(blobs[i].bytes, blobs[i].dictionary);
            let state = match (used, known) {
                (Some(entry), _) => State::Known(BlobRef(entry.payload)),
                (None, Some(_)) => compress().map(|(codec, body)| State::Unused { codec, body })?,
                // Which frame it is decided later.
                (None, None) if blobs[i].dictionary == Dictionary::Joint => State::Member(0),
                (None, None) => compress().map(|(codec, body)| State::New { codec, body })?,
            };
            Ok(Prepared { hash: hashes[i], raw_len: blobs[i].bytes.len() as u32, state })
        })
        .collect()
}
