//! Overlays against a plain map from ordinals to values.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, ops::Range};

use proptest::prelude::*;
use vox_format::rows::Event;
use vox_store::{
    Store,
    append::{Batch, NewItem, OwnedBlob, WindowChange, WindowItems},
    blobs::Dictionary,
    events,
    spine::{overlays, windows},
};
use vox_types::{Code, Fidelity, ItemKind, OverlayKind, Role, WindowNo};

const ITEMS: u64 = 40;

type Model = BTreeMap<(WindowNo, OverlayKind), BTreeMap<u64, i64>>;

#[derive(Clone, Debug)]
struct Change {
    window: WindowNo,
    kind: OverlayKind,
    ordinals: Range<u64>,
    value: Option<i64>,
}

fn range() -> impl Strategy<Value = Range<u64>> {
    (0..=ITEMS, 0..=ITEMS).prop_map(|(a, b)| a.min(b)..a.max(b))
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let kind = prop::sample::select(&OverlayKind::ALL[..2]);
    let value = prop::option::weighted(0.7, -2i64..3);
    let change = (0u32..2, kind, range(), value)
        .prop_map(|(window, kind, ordinals, value)| Change { window, kind, ordinals, value });
    prop::collection::vec(change, 1..25)
}

/// An archive with two windows of [`ITEMS`] items each.
fn archive(folder: &std::path::Path) -> Store {
    let store = Store::create(folder).unwrap();
    let mut batch = Batch::default();
    batch.blobs.push(OwnedBlob { bytes: b"said".into(), dictionary: Dictionary::Content });
    let item = NewItem {
        role: Role::User,
        kind: ItemKind::Message,
        fidelity: Fidelity::Recorded,
        redacted: false,
        side: false,
        created_at: Some(1),
        name: None,
        token_estimate: 0,
        call: 0,
        content: 0,
        rest: None,
        preview: "said".into(),
    };
    for key in ["a", "b"] {
        batch.windows.push(WindowChange { key: key.into(), ..WindowChange::default() });
        let items = vec![item.clone(); ITEMS as usize];
        batch.items.push(WindowItems { window: key.into(), at: 0, items });
    }
    store.append(batch).unwrap();
    store
}

fn values_in(ordinals: &Range<u64>, of: &BTreeMap<u64, i64>) -> BTreeMap<u64, i64> {
    of.iter().filter(|(ordinal, _)| ordinals.contains(ordinal)).map(|(o, v)| (*o, *v)).collect()
}

/// What the store says of `ordinals`; asserts that its ranges are sound.
fn stored_in(
    store: &Store,
    window: WindowNo,
    kind: OverlayKind,
    ordinals: &Range<u64>,
) -> BTreeMap<u64, i64> {
    let ranges = store
        .read(|tables, txn| overlays::touching(tables, txn, window, kind, ordinals.clone()))
        .unwrap();
    let mut found = BTreeMap::new();
    let mut end = 0;
    for range in ranges {
        assert!(range.first >= end && range.count > 0, "ranges overlap or are empty");
        assert!(range.end() > ordinals.start && range.first < ordinals.end, "it doesn't touch");
        end = range.end();
        found.extend((range.first..range.end()).map(|ordinal| (ordinal, range.value)));
    }
    values_in(ordinals, &found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn overlays_agree_with_a_map(changes in changes(), asked in prop::collection::vec(range(), 6)) {
        let folder = tempfile::tempdir().unwrap();
        let store = archive(folder.path());
        let mut model = Model::new();
        for change in changes {
            let Change { window, kind, ordinals, value } = change.clone();
            let before = store.read(events::next).unwrap();
            let covered = store.set_overlay(window, kind, ordinals.clone(), value).unwrap();
            let values = model.entry((window, kind)).or_default();
            prop_assert_eq!(covered, values_in(&ordinals, values).len() as u64);
            for ordinal in ordinals.clone() {
                match value {
                    Some(value) => drop(values.insert(ordinal, value)),
                    None => drop(values.remove(&ordinal)),
                }
            }
            let logged = store.read(|tables, txn| events::since(tables, txn, before, 9)).unwrap();
            let logged: Vec<_> = logged.into_iter().map(|(_, row)| (row.window, row.what)).collect();
            let (overlay, count) = (kind as u8, ordinals.end - ordinals.start);
            let event = Event::OverlaySet { overlay, first: ordinals.start, count, value };
            let expected = if count == 0 { vec![] } else { vec![(Some(window), event)] };
            prop_assert_eq!(logged, expected);
            for window in 0..2 {
                for kind in OverlayKind::ALL {
                    let values = model.entry((window, *kind)).or_default();
                    for ordinals in asked.iter().chain([&(0..ITEMS)]) {
                        let stored = stored_in(&store, window, *kind, ordinals);
                        prop_assert_eq!(stored, values_in(ordinals, values));
                    }
                }
                let row = store.read(|tables, txn| windows::expect(tables, txn, window)).unwrap();
                let trimmed = model[&(window, OverlayKind::Trimmed)].len() as u64;
                prop_assert_eq!(row.trimmed, trimmed);
            }
        }
    }
}

#[test]
fn an_overlay_needs_a_window_and_items_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = archive(folder.path());
    let set = |window, ordinals| store.set_overlay(window, OverlayKind::Pinned, ordinals, Some(1));
    assert_eq!(set(2, 0..1).unwrap_err().code, Code::NotFound);
    assert_eq!(set(1, 0..ITEMS + 1).unwrap_err().code, Code::InvalidArgument);
    let backwards = Range { start: 3, end: 2 };
    assert_eq!(set(1, backwards).unwrap_err().code, Code::InvalidArgument);
    let rows = store.read(|tables, txn| Ok(tables.overlays.len(txn)?)).unwrap();
    assert_eq!(rows, 0, "a refused overlay leaves nothing");
    assert_eq!(set(1, 0..ITEMS).unwrap(), 0);
    let read_only = Store::open_read_only(folder.path()).unwrap();
    let refused = read_only.set_overlay(1, OverlayKind::Pinned, 0..1, None).unwrap_err();
    assert_eq!(refused.code, Code::ReadOnly);
}
