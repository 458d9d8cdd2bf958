//! Views against a slow reference over plain lists.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use proptest::prelude::*;
use support::{
    Memory, WINDOW, hash_of, memory,
    rows::{Shown, expected, rows, shown},
};
use vox_core::{
    filter::{Filter, Trimmed},
    view::{Columns, Ordinals, View, items, items_by_id},
};
use vox_types::{ChainHash, Code, ItemId, ItemKind, OverlayKind, Role};

const ALL: Columns = Columns { preview: true, content_hash: true, chain_hash: true };

fn filters() -> impl Strategy<Value = Filter> {
    (
        prop::option::of(prop::sample::subsequence(Role::ALL, 1..4)),
        prop::option::of(prop::sample::subsequence(ItemKind::ALL, 1..8)),
        any::<bool>(),
        prop::option::of(0i64..1000),
        prop::option::of(0i64..1000),
        prop::option::of(prop::sample::subsequence(vec![0u32, 1, 2, 3, 900], 1..4)),
        prop::sample::select(&[Trimmed::Hide, Trimmed::Show, Trimmed::Only][..]),
    )
        .prop_map(|(roles, kinds, records, since, until, names, trimmed)| Filter {
            roles,
            kinds,
            records,
            since,
            until,
            names,
            trimmed,
        })
}

/// The ordinals that a filter shows, one by one.
fn reference(memory: &Memory, filter: &Filter) -> Vec<u64> {
    let shows = |(ordinal, place): (usize, (u32, u32))| {
        let row = memory.row(place);
        let trimmed = memory.overlay(OverlayKind::Trimmed, ordinal as u64).is_some();
        let kind = match &filter.kinds {
            Some(kinds) => kinds.contains(&row.kind),
            None => filter.records || row.kind != ItemKind::Record,
        };
        let shown = kind
            && filter.roles.as_ref().is_none_or(|roles| roles.contains(&row.role))
            && filter.names.as_ref().is_none_or(|names| names.contains(&row.name))
            && filter.since.is_none_or(|since| row.created_at >= since)
            && filter.until.is_none_or(|until| row.created_at < until)
            && match filter.trimmed {
                Trimmed::Hide => !trimmed,
                Trimmed::Show => true,
                Trimmed::Only => trimmed,
            };
        shown.then_some(ordinal as u64)
    };
    memory.places().into_iter().enumerate().filter_map(shows).collect()
}

