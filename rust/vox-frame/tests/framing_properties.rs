//! Framing against random damage: nothing panics, every byte is accounted for, whole lines away
//! from damage come out, and how the file was read makes no difference.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write;

use proptest::prelude::*;
use vox_frame::{Framer, Limits, Quarantined};

type Read = (Vec<(u64, Vec<u8>)>, Vec<Quarantined>, u64, u64);

fn read(bytes: &[u8], limits: Limits) -> Read {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut framer = Framer::open(file.path(), 0, limits).unwrap();
    let (mut records, mut aside, mut end) = (vec![], vec![], 0);
    while let Some(batch) = framer.next_batch().unwrap() {
        records.extend(batch.iter().map(|record| (record.offset, record.bytes.to_vec())));
        aside.extend(batch.quarantined.iter().cloned());
        assert!(batch.end >= end);
        end = batch.end;
    }
    (records, aside, framer.end(), framer.pending())
}

/// Every byte is in a record, in a stretch, white space, a byte order mark or pending.
fn check_cover(bytes: &[u8], (records, aside, end, pending): &Read) {
    let mut places: Vec<(u64, u64)> = records
        .iter()
        .map(|(offset, record)| {
            let at = *offset as usize;
            assert_eq!(&bytes[at..at + record.len()], &record[..]);
            assert!(
                serde_json::from_str::<serde::de::IgnoredAny>(&String::from_utf8_lossy(record))
                    .is_ok()
            );
            (*offset, record.len() as u64)
        })
        .collect();
    for stretch in aside {
        let at = stretch.offset as usize;
        assert_eq!(&bytes[at..at + stretch.bytes.len()], &stretch.bytes[..]);
        assert!(stretch.length > 0);
        places.push((stretch.offset, stretch.length));
    }
    places.sort_unstable();
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let space = |from: u64, to: u64| {
        bytes[from as usize..to as usize].iter().all(|b| b" \t\r\n".contains(b))
    };
    for (offset, length) in places {
        assert!(offset >= at, "two places overlap at {offset}");
        assert!(space(at, offset), "lost bytes between {at} and {offset}");
        at = offset + length;
    }
    if at <= *end {
        assert!(space(at, *end), "lost bytes between {at} and {end}");
    }
    assert_eq!(end + pending, bytes.len() as u64);
}

