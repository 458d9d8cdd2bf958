//! The bytes behind the last whole record of a source file.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clean;
mod sources;

use vox_store::{Store, append::Batch, verify::repair};

use crate::{
    clean::assert_clean,
    sources::{runs, torn, whole},
};

#[test]
fn a_torn_tail_stays_its_files_own_when_the_samples_were_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    store.append(torn("/a", "half")).unwrap();
    let generation = store.generation();
    let damage = |txn: &mut heed::RwTxn<'_>| {
        Ok(generation.tables.raw_samples.put(txn, &[9; 8], &9u64.to_le_bytes())?)
    };
    generation.write(damage).unwrap();
    assert_eq!(repair(&store).unwrap().tables, ["raw_samples"]);
    store.append(whole("/b", "half")).unwrap();
    store.append(Batch { restart: false, ..whole("/a", "half of it\n") }).unwrap();
    assert_eq!(runs(&store), [1, 2], "the tail went when its file was read on");
    assert_clean(&store);
}
