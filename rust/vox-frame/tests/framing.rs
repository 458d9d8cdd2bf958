//! What comes out of files that are whole, damaged, or still being written.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{fs, path::PathBuf};

use vox_frame::{Framer, Limits};
use vox_types::{Code, QuarantineReason as Reason};

/// Everything a file gives: records and quarantined stretches with their offsets, the end, and
/// the pending bytes.
#[derive(PartialEq, Eq, Debug)]
struct Read {
    records: Vec<(u64, Vec<u8>)>,
    aside: Vec<(u64, u64, Reason, Vec<u8>)>,
    end: u64,
    pending: u64,
}

fn read_path(path: &std::path::Path, offset: u64, limits: Limits) -> Read {
    let mut framer = Framer::open(path, offset, limits).unwrap();
    let mut read = Read { records: vec![], aside: vec![], end: 0, pending: 0 };
    while let Some(batch) = framer.next_batch().unwrap() {
        assert!(batch.len() <= limits.batch_records);
        read.records.extend(batch.iter().map(|r| (r.offset, r.bytes.to_vec())));
        read.aside
            .extend(batch.quarantined.into_iter().map(|q| (q.offset, q.length, q.reason, q.bytes)));
    }
    (read.end, read.pending) = (framer.end(), framer.pending());
    read
}

fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn read_with(bytes: &[u8], limits: Limits) -> Read {
    let (_folder, path) = file("a.jsonl", bytes);
    read_path(&path, 0, limits)
}

fn read(bytes: &[u8]) -> Read {
    read_with(bytes, Limits::default())
}

fn records(read: &Read) -> Vec<&str> {
    read.records.iter().map(|(_, bytes)| std::str::from_utf8(bytes).unwrap()).collect()
}

fn aside(read: &Read) -> Vec<(u64, &str, Reason)> {
    read.aside
        .iter()
        .map(|(offset, length, reason, bytes)| {
            assert_eq!(*length, bytes.len() as u64);
            (*offset, std::str::from_utf8(bytes).unwrap(), *reason)
        })
        .collect()
}

/// A file that is read whole: these records, and these stretches with their offsets.
fn expect(bytes: &str, expected: &[&str], set_aside: &[(u64, &str, Reason)]) {
    let read = read(bytes.as_bytes());
    assert_eq!(records(&read), expected);
    assert_eq!(aside(&read), set_aside);
    assert_eq!((read.end, read.pending), (bytes.len() as u64, 0));
}

#[test]
fn each_line_is_a_record_with_its_offset() {
    let read = read(b"{\"a\":1}\n\n  [2] \r\n{\"b\":\"\\n\"}");
    assert_eq!(
        read.records,
        [(0, b"{\"a\":1}".to_vec()), (11, b"[2]".to_vec()), (17, b"{\"b\":\"\\n\"}".to_vec())]
    );
    assert_eq!((read.end, read.pending), (27, 0));
}

#[test]
fn a_byte_order_mark_is_passed_over_at_the_start_only() {
    expect("\u{feff}{\"a\":1}\n", &["{\"a\":1}"], &[]);
    expect("\u{feff}", &[], &[]);
    expect("{}\n\u{feff}{\"a\":1}\n", &["{}", "{\"a\":1}"], &[(3, "\u{feff}", Reason::Malformed)]);
}

#[test]
fn several_values_on_one_line_are_several_records() {
    expect("{\"a\":1}{\"b\":2} [3]\n", &["{\"a\":1}", "{\"b\":2}", "[3]"], &[]);
    expect("{\"a\":1},\n", &["{\"a\":1}"], &[(7, ",", Reason::Malformed)]);
}

#[test]
fn a_value_over_several_lines_is_one_record() {
    let pretty = "{\n  \"a\": [\n    {\"b\": 1},\n{\"c\": 2}\n  ]\n}";
    expect(&format!("{pretty}\r\n{pretty}\n{{}}\n"), &[pretty, pretty, "{}"], &[]);
}

#[test]
fn text_that_is_not_json_is_one_stretch_of_malformed_lines() {
    expect(
        "{}\nnot json\r\n  more {abc}\n{abc}\n\nagain\n{}\n",
        &["{}", "{}"],
        &[
            (3, "not json\r\n  more {abc}\n{abc}", Reason::Malformed),
            (33, "again", Reason::Malformed),
        ],
    );
}

