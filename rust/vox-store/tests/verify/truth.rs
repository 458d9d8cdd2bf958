//! Tables that nothing repeats: what is wrong with them is found and left alone.

use vox_format::{
    keys,
    name::Target,
    rows::{
        self, CursorRow, EventRow, OverlayRange, QuarantineRow, RunRow, TombstoneRow, UsageRow,
        WindowRow,
    },
    segment::{GONE, Slot},
};
use vox_store::{
    Store, committed,
    verify::{Kind, Options, Verdict, repair, verify},
};
use vox_types::{BlobRef, ChainHash, Code, ItemKind, Rest, WindowId};

use crate::{
    archive::{change, sample, with_data},
    edits::{
        Case, case, drop_first, dump, edit, edit_chunk, edit_extent, edit_segment, edit_window,
        first, nth,
    },
    producers,
};

/// An event whose ranges are none.
#[derive(serde::Serialize)]
struct Marks {
    at: i64,
    kind: &'static str,
    overlay: u8,
    ranges: [u8; 1],
}

/// What is wrong with tables that nothing repeats.
fn damage() -> Vec<Case> {
    use Kind::{
        Chain, Conflict, Content, Count, Dangling, Differs, Malformed, Missing, Order, Preview,
    };
    vec![
        case("another format", "meta", Malformed, |t, txn| {
            Ok(t.meta.put(txn, b"format", &rows::encode(&3u32)?)?)
        }),
        case("no id", "meta", Missing, |t, txn| Ok(t.meta.delete(txn, b"archive_id").map(drop)?)),
        case("a segment is gone", "segments", Order, |t, txn| {
            Ok(t.segments.delete(txn, &1u64.to_be_bytes()).map(drop)?)
        }),
        case("a body is another's", "segments", Content, |t, txn| {
            edit_segment(t, txn, |slots| slots[3].body = slots[4].body)
        }),
        case("a hash is another's", "segments", Content, |t, txn| {
            edit_segment(t, txn, |slots| slots[3].hash = slots[4].hash)
        }),
        case("a length is wrong", "segments", Content, |t, txn| {
            edit_segment(t, txn, |slots| slots[3].raw_len += 1)
        }),
        case("an unknown codec", "segments", Content, |t, txn| {
            edit_segment(t, txn, |slots| slots[3].codec = 77)
        }),
        case("a tail is gone", "blob_recent", Dangling, |t, txn| drop_first(t.tails, txn)),
        case("a tail of a closed segment", "tails", Order, |t, txn| {
            let value = first(t.tails, txn)?.1;
            Ok(t.tails.put(txn, &keys::tail(0, 0), &value)?)
        }),
        case("a symbol is gone", "symbols", Missing, |t, txn| drop_first(t.symbols, txn)),
        case("a symbol is no text", "symbols", Malformed, |t, txn| {
            let (key, _) = first(t.symbols, txn)?;
            Ok(t.symbols.put(txn, &key, &[0xff])?)
        }),
        case("two symbols are one text", "symbols", Conflict, |t, txn| {
            let ((_, text), (key, _)) = (first(t.symbols, txn)?, nth(t.symbols, txn, 1)?);
            Ok(t.symbols.put(txn, &key, &text)?)
        }),
        case("a run is gone", "chunks", Dangling, |t, txn| drop_first(t.runs, txn)),
        case("a run is too long", "runs", Count, |t, txn| {
            edit(t.runs, txn, &0u32.to_be_bytes(), |row: &mut RunRow| row.len += 1)
        }),
        case("a run's chain is another's", "runs", Chain, |t, txn| {
            edit(t.runs, txn, &0u32.to_be_bytes(), |row: &mut RunRow| row.chain = [1; 32])
        }),
        case("a run's owner is gone", "runs", Dangling, |t, txn| {
            edit(t.runs, txn, &0u32.to_be_bytes(), |row: &mut RunRow| row.window = 70)
        }),
        case("the first chunk is gone", "chunks", Order, |t, txn| drop_first(t.chunks, txn)),
        case("the chain before a chunk is another's", "chunks", Chain, |t, txn| {
            edit_chunk(t, txn, |chain, _| *chain = ChainHash([9; 32]))
        }),
        case("items are swapped", "chunks", Chain, |t, txn| {
            edit_chunk(t, txn, |_, items| items.swap(0, 1))
        }),
        case("a kind is another", "chunks", Chain, |t, txn| {
            edit_chunk(t, txn, |_, items| items[0].kind = ItemKind::Summary)
        }),
        case("a chunk is too short", "chunks", Count, |t, txn| {
            edit_chunk(t, txn, |_, items| drop(items.pop()))
        }),
        case("a length is another", "chunks", Differs, |t, txn| {
            edit_chunk(t, txn, |_, items| items[5].byte_len += 1)
        }),
        case("a preview is another", "chunks", Preview, |t, txn| {
            edit_chunk(t, txn, |_, items| items[5].preview.push('x'))
        }),
        case("a name is no symbol", "chunks", Dangling, |t, txn| {
            edit_chunk(t, txn, |_, items| items[5].name = 4000)
        }),
        case("a content isn't there", "chunks", Dangling, |t, txn| {
            edit_chunk(t, txn, |_, items| items[5].content = BlobRef(800 << 16))
        }),
        case("an extra isn't there", "chunks", Dangling, |t, txn| {
            edit_chunk(t, txn, |_, items| items[5].rest = Some(Rest::Extra(BlobRef(800 << 16))))
        }),
        case("a window is gone", "extents", Dangling, |t, txn| {
            Ok(t.windows.delete(txn, &1u32.to_be_bytes()).map(drop)?)
        }),
        case("a window can't be read", "windows", Malformed, |t, txn| {
            Ok(t.windows.put(txn, &1u32.to_be_bytes(), &[0xc1])?)
        }),
        case("a window's chain is another's", "windows", Chain, |t, txn| {
            edit_window(t, txn, 0, |row| row.chain = [5; 32])
        }),
        case("a window's id is another", "windows", Differs, |t, txn| {
            edit_window(t, txn, 0, |row| row.id = [5; 16])
        }),
        case("a window's tier is none", "windows", Differs, |t, txn| {
            edit_window(t, txn, 0, |row| row.tier = 9)
        }),
        case("a window's repo isn't there", "windows", Dangling, |t, txn| {
            edit_window(t, txn, 0, |row| row.repo = 900)
        }),
        case("a window's tag isn't there", "windows", Dangling, |t, txn| {
            edit_window(t, txn, 0, |row| row.tags = vec![1, 900])
        }),
        case("a window's tag is none", "windows", Dangling, |t, txn| {
            edit_window(t, txn, 0, |row| row.tags = vec![0, 1])
        }),
        case("a window's tags don't ascend", "windows", Order, |t, txn| {
            edit_window(t, txn, 0, |row| row.tags = vec![1, 1])
        }),
        case("a title of the source that nothing replaced", "windows", Differs, |t, txn| {
            edit_window(t, txn, 0, |row| row.source_title = Some("t".into()))
        }),
        case("a model of the source that nothing replaced", "windows", Differs, |t, txn| {
            edit_window(t, txn, 0, |row| row.source_route = 1)
        }),
        case("a model of the source that isn't there", "windows", Dangling, |t, txn| {
            edit_window(t, txn, 0, |row| (row.routed, row.source_route) = (true, 900))
        }),
        case("a window's source isn't there", "windows", Dangling, |t, txn| {
            edit_window(t, txn, 0, |row| row.source = Some([1; 16]))
        }),
        case("a window's run is another's", "windows", Dangling, |t, txn| {
            edit_window(t, txn, 0, |row| row.run = row.run.map(|run| run + 1))
        }),
        case("a window's parent isn't there", "windows", Dangling, |t, txn| {
            edit_window(t, txn, 1, |row| row.parent = Some(500))
        }),
        case("a window's root is another", "windows", Differs, |t, txn| {
            edit_window(t, txn, 1, |row| row.root = 3)
        }),
        case("a root that names another", "windows", Differs, |t, txn| {
            edit_window(t, txn, 3, |row| row.root = 0)
        }),
        case("windows that are each other's parent", "windows", Conflict, |t, txn| {
            edit_window(t, txn, 0, |row| row.parent = Some(1))
        }),
        case("an extent ends early", "extents", Missing, |t, txn| {
            edit_extent(t, txn, |extent| extent.count -= 1)
        }),
        case("an extent leaves its run", "extents", Count, |t, txn| {
            edit_extent(t, txn, |extent| extent.count += 5000)
        }),
        case("an extent starts elsewhere", "extents", Chain, |t, txn| {
            edit_extent(t, txn, |extent| (extent.first, extent.count) = (1, extent.count - 1))
        }),
        case("an extent is too long to be", "extents", Count, |t, txn| {
            edit_extent(t, txn, |extent| (extent.first, extent.count) = (u32::MAX, u32::MAX))
        }),
        case("an extent is gone", "extents", Missing, |t, txn| drop_first(t.extents, txn)),
        case("overlays overlap", "overlays", Order, |t, txn| {
            let range = OverlayRange { first: 30, count: 5, value: 1 };
            Ok(t.overlays.put(txn, &keys::overlay(0, 0, 30), &range.encode())?)
        }),
        case("an overlay leaves its window", "overlays", Count, |t, txn| {
            let range = OverlayRange { first: 1, count: u64::MAX, value: 1 };
            Ok(t.overlays.put(txn, &keys::overlay(3, 1, 1), &range.encode())?)
        }),
        case("an overlay of no kind", "overlays", Malformed, |t, txn| {
            let range = OverlayRange { first: 1, count: 1, value: 1 };
            Ok(t.overlays.put(txn, &keys::overlay(0, 9, 1), &range.encode())?)
        }),
        case("an event is gone", "events", Order, |t, txn| {
            let (key, _) = nth(t.events, txn, 1)?;
            Ok(t.events.delete(txn, &key).map(drop)?)
        }),
        case("an event can't be read", "events", Malformed, |t, txn| {
            let (key, _) = first(t.events, txn)?;
            Ok(t.events.put(txn, &key, b"?")?)
        }),
        case("an event has no ranges", "events", Malformed, |t, txn| {
            let (key, _) = first(t.events, txn)?;
            let what = Marks { at: 1, kind: "marked", overlay: 0, ranges: [9] };
            Ok(t.events.put(txn, &key, &rows::encode(&what)?)?)
        }),
        case("an event of no window", "events", Dangling, |t, txn| {
            let (key, _) = first(t.events, txn)?;
            edit(t.events, txn, &key, |row: &mut EventRow| row.window = Some(99))
        }),
        case("a cursor of another path", "cursors", Differs, |t, txn| {
            let (key, _) = first(t.cursors, txn)?;
            edit(t.cursors, txn, &key, |row: &mut CursorRow| row.path.push(b'x'))
        }),
        case("a quarantined blob isn't there", "quarantine", Dangling, |t, txn| {
            let (key, _) = first(t.quarantine, txn)?;
            edit(t.quarantine, txn, &key, |row: &mut QuarantineRow| row.blob = Some(700 << 16))
        }),
        case("a quarantined stretch of another length", "quarantine", Differs, |t, txn| {
            let (key, _) = first(t.quarantine, txn)?;
            edit(t.quarantine, txn, &key, |row: &mut QuarantineRow| row.kept += 1)
        }),
        case("an unknown reason", "quarantine", Malformed, |t, txn| {
            let (key, _) = first(t.quarantine, txn)?;
            edit(t.quarantine, txn, &key, |row: &mut QuarantineRow| row.reason = "mood".into())
        }),
        case("a link to no window", "links", Dangling, |t, txn| {
            Ok(t.links.put(txn, &keys::link(0, 1, 88), &[0; 8])?)
        }),
        case("a parent is awaited and there", "awaited", Differs, |t, txn| {
            let (key, _) = first(t.window_keys, txn)?;
            Ok(t.awaited.put(txn, &[&key[..], &[0, 0, 0, 3]].concat(), &[0])?)
        }),
        case("usage of another response", "usage", Differs, |t, txn| {
            let (key, _) = first(t.usage, txn)?;
            edit(t.usage, txn, &key, |row: &mut UsageRow| row.key.push('x'))
        }),
        case("usage at two windows", "usage", Conflict, |t, txn| {
            let (mut key, value) = first(t.usage, txn)?;
            key[3] = 1;
            Ok(t.usage.put(txn, &key, &value)?)
        }),
        case("a committed set of no window", "names", Dangling, |t, txn| {
            let name = committed::name_of(WindowId([9; 16]));
            Ok(t.names.put(txn, name.as_bytes(), &Target::Blob(BlobRef(0)).encode())?)
        }),
        case("a committed set that is a window", "names", Malformed, |t, txn| {
            let row: WindowRow = rows::decode(first(t.windows, txn)?.1.as_slice(), "a window")?;
            let name = committed::name_of(WindowId(row.id));
            Ok(t.names.put(txn, name.as_bytes(), &Target::Window(0).encode())?)
        }),
        case("a name of nothing", "names", Dangling, |t, txn| {
            Ok(t.names.put(txn, b"lost", &[1, 200, 0, 0, 0])?)
        }),
        case("an item whose content is gone", "chunks", Dangling, |t, txn| {
            edit_segment(t, txn, |slots| slots[0] = Slot { codec: GONE, body: &[], ..slots[0] })
        }),
        case("a purged item with a preview", "chunks", Differs, |t, txn| {
            edit_chunk(t, txn, |_, items| items[0].purged = true)
        }),
        case("a condemned blob that isn't there", "condemned", Dangling, |t, txn| {
            Ok(t.condemned.put(txn, &(700u64 << 16).to_be_bytes(), &[0; 8])?)
        }),
        case("a condemned blob without a time", "condemned", Malformed, |t, txn| {
            Ok(t.condemned.put(txn, &[0; 8], &[])?)
        }),
        case("a tombstone of nothing", "tombstones", Dangling, |t, txn| {
            let row = TombstoneRow { blob: 700 << 16, ..TombstoneRow::default() };
            Ok(t.tombstones.put(txn, &[7; 32], &rows::encode(&row)?)?)
        }),
        case("a tombstone of another content", "tombstones", Differs, |t, txn| {
            Ok(t.tombstones.put(txn, &[7; 32], &rows::encode(&TombstoneRow::default())?)?)
        }),
        case("a tombstone with times out of order", "tombstones", Order, |t, txn| {
            let row = TombstoneRow { times: vec![2, 1], ..TombstoneRow::default() };
            Ok(t.tombstones.put(txn, &[7; 32], &rows::encode(&row)?)?)
        }),
        case("a lease that can't be read", "leases", Malformed, |t, txn| {
            Ok(t.leases.put(txn, &[0; 8], b"?")?)
        }),
    ]
}

#[test]
fn what_nothing_repeats_is_reported_and_left_alone() {
    for Case { what, table, kind, work } in damage().into_iter().chain(producers::damage()) {
        let folder = with_data(sample());
        let store = Store::open(folder.path()).unwrap();
        change(&store, work);
        let before = dump(&store);
        let report = verify(&store, &Options::default()).unwrap();
        let found =
            report.findings.iter().any(|f| (f.table, f.kind) == (table, kind) && !f.repairable);
        assert!(found, "{what}: {:?}", report.findings);
        assert_eq!(report.verdict(), Verdict::Damaged, "{what}");
        let refused = repair(&store).unwrap_err();
        assert_eq!(refused.code, Code::Damaged, "{what}");
        assert!(refused.message.contains("backup"), "{what}: {}", refused.message);
        assert!(dump(&store) == before, "{what}");
    }
}
