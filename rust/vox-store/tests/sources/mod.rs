//! Source files without records, for what is done to their bytes.

use vox_format::{keys::Domain, rows::CursorRow};
use vox_store::{
    Store,
    append::{Batch, NewStretch},
    tables::Tables,
};
use vox_types::ContentHash;

/// A file of which these are all the bytes.
pub fn whole(path: &str, bytes: &str) -> Batch {
    let mut batch = of(path, bytes);
    batch.cursor.as_mut().unwrap().offset = bytes.len() as u64;
    batch
}

/// A file of which these bytes are the start of a line that isn't whole yet.
#[allow(dead_code, reason = "not every test that reads files has such a one")]
pub fn torn(path: &str, bytes: &str) -> Batch {
    let mut batch = of(path, bytes);
    batch.raw[0].torn = true;
    batch
}

fn of(path: &str, bytes: &str) -> Batch {
    let stretch = NewStretch {
        domain: Domain::Content,
        offset: 0,
        torn: false,
        hash: ContentHash::of(bytes.as_bytes()),
        length: bytes.len() as u32,
        records: Vec::new(),
        cuts: Vec::new(),
        rest: bytes.into(),
    };
    let (path, size) = (path.into(), bytes.len() as u64);
    Batch {
        raw: vec![stretch],
        cursor: Some(CursorRow { path, size, ..CursorRow::default() }),
        restart: true,
        ..Batch::default()
    }
}

/// The numbers of the raw runs that are there.
pub fn runs(store: &Store) -> Vec<u64> {
    let numbers = |tables: &Tables, txn: &heed::RoTxn<'_>| {
        let keys = tables.raw_runs.iter(txn)?.map(|row| row.map(|(key, _)| key.to_vec()));
        keys.collect::<Result<Vec<_>, _>>().map_err(Into::into)
    };
    let keys = store.read(numbers).unwrap();
    keys.into_iter().map(|key| u64::from_be_bytes(key.try_into().unwrap())).collect()
}
