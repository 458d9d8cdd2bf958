//! Cutting against the golden vectors, and against random JSON.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use serde_json::Value;
use vox_format::forms;
use vox_frame::{CutRecord, Step, Want, WantForm, cut, rest_of_extra, restore};
use vox_types::Code;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn want(want: &Value) -> Want {
    let step = |step: &Value| match step {
        Value::String(key) => Step::Key(key.clone()),
        position => Step::Index(position.as_u64().unwrap().try_into().unwrap()),
    };
    let form = match want["form"].as_str().unwrap() {
        "string" => WantForm::String,
        "slice" => WantForm::Slice,
        "base64" => WantForm::Base64,
        "data_url" => WantForm::DataUrl,
        other => panic!("no form {other}"),
    };
    Want { path: want["path"].as_array().unwrap().iter().map(step).collect(), form }
}

#[test]
fn records_are_cut_as_the_golden_vectors_say() {
    let text = include_str!("../../../contracts/vectors/extra.json");
    let vectors: Value = serde_json::from_str(text).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() >= 12);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let record = bytes(case["record"].as_str().unwrap());
        let wants: Vec<Want> = case["wants"].as_array().unwrap().iter().map(want).collect();
        let items: Vec<Option<Vec<u8>>> =
            case["items"].as_array().unwrap().iter().map(|item| item.as_str().map(bytes)).collect();
        let extra = bytes(case["extra"].as_str().unwrap());

        let apart = cut(&record, &wants).unwrap();
        let got: Vec<_> =
            apart.items.iter().map(|item| item.as_deref().map(<[u8]>::to_vec)).collect();
        assert_eq!(got, items, "{name}");
        let (back, rest) = put_back(&record, &apart);
        assert_eq!(back, record, "{name}");
        assert_eq!(rest, rest_of_extra(&extra).unwrap(), "{name}");
        // A missing item is never asked for, so nothing stands in for it.
        let items: Vec<Vec<u8>> = items.into_iter().map(Option::unwrap_or_default).collect();
        assert_eq!(restore(&extra, &items).unwrap(), record, "{name}");
    }
}

/// The record out of its items and the bytes between the cuts, and those bytes.
fn put_back(record: &[u8], apart: &CutRecord<'_>) -> (Vec<u8>, Vec<u8>) {
    let (mut back, mut rest, mut at) = (Vec::new(), Vec::new(), 0);
    for cut in &apart.cuts {
        back.extend_from_slice(&record[at..cut.start]);
        rest.extend_from_slice(&record[at..cut.start]);
        let item = apart.items[cut.item].as_deref().unwrap();
        forms::put(item, cut.form, &mut back).unwrap();
        assert_eq!(back.len(), cut.end);
        at = cut.end;
    }
    back.extend_from_slice(&record[at..]);
    rest.extend_from_slice(&record[at..]);
    (back, rest)
}

#[test]
fn a_record_that_is_no_json_is_refused() {
    let wants = [Want { path: vec![Step::Key("a".to_owned())], form: WantForm::String }];
    for record in [&b"{\"a\":\"x\"} y"[..], b"{\"a\":\"x\"", b"", b"{\"a\":\"\\x\"}"] {
        assert_eq!(cut(record, &wants).unwrap_err().code, Code::InvalidArgument);
    }
}

/// The source text of a JSON value, in all manners that producers have.
fn source() -> impl Strategy<Value = Vec<u8>> {
    let part = prop::sample::select(vec![
        &b"a"[..],
        b"QUJD",
        b"data:x;base64,",
        b"\\n",
        b"\\\"",
        b"\\/",
        b"\\u00e9",
        b"\\u00E9",
        b"\\ud83d",
        b"\\ude00",
        b"\xc3\xa9",
        b"\xff",
        b"\xed\xa0\x80",
        b"\x7f",
        b"{",
        b"]",
        b",",
        b"=",
    ]);
    let string = prop::collection::vec(part, 0..6)
        .prop_map(|parts| [b"\"", &parts.concat()[..], b"\""].concat());
    let leaf = prop_oneof![4 => string.clone(), 1 => Just(b"-1.5e3".to_vec()), 1 => Just(b"null".to_vec())];
    let key = prop::sample::select(vec![&b"\"a\""[..], b"\"b\"", b"\"\\u0061\"", b"\"c\""]);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let space = prop::sample::select(vec![&b""[..], b" ", b"\n\t"]);
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..4), space.clone()).prop_map(
                |(values, space)| [b"[", space, &values.join(&b","[..]), space, b"]"].concat()
            ),
            (prop::collection::vec((key.clone(), inner), 0..4), space).prop_map(
                |(members, space)| {
                    let members: Vec<_> = members
                        .iter()
                        .map(|(key, value)| [key, space, b":", space, value].concat())
                        .collect();
                    [b"{", space, &members.join(&b","[..]), space, b"}"].concat()
                }
            ),
        ]
    })
}

fn wants() -> impl Strategy<Value = Vec<Want>> {
    let step = prop_oneof![
        prop::sample::select(vec!["a", "b", "c"]).prop_map(|key| Step::Key(key.to_owned())),
        (0u32..3).prop_map(Step::Index),
    ];
    let form = prop::sample::select(vec![
        WantForm::String,
        WantForm::Slice,
        WantForm::Base64,
        WantForm::DataUrl,
    ]);
    prop::collection::vec(
        (prop::collection::vec(step, 0..4), form).prop_map(|(path, form)| Want { path, form }),
        0..5,
    )
}

/// What `JSON.parse` and a walk would find, or None if the path leads nowhere.
fn parsed<'v>(value: &'v Value, path: &[Step]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.as_object()?.get(key),
        Step::Index(position) => value.as_array()?.get(*position as usize),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_record_comes_back_from_its_items_and_what_is_between_them(record in source(), wants in wants()) {
        match cut(&record, &wants) {
            Ok(apart) => {
                prop_assert_eq!(apart.items.len(), wants.len());
                prop_assert_eq!(put_back(&record, &apart).0, record);
            }
            Err(error) => {
                prop_assert_eq!(error.code, Code::InvalidArgument);
                let overlap = wants.iter().enumerate().any(|(i, one)| {
                    wants.iter().enumerate().any(|(j, other)| i != j && one.path.starts_with(&other.path))
                });
                prop_assert!(overlap);
            }
        }
    }

    #[test]
    fn what_is_cut_is_what_a_parser_finds(record in source(), wants in wants()) {
        let Ok(value) = serde_json::from_slice::<Value>(&record) else { return Ok(()) };
        let Ok(apart) = cut(&record, &wants) else { return Ok(()) };
        for (want, item) in wants.iter().zip(&apart.items) {
            let expected = parsed(&value, &want.path);
            prop_assert_eq!(item.is_some(), expected.is_some());
            let (Some(item), Some(expected)) = (item, expected) else { continue };
            match (want.form, expected) {
                (WantForm::String, Value::String(text)) => {
                    prop_assert_eq!(item.as_ref(), text.as_bytes());
                }
                (WantForm::Slice, _) => {
                    prop_assert_eq!(&serde_json::from_slice::<Value>(item).unwrap(), expected);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn restoring_from_any_bytes_gives_a_record_or_an_error(
        extra in prop::collection::vec(any::<u8>(), 0..40),
        items in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..8), 0..3),
    ) {
        if let Err(error) = restore(&extra, &items) {
            prop_assert_eq!(error.code, Code::Damaged);
        }
    }
}
