//! An archive counted again from its first tables: runs, chunks, extents, quarantine and rows of
//! producers. What the
//! store keeps besides (references, roll-ups, chains, indexes) must come out the same.

use std::{
    collections::{BTreeMap, HashMap},
    ops::ControlFlow,
};

use vox_format::{
    chunk::{Chunk, ItemRow, MAX_ITEMS},
    keys,
    leaf::Entry,
    producers::{Kept, chat::MessageRow, history::HistoryRow, session::SessionEventRow},
    raw::RawRun,
    rows::{self, Extent, QuarantineRow, RunRow, WindowRow},
    segment::{GONE, Group},
};
use vox_store::{
    Store, blobs,
    index::HashIndex,
    tables::{Table, Tables},
};
use vox_types::{
    BlobRef, ChainHash, ContentHash, ItemId, ItemKind, Rest, Role, WindowId, WindowNo,
};

/// An item as it is stored, with what the recount says of it.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "each test looks at some of it")]
pub struct StoredItem {
    pub row: ItemRow,
    /// Its bytes; none of them if it was purged.
    pub content: Vec<u8>,
    pub hash: ContentHash,
    pub extra: Option<Vec<u8>>,
    pub chain: ChainHash,
    /// The chain hash of the last item before it on its path that isn't a side item.
    pub parent: ChainHash,
    /// The window that owns its run.
    pub owner: WindowNo,
}

/// Everything of an archive that tests compare.
pub struct Recount {
    pub windows: Vec<WindowRow>,
    /// The items of each window in order.
    pub paths: Vec<Vec<ItemId>>,
    pub items: HashMap<ItemId, StoredItem>,
    /// References by content.
    pub references: HashMap<Vec<u8>, i64>,
}

type Dump = BTreeMap<Vec<u8>, Vec<u8>>;
type Txn<'t> = heed::RoTxn<'t>;

fn dump(table: Table, txn: &Txn<'_>) -> Dump {
    table.iter(txn).unwrap().map(|row| row.unwrap()).map(|(k, v)| (k.into(), v.into())).collect()
}

fn short(text: &[u8]) -> Vec<u8> {
    blake3::hash(text).as_bytes()[..16].to_vec()
}

/// Counts `store` again and asserts that all it keeps agrees with that.
pub fn recount(store: &Store) -> Recount {
    store
        .read(|tables, txn| {
            let items = items_of_runs(tables, txn);
            let windows: Vec<WindowRow> = dump(tables.windows, txn)
                .iter()
                .enumerate()
                .map(|(no, (key, row))| {
                    assert_eq!(
                        key,
                        &(no as u32).to_be_bytes(),
                        "windows are numbered without gaps"
                    );
                    rows::decode(row, "a window").unwrap()
                })
                .collect();
            let paths = paths(tables, txn, &windows, &items);
            let references = references(tables, txn, &items);
            check_chain_index(tables, txn, &items);
            check_window_indexes(tables, txn, &windows);
            check_texts(tables, txn);
            Ok(Recount { windows, paths, items, references })
        })
        .unwrap()
}

fn items_of_runs(tables: &Tables, txn: &Txn<'_>) -> HashMap<ItemId, StoredItem> {
    let mut chunks: BTreeMap<u32, Vec<(u32, Vec<u8>)>> = BTreeMap::new();
    for (key, value) in dump(tables.chunks, txn) {
        let (run, first) = keys::split_pair(&key).unwrap();
        chunks.entry(run).or_default().push((first, value));
    }
    let mut items = HashMap::new();
    for (key, row) in dump(tables.runs, txn) {
        let run = u32::from_be_bytes(key.try_into().unwrap());
        let row: RunRow = rows::decode(&row, "a run").unwrap();
        let mut position = 0;
        let mut tip = None;
        for (first, value) in chunks.remove(&run).unwrap_or_default() {
            assert_eq!(first, position, "chunks of run {run} follow each other");
            assert_eq!(
                position as usize % MAX_ITEMS,
                0,
                "only the last chunk of run {run} is open"
            );
            let chunk = Chunk::parse(&value).unwrap();
            let mut parent = chunk.chain_before();
            assert!(tip.is_none_or(|tip| tip == parent), "the chain before a chunk of run {run}");
            for item in chunk.rows().unwrap() {
                let hash = blobs::hash_of(tables, txn, item.content).unwrap();
                let content = match item.purged {
                    true => Vec::new(),
                    false => blobs::verified_read(tables, txn, item.content).unwrap(),
                };
                let extra = match item.rest {
                    Some(Rest::Extra(extra)) => {
                        Some(blobs::verified_read(tables, txn, extra).unwrap())
                    }
                    _ => None,
                };
                if item.purged {
                    assert!(item.preview.is_empty() && item.rest.is_none(), "{item:?}");
                } else {
                    assert_eq!(content.len() as u64, item.byte_len);
                }
                let chain = child(&parent, &item, &hash);
                let (side, owner) = (item.side, row.window);
                let stored = StoredItem { row: item, content, hash, extra, chain, parent, owner };
                items.insert(ItemId::new(run, position), stored);
                position += 1;
                parent = if side { parent } else { chain };
            }
            tip = Some(parent);
        }
        assert_eq!(row.len, position, "the length of run {run}");
        assert_eq!(Some(row.chain), tip.map(|tip| tip.0), "the chain of run {run}");
    }
    assert!(chunks.is_empty(), "chunks without a run: {:?}", chunks.keys());
    items
}