fn listed(ordinals: Ordinals) -> Vec<u64> {
    match ordinals {
        Ordinals::Range(range) => range.collect(),
        Ordinals::List(list) => list,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_range_gives_the_rows_of_its_items(
        memory in memory(1000),
        start in 0u64..200,
        count in 0u64..200,
    ) {
        let batch = items(&memory, WINDOW, &Ordinals::Range(start..start + count), ALL).unwrap();
        let end = (start + count).min(memory.len());
        let wanted: Vec<_> = (start..end).map(|ordinal| expected(&memory, ordinal)).collect();
        prop_assert_eq!(rows(&batch), wanted);
    }

    #[test]
    fn a_list_gives_its_items_in_its_order(
        memory in memory(1000),
        list in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        prop_assume!(memory.len() > 0);
        let list: Vec<u64> = list.iter().map(|i| i.index(memory.len() as usize) as u64).collect();
        let batch = items(&memory, WINDOW, &Ordinals::List(list.clone()), ALL).unwrap();
        let wanted: Vec<_> = list.iter().map(|&ordinal| expected(&memory, ordinal)).collect();
        prop_assert_eq!(rows(&batch), wanted);
    }

    #[test]
    fn hashes_are_those_of_the_whole_path(memory in memory(1000)) {
        let batch = items(&memory, WINDOW, &Ordinals::Range(0..u64::MAX), ALL).unwrap();
        let content = batch["content_hash"].as_fixed_size_binary();
        let chains = batch["chain_hash"].as_fixed_size_binary();
        for (index, (run, position)) in memory.places().into_iter().enumerate() {
            let (mut parent, mut chain) = (ChainHash::ROOT, ChainHash::ROOT);
            for row in &memory.runs[&run][..=position as usize] {
                chain = parent.child(row.role, row.kind, &hash_of(row.content));
                if !row.side {
                    parent = chain;
                }
            }
            prop_assert_eq!(chains.value(index), chain.0);
            let hash = hash_of(memory.row((run, position)).content);
            prop_assert_eq!(content.value(index), hash.0);
        }
    }

    #[test]
    fn a_filtered_view_shows_what_the_reference_shows(
        memory in memory(1000),
        filter in filters(),
        reads in prop::collection::vec((0u64..200, 0u64..60), 1..5),
    ) {
        let shown = reference(&memory, &filter);
        let mut view = View::open(&memory, WINDOW, memory.len(), memory.records(), &filter).unwrap();
        for (start, count) in reads {
            let wanted: Vec<u64> =
                shown.iter().copied().skip(start as usize).take(count as usize).collect();
            prop_assert_eq!(listed(view.ordinals(&memory, start, count).unwrap()), wanted);
        }
        prop_assert_eq!(view.len(&memory).unwrap(), shown.len() as u64);
    }

    #[test]
    fn an_ordinal_stands_behind_the_shown_ones_before_it(
        memory in memory(1000),
        filter in filters(),
        ordinals in prop::collection::vec(0u64..300, 1..5),
    ) {
        let shown = reference(&memory, &filter);
        let mut view = View::open(&memory, WINDOW, memory.len(), memory.records(), &filter).unwrap();
        for ordinal in ordinals {
            let before = shown.iter().filter(|&&other| other < ordinal).count() as u64;
            prop_assert_eq!(view.position(&memory, ordinal).unwrap(), before);
        }
    }

    #[test]
    fn items_by_id_may_come_from_anywhere_in_any_order(
        memory in memory(1000),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let runs = memory.runs.iter();
        let all: Vec<(u32, u32)> =
            runs.flat_map(|(&run, rows)| (0..rows.len() as u32).map(move |at| (run, at))).collect();
        let places: Vec<_> = places.iter().map(|index| *index.get(&all)).collect();
        let ids: Vec<ItemId> = places.iter().map(|&(run, at)| ItemId::new(run, at)).collect();
        let batch = items_by_id(&memory, &ids, ALL).unwrap();
        let given: Vec<Shown> = (0..batch.num_rows()).map(|row| shown(&batch, row)).collect();
        let wanted: Vec<Shown> = places.iter().map(|&place| memory.row(place).into()).collect();
        prop_assert_eq!(given, wanted);
    }

    #[test]
    fn damaged_extents_are_answered_with_an_error(
        memory in memory(1000),
        damage in (any::<prop::sample::Index>(), any::<u64>(), any::<u32>(), any::<u32>(), any::<u32>()),
    ) {
        prop_assume!(!memory.extents.is_empty());
        let mut memory = memory;
        let (index, ordinal, run, first, count) = damage;
        let items_before = memory.len();
        let at = index.index(memory.extents.len());
        let extent = vox_core::view::Extent { ordinal, run, first, count };
        memory.extents[at] = extent;
        let read = items(&memory, WINDOW, &Ordinals::Range(0..items_before), ALL);
        prop_assert!(read.is_err_and(|error| matches!(error.code, Code::Damaged)));
    }
}

#[test]
fn without_filter_and_trimmed_items_positions_are_ordinals() {
    let memory = Memory::default();
    let filter = Filter { records: true, ..Filter::default() };
    let mut view = View::open(&memory, WINDOW, 1 << 40, 1, &filter).unwrap();
    assert_eq!(
        view.ordinals(&memory, 1 << 39, 10).unwrap(),
        Ordinals::Range(1 << 39..(1 << 39) + 10)
    );
    assert_eq!(view.len(&memory).unwrap(), 1 << 40);
}

#[test]
fn an_ordinal_past_the_end_is_not_found_in_a_list() {
    for ordinal in [0, 3, u64::MAX] {
        let list = Ordinals::List(vec![ordinal]);
        let error = items(&Memory::default(), WINDOW, &list, ALL).unwrap_err();
        assert_eq!(error.code, Code::NotFound);
    }
}

#[test]
fn only_the_columns_asked_for_are_there() {
    let names = |want| {
        let batch = items(&Memory::default(), WINDOW, &Ordinals::Range(0..5), want).unwrap();
        let schema = batch.schema();
        schema.fields().iter().map(|field| field.name().clone()).collect::<HashSet<String>>()
    };
    let extra: HashSet<String> = &names(ALL) - &names(Columns::METADATA);
    let wanted = ["preview", "content_hash", "chain_hash"].map(String::from);
    assert_eq!(extra, HashSet::from(wanted));
}
