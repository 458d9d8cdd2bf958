//! What is found in a text, and what isn't.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use vox_secrets::{Masked, Rules, Scanner};

fn masked(text: &[u8]) -> String {
    let scanner = Scanner::standard().unwrap();
    let spans = scanner.spans(text);
    String::from_utf8(Masked::new(text, &spans, scanner.rules()).text.into_owned()).unwrap()
}

/// A token, put together here so that nothing that looks for tokens finds one in this file.
fn token(parts: &[&str]) -> String {
    parts.concat()
}

fn github() -> String {
    token(&["gh", "p_", "a8Kd0qLmZ3vTnR5yWb7", "XcP1eUoIs9Gf2HjVk"])
}

#[test]
fn a_token_is_replaced_and_the_rest_stays() {
    let text = format!("export GH={} # mine", github());
    assert_eq!(masked(text.as_bytes()), "export GH=[secret:github-token] # mine");
}

#[test]
fn an_escape_before_a_token_ends_the_word_before_it() {
    for before in [r"\n", r"\t", r"\u003d", "%3D", "", " ", "(", "=", "é"] {
        let text = format!("a{before}{}", github());
        if before.is_empty() {
            assert_eq!(masked(text.as_bytes()), text);
        } else {
            assert_eq!(masked(text.as_bytes()), format!("a{before}[secret:github-token]"));
        }
    }
}

#[test]
fn every_rule_compiles() {
    for rule in Rules::standard().unwrap().all() {
        assert!(rule.source.starts_with("https://") || rule.source == "judgement", "{}", rule.id);
    }
}
