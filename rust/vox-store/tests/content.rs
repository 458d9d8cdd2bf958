//! Blobs against a plain dictionary.

use std::collections::HashMap;

use proptest::prelude::*;
use vox_store::Store;
use vox_types::{Code, ContentHash};

#[derive(Clone, Debug)]
enum Step {
    Put(Vec<(u16, usize)>),
    PutBatches(Vec<(u16, usize)>, usize),
    Release(Vec<u16>),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Lengths around the bounds of a segment, and what is common.
    let length = prop_oneof![6 => 0usize..900, 2 => 2000usize..9000, 1 => 60_000usize..140_000];
    let items = prop::collection::vec((0u16..60, length), 0..40);
    let step = prop_oneof![
        4 => items.clone().prop_map(Step::Put),
        2 => (items, 1usize..9).prop_map(|(items, batch)| Step::PutBatches(items, batch)),
        2 => prop::collection::vec(0u16..60, 1..4).prop_map(Step::Release),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..14)
}

/// Bytes that depend on both numbers, half of them compressible.
fn bytes(seed: u16, length: usize) -> Vec<u8> {
    let mut state = u64::from(seed) << 32 | length as u64 | 1;
    (0..length)
        .map(|i| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            if seed.is_multiple_of(2) {
                (state >> 33) as u8
            } else {
                b'a' + (i as u8 ^ seed as u8) % 7
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_store_agrees_with_a_dictionary(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(folder.path()).unwrap();
        let mut model: HashMap<ContentHash, (Vec<u8>, u64)> = HashMap::new();
        for step in steps {
            match step {
                Step::Put(items) | Step::PutBatches(items, _) if items.is_empty() => {
                    prop_assert!(store.put_many(&[]).unwrap().0.is_empty());
                }
                Step::Put(ref items) | Step::PutBatches(ref items, _) => {
                    let owned: Vec<Vec<u8>> = items.iter().map(|(seed, length)| bytes(*seed, *length)).collect();
                    let slices: Vec<&[u8]> = owned.iter().map(Vec::as_slice).collect();
                    let (hashes, stored) = match step {
                        Step::PutBatches(_, batch) => store.put_batches(&slices, batch).unwrap(),
                        _ => store.put_many(&slices).unwrap(),
                    };
                    let before = model.len();
                    for (hash, raw) in hashes.iter().zip(owned) {
                        prop_assert_eq!(*hash, ContentHash::of(&raw));
                        model.entry(*hash).or_insert((raw, 0)).1 += 1;
                    }
                    prop_assert_eq!(stored.added as usize, model.len() - before);
                }
                Step::Release(seeds) => {
                    let mut known: Vec<ContentHash> = model.keys().copied().collect();
                    known.sort();
                    if known.is_empty() { continue; }
                    let wanted: Vec<ContentHash> = seeds.iter().map(|seed| known[*seed as usize % known.len()]).collect();
                    let mut after: HashMap<ContentHash, i64> = model.iter().map(|(hash, (_, holds))| (*hash, *holds as i64)).collect();
                    for hash in &wanted { *after.get_mut(hash).unwrap() -= 1; }
                    let allowed = wanted.iter().all(|hash| after[hash] >= 0);
                    match store.release_many(&wanted) {
                        Ok(()) => {
                            prop_assert!(allowed);
                            for hash in wanted { model.get_mut(&hash).unwrap().1 -= 1; }
                        }
                        Err(error) => {
                            prop_assert!(!allowed);
                            prop_assert_eq!(error.code, Code::Conflict);
                        }
                    }
                }
                Step::Reopen => {
                    drop(store);
                    store = Store::open(folder.path()).unwrap();
                }
            }
            let hashes: Vec<ContentHash> = model.keys().copied().collect();
            let read = store.get_many(&hashes).unwrap();
            let counts = store.counts(&hashes).unwrap();
            for ((hash, read), counts) in hashes.iter().zip(read).zip(counts) {
                let (raw, holds) = &model[hash];
                prop_assert_eq!(&read, raw);
                let counts = counts.unwrap();
                prop_assert_eq!((counts.references, counts.holds), (0, *holds));
            }
        }
        let missing = ContentHash::of(b"never stored");
        prop_assert_eq!(store.get(&missing).unwrap_err().code, Code::NotFound);
        prop_assert_eq!(store.counts(&[missing]).unwrap(), vec![None]);
    }
}

#[test]
fn counts_stay_right_through_merges_of_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let items: Vec<Vec<u8>> = (0..150_000u32).map(|i| i.to_le_bytes().to_vec()).collect();
    let slices: Vec<&[u8]> = items.iter().map(Vec::as_slice).collect();
    let (hashes, stored) = store.put_batches(&slices, 20_000).unwrap();
    assert_eq!(stored.added, 150_000);
    let (_, again) = store.put_batches(&slices[..70_000], 30_000).unwrap();
    assert_eq!(again.added, 0);
    store.release_many(&hashes[..10]).unwrap();
    let counts = store.counts(&hashes).unwrap();
    for (i, counts) in counts.iter().enumerate() {
        let holds = if i < 10 {
            1
        } else if i < 70_000 {
            2
        } else {
            1
        };
        assert_eq!(counts.unwrap().holds, holds, "blob {i}");
    }
}

#[test]
fn threads_that_put_at_once_all_succeed_and_a_bad_one_fails_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let store = &store;
            scope.spawn(move || {
                for i in 0..40u32 {
                    let item = [thread.to_le_bytes(), i.to_le_bytes()].concat();
                    let (hashes, _) = store.put_many(&[&item]).unwrap();
                    assert_eq!(store.get(&hashes[0]).unwrap(), item);
                    let missing = ContentHash::of(&[item, vec![0]].concat());
                    let error = store.release_many(&[hashes[0], missing]).unwrap_err();
                    assert_eq!(error.code, Code::NotFound);
                    assert_eq!(store.counts(&hashes).unwrap()[0].unwrap().holds, 1);
                }
            });
        }
    });
}
