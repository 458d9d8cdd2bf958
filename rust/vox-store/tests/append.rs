//! `Store::append` against a model of plain vectors.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod model;
mod recount;

use model::{
    Model,
    scripts::{Builder, Part, part},
};
use proptest::prelude::*;
use vox_format::rows::CursorRow;
use vox_store::{
    Store,
    append::{Appended, Batch, NewQuarantine},
    generations::compact,
    verify::{Options, Verdict, verify},
};
use vox_types::{Code, QuarantineReason};

#[derive(Clone, Debug)]
enum Step {
    Append(Vec<Part>),
    AppendTwice(Vec<Part>),
    /// Several batches in one commit, all made of what there was before.
    AppendTogether(Vec<Vec<Part>>),
    Reopen,
    Compact,
    /// A batch that was prepared before the archive was compacted.
    AppendOverCompact(Vec<Part>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let parts = || prop::collection::vec(part(), 1..3);
    let step = prop_oneof![
        6 => parts().prop_map(Step::Append),
        2 => parts().prop_map(Step::AppendTwice),
        2 => prop::collection::vec(parts(), 1..4).prop_map(Step::AppendTogether),
        1 => Just(Step::Reopen),
        1 => Just(Step::Compact),
        1 => parts().prop_map(Step::AppendOverCompact),
    ];
    prop::collection::vec(step, 1..16)
}

proptest! {
    #![proptest_config(ProptestConfig::default())]
    #[test]
    fn the_store_agrees_with_the_model(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(folder.path()).unwrap();
        let mut model = Model::default();
        for key in ["w0", "w1"] {
            let mut batch = Batch::default();
            batch.windows.push(vox_store::append::WindowChange { key: key.into(), ..Default::default() });
            append(&store, &mut model, &batch);
        }
        for (number, step) in steps.iter().enumerate() {
            match step {
                Step::Append(parts) => {
                    let batch = build(&model, number, parts);
                    append(&store, &mut model, &batch);
                }
                Step::AppendTwice(parts) => {
                    let batch = build(&model, number, parts);
                    append(&store, &mut model, &batch);
                    compare(&store, &mut model);
                    append(&store, &mut model, &batch);
                }
                Step::AppendTogether(batches) => {
                    let batches: Vec<Batch> = (0..).zip(batches)
                        .map(|(i, parts)| build(&model, number + 100 * i, parts))
                        .collect();
                    append_together(&store, &mut model, &batches);
                }
                Step::Compact => drop(compact(&store).unwrap()),
                Step::AppendOverCompact(parts) => {
                    let batch = build(&model, number, parts);
                    let prepared = store.prepare_append(batch.clone()).unwrap();
                    compact(&store).unwrap();
                    check(store.append_prepared(vec![prepared]).remove(0), model.append(&batch));
                }
                Step::Reopen => {
                    drop(store);
                    store = Store::open(folder.path()).unwrap();
                }
            }
            compare(&store, &mut model);
        }
        let report = verify(&store, &Options::default()).unwrap();
        prop_assert_eq!(report.verdict(), Verdict::Clean, "{:?}", report.findings);
    }
}

fn build(model: &Model, number: usize, parts: &[Part]) -> Batch {
    let batch = Batch { fallback_time: 5000 + number as i64, ..Batch::default() };
    let mut builder = Builder { model, step: number as i64, batch };
    parts.iter().for_each(|part| builder.add(part));
    builder.batch
}

fn append(store: &Store, model: &mut Model, batch: &Batch) {
    check(store.append(batch.clone()), model.append(batch));
}

fn append_together(store: &Store, model: &mut Model, batches: &[Batch]) {
    let prepare = |batch: &Batch| store.prepare_append(batch.clone()).unwrap();
    let done = store.append_prepared(batches.iter().map(prepare).collect());
    assert_eq!(done.len(), batches.len());
    for (done, batch) in done.into_iter().zip(batches) {
        check(done, model.append(batch));
    }
}

fn check(done: vox_types::Result<Appended>, expected: Result<Appended, Code>) {
    match done {
        Ok(mut done) => {
            (done.stored_bytes, done.table_bytes) = (0, 0);
            assert_eq!(Ok(done), expected);
        }
        Err(error) => assert_eq!(Err(error.code), expected.map(drop), "{error}"),
    }
}

fn compare(store: &Store, model: &mut Model) {
    model.compare(&recount::recount(store));
    model.compare_kept(store);
}

#[test]
fn a_batch_that_names_a_blob_it_does_not_have_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path()).unwrap();
    let stretch =
        NewQuarantine { offset: 0, length: 1, reason: QuarantineReason::Torn, blob: Some(0) };
    let cursor = Some(CursorRow { path: b"/source".into(), ..CursorRow::default() });
    let batch = Batch { quarantine: vec![stretch], cursor, ..Batch::default() };
    assert_eq!(store.append(batch).unwrap_err().code, Code::InvalidArgument);
    assert!(recount::recount(&store).references.is_empty());
}
