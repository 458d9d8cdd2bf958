//! Index and matcher give the same hits, whatever is asked, written and taken out.

#![allow(clippy::unwrap_used, reason = "tests")]

#[allow(dead_code, reason = "other tests use the rest")]
mod reference;

use std::collections::BTreeMap;

use proptest::prelude::*;
use tempfile::tempdir;
use vox_search::index::{self, Document, Everything, Opened, Watermark};
use vox_search::matcher::{Matcher, Scratch};
use vox_types::ItemId;

/// What happens to an index between two commits: texts come, and some of those it has go, each
/// given by a number that is taken modulo what there is.
type Batch = (Vec<Vec<u8>>, Vec<usize>);

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let texts = prop::collection::vec(reference::texts(), 1..12);
    let gone = prop::collection::vec(any::<usize>(), 0..4);
    prop::collection::vec((texts, gone), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..Default::default() })]

    #[test]
    fn index_and_matcher_agree(
        batches in batches(),
        nodes in prop::collection::vec(reference::nodes(), 60),
    ) {
        let folder = tempdir().unwrap();
        let mut writer = index::create(folder.path()).unwrap();
        let mut texts: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
        let mut item = 1 << 32;
        for (event, (added, gone)) in (1..).zip(batches) {
            let known: Vec<u64> = texts.keys().copied().collect();
            let gone: Vec<u64> =
                gone.iter().filter_map(|at| known.get(at % known.len().max(1)).copied()).collect();
            writer.delete(&gone.iter().copied().map(ItemId).collect::<Vec<_>>()).unwrap();
            gone.iter().for_each(|item| drop(texts.remove(item)));
            for text in added {
                writer.add(&Document {
                    item: ItemId(item),
                    content: item,
                    time: 0,
                    attributes: 0,
                    name: 0,
                    text: &text,
                    touched: &[],
                }).unwrap();
                texts.insert(item, text);
                item += 1;
            }
            writer.commit(Watermark { archive: [1; 16], event, proof: [2; 16], items: 0 }).unwrap();
        }
        writer.finish().unwrap();
        let Opened::Ready(index) = index::open(folder.path()).unwrap() else { panic!("no index") };
        let searcher = index.searcher();

        let mut scratch = Scratch::default();
        for node in nodes {
            let matcher = Matcher::new(&node).unwrap();
            let matching = texts.iter().filter(|(_, text)| matcher.matches(text, &mut scratch));
            let expected: Vec<u64> = matching.map(|(item, _)| *item).collect();
            let found = searcher.matching(&node, &Everything).unwrap();
            let found_items: Vec<u64> = found.items.iter().collect();
            if found.exact {
                prop_assert_eq!(&found_items, &expected, "{:?}", node);
            } else {
                let missing = expected.iter().find(|item| !found.items.contains(**item));
                prop_assert_eq!(missing.map(|item| &texts[item]), None, "{:?}", node);
            }
        }
    }
}