fn child(parent: &ChainHash, item: &ItemRow, content: &ContentHash) -> ChainHash {
    chained(parent, item.role, item.kind, &content.0)
}

/// The chain hash of an item with these bytes.
#[allow(dead_code, reason = "only some tests make chains of their own")]
pub fn child_of(parent: &ChainHash, role: Role, kind: ItemKind, content: &[u8]) -> ChainHash {
    chained(parent, role, kind, blake3::hash(content).as_bytes())
}

/// The chain hash as the format document defines it, written out.
fn chained(parent: &ChainHash, role: Role, kind: ItemKind, content: &[u8; 32]) -> ChainHash {
    let mut input = parent.0.to_vec();
    input.push(role as u8);
    input.push(kind as u8);
    input.extend_from_slice(content);
    ChainHash(*blake3::hash(&input).as_bytes())
}

fn paths(
    tables: &Tables,
    txn: &Txn<'_>,
    windows: &[WindowRow],
    items: &HashMap<ItemId, StoredItem>,
) -> Vec<Vec<ItemId>> {
    let mut paths = vec![Vec::new(); windows.len()];
    let mut run_windows: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut last: Option<(u32, Extent)> = None;
    for (key, value) in dump(tables.extents, txn) {
        let (window, ordinal) = keys::split_ordinal(&key).unwrap();
        let extent = Extent::decode(ordinal, &value).unwrap();
        let path = &mut paths[window as usize];
        assert_eq!(ordinal, path.len() as u64, "extents of window {window} follow each other");
        assert!(extent.count > 0);
        if let Some((owner, before)) = last {
            let goes_on = before.run == extent.run && before.first + before.count == extent.first;
            assert!(owner != window || !goes_on, "extents of window {window} that are one");
        }
        last = Some((window, extent));
        path.extend(
            (extent.first..extent.first + extent.count).map(|p| ItemId::new(extent.run, p)),
        );
        *run_windows.entry((extent.run, window)).or_default() += 1;
    }
    let expected: Dump = run_windows
        .iter()
        .map(|((run, window), count)| {
            (keys::pair(*run, *window).into(), count.to_le_bytes().into())
        })
        .collect();
    assert_eq!(dump(tables.run_windows, txn), expected, "run_windows");
    let mut at_home: HashMap<ItemId, u32> = HashMap::new();
    for (no, (window, path)) in windows.iter().zip(&paths).enumerate() {
        let mut chain = ChainHash::ROOT;
        let (mut bytes, mut tokens, mut records) = (0, 0, 0);
        for (ordinal, id) in path.iter().enumerate() {
            let item = &items[id];
            assert_eq!(item.parent, chain, "the path to item {ordinal} of window {no}");
            let follows = child(&chain, &item.row, &item.hash);
            assert_eq!(item.chain, follows, "the chain of item {ordinal} of window {no}");
            chain = if item.row.side { chain } else { follows };
            bytes += item.row.byte_len;
            tokens += u64::from(item.row.token_estimate);
            records += u64::from(item.row.kind == ItemKind::Record);
            *at_home.entry(*id).or_default() += u32::from(item.owner == no as u32);
        }
        let rolled_up = (window.items, window.bytes, window.tokens, window.records);
        let counted = (path.len() as u64, bytes, tokens, records);
        assert_eq!(rolled_up, counted, "roll-ups of window {no}");
        assert_eq!(window.chain, chain.0, "the chain of window {no}");
        if let Some(run) = window.run {
            let owned = items.get(&ItemId::new(run, 0)).map(|item| item.owner);
            assert_eq!(owned, Some(no as u32), "window {no} goes on in a run of its own");
        }
    }
    for id in items.keys() {
        assert_eq!(at_home.get(id), Some(&1), "item {id} stands once in the window that owns it");
    }
    paths
}

