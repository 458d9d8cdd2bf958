//! Exports and imports of archives full of random things: nothing is lost.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "the model can do more than is needed here")]

mod dump;
mod model;
mod recount;

use std::path::Path;

use model::{
    Model,
    scripts::{Builder, Part, part},
};
use proptest::prelude::*;
use vox_store::{
    Store,
    append::Batch,
    exchange::{Import, Line, Plain},
    naming::Named,
    verify::{Options, Verdict, verify},
};
use vox_types::{Code, ContentHash, ItemId, OverlayKind, Result};

fn export(store: &Store) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut put = |line| {
        lines.push(line);
        Ok(())
    };
    store.export(&mut put).unwrap();
    lines
}

fn import(lines: &[Line], target: &Path) -> Result<()> {
    let mut import = Import::begin(target)?;
    for line in lines {
        import.line(line.clone())?;
    }
    import.finish().map(drop)
}

/// An archive made of random batches, with holds, names and overlays.
fn filled(path: &Path, scripts: &[Vec<Part>], held: &[u8]) -> Store {
    let store = Store::create(path).unwrap();
    let mut model = Model::default();
    for (number, parts) in scripts.iter().enumerate() {
        let batch = Batch { fallback_time: 5000 + number as i64, ..Batch::default() };
        let mut builder = Builder { model: &model, step: number as i64, batch };
        parts.iter().for_each(|part| builder.add(part));
        let batch = builder.batch;
        let done = store.append(batch.clone());
        assert_eq!(done.is_ok(), model.append(&batch).is_ok());
        model.compare(&recount::recount(&store));
    }
    let held: Vec<Vec<u8>> = held.iter().map(|n| vec![*n; usize::from(*n)]).collect();
    let slices: Vec<&[u8]> = held.iter().map(Vec::as_slice).collect();
    store.put_many(&slices).unwrap();
    if let Some(first) = held.first() {
        store.set_name("held", Some(Named::Blob(ContentHash::of(first)))).unwrap();
    }
    if let Some(first) = model.windows.first().filter(|window| !window.places.is_empty()) {
        let items = first.places.len() as u64;
        store.set_overlay(0, OverlayKind::Trimmed, 0..items / 2, Some(-7)).unwrap();
        store.set_overlay(0, OverlayKind::Fate, items / 2..items, Some(3)).unwrap();
        store.set_name("window", Some(Named::Window(0))).unwrap();
        let item = store.snapshot(|snapshot| snapshot.item_at(0, 0)).unwrap().unwrap();
        store.set_name("item", Some(Named::Item(item))).unwrap();
    }
    store
}

fn scripts() -> impl Strategy<Value = Vec<Vec<Part>>> {
    prop::collection::vec(prop::collection::vec(part(), 1..3), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn an_imported_export_is_an_equal_archive(scripts in scripts(), held in prop::collection::vec(any::<u8>(), 0..6)) {
        let folder = tempfile::tempdir().unwrap();
        let source = filled(&folder.path().join("source"), &scripts, &held);
        let lines = export(&source);
        let target = folder.path().join("target");
        import(&lines, &target).unwrap();
        let copy = Store::open(&target).unwrap();
        prop_assert_eq!(dump::dump(&copy), dump::dump(&source));
        prop_assert_eq!(export(&copy), lines);
        let report = verify(&copy, &Options::default()).unwrap();
        prop_assert_eq!(report.verdict(), Verdict::Clean, "{:?}", report.findings);
    }
}

/// An archive with some windows, and its export.
fn sample(folder: &Path) -> Vec<Line> {
    let say =
        Part::Say { key: 1, title: Some(1), repo: Some(1), created_at: None, parent: Some(3) };
    let long = Part::Long { window: 0, count: 700 };
    let store = filled(folder, &[vec![say], vec![long.clone()], vec![long]], &[3, 200, 99]);
    export(&store)
}

#[test]
fn an_export_goes_into_an_archive_without_content_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let lines = sample(&folder.path().join("source"));
    let target = folder.path().join("target");
    drop(Store::create(&target).unwrap());
    let open = Store::open(&target).unwrap();
    import(&lines, &target).unwrap();
    // Whoever had the empty archive open moves over.
    assert_eq!(export(&open), lines);
    assert_eq!(export(&Store::open(&target).unwrap()), lines);
    let refused = import(&lines, &target).unwrap_err();
    assert_eq!(refused.code, Code::InvalidArgument);
    assert!(refused.message.contains("isn't empty"), "{refused}");
    let names: Vec<_> =
        std::fs::read_dir(&target).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn what_fails_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let lines = sample(&folder.path().join("source"));
    let target = folder.path().join("target");
    for kept in [0, 1, 2, lines.len() / 2, lines.len() - 1] {
        assert_eq!(import(&lines[..kept], &target).unwrap_err().code, Code::Damaged, "{kept}");
        assert!(!target.exists());
    }
}

