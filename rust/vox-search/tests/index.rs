//! An index: what it finds, what state its folder is in, what is left of what was taken out.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::{fs, path::Path};

use proptest::prelude::*;
use tempfile::{TempDir, tempdir};
use vox_search::{
    index::{
        self, Document, Everything, Facts, Index, Lane, Opened, Ranked, Wanted, Watermark, Writer,
    },
    query::{Atom, AtomKind, Node},
};
use vox_types::ItemId;

const WATERMARK: Watermark = Watermark { archive: [7; 16], event: 41, proof: [9; 16], items: 0 };

/// Says which files were read through.
const CHECKED: &str = "checked.json";

fn add(writer: &mut Writer, number: u64, text: &str) {
    let document = Document {
        item: ItemId(number),
        content: blake3::hash(text.as_bytes())
            .as_bytes()
            .first_chunk()
            .copied()
            .map_or(0, u64::from_le_bytes),
        time: 1_000 + number as i64,
        attributes: (number % 4) as u16,
        name: number as u32,
        text: text.as_bytes(),
        touched: &[format!("file{number}.rs")],
    };
    writer.add(&document).unwrap();
}

fn built(texts: &[&str]) -> (TempDir, Index) {
    let folder = tempdir().unwrap();
    let mut writer = index::create(folder.path()).unwrap();
    for (number, text) in (0..).zip(texts) {
        add(&mut writer, number, text);
    }
    writer.commit(WATERMARK).unwrap();
    writer.finish().unwrap();
    let index = opened(folder.path());
    (folder, index)
}

fn opened(folder: &Path) -> Index {
    match index::open(folder).unwrap() {
        Opened::Ready(index) => *index,
        other => panic!("{other:?}"),
    }
}

fn atom(kind: AtomKind, text: &str) -> Node {
    Node::Atom(Atom { kind, text: text.to_owned(), at: 0..text.len() })
}

fn word(text: &str) -> Node {
    atom(AtomKind::Word, text)
}

fn items(index: &Index, node: &Node) -> Vec<u64> {
    index.searcher().matching(node, &Everything).unwrap().items.iter().collect()
}

#[test]
fn words_phrases_starts_and_what_joins_them_are_found_exactly() {
    let (_folder, index) = built(&[
        "The quick brown fox in src/x.py:42",
        "a fooBar and a foo_bar, quickly",
        "brown quick; src x py 42",
        "中文字 and ひらがな",
    ]);
    let exactly = |node: Node, expected: &[u64]| {
        assert!(index.searcher().is_exact(&node).unwrap(), "{node:?}");
        assert_eq!(items(&index, &node), expected, "{node:?}");
    };
    exactly(word("QUICK"), &[0, 2]);
    exactly(atom(AtomKind::Prefix, "quick"), &[0, 1, 2]);
    exactly(atom(AtomKind::Phrase, "quick brown"), &[0]);
    exactly(word("foobar"), &[1]);
    exactly(word("bar"), &[1]);
    exactly(word("src/x.py:42"), &[0]);
    exactly(atom(AtomKind::Phrase, "src x py 42"), &[0, 2]);
    exactly(word("文字"), &[3]);
    exactly(word("文"), &[3]);
    exactly(Node::And(vec![word("quick"), word("fox")]), &[0]);
    exactly(Node::Or(vec![word("fox"), word("quickly")]), &[0, 1]);
    exactly(Node::And(vec![word("quick"), Node::Not(Box::new(word("fox")))]), &[2]);
    exactly(Node::Not(Box::new(word("quick"))), &[1, 3]);
    exactly(Node::Not(Box::new(Node::Not(Box::new(word("fox"))))), &[0]);
}

#[test]
fn the_best_come_first_and_only_those_that_are_admitted() {
    let (_folder, index) = built(&[
        "a long text about many things and one needle",
        "needle needle",
        "needle",
        "nothing",
    ]);
    let searcher = index.searcher();
    let numbers = |ranked: Vec<Ranked>| -> Vec<u64> {
        ranked.iter().map(|ranked| ranked.facts.item.0).collect()
    };
    let best = |count| numbers(searcher.top(&word("needle"), &Everything, count).unwrap());
    assert_eq!(best(9), [1, 2, 0]);
    assert_eq!(best(1), [1]);
    assert_eq!(best(0), [0_u64; 0]);
    let early = |facts: &Facts| facts.item.0 != 1 && facts.time < 1_002;
    assert_eq!(numbers(searcher.top(&word("needle"), &early, 9).unwrap()), [0]);
    let named = |facts: &Facts| facts.name == 2 && facts.attributes == 2;
    assert_eq!(numbers(searcher.top(&word("needle"), &named, 9).unwrap()), [2]);
}

