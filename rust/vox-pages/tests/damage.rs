//! Damaged files: no damage crashes or traps the reader, and damage to the structure is reported.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::sync::OnceLock;

use common::{
    Fixture, Numbers, PAGE, check, exercise, kinds,
    layout::{self, child, current_meta, is_branch, nodes, roots, set_child, tree_pages, u64_at},
    small,
};
use proptest::prelude::*;
use vox_pages::{FindingKind, PageFile};

/// The root of the tree of three levels.
fn tall_root(bytes: &[u8]) -> u64 {
    let tall = |root: &u64| {
        is_branch(bytes, *root) && is_branch(bytes, child(bytes, nodes(bytes, *root)[0]))
    };
    roots(bytes).into_iter().find(tall).expect("one tree has three levels")
}

fn pages_in_use(bytes: &[u8]) -> Vec<u64> {
    roots(bytes).into_iter().flat_map(|root| tree_pages(bytes, root)).collect()
}

#[test]
fn every_byte_of_the_structure_matters() {
    let fixture = small();
    let mut numbers = Numbers(11);
    let spots = layout::structure(&fixture.bytes);
    assert!(spots.len() > 5000);
    let mut bytes = fixture.bytes.clone();
    // Every third one keeps the test short; the step shares no divisor with the size of a field.
    for spot in spots.iter().step_by(3) {
        let flips = numbers.next() as u8 & spot.bits;
        let flips = if flips == 0 { spot.bits & 0x80 } else { flips };
        bytes[spot.offset] ^= flips;
        fixture.put(&bytes);
        let found = check(&fixture.path());
        let (page, at) = (spot.offset / PAGE, spot.offset % PAGE);
        assert!(!found.is_empty(), "{}: {flips:#x} at page {page} byte {at}", spot.what);
        bytes[spot.offset] ^= flips;
    }
}

