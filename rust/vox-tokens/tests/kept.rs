//! Kept counts: what is found is what was kept, whatever became of the files.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use proptest::prelude::*;
use vox_tokens::{
    Fingerprint,
    kept::{Cache, ItemFacts, Kept, Stamp, tidy},
};
use vox_types::{ContentHash, ItemId};

const LARGE: u64 = 1 << 30;
const TOKENIZER: Fingerprint = Fingerprint([7; 32]);
const OWNER: [u8; 16] = [9; 16];

fn kept(root: &Path) -> Arc<Kept> {
    Cache::at(root, LARGE, true).of(TOKENIZER)
}

fn file(root: &Path, name: &str) -> PathBuf {
    root.join(TOKENIZER.to_string()).join(name)
}

fn content(number: u32) -> ContentHash {
    ContentHash::of(&number.to_le_bytes())
}

fn contents(numbers: std::ops::Range<u32>) -> Vec<(ContentHash, u32)> {
    numbers.map(|number| (content(number), number.wrapping_mul(2_654_435_761))).collect()
}

fn find(kept: &Kept, counts: &[(ContentHash, u32)]) -> Vec<Option<u32>> {
    let hashes: Vec<ContentHash> = counts.iter().map(|(hash, _)| *hash).collect();
    let mut found = Vec::new();
    kept.find(&hashes, &mut found);
    found
}

/// How many of `counts` are found; each that is found must be right.
fn right(kept: &Kept, counts: &[(ContentHash, u32)]) -> usize {
    let found = find(kept, counts);
    for ((_, count), found) in counts.iter().zip(&found) {
        assert!(found.is_none_or(|found| found == *count), "{found:?} instead of {count}");
    }
    found.iter().flatten().count()
}

fn item(run: u32, position: u32) -> ItemFacts {
    ItemFacts { item: ItemId::new(run, position), row: u64::from(run ^ position) }
}

fn stamp(sequence: u64) -> Stamp {
    Stamp { sequence, proof: [sequence as u8; 16] }
}

/// What an archive says that has `events` events.
fn past(events: u64) -> impl Fn(&Stamp) -> Result<bool, ()> {
    move |named| Ok(named.sequence < events && *named == stamp(named.sequence))
}

fn keep_items(kept: &Kept, events: u64, counts: &[(ItemFacts, u32)]) -> bool {
    let items = kept.items(OWNER);
    items.keep(&stamp(events - 1), past(events), &mut counts.to_vec()).expect("a past")
}

fn find_items(kept: &Kept, events: u64, items: &[ItemFacts]) -> Vec<Option<u32>> {
    let column = kept.items(OWNER);
    match column.read(past(events)).expect("a past") {
        Some(mut column) => items.iter().map(|item| column.get(item)).collect(),
        None => vec![None; items.len()],
    }
}

/// How many of `counts` are found; each that is found must be right.
fn right_items(kept: &Kept, events: u64, counts: &[(ItemFacts, u32)]) -> usize {
    let facts: Vec<ItemFacts> = counts.iter().map(|(facts, _)| *facts).collect();
    let found = find_items(kept, events, &facts);
    for ((_, count), found) in counts.iter().zip(&found) {
        assert!(found.is_none_or(|found| found == *count), "{found:?} instead of {count}");
    }
    found.iter().flatten().count()
}

#[test]
fn counts_of_contents_stay_while_the_table_grows_and_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = kept(folder.path());
    let mut until = 0;
    for more in [1, 5, 1000, 30_000, 3, 100_000, 1] {
        assert_eq!(right(&here, &contents(until..until + more)), 0);
        assert!(here.keep(&contents(until..until + more)));
        until += more;
        assert_eq!(right(&here, &contents(0..until)), until as usize);
        assert_eq!(right(&kept(folder.path()), &contents(0..until)), until as usize);
    }
}

#[test]
fn a_count_that_changed_takes_the_place_of_the_old_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = kept(folder.path());
    assert!(here.keep(&[(content(1), 5)]) && here.keep(&[(content(1), 6)]));
    assert_eq!(find(&here, &[(content(1), 6)]), [Some(6)]);
}

#[test]
fn a_full_table_stays_as_large_as_it_may_be_and_keeps_what_came_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let most = 1 << 20;
    let here = Cache::at(folder.path(), most, true).of(TOKENIZER);
    for part in 0..20 {
        assert!(here.keep(&contents(part * 10_000..(part + 1) * 10_000)));
    }
    assert!(fs::metadata(file(folder.path(), "contents")).expect("a file").len() < most + 8192);
    let all = contents(0..200_000);
    assert!(right(&here, &all) > 50_000);
    assert!(right(&here, &all[190_000..]) > 8_000);
}