fn references(
    tables: &Tables,
    txn: &Txn<'_>,
    items: &HashMap<ItemId, StoredItem>,
) -> HashMap<Vec<u8>, i64> {
    let mut counted: HashMap<u64, i64> = HashMap::new();
    for item in items.values().filter(|item| !item.row.purged) {
        *counted.entry(item.row.content.0).or_default() += 1;
        if let Some(Rest::Extra(extra)) = item.row.rest {
            *counted.entry(extra.0).or_default() += 1;
        }
    }
    for value in dump(tables.raw_runs, txn).values() {
        for blob in RawRun::parse(value).unwrap().references().unwrap() {
            *counted.entry(blob.0).or_default() += 1;
        }
    }
    for value in dump(tables.quarantine, txn).values() {
        let row: QuarantineRow = rows::decode(value, "a quarantined stretch").unwrap();
        if let Some(blob) = row.blob {
            assert_eq!(row.kept, blobs::read(tables, txn, BlobRef(blob)).unwrap().len() as u64);
            *counted.entry(blob).or_default() += 1;
        }
    }
    let mut kept: HashMap<u64, Entry> = HashMap::new();
    add_up(&mut kept, |visit| HashIndex::of_blobs(tables).for_each(txn, visit).unwrap());
    let mut named = named_by_producers(tables, txn);
    let mut slots = 0;
    let mut count_slots = |segment: u64, first: u16, value: &[u8]| {
        let group = Group::parse(value).unwrap();
        for i in (0..group.len()).filter(|i| group.codec(*i) != GONE) {
            let blob = BlobRef::new(segment, first + i as u16).0;
            if group.codec(i) == GONE {
                assert!(!kept.contains_key(&blob), "blob {blob:#x} is gone and indexed");
                continue;
            }
            let entry = kept.get(&blob).unwrap_or_else(|| panic!("blob {blob:#x} isn't indexed"));
            assert_eq!(entry.prefix, group.hash(i).unwrap().prefix(), "blob {blob:#x}");
            slots += 1;
            if let Some(count) = named.remove(&group.hash(i).unwrap()) {
                *counted.entry(blob).or_default() += count;
            }
        }
    };
    for (key, value) in dump(tables.segments, txn) {
        count_slots(u64::from_be_bytes(key.try_into().unwrap()), 0, &value);
    }
    for (key, value) in dump(tables.tails, txn) {
        let (segment, first) = keys::split_tail(&key).unwrap();
        count_slots(segment, first, &value);
    }
    assert!(named.is_empty(), "contents that rows name and that aren't there: {named:?}");
    assert_eq!(slots, kept.len(), "every entry of the index of blobs has its slot");
    let mut by_content = HashMap::new();
    for (blob, entry) in &kept {
        let references = counted.remove(blob).unwrap_or(0);
        assert_eq!(entry.references, references, "references of blob {blob:#x}");
        let content = blobs::verified_read(tables, txn, BlobRef(*blob)).unwrap();
        assert!(
            by_content.insert(content, references).is_none(),
            "the content of blob {blob:#x} is stored twice"
        );
    }
    assert!(counted.is_empty(), "blobs that are referred to and not indexed: {counted:?}");
    by_content
}

