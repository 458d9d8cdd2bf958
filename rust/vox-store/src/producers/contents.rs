//! The contents of rows on their way into the archive.

use std::{collections::HashMap, sync::Arc};

use vox_format::{
    estimate::quick_estimate,
    preview::{binary_preview, preview},
    producers::{Given, Kept},
};
use vox_types::{Code, ContentHash, Error, Fidelity, ItemKind, Result};

use super::fold::FoldedItem;
use crate::{
    Store,
    append::{Batch, NewItem, Prepared},
    blobs::{self, Dictionary, NewBlob, PreparedBlobs},
};

/// Contents that are hashed and compressed, and what items show of them.
#[derive(Clone)]
pub(super) struct Contents {
    blobs: Arc<PreparedBlobs>,
    lengths: Arc<[u64]>,
    shown: Arc<HashMap<ContentHash, Shown>>,
}

struct Shown {
    /// The place among the blobs.
    place: usize,
    preview: String,
    /// Whether it isn't UTF-8.
    binary: bool,
    length: usize,
}

impl Store {
    /// A content of a row with its bytes, as a text if it is one; one that was purged by its hash.
    pub fn given(&self, kept: &Kept) -> Result<Given> {
        let bytes = match self.get(&kept.hash) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.code, Code::NotFound | Code::Purged) => {
                return Ok(Given::Hash(Kept { purged: true, ..*kept }));
            }
            Err(error) => return Err(error),
        };
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Given::Text(text),
            Err(error) => Given::Data(error.into_bytes()),
        })
    }
}

/// Takes contents as they are given, and names them as rows do.
pub(super) struct Gathering<'s> {
    store: &'s Store,
    bytes: Vec<Vec<u8>>,
    places: HashMap<ContentHash, usize>,
    lost: Vec<ContentHash>,
}

impl<'s> Gathering<'s> {
    pub fn of(store: &'s Store) -> Self {
        Self { store, bytes: Vec::new(), places: HashMap::new(), lost: Vec::new() }
    }

    /// Takes a content; one that is given by its hash must be in the archive.
    pub fn take(&mut self, given: Given) -> Result<Kept> {
        let bytes = match given {
            Given::Text(text) => text.into_bytes(),
            Given::Data(bytes) => bytes,
            Given::Hash(Kept { hash, .. }) => {
                if !self.places.contains_key(&hash) {
                    let bytes = self.store.get(&hash).map_err(|error| missing(&hash, error))?;
                    self.put(hash, bytes);
                }
                return Ok(Kept::of(hash));
            }
        };
        let hash = ContentHash::of(&bytes);
        self.put(hash, bytes);
        Ok(Kept::of(hash))
    }

    /// Takes a content of a row, whose bytes may be gone.
    pub fn take_kept(&mut self, kept: &Kept) -> Result<()> {
        if self.places.contains_key(&kept.hash) {
            return Ok(());
        }
        match self.store.get(&kept.hash) {
            Ok(bytes) => self.put(kept.hash, bytes),
            Err(error) if matches!(error.code, Code::NotFound | Code::Purged) => {
                self.lost.push(kept.hash);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn put(&mut self, hash: ContentHash, bytes: Vec<u8>) {
        self.places.entry(hash).or_insert_with(|| {
            self.bytes.push(bytes);
            self.bytes.len() - 1
        });
    }

    /// Makes what was taken ready to be written.
    pub fn finish(self) -> Result<Contents> {
        self.store.check_writable()?;
        let new = |bytes| NewBlob { bytes, dictionary: Dictionary::Content };
        let blobs: Vec<NewBlob<'_>> = self.bytes.iter().map(|bytes| new(bytes)).collect();
        let mut blobs = blobs::prepare(&*self.store.current()?, &blobs)?;
        let mut lengths: Vec<u64> = self.bytes.iter().map(|bytes| bytes.len() as u64).collect();
        let shown = self.places.into_iter().map(|(hash, place)| {
            let bytes = &self.bytes[place];
            let binary = std::str::from_utf8(bytes).is_err();
            (hash, Shown { place, preview: preview(bytes), binary, length: bytes.len() })
        });
        let mut shown: HashMap<ContentHash, Shown> = shown.collect();
        for hash in self.lost {
            let place = blobs.push_lost(hash);
            lengths.push(0);
            let preview = String::new();
            shown.insert(hash, Shown { place, preview, binary: false, length: 0 });
        }
        let (blobs, shown) = (Arc::new(blobs), Arc::new(shown));
        Ok(Contents { blobs, shown, lengths: lengths.into() })
    }
}

impl Contents {
    /// The place of a content among the blobs.
    pub fn place(&self, hash: &ContentHash) -> Result<usize> {
        Ok(self.shown(hash)?.place)
    }

    /// The length of a content.
    pub fn length(&self, hash: &ContentHash) -> Result<u64> {
        Ok(self.shown(hash)?.length as u64)
    }

    /// An item with its bytes.
    pub fn item(&self, item: FoldedItem) -> Result<NewItem> {
        let shown = self.shown(&item.content)?;
        let binary = shown.binary && item.kind == ItemKind::Attachment;
        let preview = match binary {
            true => {
                let media_type = item.name.as_deref().unwrap_or("application/octet-stream");
                binary_preview(media_type, shown.length as u64)
            }
            false => shown.preview.clone(),
        };
        let guess = if binary { 0 } else { quick_estimate(shown.length) };
        Ok(NewItem {
            role: item.role,
            kind: item.kind,
            fidelity: Fidelity::Recorded,
            redacted: item.redacted,
            side: item.side,
            created_at: Some(item.created_at),
            name: item.name,
            token_estimate: item.token_estimate.unwrap_or(guess),
            call: item.call,
            content: shown.place,
            rest: None,
            preview,
        })
    }

    /// `batch`, whose items and rows name these contents, ready to be written.
    pub fn prepared(&self, batch: Batch) -> Prepared {
        Prepared {
            batch,
            blobs: self.blobs.clone(),
            lengths: self.lengths.clone(),
            runs: Vec::new(),
        }
    }

    fn shown(&self, hash: &ContentHash) -> Result<&Shown> {
        let lost = || Error::new(Code::Purged, format!("the content {hash:?} is gone"));
        self.shown.get(hash).ok_or_else(lost)
    }
}

fn missing(hash: &ContentHash, error: Error) -> Error {
    if error.code != Code::NotFound {
        return error;
    }
    let says = format!("the archive has no content with the hash {hash:?}; give its bytes");
    Error::new(Code::NotFound, says)
}