#[test]
fn counts_of_items_stay_while_the_column_grows_and_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = kept(folder.path());
    let mut known: HashMap<ItemId, (ItemFacts, u32)> = HashMap::new();
    for (round, run) in (1u64..).zip([0u32, 3, 4_000_000_000, 3, 17]) {
        let new: Vec<(ItemFacts, u32)> = (0..40_000u32)
            .step_by(round as usize)
            .map(|position| (item(run, position), position ^ run))
            .collect();
        assert!(keep_items(&here, round, &new));
        known.extend(new.iter().map(|(facts, count)| (facts.item, (*facts, *count))));
        let all: Vec<(ItemFacts, u32)> = known.values().copied().collect();
        for kept in [&here, &kept(folder.path())] {
            assert_eq!(right_items(kept, round, &all), all.len());
        }
    }
    let others = [item(0, 40_000), item(1, 0), ItemFacts { row: 1, ..item(0, 0) }];
    assert_eq!(find_items(&here, 9, &others), [None; 3]);
}

#[test]
fn a_full_column_stays_as_large_as_it_may_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let most = 1 << 20;
    let here = Cache::at(folder.path(), most, true).of(TOKENIZER);
    let all: Vec<(ItemFacts, u32)> = (0..400_000).map(|place| (item(1, place), place)).collect();
    for part in all.chunks(30_000) {
        assert!(keep_items(&here, 1, part));
    }
    assert!(fs::metadata(file(folder.path(), "items")).expect("a file").len() <= most + 4096);
    assert!(right_items(&here, 1, &all) > 30_000);
}

#[test]
fn counts_of_another_past_are_not_found_and_go_with_the_next_that_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = kept(folder.path());
    assert!(keep_items(&here, 10, &[(item(0, 0), 1), (item(0, 1), 2)]));
    assert_eq!(find_items(&here, 10, &[item(0, 0)]), [Some(1)]);
    assert_eq!(find_items(&here, 12, &[item(0, 0)]), [Some(1)]);
    // The archive was put back to a state of nine events.
    assert_eq!(find_items(&here, 9, &[item(0, 0)]), [None]);
    assert!(keep_items(&here, 9, &[(item(0, 0), 5)]));
    assert_eq!(find_items(&here, 10, &[item(0, 0), item(0, 1)]), [Some(5), None]);
}

#[test]
fn counts_of_another_archive_or_tokenizer_are_not_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = kept(folder.path());
    assert!(keep_items(&here, 1, &[(item(0, 0), 1)]) && here.keep(&contents(0..10)));
    assert!(here.items([1; 16]).read(past(9)).expect("a past").is_none());
    let other = Fingerprint([8; 32]);
    let place = |tokenizer: Fingerprint| folder.path().join(tokenizer.to_string());
    fs::rename(place(TOKENIZER), place(other)).expect("renamed");
    let other = Cache::at(folder.path(), LARGE, true).of(other);
    assert_eq!(right(&other, &contents(0..10)), 0);
    assert!(other.items(OWNER).read(past(9)).expect("a past").is_none());
}

#[test]
fn nothing_is_made_where_nothing_may_be_written_and_what_is_there_is_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("counts");
    let reading = Cache::at(&root, LARGE, false).of(TOKENIZER);
    assert!(!reading.keep(&contents(0..10)) && !keep_items(&reading, 1, &[(item(0, 0), 1)]));
    assert!(!root.exists());
    assert!(kept(&root).keep(&contents(0..10)));
    assert_eq!(right(&reading, &contents(0..20)), 10);
    let before = fs::read(file(&root, "contents")).expect("a file");
    assert!(!reading.keep(&contents(10..20)));
    assert_eq!(fs::read(file(&root, "contents")).expect("a file"), before);
}