/// `lines` with one of type `kind` changed.
fn changed(lines: &[Line], kind: &str, change: impl Fn(&mut Line)) -> Vec<Line> {
    let mut lines = lines.to_vec();
    let line = lines.iter_mut().rfind(|line| line.kind == kind).unwrap();
    change(line);
    lines
}

fn set(name: &'static str, value: impl Into<Plain> + Clone) -> impl Fn(&mut Line) {
    move |line| {
        let found = line.fields.iter_mut().find(|(field, _)| field == name);
        let (_, old) = found.unwrap_or_else(|| panic!("no {name}"));
        assert_ne!(*old, value.clone().into());
        *old = value.clone().into();
    }
}

#[test]
fn lines_that_were_changed_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let lines = sample(&folder.path().join("source"));
    let target = folder.path().join("target");
    let nothing = "00".repeat(32);
    let wrong = [
        changed(&lines, "header", set("schema", "vox.export.v9")),
        changed(&lines, "header", set("format", 99u64)),
        changed(&lines, "blob", set("text", "another text")),
        changed(&lines, "blob", set("hash", nothing.as_str())),
        changed(&lines, "item", set("content", nothing.as_str())),
        changed(&lines, "item", set("id", "0.5")),
        changed(&lines, "item", set("role", "nobody")),
        changed(&lines, "item", set("kind", "tool_call")),
        changed(&lines, "item", set("bytes", 1u64 << 40)),
        changed(&lines, "item", set("preview", "x".repeat(121))),
        changed(&lines, "run", set("chain", nothing.as_str())),
        changed(&lines, "run", set("len", 5u64)),
        changed(&lines, "run", set("window", 1u64 << 40)),
        changed(&lines, "extent", set("count", 5u64)),
        changed(&lines, "extent", set("run", 9u64)),
        changed(&lines, "overlay", set("count", u64::MAX)),
        changed(&lines, "overlay", set("overlay", "hidden")),
        changed(&lines, "window", set("no", 77u64)),
        changed(&lines, "window", set("row", Plain::Null)),
        changed(&lines, "event", set("no", 77u64)),
        changed(&lines, "awaited", set("parent", "00")),
        changed(&lines, "name", set("window", 9u64)),
        changed(&lines, "symbol", set("text", "")),
        changed(&lines, "window", |line| line.fields.push(("more".into(), Plain::Null))),
        changed(&lines, "window", |line| line.kind = "door".into()),
    ];
    for (number, lines) in wrong.iter().enumerate() {
        let refused = import(lines, &target).expect_err(&format!("change {number}"));
        let known = [Code::Damaged, Code::WrongVersion, Code::InvalidArgument];
        assert!(known.contains(&refused.code), "change {number}: {refused}");
        assert!(!target.exists(), "change {number}");
    }
    let doubled = [&lines[..], &lines[lines.len() - 1..]].concat();
    assert!(import(&doubled, &target).is_err());
    assert_eq!(ItemId::new(0, 5).to_string(), "0.5");
    import(&lines, &target).unwrap();
}
