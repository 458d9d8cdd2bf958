//! Chunks give back what was put in, and survive damage.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use vox_format::{
    chunk::{Chunk, ItemRow, MAX_ITEMS, encode_chunk},
    preview_blocks::Texts,
};
use vox_types::{BlobRef, ChainHash, ContentHash, Fidelity, ItemKind, RecordRef, Rest, Role};

fn rest() -> impl Strategy<Value = Option<Rest>> {
    let numbers = 0..u64::MAX >> 2;
    prop_oneof![
        Just(None),
        numbers.clone().prop_map(|record| Some(Rest::Record(RecordRef(record)))),
        numbers.prop_map(|blob| Some(Rest::Extra(BlobRef(blob)))),
    ]
}

fn item() -> impl Strategy<Value = ItemRow> {
    let numbers = (any::<u64>(), rest(), any::<i64>(), 0u64..1 << 30, any::<u32>(), any::<u64>());
    let closed = (
        prop::sample::select(Role::ALL),
        prop::sample::select(ItemKind::ALL),
        prop::sample::select(Fidelity::ALL),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    (numbers, closed, "\\PC{0,20}").prop_map(|(numbers, closed, preview)| {
        let (content, rest, created_at, byte_len, name, tokens_and_call) = numbers;
        let (token_estimate, call) = ((tokens_and_call >> 32) as u32, tokens_and_call as u32);
        let (role, kind, fidelity, redacted, side, purged) = closed;
        ItemRow {
            content: BlobRef(content),
            rest,
            created_at,
            byte_len,
            role,
            kind,
            fidelity,
            redacted,
            side,
            purged,
            name,
            token_estimate,
            call,
            preview,
        }
    })
}

fn items() -> impl Strategy<Value = Vec<ItemRow>> {
    prop::collection::vec(item(), 0..200)
}

fn texts(chunk: &Chunk<'_>, range: std::ops::Range<usize>) -> Vec<String> {
    let mut texts = Texts::default();
    chunk.previews(range, &mut texts).unwrap();
    texts.iter().map(str::to_owned).collect()
}

/// Calls everything that reads a chunk; only a panic would fail.
fn read_all(bytes: &[u8]) -> Option<usize> {
    let chunk = Chunk::parse(bytes).ok()?;
    let mut texts = Texts::default();
    let _ = chunk.rows();
    let _ = chunk.row(chunk.len());
    let _ = chunk.previews(0..chunk.len() + 1, &mut texts);
    let _ = chunk.chains(usize::MAX, |blob| Ok(ContentHash::of(&blob.0.to_le_bytes())));
    for index in 0..chunk.len() {
        let _ = chunk.previews(index..chunk.len(), &mut texts);
        let _ = (chunk.row(index), chunk.rest_at(index));
    }
    let _ = chunk.extend(&[]);
    Some(chunk.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_chunk_gives_back_its_items(rows in items(), chain in any::<[u8; 32]>()) {
        let bytes = encode_chunk(&ChainHash(chain), &rows);
        let chunk = Chunk::parse(&bytes).unwrap();
        prop_assert_eq!(chunk.chain_before(), ChainHash(chain));
        prop_assert_eq!(chunk.rows().unwrap(), rows);
    }

    #[test]
    fn a_chunk_that_grew_equals_one_made_at_once(rows in items(), at in any::<prop::sample::Index>()) {
        let (first, then) = rows.split_at(at.index(rows.len() + 1));
        let small = encode_chunk(&ChainHash::ROOT, first);
        let grown = Chunk::parse(&small).unwrap().extend(then).unwrap();
        prop_assert_eq!(grown, encode_chunk(&ChainHash::ROOT, &rows));
    }

    #[test]
    fn previews_of_a_range_are_the_previews_of_its_items(
        rows in items(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
    ) {
        let (from, to) = (from.index(rows.len() + 1), to.index(rows.len() + 1));
        let range = from.min(to)..from.max(to);
        let bytes = encode_chunk(&ChainHash::ROOT, &rows);
        let expected: Vec<String> = rows[range.clone()].iter().map(|row| row.preview.clone()).collect();
        prop_assert_eq!(texts(&Chunk::parse(&bytes).unwrap(), range), expected);
    }

    #[test]
    fn a_damaged_chunk_never_panics(
        rows in items(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = encode_chunk(&ChainHash::ROOT, &rows);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if cut {
            bytes.truncate(end.index(bytes.len()));
        }
        prop_assert!(read_all(&bytes).is_none_or(|items| items <= MAX_ITEMS));
    }

    #[test]
    fn a_chunk_that_is_cut_off_is_refused(rows in items(), end in any::<prop::sample::Index>()) {
        let bytes = encode_chunk(&ChainHash::ROOT, &rows);
        prop_assert!(Chunk::parse(&bytes[..end.index(bytes.len())]).is_err());
    }
}

#[test]
fn side_items_have_a_chain_hash_but_no_children() {
    let row = |byte: u8, side: bool| ItemRow {
        content: BlobRef(u64::from(byte)),
        rest: None,
        created_at: 0,
        byte_len: 1,
        role: Role::User,
        kind: if side { ItemKind::Record } else { ItemKind::Message },
        fidelity: Fidelity::Recorded,
        redacted: false,
        side,
        purged: false,
        name: 0,
        token_estimate: 0,
        call: 0,
        preview: String::new(),
    };
    let before = ChainHash::ROOT.child(Role::User, ItemKind::Message, &ContentHash::of(b"x"));
    let bytes = encode_chunk(&before, &[row(1, false), row(2, true), row(3, false)]);
    let hash = |byte: u8| ContentHash::of(&[byte]);
    let chains = Chunk::parse(&bytes).unwrap().chains(9, |blob| Ok(hash(blob.0 as u8))).unwrap();
    let first = before.child(Role::User, ItemKind::Message, &hash(1));
    assert_eq!(
        chains,
        [
            first,
            first.child(Role::User, ItemKind::Record, &hash(2)),
            first.child(Role::User, ItemKind::Message, &hash(3)),
        ]
    );
}

#[test]
fn a_kind_that_does_not_exist_is_damage() {
    let attributes = vox_format::attributes::Attributes(0b1111 << 2 | 0b11 << 6);
    assert!(attributes.kind().is_err());
    assert!(attributes.fidelity().is_err());
}