/// How often rows of producers name each content.
fn named_by_producers(tables: &Tables, txn: &Txn<'_>) -> HashMap<ContentHash, i64> {
    let mut named: HashMap<ContentHash, i64> = HashMap::new();
    let mut count = |kept: &Kept| {
        if !kept.purged {
            *named.entry(kept.hash).or_default() += 1;
        }
    };
    let below = |table| dump(table, txn).into_iter().filter(|(key, _)| key.len() == 24);
    for (_, value) in below(tables.session_events) {
        let row: SessionEventRow<Kept> = rows::decode(&value, "an event").unwrap();
        row.contents().into_iter().for_each(&mut count);
    }
    for (_, value) in below(tables.chat_messages) {
        count(&rows::decode::<MessageRow<Kept>>(&value, "a message").unwrap().content);
    }
    for (_, value) in below(tables.history_entries) {
        count(&rows::decode::<HistoryRow<Kept>>(&value, "an entry").unwrap().content);
    }
    named
}

fn add_up(
    kept: &mut HashMap<u64, Entry>,
    walk: impl FnOnce(&mut dyn FnMut(Entry) -> ControlFlow<()>),
) {
    walk(&mut |entry| {
        let known = kept.entry(entry.payload).or_insert(Entry { references: 0, holds: 0, ..entry });
        assert_eq!(known.prefix, entry.prefix, "one payload under two prefixes");
        known.references += entry.references;
        known.holds += entry.holds;
        ControlFlow::Continue(())
    });
}

fn check_chain_index(tables: &Tables, txn: &Txn<'_>, items: &HashMap<ItemId, StoredItem>) {
    let mut found: HashMap<u64, u64> = HashMap::new();
    HashIndex::of_chains(tables)
        .for_each(txn, |entry| {
            assert_eq!((entry.references, entry.holds), (0, 0));
            assert!(
                found.insert(entry.payload, entry.prefix).is_none(),
                "an item is indexed twice"
            );
            ControlFlow::Continue(())
        })
        .unwrap();
    let expected: HashMap<u64, u64> =
        items.iter().map(|(id, item)| (id.0, item.chain.prefix())).collect();
    assert_eq!(found, expected, "the index of chains");
}

fn check_window_indexes(tables: &Tables, txn: &Txn<'_>, windows: &[WindowRow]) {
    let (mut ids, mut names, mut recency, mut lineage) =
        (Dump::new(), Dump::new(), Dump::new(), Dump::new());
    for (no, row) in windows.iter().enumerate() {
        let no = no as u32;
        assert_eq!(row.id, WindowId::derive(&row.key, row.revision).0, "the id of window {no}");
        let mut root = no;
        for _ in 0..windows.len() {
            root = windows[root as usize].parent.unwrap_or(root);
        }
        assert_eq!(
            windows[root as usize].parent, None,
            "the parents of window {no} go in a circle"
        );
        assert_eq!(row.root, root, "the root of window {no}");
        ids.insert(row.id.into(), no.to_le_bytes().into());
        // Later windows of a key are its newer revisions.
        if let Some(older) = names.insert(short(row.key.as_bytes()), no.to_le_bytes().into()) {
            let older = u32::from_le_bytes(older.try_into().unwrap());
            assert_eq!(row.revision, windows[older as usize].revision + 1);
        }
        if row.deleted_at.is_none() {
            recency
                .insert(keys::recency(row.repo, row.tier, row.updated_at, no).into(), Vec::new());
        }
        lineage.insert(keys::lineage(root, row.parent, no).into(), Vec::new());
    }
    assert_eq!(dump(tables.window_ids, txn), ids, "window_ids");
    assert_eq!(dump(tables.window_keys, txn), names, "window_keys");
    assert_eq!(dump(tables.by_recency, txn), recency, "by_recency");
    assert_eq!(dump(tables.by_root, txn), lineage, "by_root");
}

fn check_texts(tables: &Tables, txn: &Txn<'_>) {
    let symbols: Dump = dump(tables.symbols, txn)
        .into_iter()
        .map(|(no, text)| (short(&text), no.into_iter().rev().collect()))
        .collect();
    assert_eq!(dump(tables.symbol_ids, txn), symbols, "symbol_ids");
    let owners: Dump = dump(tables.usage, txn)
        .into_keys()
        .map(|key| (key[4..].to_vec(), key[..4].iter().rev().copied().collect()))
        .collect();
    assert_eq!(dump(tables.usage_owners, txn), owners, "usage_owners");
    for (expected, sequence) in dump(tables.events, txn).keys().enumerate() {
        assert_eq!(sequence, &(expected as u64).to_be_bytes(), "events are numbered without gaps");
    }
}
