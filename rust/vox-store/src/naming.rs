//! Names: roots that people and services give to blobs, windows and items.

use vox_format::{name::Target, rows::Event};
use vox_types::{BlobRef, Code, ContentHash, Error, ItemId, Result, WindowNo};

use crate::{
    Store, blobs, committed,
    env::Generation,
    events,
    fault::Fallible,
    index::HashIndex,
    meta::now,
    spine::{runs, windows},
};

/// The longest name in bytes; LMDB's keys have 511.
pub const MAX_NAME: usize = 500;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// A blob.
    Blob(ContentHash),
    /// A window.
    Window(WindowNo),
    /// An item.
    Item(ItemId),
}

impl Store {
    /// Lets `name` stand for something, in place of what it stood for; or for nothing with none.
    ///
    /// `not_found` if there is no such thing, `invalid_argument` for an empty or too long name, or
    /// one that only a committed set has.
    pub fn set_name(&self, name: &str, named: Option<Named>) -> Result<()> {
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("a name has 1 to {MAX_NAME} bytes, not {}", name.len()),
            ));
        }
        if committed::window_of(name).is_some() {
            let says = format!("{name} stands for the committed set of a window; commit one");
            return Err(Error::new(Code::InvalidArgument, says));
        }
        let name = name.to_owned();
        self.write(move |generation, txn| {
            let names = generation.tables.names;
            match named {
                Some(named) => {
                    let value = find(generation, txn, named)?.encode();
                    names.put(txn, name.as_bytes(), &value)?;
                }
                None => {
                    names.delete(txn, name.as_bytes())?;
                }
            }
            let what = Event::Named { name: name.clone() };
            events::append(&generation.tables, txn, now(), None, what)
        })
    }

    /// What `name` stands for.
    pub fn named(&self, name: &str) -> Result<Option<Named>> {
        if name.is_empty() || name.len() > MAX_NAME {
            return Ok(None);
        }
        self.read(|tables, txn| {
            let Some(value) = tables.names.get(txn, name.as_bytes())? else { return Ok(None) };
            Ok(Some(match Target::decode(value)? {
                Target::Blob(blob) => Named::Blob(blobs::hash_of(tables, txn, blob)?),
                Target::Window(window) => Named::Window(window),
                Target::Item(item) => Named::Item(item),
            }))
        })
    }

    /// Every name, in order.
    pub fn names(&self) -> Result<Vec<String>> {
        self.read(|tables, txn| {
            let rows = tables.names.iter(txn)?;
            rows.map(|row| Ok(String::from_utf8_lossy(row?.0).into_owned())).collect()
        })
    }
}

fn find(generation: &Generation, txn: &heed::RwTxn<'_>, named: Named) -> Fallible<Target> {
    let tables = &generation.tables;
    Ok(match named {
        Named::Blob(hash) => {
            let finder = HashIndex::of_blobs(tables).finder(txn)?;
            let Some(entry) = blobs::find(tables, &finder, txn, &hash)? else {
                let says = format!("no blob has the hash {hash:?}");
                return Err(Error::new(Code::NotFound, says).into());
            };
            Target::Blob(BlobRef(entry.payload))
        }
        Named::Window(window) => {
            if windows::get(tables, txn, window)?.is_none() {
                let says = format!("there is no window number {window}");
                return Err(Error::new(Code::NotFound, says).into());
            }
            Target::Window(window)
        }
        Named::Item(item) => {
            runs::chunk_of(tables, txn, item)?;
            Target::Item(item)
        }
    })
}
