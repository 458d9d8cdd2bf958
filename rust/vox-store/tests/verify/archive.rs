//! An archive with something of everything, and ways to change it behind the store's back.

#[path = "own.rs"]
mod own;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use heed::RwTxn;
use tempfile::TempDir;
use vox_format::{
    preview::{binary_preview, preview},
    rows::{Block, CursorRow, UsageRow},
};
use vox_store::{
    Store,
    append::{
        Batch, NewItem, NewQuarantine, NewRest, NewUsage, OwnedBlob, WindowChange, WindowItems,
    },
    blobs::Dictionary,
    fault::Fallible,
    naming::Named,
    tables::{Table, Tables},
};
use vox_types::{
    Fidelity, ItemId, ItemKind, LinkKind, OverlayKind, QuarantineReason, Role, WindowKind,
};

/// Numbers that look random and are the same each time.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}

/// Text that compresses to about two thirds.
pub fn text(seed: u64, words: usize) -> Vec<u8> {
    let mut numbers = Numbers(seed ^ 0x5eed);
    let words = (0..words).map(|_| format!("w{:x}", numbers.next() & 0xff_ffff));
    words.collect::<Vec<_>>().join(if seed.is_multiple_of(3) { "\n" } else { " " }).into_bytes()
}

fn blob(batch: &mut Batch, bytes: Vec<u8>, dictionary: Dictionary) -> usize {
    batch.blobs.push(OwnedBlob { bytes, dictionary });
    batch.blobs.len() - 1
}

