//! Blobs for services: put, get, count, release.
//!
//! Whoever puts a blob holds it until it is released; a blob that nothing refers to and nobody
//! holds may be collected.

use std::sync::mpsc;

use rayon::prelude::*;
use vox_format::{leaf::Entry, rows::Event};
use vox_types::{Code, ContentHash, Error, Result};

use crate::{
    Store,
    blobs::{self, BlobWriter, Dictionary, NewBlob, PreparedBlobs, Stored, Unpacked},
    cores, events,
    index::HashIndex,
    meta::now,
};

/// How often a blob is used.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Places in windows that name it.
    pub references: u64,
    /// Holds taken on it.
    pub holds: u64,
}

impl Store {
    /// Stores all of `items` in one transaction and takes a hold on each. Durable on return.
    pub fn put_many(&self, items: &[&[u8]]) -> Result<(Vec<ContentHash>, Stored)> {
        let (hashes, prepared) = self.prepare_held(items)?;
        let stored = self.commit_held(prepared)?;
        Ok((hashes, stored))
    }

    /// Like [`Store::put_many`], with a commit after every `batch` items: while one batch is
    /// written the next is hashed and compressed. After an error the batches before it are kept.
    pub fn put_batches(&self, items: &[&[u8]], batch: usize) -> Result<(Vec<ContentHash>, Stored)> {
        let mut hashes = Vec::with_capacity(items.len());
        let (send, receive) = mpsc::sync_channel::<PreparedBlobs>(1);
        let total = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                receive.into_iter().try_fold(Stored::default(), |total, prepared| {
                    self.commit_held(prepared).map(|stored| total + stored)
                })
            });
            for part in items.chunks(batch.max(1)) {
                let (part_hashes, prepared) = match self.prepare_held(part) {
                    Ok(done) => done,
                    Err(error) => {
                        drop(send);
                        join(writer)?;
                        return Err(error);
                    }
                };
                hashes.extend(part_hashes);
                // The writer stops receiving at its first error, which `join` gives.
                if send.send(prepared).is_err() {
                    break;
                }
            }
            drop(send);
            join(writer)
        })?;
        Ok((hashes, total))
    }

    fn prepare_held(&self, items: &[&[u8]]) -> Result<(Vec<ContentHash>, PreparedBlobs)> {
        let new: Vec<NewBlob<'_>> =
            items.iter().map(|bytes| NewBlob { bytes, dictionary: Dictionary::Content }).collect();
        let prepared = blobs::prepare(&*self.current()?, &new)?;
        let hashes = (0..items.len()).map(|i| prepared.hash(i)).collect();
        Ok((hashes, prepared))
    }

    fn commit_held(&self, blobs: PreparedBlobs) -> Result<Stored> {
        let count = blobs.places.len() as u64;
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let mut writer = BlobWriter::begin(tables, txn, &blobs, generation.number)?;
            for i in 0..blobs.places.len() {
                writer.hold(txn, i)?;
            }
            let stored = writer.finish(txn)?;
            events::append(tables, txn, now(), None, Event::BlobsHeld { count })?;
            Ok(stored)
        })
    }

    /// The bytes with `hash`.
    pub fn get(&self, hash: &ContentHash) -> Result<Vec<u8>> {
        self.read(|tables, txn| {
            let finder = HashIndex::of_blobs(tables).finder(txn)?;
            match blobs::find_stored(tables, &finder, txn, hash)? {
                Some(blob) => Ok(blobs::contents(&blob)?),
                None => Err(no_blob(hash).into()),
            }
        })
    }

    /// The bytes with each of `hashes`, read on all cores.
    pub fn get_many(&self, hashes: &[ContentHash]) -> Result<Vec<Vec<u8>>> {
        let read = |part: &[ContentHash]| {
            self.read(|tables, txn| {
                let finder = HashIndex::of_blobs(tables).finder(txn)?;
                let mut shared = Unpacked::default();
                part.iter()
                    .map(|hash| match blobs::find_stored(tables, &finder, txn, hash)? {
                        Some(blob) if blob.shares_frame() => Ok(shared.contents(&blob)?.to_vec()),
                        Some(blob) => Ok(blobs::contents(&blob)?),
                        None => Err(no_blob(hash).into()),
                    })
                    .collect()
            })
        };
        if hashes.len() < 64 {
            return read(hashes);
        }
        let on_all = || hashes.par_chunks(64).map(read).collect::<Result<Vec<_>>>();
        Ok(cores::on_all(on_all)??.into_iter().flatten().collect())
    }

    /// How often each of `hashes` is used; none where there is no such blob.
    pub fn counts(&self, hashes: &[ContentHash]) -> Result<Vec<Option<Counts>>> {
        self.read(|tables, txn| {
            let finder = HashIndex::of_blobs(tables).finder(txn)?;
            hashes
                .iter()
                .map(|hash| {
                    Ok(blobs::find(tables, &finder, txn, hash)?.map(|entry| Counts {
                        references: entry.references.max(0) as u64,
                        holds: entry.holds.max(0) as u64,
                    }))
                })
                .collect()
        })
    }

    /// Gives back one hold on each of `hashes`; all or, on an error, none.
    pub fn release_many(&self, hashes: &[ContentHash]) -> Result<()> {
        let hashes = hashes.to_vec();
        self.write(move |generation, txn| {
            let tables = &generation.tables;
            let index = HashIndex::of_blobs(tables);
            let finder = index.finder(txn)?;
            for hash in &hashes {
                let entry =
                    blobs::find(tables, &finder, txn, hash)?.ok_or_else(|| no_blob(hash))?;
                if entry.holds < 1 {
                    return Err(Error::new(
                        Code::Conflict,
                        format!("blob {hash:?} isn't held, so it can't be released"),
                    )
                    .into());
                }
                index.add(txn, Entry { references: 0, holds: -1, ..entry })?;
            }
            let count = hashes.len() as u64;
            events::append(tables, txn, now(), None, Event::BlobsReleased { count })?;
            index.settle(txn)
        })
    }
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn no_blob(hash: &ContentHash) -> Error {
    Error::new(Code::NotFound, format!("no blob has the hash {hash:?}"))
}
