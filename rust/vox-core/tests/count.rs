//! Counting items of an archive: the same as counting their bytes, whatever is kept.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use vox_core::{
    archive::{Archive, ItemTokens, Measure, OwnItem},
    filter::Filter,
};
use vox_store::{append::WindowChange, generations, purge};
use vox_tokens::{
    Encoding, Fingerprint, Tokenizer, Worker,
    batch::{self, Lanes},
    bound::Symbols,
};
use vox_types::{Code, ItemId, ItemKind, Result, Role};

/// One token for each character that isn't a space; remembers how many bytes it was asked about.
#[derive(Default)]
struct Letters(AtomicU64);

struct LettersWorker(Arc<Letters>);

impl Encoding for Letters {
    fn symbols(&self) -> Symbols {
        Symbols::bytes()
    }

    fn worker(self: Arc<Self>) -> Box<dyn Worker> {
        Box::new(LettersWorker(self))
    }
}

impl Worker for LettersWorker {
    fn count(&mut self, text: &str, _: u64) -> u64 {
        self.0.0.fetch_add(text.len() as u64, Relaxed);
        letters(text)
    }

    fn encode(&mut self, text: &str, ids: &mut Vec<u32>) {
        ids.extend(text.chars().filter(|c| *c != ' ').map(u32::from));
    }

    fn tight_bound(&mut self, text: &str) -> u64 {
        letters(text)
    }
}

fn letters(text: &str) -> u64 {
    text.chars().filter(|c| *c != ' ').count() as u64
}

struct Counter {
    letters: Arc<Letters>,
    tokenizer: Tokenizer,
}

impl Counter {
    fn new() -> Self {
        let letters = Arc::new(Letters::default());
        Self { tokenizer: Tokenizer::new(Fingerprint([5; 32]), letters.clone()), letters }
    }

    fn try_count(&self, archive: &Archive, items: &[ItemId]) -> Result<ItemTokens> {
        let fingerprint = Some(self.tokenizer.fingerprint());
        let count = |texts: &[&[u8]]| batch::count(&self.tokenizer, texts, Lanes::default());
        archive.count_items(items, &Measure { fingerprint, count: &count })
    }

    /// Counts; gives also how many bytes had to be looked at.
    fn count(&self, archive: &Archive, items: &[ItemId]) -> (ItemTokens, u64) {
        let before = self.letters.0.load(Relaxed);
        let counted = self.try_count(archive, items).unwrap();
        (counted, self.letters.0.load(Relaxed) - before)
    }
}

fn item(kind: ItemKind, content: &[u8]) -> OwnItem {
    OwnItem {
        role: Role::User,
        kind,
        content: content.to_vec(),
        created_at: Some(1_000),
        name: None,
        redacted: false,
        side: kind == ItemKind::Record,
        token_estimate: None,
        call: 0,
    }
}

fn text(number: usize) -> String {
    format!("{} says {}", number % 700, "word ".repeat(number % 90))
}

fn append(archive: &Archive, key: &str, items: Vec<OwnItem>) {
    let change = WindowChange { key: key.to_owned(), ..WindowChange::default() };
    archive.append(change, items).unwrap();
}

fn texts(archive: &Archive, key: &str, numbers: std::ops::Range<usize>) {
    let items = numbers.map(|number| item(ItemKind::Message, text(number).as_bytes()));
    append(archive, key, items.collect());
}

fn all_items(archive: &Archive, key: &str) -> Vec<ItemId> {
    let window = archive.find_window(key).unwrap();
    let filter = Filter { records: true, ..Filter::default() };
    let mut view = archive.view(window, u64::MAX, &filter).unwrap();
    archive.view_item_ids(&mut view, 0, u64::MAX).unwrap()
}

fn wanted(archive: &Archive, items: &[ItemId]) -> Vec<u32> {
    let count =
        |item: &ItemId| letters(&String::from_utf8_lossy(&archive.read_item(*item).unwrap()));
    items.iter().map(|item| count(item) as u32).collect()
}

fn counts_folder(root: &Path) -> std::path::PathBuf {
    root.join("counts").join(Fingerprint([5; 32]).to_string())
}

#[test]
fn items_count_as_their_bytes_do_in_any_order_and_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(&folder.path().join("archive")).unwrap();
    texts(&archive, "a", 0..5_000);
    texts(&archive, "b", 3_000..9_000);
    let mut items = all_items(&archive, "a");
    items.extend(all_items(&archive, "b"));
    // A permutation, and some twice.
    let mixed: Vec<ItemId> = (0..items.len()).map(|i| items[i * 7919 % items.len()]).collect();
    let mixed = [&mixed[..], &mixed[..50]].concat();
    let counter = Counter::new();
    let (first, read) = counter.count(&archive, &mixed);
    assert_eq!(first.tokens, wanted(&archive, &mixed));
    assert!(first.kept && first.known == 0 && read > 0);
    let (again, read) = counter.count(&archive, &items);
    assert_eq!(again.tokens, wanted(&archive, &items));
    assert_eq!((again.known, read), (items.len() as u64, 0));
    // By another handle, which opened the files anew.
    let other = Archive::open_read_only(&folder.path().join("archive")).unwrap();
    assert_eq!(counter.count(&other, &items), (again, 0));
}

#[test]
fn copies_in_another_window_are_known_by_their_contents() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(folder.path()).unwrap();
    texts(&archive, "a", 0..800);
    let counter = Counter::new();
    counter.count(&archive, &all_items(&archive, "a"));
    texts(&archive, "b", 0..800);
    let items = all_items(&archive, "b");
    let (counted, read) = counter.count(&archive, &items);
    assert_eq!((counted.known, read), (800, 0));
    assert_eq!(counted.tokens, wanted(&archive, &items));
    fs::remove_file(counts_folder(folder.path()).join("contents")).unwrap();
    let (by_item, read) = counter.count(&archive, &items);
    assert_eq!((by_item, read), (counted, 0));
}

