//! `verify` of a data file with bytes changed anywhere ends with a report: the page reader trusts
//! no page, and no decoder a value.
#![no_main]

use std::{fs, path::PathBuf, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use vox_store::{
    Store,
    append::{Batch, NewItem, NewRest, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
    verify::{Options, verify_file},
};
use vox_types::{Fidelity, ItemKind, Role};

const WINDOWS: u64 = 3;
const ITEMS: u64 = 600;

/// A small archive: its data file, and where it lies.
static SOUND: LazyLock<(Vec<u8>, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    let store = Store::create(&folder.join("archive")).expect("a new archive");
    for window in 0..WINDOWS {
        store.append(said(window)).expect("room for a small archive");
    }
    store.put_many(&[&[7; 70_000], b"held"]).expect("room for a small archive");
    let data = fs::read(store.generation().data_file()).expect("the data file");
    (data, folder.join("damaged.mdb"))
});

fn said(window: u64) -> Batch {
    let key = format!("window {window}");
    let blob = |bytes: Vec<u8>| OwnedBlob { bytes, dictionary: Dictionary::Content };
    let item = |i: u64| NewItem {
        role: Role::ALL[i as usize % 4],
        kind: ItemKind::Message,
        fidelity: Fidelity::Recorded,
        redacted: false,
        side: i % 9 == 0,
        created_at: Some(i as i64 * 1000),
        name: None,
        token_estimate: i as u32,
        call: i as u32 / 2,
        content: i as usize,
        rest: Some(NewRest::Extra(ITEMS as usize)),
        preview: format!("item {i}"),
    };
    let mut blobs: Vec<_> =
        (0..ITEMS).map(|i| blob(format!("item {i} of {window}").repeat(3).into())).collect();
    blobs.push(blob(b"what is left of every record".into()));
    Batch {
        blobs,
        windows: vec![WindowChange { key: key.clone(), ..WindowChange::default() }],
        items: vec![WindowItems { window: key, at: 0, items: (0..ITEMS).map(item).collect() }],
        ..Batch::default()
    }
}

fuzz_target!(|changes: Vec<(u32, bool, u8)>| {
    let (sound, place) = &*SOUND;
    let mut data = sound.clone();
    for (at, in_head, byte) in changes {
        // Heads of pages are small, and what a reader goes by.
        let at = if in_head { at as usize & !4095 | at as usize % 40 } else { at as usize };
        let length = data.len();
        data[at % length] ^= byte;
    }
    fs::write(place, &data).expect("room for the damaged file");
    // Whatever it finds, it comes back.
    drop(verify_file(place, &Options::default()));
});
