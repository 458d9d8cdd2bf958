//! `Store::append` against a model of plain vectors.

mod model;
mod recount;

use model::{
    Model,
    scripts::{Builder, Part, part},
};
use proptest::prelude::*;
use vox_store::{Store, append::Batch};

#[derive(Clone, Debug)]
enum Step {
    Append(Vec<Part>),
    AppendTwice(Vec<Part>),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let parts = || prop::collection::vec(part(), 1..3);
    let step = prop_oneof![
        6 => parts().prop_map(Step::Append),
        2 => parts().prop_map(Step::AppendTwice),
        1 => Just(Step::Reopen),
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
                Step::Reopen => {
                    drop(store);
                    store = Store::open(folder.path()).unwrap();
                }
            }
            compare(&store, &mut model);
        }
    }
}

fn build(model: &Model, number: usize, parts: &[Part]) -> Batch {
    let batch = Batch { fallback_time: 5000 + number as i64, ..Batch::default() };
    let mut builder = Builder { model, step: number as i64, batch };
    parts.iter().for_each(|part| builder.add(part));
    builder.batch
}

fn append(store: &Store, model: &mut Model, batch: &Batch) {
    let expected = model.append(batch);
    match store.append(batch.clone()) {
        Ok(mut done) => {
            done.stored_bytes = 0;
            assert_eq!(Ok(done), expected);
        }
        Err(error) => assert_eq!(Err(error.code), expected.map(drop), "{error}"),
    }
}

fn compare(store: &Store, model: &mut Model) {
    model.compare(&recount::recount(store));
    model.compare_kept(store);
}