#[test]
fn the_numbers_of_the_meta_page_in_use_matter() {
    let fixture = small();
    let current = current_meta(&fixture.bytes);
    let fields = [(0, 8), (16, 8), (40, 4), (46, 42), (94, 42), (136, 16)];
    for offset in fields.into_iter().flat_map(|(from, len)| from..from + len) {
        for bit in 0..8 {
            let path = fixture.damaged(|bytes| bytes[current + offset] ^= 1 << bit);
            assert!(!check(&path).is_empty(), "bit {bit} of byte {offset}");
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_is_reported() {
    let fixture = small();
    let mut numbers = Numbers(5);
    let boundaries = (0..fixture.page_count()).map(|page| page * PAGE);
    let inside: Vec<usize> = (0..200).map(|_| numbers.below(fixture.bytes.len())).collect();
    let near_ends = (1..fixture.page_count()).flat_map(|page| [page * PAGE - 1, page * PAGE + 1]);
    for len in boundaries.chain(inside).chain(near_ends) {
        let path = fixture.damaged(|bytes| bytes.truncate(len));
        assert!(!check(&path).is_empty(), "cut off at {len}");
        if len % 3 == 0 {
            exercise(&path);
        }
    }
}

#[test]
fn a_zeroed_or_foreign_page_is_reported() {
    let fixture = small();
    for page in pages_in_use(&fixture.bytes) {
        let at = page as usize * PAGE;
        let zeroed = fixture.damaged(|bytes| bytes[at..at + PAGE].fill(0));
        assert!(check(&zeroed).iter().any(|finding| finding.page == Some(page)));
        exercise(&zeroed);
        let noise = fixture.damaged(|bytes| {
            let mut numbers = Numbers(page);
            bytes[at..at + PAGE].fill_with(|| numbers.next() as u8);
        });
        assert!(check(&noise).iter().any(|finding| finding.page == Some(page)));
        exercise(&noise);
    }
}

#[test]
fn swapped_pages_are_reported_even_when_their_numbers_fit() {
    let fixture = small();
    let pages = pages_in_use(&fixture.bytes);
    let mut numbers = Numbers(9);
    for round in 0..200 {
        let a = pages[numbers.below(pages.len())] as usize * PAGE;
        let b = pages[numbers.below(pages.len())] as usize * PAGE;
        if a == b {
            continue;
        }
        let path = fixture.damaged(|bytes| {
            let (first, second) = (bytes[a..a + PAGE].to_vec(), bytes[b..b + PAGE].to_vec());
            let from = if round % 2 == 0 { 8 } else { 0 };
            bytes[a + from..a + PAGE].copy_from_slice(&second[from..]);
            bytes[b + from..b + PAGE].copy_from_slice(&first[from..]);
        });
        assert!(!check(&path).is_empty(), "pages {} and {}", a / PAGE, b / PAGE);
        exercise(&path);
    }
}

#[test]
fn page_pointers_in_a_circle_end_the_walk() {
    let fixture = small();
    let root = tall_root(&fixture.bytes);
    let inner = child(&fixture.bytes, nodes(&fixture.bytes, root)[0]);
    for (from, to) in [(root, root), (inner, inner), (inner, root)] {
        for every in [false, true] {
            let path = fixture.damaged(|bytes| {
                let nodes = nodes(bytes, from);
                let count = if every { nodes.len() } else { 1 };
                nodes.into_iter().take(count).for_each(|node| set_child(bytes, node, to));
            });
            let found = kinds(&check(&path));
            assert!(found.contains(&FindingKind::PageShared), "{found:?}");
            exercise(&path);
            let file = PageFile::open(&path).unwrap();
            let table = file.database("long_keys").unwrap().unwrap();
            assert!(table.iter(&file).any(|entry| entry.is_err()));
            assert!(table.get(&file, &[0; 4]).is_err());
        }
    }
}

#[test]
fn a_tree_of_endless_depth_is_cut() {
    let fixture = small();
    let meta = current_meta(&fixture.bytes);
    let path = fixture.damaged(|bytes| {
        let last = u64_at(bytes, meta + 136);
        bytes[meta + 128..meta + 136].copy_from_slice(&2u64.to_le_bytes());
        for page in 2..last {
            let at = page as usize * PAGE;
            let node = at + PAGE - 8;
            bytes[at..at + PAGE].fill(0);
            bytes[at..at + 8].copy_from_slice(&page.to_le_bytes());
            for (field, number) in
                [(10, 1u16), (12, 18), (14, PAGE as u16 - 8), (16, PAGE as u16 - 8)]
            {
                bytes[at + field..at + field + 2].copy_from_slice(&number.to_le_bytes());
            }
            set_child(bytes, node, page + 1);
        }
    });
    assert!(kinds(&check(&path)).contains(&FindingKind::Depth));
    let file = PageFile::open(&path).unwrap();
    let entries: Vec<_> = file.databases().collect();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].as_ref().unwrap_err().kind, FindingKind::Depth);
    assert_eq!(file.database("short").unwrap_err().kind, FindingKind::Depth);
}

#[test]
fn entries_around_a_damaged_page_are_still_read() {
    let fixture = small();
    let root = tall_root(&fixture.bytes);
    let leaves: Vec<u64> = tree_pages(&fixture.bytes, root)
        .into_iter()
        .filter(|page| !is_branch(&fixture.bytes, *page))
        .collect();
    let lost = leaves[leaves.len() / 2];
    let gone = nodes(&fixture.bytes, lost).len();
    let path = fixture.damaged(|bytes| bytes[lost as usize * PAGE] ^= 1);
    let file = PageFile::open(path).unwrap();
    let table = file.database("long_keys").unwrap().unwrap();
    let (read, errors): (Vec<_>, Vec<_>) = table.iter(&file).partition(Result::is_ok);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].as_ref().unwrap_err().page, Some(lost));
    let entries = &fixture.tables["long_keys"];
    assert_eq!(read.len(), entries.len() - gone);
    assert!(read.into_iter().flatten().all(|(key, value)| entries.get(&key) == Some(&value)));
}

#[test]
fn a_value_longer_than_its_pages_is_an_error_and_takes_no_memory() {
    let fixture = small();
    let spots = layout::structure(&fixture.bytes);
    let spot = spots.iter().find(|spot| spot.what == "overflow page of a value").unwrap();
    // The high half of the length stands ten bytes before a four-byte key's value.
    let node = spot.offset - 12;
    let path = fixture.damaged(|bytes| bytes[node..node + 4].fill(0xff));
    assert!(kinds(&check(&path)).contains(&FindingKind::Overflow));
    let file = PageFile::open(path).unwrap();
    let table = file.database("mixed").unwrap().unwrap();
    let errors: Vec<_> = table.iter(&file).filter_map(Result::err).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].kind, FindingKind::Overflow);
}