#[test]
fn any_of_several_terms_adds_up_and_each_has_its_weight() {
    let (_folder, index) = built(&["failing tests", "a test failed", "other", "tests"]);
    let searcher = index.searcher();
    let ask = |wanted: &[(Lane, &str, f32)]| -> Vec<u64> {
        let wanted: Vec<_> =
            wanted.iter().map(|&(lane, term, weight)| Wanted { lane, term, weight }).collect();
        let ranked = searcher.any_of(&wanted, &Everything, 9).unwrap();
        ranked.iter().map(|ranked| ranked.facts.item.0).collect()
    };
    let mut both = ask(&[(Lane::Stems, "fail", 1.0), (Lane::Stems, "test", 1.0)]);
    both[..2].sort_unstable();
    assert_eq!(both, [0, 1, 3]);
    assert_eq!(ask(&[(Lane::Touched, "file2.rs", 9.0), (Lane::Words, "tests", 0.1)])[0], 2);
    assert_eq!(ask(&[]), [0_u64; 0]);
}

#[test]
fn documents_that_hold_a_content_are_known() {
    let (_folder, index) = built(&["same", "other", "same"]);
    let content = u64::from_le_bytes(*blake3::hash(b"same").as_bytes().first_chunk().unwrap());
    assert_eq!(index.searcher().holding(content).unwrap(), [ItemId(0), ItemId(2)]);
    assert_eq!(index.searcher().holding(content + 1).unwrap(), []);
}

#[test]
fn what_is_taken_out_leaves_no_term_on_the_disk() {
    let folder = tempdir().unwrap();
    let mut writer = index::create(folder.path()).unwrap();
    add(&mut writer, 1, "a secretword that goes");
    add(&mut writer, 2, "a word that stays");
    writer.commit(WATERMARK).unwrap();
    writer.finish().unwrap();
    let before = opened(folder.path());
    assert_eq!(items(&before, &word("secretword")), [1]);

    let mut writer = before.writer().unwrap().unwrap();
    writer.delete(&[ItemId(1), ItemId(77)]).unwrap();
    writer.commit(WATERMARK).unwrap();
    writer.finish().unwrap();
    assert!(!before.is_current());
    let after = opened(folder.path());
    assert_eq!(items(&after, &word("secretword")), [0_u64; 0]);
    assert_eq!(items(&after, &word("word")), [2]);
    assert_eq!(after.len(), 1);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        let part = memchr::memmem::find(&bytes, b"secretw");
        assert!(part.is_none(), "a term is still there");
    }
    assert_eq!(items(&before, &word("secretword")), [1], "an open index stays as it was");
}

#[test]
fn a_folder_says_what_is_the_matter_with_it() {
    let folder = tempdir().unwrap();
    let gone = folder.path().join("nothing");
    assert!(matches!(index::open(&gone).unwrap(), Opened::Missing));
    assert!(matches!(index::open(folder.path()).unwrap(), Opened::Missing));

    let mut writer = index::create(folder.path()).unwrap();
    add(&mut writer, 1, "text");
    assert!(matches!(index::open(folder.path()).unwrap(), Opened::Missing), "unfinished");
    writer.commit(WATERMARK).unwrap();
    writer.finish().unwrap();
    let index = opened(folder.path());
    assert_eq!(index.watermark(), WATERMARK);
    assert!(index.is_current());

    let meta = folder.path().join("meta.json");
    let written = fs::read_to_string(&meta).unwrap();
    for (version, newer) in [("0", false), ("99", true)] {
        let other = written.replace("\\\"format\\\":1", &format!("\\\"format\\\":{version}"));
        assert_ne!(other, written);
        fs::write(&meta, other).unwrap();
        let found = index::open(folder.path()).unwrap();
        assert_eq!(matches!(found, Opened::Newer), newer, "{found:?}");
        assert_eq!(matches!(found, Opened::Older), !newer, "{found:?}");
    }
    fs::write(&meta, &written[..written.len() / 2]).unwrap();
    assert!(matches!(index::open(folder.path()).unwrap(), Opened::Damaged(_)));
    fs::remove_dir_all(folder.path()).unwrap();
    assert!(!index.is_current());
    assert_eq!(items(&index, &word("text")), [1], "an open index outlives its folder");
}

