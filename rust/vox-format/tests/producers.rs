//! Rows of the producers: what is written is read again, in both ways of naming a content.

use vox_format::{
    producers::{
        Given, Kept,
        session::{
            Compacted, Created, DroppedItem, ExpensiveOpRecorded, Known, MetaUpdated,
            PluginStateUpdated, Reset, SessionEvent, SessionEventRow, SessionKind, SessionState,
            StateChanged, TurnAdded, TurnItem, TurnItemKind, Usage,
        },
    },
    rows,
};
use vox_types::{ContentHash, Role};

fn of_each_kind() -> Vec<SessionEvent<Given>> {
    let text = |text: &str| Given::Text(text.into());
    let usage = || Usage { key: Some("k".into()), input: 3, ..Usage::default() };
    let known = || Known { title: Some("T".into()), ..Known::default() };
    vec![
        SessionEvent::Created(Box::new(Created {
            kind: SessionKind::Task,
            parent: Some("p".into()),
            known: known(),
            git_sha_at_open: Some("abc".into()),
        })),
        SessionEvent::TurnAdded(TurnAdded {
            role: Role::Assistant,
            items: vec![TurnItem {
                kind: TurnItemKind::ToolCall,
                content: text("{}"),
                name: Some("grep".into()),
                call_id: Some("1".into()),
                at: Some(5),
                token_estimate: Some(2),
                redacted: true,
            }],
            usage: Some(Box::new(usage())),
        }),
        SessionEvent::StateChanged(StateChanged {
            state: SessionState::Closed,
            git_sha_at_close: None,
        }),
        SessionEvent::MetaUpdated(Box::new(MetaUpdated { known: known(), tags: vec!["a".into()] })),
        SessionEvent::Reset(Reset { reason: None }),
        SessionEvent::Compacted(Compacted {
            dropped: vec![DroppedItem {
                content: Given::Data(vec![0, 255]),
                role: Role::User,
                kind: TurnItemKind::Message,
            }],
            summary: text("s"),
            rationale: Some(text("r")),
            usage: None,
        }),
        SessionEvent::ExpensiveOpRecorded(ExpensiveOpRecorded {
            op: "embed".into(),
            duration_ms: Some(1),
            usage: usage(),
        }),
        SessionEvent::PluginStateUpdated(PluginStateUpdated {
            plugin: "todo".into(),
            content: text("[]"),
        }),
    ]
}

fn bytes_of(given: &Given) -> Vec<u8> {
    match given {
        Given::Text(text) => text.clone().into_bytes(),
        Given::Data(bytes) => bytes.clone(),
        Given::Hash(_) => unreachable!("these are given by their bytes"),
    }
}

#[test]
fn every_event_survives_as_it_is_given() {
    for event in of_each_kind() {
        let row = SessionEventRow { at: -7, event };
        let bytes = rows::encode(&row).unwrap();
        assert_eq!(rows::decode::<SessionEventRow<Given>>(&bytes, "it").unwrap(), row);
    }
}

#[test]
fn every_event_survives_as_a_row_with_its_contents_in_their_order() {
    for event in of_each_kind() {
        let given = SessionEventRow { at: 0, event };
        let hashes: Vec<ContentHash> =
            given.contents().into_iter().map(|given| ContentHash::of(&bytes_of(given))).collect();
        let mut purged = false;
        let row = given
            .try_map(|given| {
                purged = !purged;
                Ok::<_, ()>(Kept { hash: ContentHash::of(&bytes_of(&given)), purged })
            })
            .unwrap();
        assert_eq!(row.contents().iter().map(|kept| kept.hash).collect::<Vec<_>>(), hashes);
        let bytes = rows::encode(&row).unwrap();
        assert_eq!(rows::decode::<SessionEventRow<Kept>>(&bytes, "a row").unwrap(), row);
        let shown = row.try_map(|kept| Ok::<_, ()>(Given::from(&kept))).unwrap();
        let bytes = rows::encode(&shown).unwrap();
        let given: SessionEventRow<Given> = rows::decode(&bytes, "it").unwrap();
        let named: Vec<ContentHash> = given
            .contents()
            .into_iter()
            .map(|given| match given {
                Given::Hash(kept) => kept.hash,
                _ => panic!("{given:?}"),
            })
            .collect();
        assert_eq!(named, hashes);
    }
}

#[test]
fn a_live_content_is_32_bytes_of_a_row_and_a_purged_one_a_map() {
    let hash = ContentHash::of(b"x");
    let live = rows::encode(&Kept::of(hash)).unwrap();
    assert_eq!(live, [&[0xc4, 32][..], &hash.0].concat());
    let purged = rows::encode(&Kept { hash, purged: true }).unwrap();
    assert_eq!(purged, [&[0x81, 0xa6][..], b"purged", &[0xc4, 32], &hash.0].concat());
}

#[test]
fn what_names_no_content_is_refused() {
    #[derive(serde::Serialize)]
    struct Both {
        data: serde_bytes::ByteBuf,
        hash: String,
    }
    let zeros = "0".repeat(64);
    let both = Both { data: serde_bytes::ByteBuf::new(), hash: zeros };
    let refused = |bytes: &[u8]| rows::decode::<Given>(bytes, "a content").unwrap_err().message;
    assert!(refused(&rows::encode(&both).unwrap()).contains("not both"));
    let of_hash = |hash: &str| {
        let map = std::collections::BTreeMap::from([("hash", hash)]);
        refused(&rows::encode(&map).unwrap())
    };
    for digits in ["", "0", &"+".repeat(64), &"é".repeat(32), &"0".repeat(66)] {
        assert!(of_hash(digits).contains("no content hash"), "{digits}");
    }
    assert!(refused(&rows::encode(&5).unwrap()).contains("a text, or a map"));
}