fn record() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        (-99i32..99).prop_map(|n| n.to_string()),
        "[a-z{}\\[\\]:, ]{0,12}".prop_map(|s| format!("{s:?}")),
        Just(r#""a\"{\"b\":1}\n\\""#.to_owned()),
    ];
    let value = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|v| format!("[{}]", v.join(","))),
            prop::collection::vec(("[a-c]", inner), 0..3).prop_map(|v| {
                let members: Vec<_> = v.iter().map(|(k, v)| format!("{k:?}:{v}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    });
    prop::collection::vec(value, 1..4).prop_map(|values| {
        let members: Vec<_> =
            values.iter().enumerate().map(|(i, v)| format!("\"k{i}\":{v}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

#[derive(Clone, Debug)]
enum Piece {
    Line(String),
    Pretty(String),
    Damage(Vec<u8>),
    Torn(String, usize),
}

fn piece() -> impl Strategy<Value = Piece> {
    let damage = prop::sample::select(vec![
        &b"text"[..],
        b"\0\0\0\0",
        b"{",
        b"[",
        b"}",
        b"]",
        b"\"",
        b"{\"",
        b"\\",
        b"\n",
        b" \n",
        b"\r\n",
        b"{\"a\":[\n",
        b"{\"a\":\n",
        b"[1,\n",
        b"{\"a\":\"",
        b"\xff\xfe",
        b"12\n",
        b"{abc}\n",
        b", ",
        b"  x\n",
        b"\xef\xbb\xbf",
        b"{}{}",
        b"{\"a\":1}",
        b"[[[[[[",
    ]);
    prop_oneof![
        3 => record().prop_map(Piece::Line),
        1 => record().prop_map(Piece::Pretty),
        2 => prop::collection::vec(damage, 1..4).prop_map(|parts| Piece::Damage(parts.concat())),
        1 => (record(), 0usize..100).prop_map(|(record, percent)| Piece::Torn(record, percent)),
    ]
}

fn write(pieces: &[Piece]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Line(record) => {
                bytes.extend_from_slice(record.as_bytes());
                bytes.push(b'\n');
            }
            Piece::Pretty(record) => {
                let value: serde_json::Value = serde_json::from_str(record).unwrap();
                bytes.extend(serde_json::to_vec_pretty(&value).unwrap());
                bytes.push(b'\n');
            }
            Piece::Damage(damage) => bytes.extend_from_slice(damage),
            Piece::Torn(record, percent) => {
                bytes.extend_from_slice(&record.as_bytes()[..record.len() * percent / 100]);
            }
        }
    }
    bytes
}

fn limits() -> impl Strategy<Value = Limits> {
    (1usize..200, 1usize..10, 1usize..64).prop_map(|(batch_bytes, batch_records, read_bytes)| {
        Limits { batch_bytes, batch_records, read_bytes, ..Limits::default() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_byte_is_accounted_for(pieces in prop::collection::vec(piece(), 0..12)) {
        let bytes = write(&pieces);
        check_cover(&bytes, &read(&bytes, Limits::default()));
    }

    #[test]
    fn how_a_file_is_read_makes_no_difference(
        pieces in prop::collection::vec(piece(), 0..12),
        limits in limits(),
        record_bytes in prop_oneof![Just(1usize << 30), 1usize..80],
    ) {
        let bytes = write(&pieces);
        let whole = read(&bytes, Limits { record_bytes, ..Limits::default() });
        let parts = read(&bytes, Limits { record_bytes, ..limits });
        prop_assert_eq!(whole, parts);
    }

    #[test]
    fn reading_in_two_goes_gives_the_same(
        pieces in prop::collection::vec(piece(), 1..10),
        limits in limits(),
    ) {
        let bytes = write(&pieces);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        let mut first = Framer::open(file.path(), 0, limits).unwrap();
        let Some(batch) = first.next_batch().unwrap() else { return Ok(()) };
        let mut rest = Framer::open(file.path(), batch.end, Limits::default()).unwrap();
        let mut records: Vec<_> = batch.iter().map(|r| (r.offset, r.bytes.to_vec())).collect();
        let mut aside = batch.quarantined.clone();
        while let Some(batch) = rest.next_batch().unwrap() {
            records.extend(batch.iter().map(|r| (r.offset, r.bytes.to_vec())));
            aside.extend(batch.quarantined);
        }
        let whole = read(&bytes, Limits::default());
        prop_assert_eq!((records, aside), (whole.0, whole.1));
    }

    #[test]
    fn whole_lines_away_from_damage_come_out(
        pieces in prop::collection::vec(piece(), 0..16),
    ) {
        // Damage as whole lines, each followed by a line that may be lost with it.
        let mut bytes = Vec::new();
        let mut expected = Vec::new();
        let mut near_damage = false;
        for piece in &pieces {
            let before = bytes.len() as u64;
            bytes.extend(write(std::slice::from_ref(piece)));
            match piece {
                Piece::Line(record) => {
                    if !near_damage {
                        expected.push((before, record.clone().into_bytes()));
                    }
                    near_damage = false;
                }
                Piece::Pretty(_) => {}
                Piece::Damage(_) | Piece::Torn(..) => {
                    near_damage = true;
                    bytes.push(b'\n');
                }
            }
        }
        // Two more records settle what was open at the end.
        bytes.extend_from_slice(b"{\"x\":1}\n{\"x\":2}\n{\"x\":3}\n");
        let (records, ..) = read(&bytes, Limits::default());
        for expected in expected {
            prop_assert!(records.contains(&expected), "{expected:?} is lost");
        }
    }

    #[test]
    fn any_bytes_at_all_are_accounted_for(
        bytes in prop::collection::vec(prop_oneof![
            4 => prop::sample::select(b"{}[]\":,\\n1 \n".to_vec()),
            1 => any::<u8>(),
        ], 0..80),
        limits in limits(),
    ) {
        let whole = read(&bytes, Limits::default());
        check_cover(&bytes, &whole);
        prop_assert_eq!(whole, read(&bytes, limits));
    }
}