#[test]
fn any_file_that_lost_its_end_is_noticed() {
    let (folder, index) = built(&["some words", "and others"]);
    drop(index);
    let mut files = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with('.') || name == CHECKED {
            continue; // locks and the list of files; what was checked
        }
        files += 1;
        let whole = fs::read(&path).unwrap();
        // The list of segments ends with a line break, which doesn't count.
        for length in [0, whole.len() / 2, whole.len() - 2] {
            fs::write(&path, &whole[..length]).unwrap();
            let found = index::open(folder.path()).unwrap();
            let Opened::Damaged(why) = found else { panic!("{name} of {length}: {found:?}") };
            assert!(why.len() < 300 && why.starts_with(folder.path().to_str().unwrap()), "{why}");
        }
        fs::remove_file(&path).unwrap();
        let found = index::open(folder.path()).unwrap();
        assert!(matches!(found, Opened::Damaged(_) | Opened::Missing), "{name}: {found:?}");
        fs::write(&path, &whole).unwrap();
        assert!(matches!(index::open(folder.path()).unwrap(), Opened::Ready(_)));
    }
    assert!(files >= 6, "{files} files");
}

#[test]
fn a_byte_that_changed_in_any_file_is_noticed() {
    let (folder, index) = built(&["some words", "and others"]);
    drop(index);
    let checked = folder.path().join(CHECKED);
    assert!(checked.exists(), "the files were read through when they were opened");
    let mut files = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with('.') || name.ends_with(".json") {
            continue;
        }
        files += 1;
        let whole = fs::read(&path).unwrap();
        for at in [0, whole.len() / 2] {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            fs::write(&path, &changed).unwrap();
            let found = index::open(folder.path()).unwrap();
            let Opened::Damaged(why) = found else { panic!("{name} at {at}: {found:?}") };
            assert!(why.contains(name), "{why}");
        }
        fs::write(&path, &whole).unwrap();
        assert!(matches!(index::open(folder.path()).unwrap(), Opened::Ready(_)));
    }
    assert!(files >= 5, "{files} files");
    for nonsense in [&b""[..], b"{}", b"\xff"] {
        fs::write(&checked, nonsense).unwrap();
        assert!(matches!(index::open(folder.path()).unwrap(), Opened::Ready(_)));
    }
}

#[test]
fn there_is_one_writer_and_what_it_did_not_commit_is_gone() {
    let (folder, index) = built(&["first"]);
    let mut writer = index.writer().unwrap().unwrap();
    assert!(index.writer().unwrap().is_none());
    assert!(opened(folder.path()).writer().unwrap().is_none());
    add(&mut writer, 5, "second");
    drop(writer);
    assert_eq!(items(&opened(folder.path()), &word("second")), [0_u64; 0]);
    let mut writer = index.writer().unwrap().unwrap();
    add(&mut writer, 5, "second");
    writer.commit(Watermark { event: 42, ..WATERMARK }).unwrap();
    drop(writer);
    let index = opened(folder.path());
    assert_eq!(items(&index, &word("second")), [5]);
    assert_eq!(index.watermark().event, 42);
}

#[test]
fn texts_that_no_tool_writes_are_indexed() {
    let many = "x".repeat(1 << 20);
    let marks = format!("e{}", "\u{301}".repeat(100_000));
    let spaces = " ".repeat(1 << 20);
    let (_folder, index) = built(&[&many, &marks, &spaces, "\0\0 nul \u{feff}bom", ""]);
    assert_eq!(items(&index, &word(&many)), [0]);
    assert_eq!(items(&index, &word("nul")), [3]);
    assert_eq!(items(&index, &word("bom")), [3]);
    assert_eq!(index.len(), 5);
}

/// Texts of few characters, so that much matches: words, case, gaps, marks, pairs, long words.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[abAB_]{1,3}",
        3 => "[ ./:-]{1,2}",
        2 => "[中文字]{1,3}",
        1 => "[éÉßſK\u{301}\u{3099}]{1,2}",
        1 => "[aB]{60,70}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn folded(text: &str) -> String {
    let fold = |char: char| {
        let class =
            regex_syntax::hir::ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new(
                char, char,
            )]);
        let mut class = class;
        class.case_fold_simple();
        class.ranges()[0].start()
    };
    text.chars().map(fold).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..Default::default() })]

    #[test]
    fn a_literal_is_among_what_the_index_gives(
        texts in prop::collection::vec(texts(), 1..24),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, 1..12_usize), 12),
    ) {
        let (_folder, index) = built(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        for (which, start, length) in cuts {
            let literal: String = which.get(&texts).chars().skip(start).take(length).collect();
            if literal.is_empty() {
                continue;
            }
            let sought = folded(&literal);
            let holding = (0..).zip(&texts).filter(|(_, text)| folded(text).contains(&sought));
            let holding: Vec<u64> = holding.map(|(number, _)| number).collect();
            let expression = format!("(?:{})+", regex_syntax::escape(&literal));
            for (kind, text) in [(AtomKind::Literal, &literal), (AtomKind::Regex, &expression)] {
                let found = index.searcher().matching(&atom(kind, text), &Everything).unwrap();
                prop_assert!(!found.exact);
                for number in &holding {
                    prop_assert!(found.items.contains(*number), "{literal:?} {number} {kind:?}");
                }
            }
        }
    }
}
