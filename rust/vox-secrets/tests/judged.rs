//! Precision and recall on texts that were judged by hand.

use std::collections::BTreeSet;

use serde::Deserialize;
use vox_secrets::{Scanner, Span};

const JUDGED: &str = include_str!("../../../tests/data/secrets/judged.toml");

#[derive(Deserialize)]
struct File {
    text: Vec<Judged>,
}

#[derive(Deserialize)]
struct Judged {
    #[serde(default)]
    rule: String,
    text: String,
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }

    /// `text` with its random parts made.
    fn fill(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let made = after.split_once('}').and_then(|(inside, rest)| {
                let (alphabet, length) = inside.split_once(':')?;
                Some((alphabet_of(alphabet)?, length.parse::<usize>().ok()?, rest))
            });
            match made {
                Some((alphabet, length, after)) => {
                    let letter = |_| char::from(alphabet[self.next() % alphabet.len()]);
                    out.extend((0..length).map(letter));
                    rest = after;
                }
                None => {
                    out.push('{');
                    rest = after;
                }
            }
        }
        out + rest
    }
}

fn alphabet_of(name: &str) -> Option<&'static [u8]> {
    const ALL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz-_";
    const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz+/";
    Some(match name {
        "hex" => b"0123456789abcdef",
        "digits" => &ALL[26..36],
        "upper" => &ALL[..36],
        "lower" => &ALL[26..62],
        "base62" => &ALL[..62],
        "base64url" => ALL,
        "base64" => BASE64,
        "letters" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        _ => return None,
    })
}

/// The text without its marks, and the stretches that they mark.
fn unmarked(text: &str) -> (String, Vec<(usize, usize)>) {
    let (mut plain, mut marked, mut start) = (String::new(), Vec::new(), 0);
    for letter in text.chars() {
        match letter {
            '⟦' => start = plain.len(),
            '⟧' => marked.push((start, plain.len())),
            letter => plain.push(letter),
        }
    }
    (plain, marked)
}

#[test]
fn what_was_judged_a_secret_is_found_and_nothing_else_is() {
    let File { text: judged } = toml::from_str(JUDGED).unwrap();
    let scanner = Scanner::standard().unwrap();
    let (mut found, mut missed, mut wrong) = (0, Vec::new(), Vec::new());
    let mut rules = BTreeSet::new();
    // Several fillings: no verdict may hang on one of them.
    for round in 0..20 {
        for Judged { rule, text } in &judged {
            let (plain, marked) = unmarked(&Numbers(round * 7919 + 1).fill(text));
            let spans = scanner.spans(plain.as_bytes());
            let is = |span: &Span| scanner.rules().id(span.rule) == rule;
            for (start, end) in &marked {
                let same = |span: &&Span| (span.start, span.end) == (*start, *end) && is(span);
                if spans.iter().any(|span| same(&span)) {
                    found += 1;
                    rules.insert(rule.as_str());
                } else {
                    missed.push((rule, plain.clone(), spans.clone()));
                }
            }
            let unmarked = |span: &&Span| !marked.contains(&(span.start, span.end));
            wrong.extend(spans.iter().filter(unmarked).map(|span| {
                (scanner.rules().id(span.rule), plain[span.start..span.end].to_owned())
            }));
        }
    }
    // Random texts now and then look like words, so a few of a thousand may be missed.
    assert!(missed.len() * 100 <= found, "{} of {found} missed: {missed:#?}", missed.len());
    assert_eq!(wrong, [], "{found} found");
    assert!(rules.len() >= 43, "{}", rules.len());
}