#[test]
fn a_torn_record_is_set_aside_and_the_one_after_it_on_the_line_is_kept() {
    expect(
        "{\"a\":\"cut{\"type\":\"x\",\"in\":{\"y\":1}}\n{}\n",
        &["{\"type\":\"x\",\"in\":{\"y\":1}}", "{}"],
        &[(0, "{\"a\":\"cut", Reason::Torn)],
    );
    expect(
        "{\"a\":[{\"b\":1},{\"type\":\"x\"}\n{\"c\":1}\n",
        &["{\"type\":\"x\"}", "{\"c\":1}"],
        &[(0, "{\"a\":[{\"b\":1},", Reason::Torn)],
    );
}

#[test]
fn a_record_that_breaks_off_at_a_line_end_does_not_take_the_next_ones_along() {
    expect("{\"a\":\"cut\n{}\n", &["{}"], &[(0, "{\"a\":\"cut", Reason::Torn)]);
    expect("{\"a\":12\n{\"b\":1}\n", &["{\"b\":1}"], &[(0, "{\"a\":12", Reason::Torn)]);
    expect(
        "{\"a\":[\n{\"b\":1}\n{\"c\":1}\n",
        &["{\"b\":1}", "{\"c\":1}"],
        &[(0, "{\"a\":[", Reason::Torn)],
    );
}

#[test]
fn a_line_after_a_torn_one_that_gave_a_record_is_read_afresh() {
    expect(
        "[[{\"a\":1}\n}{\"b\":2}\n",
        &["{\"a\":1}", "{\"b\":2}"],
        &[(0, "[[", Reason::Torn), (10, "}", Reason::Malformed)],
    );
}

#[test]
fn a_document_that_breaks_off_is_set_aside_with_all_its_lines() {
    expect(
        "{\n  \"a\": [\n    {\"b\": 1}\n  \"c\": 2\n  {\"d\": 3}\n}\n{\"e\":1}\n",
        &["{\"e\":1}"],
        &[(0, "{\n  \"a\": [\n    {\"b\": 1}\n  \"c\": 2\n  {\"d\": 3}\n}", Reason::Torn)],
    );
}

#[test]
fn padding_of_a_crash_is_set_aside_and_what_follows_is_kept() {
    expect(
        "{}\n\0\0\0\0{\"a\":1}\n\0\0\n",
        &["{}", "{\"a\":1}"],
        &[(3, "\0\0\0\0", Reason::Malformed), (15, "\0\0", Reason::Malformed)],
    );
}

#[test]
fn a_value_that_is_no_object_or_array_is_no_record() {
    expect("12\n\"text\"\nnull\n{}\n", &["{}"], &[(0, "12\n\"text\"\nnull", Reason::NotARecord)]);
    expect("12 13\n", &[], &[(0, "12 13", Reason::Malformed)]);
}

#[test]
fn a_record_that_is_nested_too_deep_is_set_aside() {
    let deep = "{\"a\":".repeat(600) + &"}".repeat(600);
    expect(&format!("{deep}\n{{}}\n"), &["{}"], &[(0, &deep, Reason::TooDeep)]);
    let lines = "{\"a\":\n  ".repeat(600) + &"}".repeat(600);
    let read = read(format!("{lines}\n{{}}\n").as_bytes());
    assert_eq!(records(&read), ["{}"]);
    assert_eq!(aside(&read), [(0, &lines[..], Reason::TooDeep)]);
}

#[test]
fn an_unfinished_last_line_is_left_for_the_next_import() {
    for tail in
        ["{\"a\":\"half", "{\"a\":[1,\n2,\n", "{\"a\":1", "12", "tex", "{\"a\":\"x{\"b", "\0\0"]
    {
        let read = read(format!("{{}}\n{tail}").as_bytes());
        assert_eq!(records(&read), ["{}"], "{tail:?}");
        assert_eq!(read.aside, [], "{tail:?}");
        assert_eq!((read.end, read.pending), (3, tail.len() as u64), "{tail:?}");
    }
}

#[test]
fn reading_goes_on_where_it_ended() {
    let (_folder, path) = file("a.jsonl", b"{\"a\":1}\n{\"b\":");
    let first = read_path(&path, 0, Limits::default());
    assert_eq!((first.end, first.pending), (8, 5));
    fs::write(&path, b"{\"a\":1}\n{\"b\":2}\n{\"c\":3}").unwrap();
    let second = read_path(&path, first.end, Limits::default());
    assert_eq!(second.records, [(8, b"{\"b\":2}".to_vec()), (16, b"{\"c\":3}".to_vec())]);
    fs::write(&path, b"{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n").unwrap();
    let third = read_path(&path, second.end, Limits::default());
    assert_eq!(third, Read { records: vec![], aside: vec![], end: 24, pending: 0 });
    assert_eq!(read_path(&path, 99, Limits::default()).records, []);
}

