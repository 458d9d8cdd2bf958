//! What the words and joins of a text are, and what matches, as slowly and plainly as it can be
//! said: every character is asked by itself, with the classes of the regex crate's syntax.

use std::ops::Range;
use std::sync::LazyLock;

use proptest::prelude::*;
use regex_automata::meta::Regex;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use vox_search::analyse::{Sought, Step, Stream, sought};
use vox_search::query::{Atom, AtomKind, Node};

static WORD: LazyLock<Regex> = LazyLock::new(|| class(r"[\p{L}\p{M}\p{N}_]"));
static DENSE: LazyLock<Regex> = LazyLock::new(|| {
    let scripts =
        ["Han", "Hiragana", "Katakana", "Hangul", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar"];
    let all = |prefix: &str| scripts.map(|script| format!(r"\p{{{prefix}{script}}}")).concat();
    class(&format!(r"[{}[[{}]&&[\p{{L}}\p{{N}}]]]", all(""), all("scx:")))
});
static MARK: LazyLock<Regex> = LazyLock::new(|| class(r"\p{M}"));
static UPPER: LazyLock<Regex> = LazyLock::new(|| class(r"[\p{Lu}\p{Lt}]"));
static LOWER: LazyLock<Regex> = LazyLock::new(|| class(r"\p{Ll}"));
static VISIBLE: LazyLock<Regex> = LazyLock::new(|| class(r"[\p{P}\p{S}]"));

fn class(pattern: &str) -> Regex {
    Regex::new(&format!("^(?:{pattern})$")).expect("a class")
}

fn is(class: &Regex, char: char) -> bool {
    class.is_match(char.encode_utf8(&mut [0; 4]).as_bytes())
}

/// The characters that equal `char` but for case.
fn equal(char: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(char, char)]);
    class.try_case_fold_simple().expect("folding");
    class.iter().flat_map(|range| range.start()..=range.end()).collect()
}

pub fn fold(text: &str) -> String {
    let one = |char| {
        let equal = equal(char);
        *equal.iter().find(|char| is(&LOWER, **char)).unwrap_or(&equal[0])
    };
    text.chars().map(one).collect()
}

fn term(word: &str) -> String {
    let folded = fold(word);
    if folded.len() <= 64 {
        return folded;
    }
    let mut end = 48;
    while !folded.is_char_boundary(end) {
        end -= 1;
    }
    let hash = blake3::hash(folded.as_bytes()).to_hex();
    format!("{}\u{1}{}", &folded[..end], &hash[..16])
}

/// A character and where it stands; none: bytes that aren't UTF-8.
type Char = (Option<char>, Range<usize>);

fn chars(text: &[u8]) -> Vec<Char> {
    let mut found = Vec::new();
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for char in chunk.valid().chars() {
            found.push((Some(char), at..at + char.len_utf8()));
            at += char.len_utf8();
        }
        for _ in chunk.invalid() {
            found.push((None, at..at + 1));
            at += 1;
        }
    }
    found
}

/// A term, its stream, position, start and end.
pub type Found = (Stream, String, u32, usize, usize);

/// All words and joins, in the order in which the analyser gives them.
pub fn analysis(text: &[u8]) -> Vec<Found> {
    let chars = chars(text);
    let word =
        |at: usize| chars.get(at).and_then(|(char, _)| *char).filter(|char| is(&WORD, *char));
    let dense = |char: char| is(&DENSE, char);

    // Stretches of word characters of one kind, as ranges of `chars`, and whether they are dense.
    let mut stretches: Vec<(Range<usize>, bool)> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let Some(first) = word(at) else {
            at += 1;
            continue;
        };
        let mut end = at + 1;
        while let Some(char) = word(end) {
            let shared = is(&MARK, char) && !dense(char);
            if !shared && dense(char) != dense(first) {
                break;
            }
            end += 1;
        }
        stretches.push((at..end, dense(first)));
        at = end;
    }

    let bytes = |range: Range<usize>| chars[range.start].1.start..chars[range.end - 1].1.end;
    let string = |range: Range<usize>| {
        std::str::from_utf8(&text[bytes(range)]).expect("word characters").to_owned()
    };
    let mut found: Vec<Found> = Vec::new();
    let mut position = 0;
    for (number, (range, dense)) in stretches.iter().enumerate() {
        let mut add = |range: Range<usize>, position| {
            let place = bytes(range.clone());
            found.push((Stream::Words, term(&string(range)), position, place.start, place.end));
        };
        if *dense {
            for at in range.clone() {
                add(at..(at + 2).min(range.end), position);
                position += 1;
            }
        } else {
            add(range.clone(), position);
            for part in parts(&string(range.clone())) {
                add(range.start + part.start..range.start + part.end, position);
            }
            position += 1;
        }
        let Some((next, next_dense)) = stretches.get(number + 1) else { continue };
        let gap = range.end..next.start;
        let visible = |at: usize| chars[at].0.is_some_and(|char| is(&VISIBLE, char));
        if (1..=3).contains(&gap.len()) && gap.clone().all(visible) {
            let left = if *dense { range.end - 1..range.end } else { range.clone() };
            let right = if *next_dense { next.start..next.start + 1 } else { next.clone() };
            let joined =
                [term(&string(left.clone())), string(gap), term(&string(right.clone()))].concat();
            let place = bytes(left).start..bytes(right).end;
            found.push((Stream::Joins, joined, position - 1, place.start, place.end));
        }
    }
    found
}

