//! Timelines against a sorted list.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use arrow_array::{cast::AsArray, types::UInt32Type};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use support::{
    Memory, memory,
    rows::{Shown, shown},
};
use vox_core::{filter::Filter, timeline::Timeline, view::Columns};
use vox_types::{ItemId, ItemKind, Role};

fn filters() -> impl Strategy<Value = Filter> {
    (
        prop::option::of(prop::sample::subsequence(Role::ALL, 1..4)),
        prop::option::of(0i64..60),
        prop::option::of(0i64..60),
    )
        .prop_map(|(roles, since, until)| Filter { roles, since, until, ..Filter::default() })
}

/// The times and ids of all items that the filter shows, sorted.
fn reference(memory: &Memory, filter: &Filter) -> Vec<(i64, ItemId)> {
    let mut all = Vec::new();
    for (&run, rows) in &memory.runs {
        for (position, row) in rows.iter().enumerate() {
            if row.kind != ItemKind::Record
                && filter.roles.as_ref().is_none_or(|roles| roles.contains(&row.role))
                && filter.since.is_none_or(|since| row.created_at >= since)
                && filter.until.is_none_or(|until| row.created_at < until)
            {
                all.push((row.created_at, ItemId::new(run, position as u32)));
            }
        }
    }
    all.sort();
    all
}

/// Runs whose times ascend, as those of real conversations do.
fn in_order(mut memory: Memory, size: usize) -> Memory {
    let mut sorted = Memory::default();
    for (run, mut rows) in std::mem::take(&mut memory.runs) {
        rows.sort_by_key(|row| row.created_at);
        sorted.add_run(run, rows, size);
    }
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn positions_are_those_of_the_sorted_list(
        memory in memory(60),
        chunk in 1usize..20,
        ascending in any::<bool>(),
        filter in filters(),
        reads in prop::collection::vec((0u64..400, 0u64..60), 1..5),
    ) {
        let memory = if ascending { in_order(memory, chunk) } else { memory };
        let sorted = reference(&memory, &filter);
        let mut timeline = Timeline::open(&memory, &memory.run_infos(), &filter).unwrap();
        prop_assert_eq!(timeline.len(), sorted.len() as u64);
        for (start, count) in reads {
            let rest = sorted.iter().skip(start as usize).take(count as usize);
            let wanted: Vec<ItemId> = rest.map(|(_, item)| *item).collect();
            prop_assert_eq!(timeline.items(&memory, start, count).unwrap(), wanted);
        }
    }

    #[test]
    fn a_time_stands_behind_all_earlier_items(memory in memory(60), time in -5i64..70) {
        let filter = Filter::default();
        let before = reference(&memory, &filter).iter().filter(|(at, _)| *at < time).count();
        let mut timeline = Timeline::open(&memory, &memory.run_infos(), &filter).unwrap();
        prop_assert_eq!(timeline.position(&memory, time).unwrap(), before as u64);
    }

    #[test]
    fn items_appended_later_do_not_move_a_timeline(memory in memory(60), more in prop::collection::vec(support::item(60), 1..40)) {
        let filter = Filter::default();
        let mut timeline = Timeline::open(&memory, &memory.run_infos(), &filter).unwrap();
        let wanted = timeline.items(&memory, 0, u64::MAX).unwrap();
        let mut later = Memory::default();
        for (&run, rows) in &memory.runs {
            // A run in one chunk, as the last chunk of any run is.
            later.add_run(run, rows.iter().chain(&more).cloned().collect(), 512);
        }
        let mut in_one = Memory::default();
        memory.runs.iter().for_each(|(&run, rows)| in_one.add_run(run, rows.clone(), 512));
        let mut grown = Timeline::open(&in_one, &in_one.run_infos(), &filter).unwrap();
        prop_assert_eq!(grown.items(&later, 0, u64::MAX).unwrap(), wanted);
    }
}

#[test]
fn more_chunks_than_a_block_of_the_directory_stay_in_order() {
    let mut memory = Memory::default();
    let mut runner = TestRunner::deterministic();
    for run in 0..8 {
        let rows = prop::collection::vec(support::item(100_000), 400);
        let mut rows = rows.new_tree(&mut runner).unwrap().current();
        rows.sort_by_key(|row| row.created_at);
        memory.add_run(run, rows, 7);
    }
    let filter = Filter::default();
    let sorted = reference(&memory, &filter);
    let mut timeline = Timeline::open(&memory, &memory.run_infos(), &filter).unwrap();
    for start in (0..sorted.len()).step_by(97) {
        let wanted: Vec<ItemId> = sorted.iter().skip(start).take(50).map(|(_, id)| *id).collect();
        assert_eq!(timeline.items(&memory, start as u64, 50).unwrap(), wanted);
    }
}

#[test]
fn a_batch_of_the_timeline_names_the_owning_windows() {
    let mut memory = Memory::default();
    let mut runner = TestRunner::deterministic();
    for run in [4, 9] {
        let rows = prop::collection::vec(support::item(50), 30).new_tree(&mut runner).unwrap();
        memory.add_run(run, rows.current(), 8);
    }
    let filter = Filter { records: true, ..Filter::default() };
    let mut timeline = Timeline::open(&memory, &memory.run_infos(), &filter).unwrap();
    let ids = timeline.items(&memory, 10, 40).unwrap();
    let batch = timeline.batch(&memory, 10, 40, Columns::WITH_PREVIEW).unwrap();
    let windows: Vec<u32> = ids.iter().map(|id| 100 + id.run()).collect();
    assert_eq!(batch["window"].as_primitive::<UInt32Type>().values(), windows.as_slice());
    let wanted: Vec<Shown> =
        ids.iter().map(|id| memory.row((id.run(), id.position())).into()).collect();
    let given: Vec<Shown> = (0..batch.num_rows()).map(|row| shown(&batch, row)).collect();
    assert_eq!(given, wanted);
}