/// The `n`-th item of a conversation; every fifth is beside it, every seventh an image.
pub fn item(batch: &mut Batch, n: u64) -> NewItem {
    let side = n % 5 == 4;
    let image = n % 7 == 6;
    let bytes = text(n, 20 + (n as usize * 7) % 60);
    let shown =
        if image { binary_preview("image/png", bytes.len() as u64) } else { preview(&bytes) };
    NewItem {
        role: if n.is_multiple_of(2) { Role::User } else { Role::Assistant },
        kind: match (image, side) {
            (true, _) => ItemKind::Attachment,
            (_, true) => ItemKind::Record,
            _ => ItemKind::Message,
        },
        fidelity: Fidelity::Recorded,
        redacted: n.is_multiple_of(50),
        side,
        created_at: Some(1_700_000_000_000 + n as i64 * 1000),
        name: (n % 2 == 1).then(|| format!("model-{}", n % 3)),
        token_estimate: (bytes.len() / 4) as u32,
        call: 0,
        content: blob(batch, bytes, Dictionary::Content),
        rest: (n.is_multiple_of(3)).then(|| {
            let rest = format!(r#"{{"n":{n},"session":"abc","text":""}}"#);
            NewRest::Extra(blob(batch, rest.into_bytes(), Dictionary::Extra))
        }),
        preview: shown,
    }
}

pub fn window(key: &str) -> WindowChange {
    WindowChange { key: key.into(), ..WindowChange::default() }
}

fn below(key: &str, parent: &str, link: LinkKind, shares: u64) -> WindowChange {
    WindowChange { parent: Some(parent.into()), link: Some(link), shares, ..window(key) }
}

fn items(batch: &mut Batch, window: &str, at: u64, numbers: std::ops::Range<u64>) {
    let items = numbers.map(|n| item(batch, n)).collect();
    batch.items.push(WindowItems { window: window.into(), at, items });
}

pub fn cursor(path: &str) -> CursorRow {
    CursorRow {
        path: path.into(),
        source: "example".into(),
        size: 9000,
        offset: 8000,
        blocks: vec![Block { start: 0, end: 8000, hash: [7; 32] }],
        records: 12,
        ..CursorRow::default()
    }
}

fn first_batch() -> Batch {
    let mut batch = Batch { cursor: Some(cursor("/home/me/a.jsonl")), ..Batch::default() };
    batch.windows.push(WindowChange {
        title: Some("A long conversation".into()),
        kind: Some(WindowKind::Chat),
        repo: Some("example/repo".into()),
        agent: Some("claude".into()),
        model_route: Some("model-1".into()),
        ..window("a")
    });
    batch.windows.push(below("fork", "a", LinkKind::ForkedFrom, 600));
    batch.windows.push(below("agent", "a", LinkKind::SpawnedBy, 0));
    batch.windows.push(below("waiting", "not there yet", LinkKind::CompactedFrom, 0));
    items(&mut batch, "a", 0, 0..1100);
    items(&mut batch, "fork", 600, 5000..5040);
    items(&mut batch, "agent", 0, 6000..6080);
    items(&mut batch, "waiting", 0, 7000..7005);
    for (n, key) in ["r1", "r2", "r3"].into_iter().enumerate() {
        let row = UsageRow { key: key.into(), output: n as u64 + 1, ..UsageRow::default() };
        batch.usage.push(NewUsage { window: "a".into(), model: Some("model-1".into()), row });
    }
    for (offset, reason) in [(100, QuarantineReason::Malformed), (900, QuarantineReason::Torn)] {
        let bytes = format!("{{broken at {offset}").into_bytes();
        let blob = Some(blob(&mut batch, bytes, Dictionary::Content));
        batch.quarantine.push(NewQuarantine { offset, length: 50, reason, blob });
    }
    batch
}

/// Fills an archive.
fn build(path: &Path) {
    let store = Store::create(path).unwrap();
    store.append(first_batch()).unwrap();
    // A rewritten beginning makes a new revision; a replay shares what it repeats.
    let mut rewritten = Batch::default();
    rewritten.windows.push(window("agent"));
    items(&mut rewritten, "agent", 60, 6060..6070);
    items_at_end(&mut rewritten, 8000..8020);
    store.append(rewritten).unwrap();
    let mut replay = Batch::default();
    replay.windows.push(WindowChange { replays: true, ..window("replay") });
    items(&mut replay, "replay", 0, 0..300);
    items(&mut replay, "a", 1100, 1100..1120);
    store.append(replay).unwrap();
    let held: Vec<Vec<u8>> = (0..400).map(|n| text(90_000 + n, 30)).collect();
    let slices: Vec<&[u8]> = held.iter().map(Vec::as_slice).collect();
    let (hashes, _) = store.put_many(&slices).unwrap();
    store.put_many(&slices[..50]).unwrap();
    store.release_many(&hashes[..20]).unwrap();
    own::fill(&store);
    store.put_many(&[&text(77, 40_000)]).unwrap();
    store.put_many(&[b"in the tail", b"", &text(78, 400)]).unwrap();
    let ranges = [
        (OverlayKind::Trimmed, 10..40, 1_700_000_000_000),
        (OverlayKind::Trimmed, 60..61, 1_700_000_000_000),
        (OverlayKind::Pinned, 20..22, 1_700_000_000_000),
        (OverlayKind::Committed, 30..31, 5),
        (OverlayKind::Fate, 50..55, 2),
    ];
    for (kind, ordinals, value) in ranges {
        store.set_overlay(0, kind, ordinals, Some(value)).unwrap();
    }
    store.set_name("a blob", Some(Named::Blob(hashes[30]))).unwrap();
    store.set_name("a window", Some(Named::Window(1))).unwrap();
    store.set_name("an item", Some(Named::Item(ItemId::new(0, 7)))).unwrap();
}

fn items_at_end(batch: &mut Batch, numbers: std::ops::Range<u64>) {
    let more: Vec<NewItem> = numbers.map(|n| item(batch, n)).collect();
    if let Some(last) = batch.items.last_mut() {
        last.items.extend(more);
    }
}

/// The bytes of the data file of an archive with something of everything.
pub fn sample() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path());
        fs::read(data_file(folder.path())).unwrap()
    })
}

pub fn data_file(archive: &Path) -> PathBuf {
    archive.join("db/1/data.mdb")
}

/// An archive with this data file.
pub fn with_data(bytes: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("db/1")).unwrap();
    fs::write(folder.path().join("CURRENT"), "vox-archive 2 1\n").unwrap();
    fs::write(data_file(folder.path()), bytes).unwrap();
    folder
}

/// Changes tables directly.
pub fn change(store: &Store, mut work: impl FnMut(&Tables, &mut RwTxn<'_>) -> Fallible<()>) {
    let generation = store.generation();
    generation.write(|txn| work(&generation.tables, txn)).unwrap();
}

/// Every row of a table.
pub fn rows(store: &Store, table: impl Fn(&Tables) -> Table) -> BTreeMap<Vec<u8>, Vec<u8>> {
    store
        .read(|tables, txn| {
            let rows = table(tables).iter(txn)?;
            Ok(rows
                .map(|row| row.map(|(k, v)| (k.to_vec(), v.to_vec())))
                .collect::<heed::Result<_>>()?)
        })
        .unwrap()
}