#[test]
fn a_file_that_is_no_table_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = kept(folder.path());
    assert!(here.keep(&contents(0..10)));
    let path = file(folder.path(), "contents");
    let good = fs::read(&path).expect("a file");
    let longer = [&good[..], b"x"].concat();
    let cut = &good[..good.len() - 1];
    for bad in [&b""[..], b"voxcount", &[0; 5000], cut, &good[..4096], &longer] {
        fs::remove_file(&path).expect("removed");
        fs::write(&path, bad).expect("written");
        assert_eq!(right(&here, &contents(0..10)), 0);
        assert!(here.keep(&contents(0..10)));
        assert_eq!(right(&here, &contents(0..10)), 10);
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_a_user_behind_a_link_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let precious = folder.path().join("precious");
    fs::write(&precious, "of a user").expect("written");
    for name in ["contents", "contents.draft"] {
        let here = kept(folder.path());
        here.keep(&contents(0..10));
        for file in ["contents", "contents.draft"].map(|name| file(folder.path(), name)) {
            drop(fs::remove_file(file));
        }
        std::os::unix::fs::symlink(&precious, file(folder.path(), name)).expect("a link");
        here.keep(&contents(0..10));
        assert_eq!(fs::read_to_string(&precious).expect("a file"), "of a user");
    }
}

#[test]
fn a_folder_in_the_way_only_keeps_counts_from_being_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["contents", "items.draft"] {
        fs::create_dir_all(file(folder.path(), name)).expect("a folder");
    }
    let here = kept(folder.path());
    assert!(!here.keep(&contents(0..10)) && !keep_items(&here, 1, &[(item(0, 0), 1)]));
    assert_eq!(right(&here, &contents(0..10)), 0);
    assert_eq!(find_items(&here, 1, &[item(0, 0)]), [None]);
}

#[test]
fn only_the_tokenizers_that_were_used_last_keep_their_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = Cache::at(folder.path(), LARGE, true);
    let place = |number: u8| folder.path().join(Fingerprint([number; 32]).to_string());
    let left = || (0..12).filter(|number| place(*number).exists()).collect::<Vec<u8>>();
    let day = std::time::Duration::from_secs(86_400);
    for number in 0..12u8 {
        assert!(cache.of(Fingerprint([number; 32])).keep(&contents(0..10)));
        let path = place(number).join("contents");
        let opened = fs::File::options().write(true).open(path).expect("opened");
        let used = std::time::SystemTime::now() - day * (20 - u32::from(number));
        opened.set_modified(used).expect("set");
    }
    fs::write(folder.path().join("notes"), "of a user").expect("written");
    assert_eq!(left(), [4, 5, 6, 7, 8, 9, 10, 11]);
    fs::write(place(11).join("items.draft"), "left behind").expect("written");
    assert!(tidy(folder.path(), 1).expect("tidied") > 0);
    assert!(!place(11).join("items.draft").exists());
    assert_eq!(left(), [11]);
    assert!(folder.path().join("notes").exists());
}

#[test]
fn several_threads_and_handles_keep_and_find_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        for lane in 0..4u32 {
            let root = folder.path();
            scope.spawn(move || {
                let here = kept(root);
                for round in 0..12 {
                    let some = contents((lane + round) * 5_000..(lane + round + 2) * 5_000);
                    here.keep(&some);
                    right(&here, &some);
                    let at = |place| (item(lane / 2, place + round), place + round);
                    let items: Vec<(ItemFacts, u32)> = (0..5_000).map(at).collect();
                    keep_items(&here, u64::from(round + 1), &items);
                    right_items(&here, 100, &items);
                }
            });
        }
    });
    let here = kept(folder.path());
    let all = contents(0..80_000);
    right(&here, &all);
    assert!(here.keep(&all));
    assert_eq!(right(&here, &all), all.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whatever_is_damaged_no_count_is_wrong_and_all_are_kept_again(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..40),
        zeroed in any::<prop::sample::Index>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
        of_items in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let here = kept(folder.path());
        let all = contents(0..25_000);
        let items: Vec<(ItemFacts, u32)> =
            (0..25_000).map(|place| (item(place % 7, place), place)).collect();
        prop_assert!(here.keep(&all) && keep_items(&here, 3, &items));
        let path = file(folder.path(), if of_items { "items" } else { "contents" });
        let mut bytes = fs::read(&path).expect("a file");
        for (place, bit) in flips {
            // Half of them where the table begins.
            let place = if bit % 2 == 0 { place.index(bytes.len()) } else { place.index(8192) };
            bytes[place] ^= 1 << bit;
        }
        let page = zeroed.index(bytes.len() / 4096) * 4096;
        bytes[page..page + 4096].fill(0);
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        fs::remove_file(&path).expect("removed");
        fs::write(&path, &bytes).expect("written");
        for kept in [&here, &kept(folder.path())] {
            right(kept, &all);
            right_items(kept, 3, &items);
        }
        prop_assert!(here.keep(&all) && keep_items(&here, 3, &items));
        prop_assert_eq!(right(&here, &all), all.len());
        prop_assert_eq!(right_items(&here, 3, &items), items.len());
    }
}
