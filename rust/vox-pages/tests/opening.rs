//! Which files are opened, and from which of their two meta pages.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{Fixture, PAGE, check, kinds, layout::current_meta, small};
use vox_pages::{FindingKind, PageFile};
use vox_types::Code;

const MAGIC_AT: usize = 16;

fn code(fixture: &Fixture, change: impl FnOnce(&mut Vec<u8>)) -> Code {
    PageFile::open(fixture.damaged(change)).unwrap_err().code
}

#[test]
fn a_file_that_is_missing_or_something_else_is_refused() {
    let fixture = small();
    let missing = fixture.path().with_file_name("missing");
    assert_eq!(PageFile::open(missing).unwrap_err().code, Code::NotFound);
    let folder = fixture.path().parent().unwrap().to_path_buf();
    assert_eq!(PageFile::open(folder).unwrap_err().code, Code::NotAnArchive);
    assert_eq!(code(&fixture, Vec::clear), Code::NotAnArchive);
    assert_eq!(code(&fixture, |bytes| bytes.truncate(100)), Code::NotAnArchive);
    assert_eq!(code(&fixture, |bytes| bytes.fill(0)), Code::NotAnArchive);
    assert_eq!(code(&fixture, |bytes| bytes.fill(b'{')), Code::NotAnArchive);
}

#[test]
fn other_formats_of_lmdb_are_named() {
    let fixture = small();
    let in_both = |bytes: &mut Vec<u8>, at: usize, new: &[u8]| {
        for meta in [0, PAGE] {
            bytes[meta + at..meta + at + new.len()].copy_from_slice(new);
        }
    };
    let version = code(&fixture, |bytes| in_both(bytes, MAGIC_AT + 4, &2u32.to_le_bytes()));
    assert_eq!(version, Code::WrongVersion);
    let big_endian = 0xBEEF_C0DE_u32.to_be_bytes();
    let error = PageFile::open(fixture.damaged(|bytes| in_both(bytes, MAGIC_AT, &big_endian)));
    let error = error.unwrap_err();
    assert_eq!(error.code, Code::WrongVersion);
    assert!(error.message.contains("big-endian"), "{error}");
    let narrow = fixture.damaged(|bytes| {
        for meta in [PAGE, 0] {
            bytes.copy_within(meta + 16..meta + 160, meta + 12);
        }
    });
    let error = PageFile::open(narrow).unwrap_err();
    assert_eq!(error.code, Code::WrongVersion);
    assert!(error.message.contains("32-bit"), "{error}");
}

#[test]
fn either_meta_page_does_when_the_other_is_broken() {
    let fixture = small();
    let newest = PageFile::open(fixture.path()).unwrap().meta().txnid;
    let current = current_meta(&fixture.bytes);
    for (broken, txnid) in [(current, newest - 1), (PAGE - current, newest)] {
        for at in [0, 10, MAGIC_AT, MAGIC_AT + 4, 44, 86, 134] {
            let path = fixture.damaged(|bytes| bytes[broken + at] ^= 0xff);
            let file = PageFile::open(&path).unwrap();
            assert_eq!(file.meta().txnid, txnid, "byte {at}");
            assert_eq!(file.meta().page_size as usize, PAGE);
            let finding = file.broken_meta().unwrap();
            assert_eq!(finding.kind, FindingKind::Meta);
            assert_eq!(finding.page, Some((broken / PAGE) as u64));
            assert!(kinds(&check(&path)).contains(&FindingKind::Meta));
        }
    }
}

#[test]
fn a_wrong_page_size_is_seen_by_the_place_of_the_other_meta_page() {
    let fixture = small();
    for size in [512u32, 1024, 8192, 32768, 4097, 0, u32::MAX] {
        let path = fixture.damaged(|bytes| bytes[40..44].copy_from_slice(&size.to_le_bytes()));
        let file = PageFile::open(path).unwrap();
        assert_eq!(file.meta().page_size as usize, PAGE);
        assert_eq!(file.broken_meta().unwrap().page, Some(0));
    }
}

#[test]
fn two_broken_meta_pages_are_damage() {
    let fixture = small();
    let path = fixture.damaged(|bytes| {
        bytes[10] = 0;
        bytes[PAGE + 10] = 0;
    });
    assert_eq!(PageFile::open(path).unwrap_err().code, Code::Damaged);
}

#[test]
fn transactions_that_cannot_be_neighbours_are_reported() {
    let fixture = small();
    let current = current_meta(&fixture.bytes);
    let path = fixture.damaged(|bytes| bytes[current + 146] ^= 1);
    assert_eq!(kinds(&check(&path)), [FindingKind::MetaOrder]);
}
