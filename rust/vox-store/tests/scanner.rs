//! Reading very many blobs fast gives the same bytes as reading each by itself.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use vox_format::{chunk::Chunk, preview::preview};
use vox_store::{
    Store,
    append::{Batch, NewItem, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
};
use vox_types::{BlobRef, Fidelity, ItemKind, Role};

type Content = (Vec<u8>, Dictionary);

fn content() -> impl Strategy<Value = Content> {
    let dictionaries =
        [Dictionary::Content, Dictionary::Extra, Dictionary::Joint, Dictionary::Joint];
    let bytes = prop_oneof![
        6 => "[a-z {}:\"]{0,300}".prop_map(String::into_bytes),
        2 => prop::collection::vec(any::<u8>(), 0..200),
        1 => ("[a-z ]{1,200}", 1usize..600).prop_map(|(text, times)| text.repeat(times).into()),
    ];
    (bytes, prop::sample::select(dictionaries.to_vec()))
}

fn append(store: &Store, contents: Vec<Content>) {
    let items = contents.iter().enumerate().map(|(content, (bytes, _))| NewItem {
        role: Role::User,
        kind: ItemKind::Record,
        fidelity: Fidelity::Recorded,
        redacted: false,
        side: true,
        created_at: Some(0),
        name: None,
        token_estimate: 0,
        call: 0,
        content,
        rest: None,
        preview: preview(bytes),
    });
    let items = WindowItems { window: "w".into(), at: WindowItems::END, items: items.collect() };
    let blob = |(bytes, dictionary)| OwnedBlob { bytes, dictionary };
    let batch = Batch {
        windows: vec![WindowChange { key: "w".into(), ..WindowChange::default() }],
        items: vec![items],
        blobs: contents.into_iter().map(blob).collect(),
        ..Batch::default()
    };
    store.append(batch).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_scanner_reads_what_each_blob_is(
        batches in prop::collection::vec(prop::collection::vec(content(), 1..60), 1..5),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..100),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create(&folder.path().join("archive")).unwrap();
        batches.into_iter().for_each(|contents| append(&store, contents));
        store
            .snapshot(|snapshot| {
                let mut blobs: Vec<BlobRef> = Vec::new();
                let run = snapshot.runs()?[0];
                let mut position = 0;
                while position < run.1.len {
                    let chunk = Chunk::parse(snapshot.chunk(run.0, position)?.unwrap().1)?;
                    blobs.extend((0..chunk.len()).map(|index| chunk.content_at(index)));
                    position += chunk.len() as u32;
                }
                blobs.sort_unstable();
                let anywhere: Vec<BlobRef> = order.iter().map(|index| *index.get(&blobs)).collect();
                let mut scanner = snapshot.scanner();
                for blob in blobs.iter().chain(&anywhere) {
                    let wanted = snapshot.blob(*blob)?;
                    assert_eq!(scanner.read(*blob)?, Some(&wanted[..]));
                }
                assert!(scanner.read(BlobRef(1 << 40)).is_err());
                Ok(())
            })
            .unwrap();
    }
}