/// The parts of an identifier, as ranges of its characters.
fn parts(word: &str) -> Vec<Range<usize>> {
    if word.len() > 128 {
        return Vec::new();
    }
    let chars: Vec<char> = word.chars().collect();
    let mut borders = vec![0];
    for (at, char) in chars.iter().enumerate() {
        if *char == '_' {
            borders.extend([at, at + 1]);
        } else if is(&UPPER, *char) {
            let before = chars[..at].iter().rev().find(|char| !is(&MARK, **char));
            let lower_before = before.is_some_and(|char| is(&LOWER, *char));
            let lower_after = chars.get(at + 1).is_some_and(|char| is(&LOWER, *char));
            if lower_before || lower_after {
                borders.push(at);
            }
        }
    }
    borders.push(chars.len());
    let ranges = borders.windows(2).map(|pair| pair[0]..pair[1]);
    ranges.filter(|part| part.len() >= 2 && part.len() < chars.len()).collect()
}

/// Whether `text` fulfils `node`.
pub fn matches(node: &Node, text: &[u8]) -> bool {
    match node {
        Node::Atom(atom) => atom_matches(atom, text),
        Node::And(nodes) => nodes.iter().all(|node| matches(node, text)),
        Node::Or(nodes) => nodes.iter().any(|node| matches(node, text)),
        Node::Not(node) => !matches(node, text),
    }
}

fn atom_matches(atom: &Atom, text: &[u8]) -> bool {
    match sought(atom) {
        Sought::Terms(steps) => {
            let found = analysis(text);
            (0..=found.iter().map(|found| found.2).max().unwrap_or(0))
                .any(|start| steps.iter().all(|step| stands(step, start + step.offset, &found)))
        }
        Sought::Literal { text: literal, case } => {
            let chars = chars(text);
            let wanted: Vec<char> = literal.chars().collect();
            let fits = |stretch: &[Char]| {
                stretch.iter().zip(&wanted).all(|((char, _), wanted)| match char {
                    Some(char) if case => char == wanted,
                    Some(char) => equal(*char).contains(wanted),
                    None => false,
                })
            };
            chars.windows(wanted.len()).any(fits)
        }
        Sought::Regex { pattern, case } => {
            let pattern = if case { pattern } else { format!("(?i){pattern}") };
            Regex::new(&format!("(?m){pattern}")).expect("an expression").is_match(text)
        }
    }
}

fn stands(step: &Step, position: u32, found: &[Found]) -> bool {
    found.iter().any(|(stream, term, at, ..)| {
        let fits = if step.prefix { term.starts_with(&step.term) } else { *term == step.term };
        *stream == step.stream && *at == position && fits
    })
}

/// Texts that are full of borders: of scripts, of case, of words, of UTF-8.
pub fn texts() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[a-c]{1,3}".prop_map(String::into_bytes),
        3 => "[aAbBkKsSſßẞ\u{212a}éÉ_1٣]{1,6}".prop_map(String::into_bytes),
        4 => "[ ./:=\n-]{1,4}".prop_map(String::into_bytes),
        2 => "[中文字かカー゛한글ไทยກ\u{e49}\u{3099}\u{301}々]{1,4}".prop_map(String::into_bytes),
        1 => "\\PC{1,3}".prop_map(String::into_bytes),
        1 => "[aA_é]{60,70}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 1..3),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Queries whose words are likely to stand in such texts.
pub fn nodes() -> impl Strategy<Value = Node> {
    let text = prop_oneof![
        4 => "[a-c]{1,2}",
        2 => "[abksſ\u{212a}éÉ_]{1,3}",
        2 => "[a-cA中文]{1,2}[ ./:-]{1,4}[a-c文字]{1,2}",
        1 => "[a-c] [a-c]{1,2} [a-c]",
        1 => "[中文字かカー한ไกท]{1,3}",
        1 => "[a-c]{1,2}[/:.]{1,2}",
        1 => "[./:=]{1,2}",
        1 => "[aA_é]{45,70}",
    ];
    let kind = prop_oneof![
        Just(AtomKind::Word),
        Just(AtomKind::Phrase),
        Just(AtomKind::Prefix),
        Just(AtomKind::Literal),
    ];
    let atom = (kind, text).prop_map(|(kind, text)| Node::Atom(Atom { kind, text, at: 0..0 }));
    let pattern = prop::sample::select(vec!["a+b", "^[a-c]", "K", r"\bs\b", "é|中", r"\w{3}$"]);
    let regex = pattern.prop_map(|pattern| {
        Node::Atom(Atom { kind: AtomKind::Regex, text: pattern.to_owned(), at: 0..0 })
    });
    prop_oneof![6 => atom, 1 => regex].prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Node::And),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Node::Or),
            inner.prop_map(|node| Node::Not(Box::new(node))),
        ]
    })
}