#[test]
fn a_line_that_is_too_long_is_passed_over_and_its_start_kept() {
    let limits = Limits { record_bytes: 64, kept_bytes: 10, read_bytes: 16, ..Limits::default() };
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(1000));
    let read = read_with(format!("{{}}\n{long}\n{{\"b\":1}}\n").as_bytes(), limits);
    assert_eq!(records(&read), ["{}", "{\"b\":1}"]);
    let start = long.as_bytes()[..10].to_vec();
    assert_eq!(read.aside, [(3, long.len() as u64, Reason::TooLong, start)]);
    let document = format!("[\n{}  1\n]", "  1,\n".repeat(50));
    let read = read_with(format!("{document}\n{{}}\n").as_bytes(), limits);
    assert_eq!(records(&read), ["{}"]);
    assert_eq!(read.aside[0].1, document.len() as u64);
    assert_eq!(read.aside[0].2, Reason::TooLong);
}

#[test]
fn a_batch_is_bounded_by_records_and_bytes() {
    let (_folder, path) = file("a.jsonl", &b"{\"a\":1}{\"b\":2}\n".repeat(100));
    let limits = Limits { batch_records: 7, ..Limits::default() };
    let mut framer = Framer::open(&path, 0, limits).unwrap();
    let first = framer.next_batch().unwrap().unwrap();
    assert_eq!((first.len(), first.end), (7, 3 * 15 + 7));
    assert_eq!(read_path(&path, 0, limits).records.len(), 200);

    let limits = Limits { batch_bytes: 40, read_bytes: 8, ..Limits::default() };
    let mut framer = Framer::open(&path, 0, limits).unwrap();
    let mut count = 0;
    while let Some(batch) = framer.next_batch().unwrap() {
        assert!(batch.buffer().len() <= 60);
        count += batch.len();
    }
    assert_eq!(count, 200);
}

fn frame(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    zstd_safe::compress(&mut out, text, 3).unwrap();
    out
}

#[test]
fn a_compressed_file_gives_the_same_as_a_plain_one() {
    let text = b"{\"a\":1}\n{\"b\":2}\n{\"c\":3";
    let (_folder, path) = file("a.jsonl", &[frame(&text[..10]), frame(&text[10..])].concat());
    for offset in [0, 8] {
        let (_plain_folder, plain) = file("a.jsonl", text);
        let limits = Limits::default();
        assert_eq!(read_path(&path, offset, limits), read_path(&plain, offset, limits));
    }
}

#[test]
fn a_damaged_frame_takes_only_the_record_it_breaks() {
    let mut damaged = frame(&b"{\"in\":\"the damaged frame\"}\n".repeat(9));
    let length = damaged.len();
    damaged[5..length].fill(0xff);
    let bytes = [frame(b"{\"a\":1}\n{\"b\":\"cu"), damaged, frame(b"t\"}\n{\"c\":3}\n")].concat();
    let (_folder, path) = file("a.jsonl.zst", &bytes);
    let read = read_path(&path, 0, Limits::default());
    assert_eq!(records(&read), ["{\"a\":1}", "{\"c\":3}"]);
    assert_eq!(
        aside(&read),
        [(8, "{\"b\":\"cu", Reason::BadFrame), (16, "t\"}", Reason::Malformed)]
    );
    assert_eq!((read.end, read.pending), (28, 0));
}

#[test]
fn no_two_stretches_share_an_offset() {
    let bytes = [&frame(b"{}\n")[..], b"no frame", &frame(b"text\n{}\n")].concat();
    let (_folder, path) = file("a.jsonl.zst", &bytes);
    let read = read_path(&path, 0, Limits::default());
    assert_eq!(records(&read), ["{}", "{}"]);
    assert_eq!(aside(&read), [(3, "text", Reason::BadFrame)]);
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let code = |path: &std::path::Path| {
        Framer::open(path, 0, Limits::default()).err().map(|error| error.code)
    };
    assert_eq!(code(folder.path()), Some(Code::SourceUnreadable));
    assert_eq!(code(&folder.path().join("missing")), Some(Code::NotFound));
}