#[test]
fn records_that_share_a_frame_count_as_their_bytes_do() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(folder.path()).unwrap();
    let records = (0..3_000).map(|number| item(ItemKind::Record, text(number).as_bytes()));
    append(&archive, "a", records.collect());
    let items = all_items(&archive, "a");
    let (counted, _) = Counter::new().count(&archive, &items);
    assert_eq!(counted.tokens, wanted(&archive, &items));
}

#[test]
fn what_is_no_text_and_what_was_purged_counts_nothing_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(folder.path()).unwrap();
    let image = b"\x89PNG\r\n\x1a\n\xff\xff";
    let kinds = [
        item(ItemKind::Message, b"hello"),
        item(ItemKind::Attachment, image),
        item(ItemKind::Attachment, b"a text file"),
        item(ItemKind::Message, image),
        item(ItemKind::Message, b""),
    ];
    append(&archive, "a", kinds.to_vec());
    append(&archive, "gone", vec![item(ItemKind::Message, b"secret")]);
    let items = [all_items(&archive, "a"), all_items(&archive, "gone")].concat();
    let counter = Counter::new();
    let broken = letters(&String::from_utf8_lossy(image)) as u32;
    for round in 0..2 {
        let (counted, _) = counter.count(&archive, &items);
        assert_eq!(counted.tokens, [5, 0, 9, broken, 0, 6]);
        assert_eq!((&counted.no_text[..], &counted.purged[..]), (&[1][..], &[][..]));
        assert_eq!(counted.known, round * 6);
    }
    let gone = archive.find_window("gone").unwrap();
    archive.store().label(vec![gone], false, vox_store::window_ops::Label::Delete).unwrap();
    let options = purge::Options {
        windows: vec![gone],
        grace: 0,
        dry_run: false,
        ..purge::Options::default()
    };
    archive.store().purge(&options).unwrap();
    let (counted, _) = counter.count(&archive, &items);
    assert_eq!(counted.tokens, [5, 0, 9, broken, 0, 0]);
    assert_eq!(counted.purged, [5]);
}

#[test]
fn an_archive_that_is_only_read_is_counted_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    texts(&Archive::create(&path).unwrap(), "a", 0..100);
    let archive = Archive::open_read_only(&path).unwrap();
    let items = all_items(&archive, "a");
    for _ in 0..2 {
        let (counted, _) = Counter::new().count(&archive, &items);
        assert_eq!(counted.tokens, wanted(&archive, &items));
        assert!(!counted.kept && counted.known == 0);
    }
    assert!(!path.join("counts").exists());
}

#[test]
fn what_has_no_fingerprint_is_counted_each_time_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(folder.path()).unwrap();
    texts(&archive, "a", 0..100);
    let items = all_items(&archive, "a");
    let lengths = |texts: &[&[u8]]| Ok(texts.iter().map(|text| text.len() as u32).collect());
    let measure = Measure { fingerprint: None, count: &lengths };
    for _ in 0..2 {
        let counted = archive.count_items(&items, &measure).unwrap();
        let wanted = items.iter().map(|item| archive.read_item(*item).unwrap().len() as u32);
        assert_eq!(counted.tokens, wanted.collect::<Vec<_>>());
        assert!(!counted.kept && counted.known == 0);
    }
    assert!(!folder.path().join("counts").exists());
}

#[test]
fn a_missing_item_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(folder.path()).unwrap();
    texts(&archive, "a", 0..3);
    let counter = Counter::new();
    let items = all_items(&archive, "a");
    for missing in [ItemId::new(items[0].run(), 3), ItemId::new(99, 0)] {
        let error = counter.try_count(&archive, &[items[0], missing]).unwrap_err();
        assert_eq!(error.code, Code::NotFound);
    }
}

#[test]
fn compacting_leaves_counts_of_items_and_takes_what_is_left_of_contents() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::create(folder.path()).unwrap();
    texts(&archive, "a", 0..2_000);
    let items = all_items(&archive, "a");
    let counter = Counter::new();
    let (before, _) = counter.count(&archive, &items);
    generations::compact(archive.store()).unwrap();
    assert!(!counts_folder(folder.path()).join("contents").exists());
    let (after, read) = counter.count(&archive, &items);
    assert_eq!((after.tokens, after.known, read), (before.tokens, 2_000, 0));
}

#[test]
fn an_archive_put_back_to_an_earlier_state_doesnt_take_the_counts_of_what_came_later() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("archive"), folder.path().join("copy"));
    let counter = Counter::new();
    let later = |archive: &Archive, content: &str| {
        append(archive, "a", vec![item(ItemKind::Message, content.as_bytes())]);
        all_items(archive, "a")
    };
    let items = {
        let archive = Archive::create(&path).unwrap();
        texts(&archive, "a", 0..10);
        generations::backup(archive.store(), &copy).unwrap();
        let items = later(&archive, "no word");
        assert_eq!(counter.count(&archive, &items).0.tokens[10], 6);
        items
    };
    fs::rename(path.join("counts"), copy.join("counts")).unwrap();
    let archive = Archive::open(&copy).unwrap();
    assert_eq!(counter.count(&archive, &items[..10]).0.tokens, wanted(&archive, &items[..10]));
    fs::remove_file(counts_folder(&copy).join("contents")).unwrap();
    // The same number, length and time, and other content.
    assert_eq!(later(&archive, "a  bird"), items);
    assert_eq!(counter.count(&archive, &items).0.tokens[10], 5);
}
