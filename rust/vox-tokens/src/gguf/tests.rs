//! What can't be seen from Python.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::Gguf;
use crate::{Tokenizer, bytes};

/// A value of a file's metadata.
enum Value<'v> {
    Text(&'v str),
    Bool(bool),
    Texts(Vec<String>),
    Numbers(u32, Vec<[u8; 4]>),
}

fn file(metadata: &[(&str, Value)]) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut file = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend((metadata.len() as u64).to_le_bytes());
    for (key, value) in metadata {
        file.extend(text(key));
        let list = |kind: u32, length: usize| {
            let head = [9_u32.to_le_bytes(), kind.to_le_bytes()].concat();
            [head, (length as u64).to_le_bytes().to_vec()].concat()
        };
        file.extend(match value {
            Value::Text(value) => [8_u32.to_le_bytes().to_vec(), text(value)].concat(),
            Value::Bool(value) => [7_u32.to_le_bytes().to_vec(), vec![u8::from(*value)]].concat(),
            Value::Texts(values) => {
                let texts: Vec<Vec<u8>> = values.iter().map(|value| text(value)).collect();
                [list(8, values.len()), texts.concat()].concat()
            }
            Value::Numbers(kind, values) => [list(*kind, values.len()), values.concat()].concat(),
        });
    }
    file
}

const CONTROL: [&str; 4] = ["</s>", "<unk>", "<s>", "<|endoftext|>"];
const DEFINED: [&str; 5] = ["<x>", "e wo", "rd", "A1", "\n\n"];

/// A tokenizer of `model` and `pre` with user-defined tokens, which swallow the space behind them
/// if it is Phi-3's.
fn tokenizer(model: &str, pre: &str, name: &str) -> Tokenizer {
    let of_bytes = model == "gpt2" && pre != "gemma4";
    let mut tokens: Vec<String> = CONTROL.map(String::from).into();
    let mut types = vec![3; CONTROL.len()];
    let words = ["th", "the", "wo", "▁t", "▁th", "ab", "12", "▁a"];
    if of_bytes {
        tokens.extend(bytes::CHARS.iter().map(char::to_string));
    } else {
        tokens.extend((0..=u8::MAX).map(|byte| format!("<0x{byte:02X}>")));
        tokens.extend("abcdefghijklmnopqrstuvwxyz▁12AZ\n".chars().map(String::from));
    }
    let word = |word: &str| if of_bytes { word.replace('▁', "Ġ") } else { word.to_owned() };
    tokens.extend(words.map(word));
    types.resize(tokens.len(), 1);
    tokens.extend(DEFINED.map(String::from));
    types.resize(tokens.len(), 4);
    let merges = ["t h", "th e", "w o", "▁ t", "▁t h", "a b", "1 2", "▁ a"].map(word);
    let scores = (0..tokens.len()).map(|at| (-(at as f32)).to_le_bytes()).collect();
    let bytes = file(&[
        ("general.name", Value::Text(name)),
        ("tokenizer.ggml.model", Value::Text(model)),
        ("tokenizer.ggml.pre", Value::Text(pre)),
        ("tokenizer.ggml.tokens", Value::Texts(tokens)),
        ("tokenizer.ggml.merges", Value::Texts(merges.into())),
        ("tokenizer.ggml.scores", Value::Numbers(6, scores)),
        (
            "tokenizer.ggml.token_type",
            Value::Numbers(5, types.into_iter().map(i32::to_le_bytes).collect()),
        ),
        ("tokenizer.ggml.add_space_prefix", Value::Bool(false)),
    ]);
    let size = bytes.len() as u64;
    Gguf::read(&bytes[..], size).and_then(|gguf| gguf.tokenizer(None)).expect("it is whole")
}

const KINDS: [(&str, &str, &str); 6] = [
    ("gpt2", "llama-bpe", ""),
    ("gpt2", "default", "Phi-3"),
    ("gpt2", "gemma4", ""),
    ("whitespace", "whitespace", ""),
    ("llama", "", ""),
    ("bert", "", ""),
];

static TOKENIZERS: LazyLock<[Tokenizer; 6]> =
    LazyLock::new(|| KINDS.map(|(model, pre, name)| tokenizer(model, pre, name)));

fn text() -> impl Strategy<Value = String> {
    let common = prop::sample::select(vec!["the", "word", " ", " a", "12", "A1", "e w", "\n", "b"]);
    let rare = prop::sample::select(vec!["<x>", "  ", "\n\n", "é", "漢", "\t", "A", ".", "<s>"]);
    let part = prop_oneof![3 => common, 1 => rare];
    prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn tokens_of_both_sides_of_a_cut_are_those_of_the_whole(text in text(), from in 0..40_usize) {
        for ((model, pre, _), tokenizer) in KINDS.iter().zip(TOKENIZERS.iter()) {
            let Some(place) = tokenizer.cut(text.as_bytes(), from) else { continue };
            prop_assert!(place > from);
            let (left, right) = text.as_bytes().split_at(place);
            let both = [tokenizer.encode(left), tokenizer.encode(right)].concat();
            prop_assert_eq!(both, tokenizer.encode(text.as_bytes()), "{} {}", model, pre);
        }
    }
}

#[test]
fn long_texts_are_cut_somewhere() {
    let text = "one line of the words 12\n".repeat(100);
    for ((model, pre, _), tokenizer) in KINDS.iter().zip(TOKENIZERS.iter()) {
        let cut = tokenizer.cut(text.as_bytes(), 500);
        assert!(cut.is_some_and(|place| place < 600), "{model} {pre}");
    }
}