#[test]
fn a_free_list_that_holds_a_page_in_use_is_reported() {
    let fixture = small();
    let free_root = roots(&fixture.bytes)[0];
    let node = nodes(&fixture.bytes, free_root)[0];
    let path = fixture.damaged(|bytes| {
        let used = tall_root(bytes);
        bytes[node + 24..node + 32].copy_from_slice(&used.to_le_bytes());
    });
    let found = kinds(&check(&path));
    assert!(found.contains(&FindingKind::FreeInUse), "{found:?}");
    assert!(found.contains(&FindingKind::Leaked), "{found:?}");
}

#[test]
fn a_free_list_out_of_order_is_reported() {
    let fixture = small();
    let node = nodes(&fixture.bytes, roots(&fixture.bytes)[0])[0];
    assert!(u64_at(&fixture.bytes, node + 16) > 1);
    let path = fixture.damaged(|bytes| {
        let (first, second) = (node + 24, node + 32);
        let number = u64_at(bytes, first);
        bytes.copy_within(second..second + 8, first);
        bytes[second..second + 8].copy_from_slice(&number.to_le_bytes());
    });
    assert_eq!(kinds(&check(&path)), [FindingKind::FreeList]);
}

#[test]
fn leaves_that_changed_places_in_their_tree_break_the_separators() {
    let fixture = small();
    let mut pages = tree_pages(&fixture.bytes, tall_root(&fixture.bytes));
    pages.retain(|page| !is_branch(&fixture.bytes, *page));
    let (a, b) = (pages[3] as usize * PAGE, pages[20] as usize * PAGE);
    let path = fixture.damaged(|bytes| {
        let first = bytes[a + 8..a + PAGE].to_vec();
        bytes.copy_within(b + 8..b + PAGE, a + 8);
        bytes[b + 8..b + PAGE].copy_from_slice(&first);
    });
    let found = check(&path);
    assert_eq!(kinds(&found), [FindingKind::Separator]);
    assert_eq!(found.len(), 2);
}

#[test]
fn an_entry_of_the_free_list_that_is_emptied_leaks_its_pages() {
    let fixture = small();
    let free_root = roots(&fixture.bytes)[0];
    let node = nodes(&fixture.bytes, free_root)[0];
    assert_ne!(u64_at(&fixture.bytes, node + 16), 0);
    let path = fixture.damaged(|bytes| bytes[node + 16..node + 24].fill(0));
    assert_eq!(kinds(&check(&path)), [FindingKind::Leaked]);
}

#[test]
fn the_list_of_kinds_has_a_name_for_each_and_no_two_alike() {
    let mut names: Vec<_> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FindingKind::ALL.len());
}

fn shared() -> &'static Fixture {
    static FIXTURE: OnceLock<Fixture> = OnceLock::new();
    FIXTURE.get_or_init(small)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_bytes_anywhere_crash_or_trap_the_reader(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..80),
        near_headers in any::<bool>(),
    ) {
        let fixture = shared();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.mdb");
        let mut bytes = fixture.bytes.clone();
        for (place, value) in changes {
            let at = place.index(bytes.len());
            // Most of a page is content; half of the cases aim at headers and tables.
            let at = if near_headers { at - at % PAGE + at % 64 } else { at };
            bytes[at] = value;
        }
        std::fs::write(&path, &bytes).unwrap();
        exercise(&path);
    }

    #[test]
    fn no_damage_to_the_structure_crashes_or_traps_the_reader(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        static SPOTS: OnceLock<Vec<layout::Spot>> = OnceLock::new();
        let fixture = shared();
        let spots = SPOTS.get_or_init(|| layout::structure(&fixture.bytes));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.mdb");
        let mut bytes = fixture.bytes.clone();
        for (place, value) in changes {
            bytes[place.get(spots).offset] = value;
        }
        std::fs::write(&path, &bytes).unwrap();
        exercise(&path);
    }
}
