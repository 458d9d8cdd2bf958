//! Writes `rust/vox-tokens/src/unicode/tables.rs` from the data of the crate regex-syntax:
//! `cargo run -q -p vox-tokens --example unicode_tables > rust/vox-tokens/src/unicode/tables.rs`.

use std::collections::HashMap;

use regex_syntax::hir::{Class as Ranges, HirKind};
use vox_tokens::unicode::class::{self, Class};

/// Code points in one block of the second stage.
const BLOCK: usize = 128;

/// Properties, and what they are here; one that comes later overrides a class before it.
const PROPERTIES: [(&str, Class); 12] = [
    (r"[\p{Lu}\p{Lt}]", class::UPPER),
    (r"\p{Ll}", class::LOWER),
    (r"[\p{Lm}\p{Lo}]", class::CASELESS),
    (r"\p{M}", class::MARK),
    (r"\p{N}", class::NUMBER),
    (r"\p{P}", class::PUNCTUATION),
    (r"\p{S}", class::SYMBOL),
    (r"\s", class::BLANK),
    (r"[\r\n]", class::NEWLINE),
    (r"\p{Nd}", class::DIGIT),
    (r"\p{Han}", class::HAN),
    (IDEOGRAPHS, class::IDEOGRAPH),
];

/// What llama.cpp takes for `\p{Han}`.
const IDEOGRAPHS: &str = r"[\u{3400}-\u{4DBF}\u{4E00}-\u{9FFF}\u{F900}-\u{FAFF}\u{20000}-\u{2A6DF}\u{2A700}-\u{2EBEF}\u{2F800}-\u{2FA1F}]";

/// The code points that `pattern`, of one class, matches.
fn ranges(pattern: &str) -> Vec<(u32, u32)> {
    let parsed = regex_syntax::parse(pattern).expect("a class");
    let HirKind::Class(Ranges::Unicode(class)) = parsed.kind() else { panic!("{pattern}") };
    class.iter().map(|range| (range.start().into(), range.end().into())).collect()
}

fn list<T: ToString>(name: &str, kind: &str, about: &str, values: &[T]) {
    println!("/// {about}");
    println!("#[rustfmt::skip]\npub static {name}: [{kind}; {}] = [", values.len());
    for line in values.chunks(BLOCK) {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        println!("    {},", line.join(", "));
    }
    println!("];");
}

fn main() {
    let mut classes = vec![class::OTHER; 0x11_0000];
    for (pattern, bit) in PROPERTIES {
        for (first, last) in ranges(pattern) {
            for code in first..=last {
                let before = classes[code as usize];
                let beside = bit >= class::DIGIT;
                classes[code as usize] = if beside { before | bit } else { bit };
            }
        }
    }
    let mut recent = vec![false; 0x11_0000];
    for (first, last) in ranges(r"[\p{Age=16.0}--\p{Age=15.1}]") {
        recent[first as usize..=last as usize].fill(true);
    }

    let mut kinds: Vec<(Class, bool)> = Vec::new();
    let mut kind_of = |value| {
        let at = kinds.iter().position(|kind| *kind == value).unwrap_or_else(|| {
            kinds.push(value);
            kinds.len() - 1
        });
        u8::try_from(at).expect("few kinds")
    };
    let all: Vec<u8> = (0..0x11_0000).map(|code| kind_of((classes[code], recent[code]))).collect();
    let (mut blocks, mut known, mut second) = (Vec::new(), HashMap::new(), Vec::new());
    for block in all.chunks(BLOCK) {
        let at = *known.entry(block.to_vec()).or_insert_with(|| {
            second.extend_from_slice(block);
            second.len() / BLOCK - 1
        });
        blocks.push(u16::try_from(at).expect("few blocks"));
    }

    println!("//! Written by `tools/unicode_tables.rs` from Unicode 16.0.\n");
    println!("use super::class::Class;\n");
    let words: Vec<String> = kinds.iter().map(|(class, _)| format!("0x{class:x}")).collect();
    list("CLASSES", "Class", "What each kind of character is.", &words);
    let flags: Vec<bool> = kinds.iter().map(|(_, recent)| *recent).collect();
    println!();
    list("RECENT", "bool", "Whether each kind is unassigned before Unicode 16.0.", &flags);
    println!();
    list("BLOCKS", "u16", "Which block of `KINDS` each 128 code points have.", &blocks);
    println!();
    list("KINDS", "u8", "The kind of each code point of a block.", &second);
}
