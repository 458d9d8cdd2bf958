//! What is found in a text, what isn't, and what that costs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use proptest::prelude::*;
use vox_secrets::{Masked, Rules, Scanner};
use vox_types::Code;

fn masked(text: &[u8]) -> Vec<u8> {
    let scanner = Scanner::standard().unwrap();
    Masked::new(text, &scanner.spans(text), scanner.rules()).text.into_owned()
}

fn masked_text(text: &str) -> String {
    String::from_utf8(masked(text.as_bytes())).unwrap()
}

/// Put together here, so that nothing that looks for tokens finds one in this file.
fn token() -> String {
    ["gh", "p_", "a8Kd0qLmZ3vTnR5yWb7", "XcP1eUoIs9Gf2HjVk"].concat()
}

#[test]
fn a_token_is_replaced_and_the_rest_stays() {
    let text = format!("export GH={} # mine", token());
    assert_eq!(masked_text(&text), "export GH=[secret:github-token] # mine");
}

#[test]
fn an_escape_before_a_token_ends_the_word_before_it() {
    for before in [r"\n", r"\t", r"\u003d", "%3D", " ", "(", "=", "é"] {
        let text = format!("a{before}{}", token());
        assert_eq!(masked_text(&text), format!("a{before}[secret:github-token]"));
    }
}

#[test]
fn a_longer_word_that_holds_a_token_is_none() {
    for text in [format!("a{}", token()), format!("{}_and_more", token())] {
        assert_eq!(masked_text(&text), text);
    }
}

#[test]
fn what_overlaps_is_masked_as_one() {
    let text = format!("https://me:{0}@github.com and password = \"{0}\"", token());
    let spans = Scanner::standard().unwrap().spans(text.as_bytes());
    assert_eq!(spans.len(), 2);
    assert!(!masked_text(&text).contains("a8Kd0"));
}

#[test]
fn a_masked_json_string_is_still_one() {
    let text = format!(r#"{{"env":{{"TOKEN":"{}","B":"x\n{}"}}}}"#, token(), token());
    let value: String = masked_text(&text);
    assert_eq!(
        value,
        r#"{"env":{"TOKEN":"[secret:github-token]","B":"x\n[secret:github-token]"}}"#
    );
}

#[test]
fn places_of_the_source_are_found_in_the_masked_text() {
    let text = format!("ab {} cd", token());
    let scanner = Scanner::standard().unwrap();
    let masked = Masked::new(text.as_bytes(), &scanner.spans(text.as_bytes()), scanner.rules());
    let show = |range: std::ops::Range<usize>| {
        String::from_utf8(masked.text[masked.range(&range)].to_vec()).unwrap()
    };
    assert_eq!(show(0..2), "ab");
    assert_eq!(show(text.len() - 2..text.len()), "cd");
    // Part of a secret is all of it, and what ends or begins beside one has nothing of it.
    assert_eq!(show(5..8), "[secret:github-token]");
    assert_eq!(show(1..3), "b ");
    assert_eq!(show(3 + token().len()..text.len()), " cd");
    assert_eq!(show(1..text.len()), "b [secret:github-token] cd");
    // Two marks in one secret are one.
    assert_eq!(masked.ranges(&[0..1, 5..7, 8..9]), [0..1, 3..3 + "[secret:github-token]".len()]);
}

#[test]
fn a_set_of_rules_with_a_fault_says_which_and_what() {
    let rule = |rest: &str| format!("[[rule]]\nid='a'\nwhat='A'\nsource='judgement'\n{rest}");
    for (rest, says) in [
        ("keywords=['ab']\npattern='ab+'", "of any length"),
        ("keywords=['ab']\npattern='ab{1,99999}'", "bytes long"),
        ("keywords=['ab']\npattern='ab('", "unclosed"),
        ("keywords=['a']\npattern='a'", "two bytes"),
        ("keywords=['ab']\npattern='ab'\nentropi=3.0", "entropi"),
    ] {
        let error = Rules::parse(&rule(rest)).unwrap_err();
        assert_eq!(error.code, Code::Malformed);
        assert!(error.message.contains(says), "{}", error.message);
    }
}

#[test]
fn another_set_of_rules_has_another_version() {
    let standard = Rules::standard().unwrap();
    let one = Rules::parse(
        "[[rule]]\nid='a'\nwhat='A'\nsource='judgement'\nkeywords=['ab']\npattern='ab'",
    );
    assert_ne!(one.unwrap().version(), standard.version());
    assert_eq!(Rules::standard().unwrap().version(), standard.version());
}

#[test]
fn every_rule_begins_with_its_keywords_and_has_a_source() {
    for rule in Rules::standard().unwrap().all() {
        assert!(rule.source.starts_with("https://") || rule.source == "judgement", "{}", rule.id);
        assert!(!rule.what.is_empty() && !rule.what.ends_with('.'), "{}", rule.id);
    }
}

/// Texts that would be dear if a place of a text could be looked at again and again.
fn hostile() -> Vec<Vec<u8>> {
    let starts = [
        "a",
        " ",
        "\n",
        "0",
        "eyJ",
        "eyJ.",
        ".eyJ",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----A",
        "://",
        "://a:",
        "://a:a",
        "password=",
        "password=\"",
        "token:",
        "secret=a1",
        "secret=",
        "bearer ",
        "bearer a",
        "curl ",
        "curl -u a:",
        "ghp_",
        "ghp_a",
        ":AA",
        "7Q~",
        "-us1",
        "AZDO",
        ".atlasv1.",
        "authorization: basic ",
        "eyJa.eyJa.",
        "xoxb-1-",
        "github_pat_",
        "sk-",
        "sk-ant-api03-",
        "session_token=",
        "\0",
        "\u{301}",
        "\u{feff}",
        "api_key=\\\\\\\\",
        "password]",
        "private_keyprivate_key",
    ];
    starts.iter().map(|start| start.as_bytes().repeat((1 << 17) / start.len())).collect()
}

#[test]
fn no_text_costs_more_than_its_length() {
    let scanner = Scanner::standard().unwrap();
    let prose = "The quick brown fox jumps over the lazy dog. ".repeat(23_000);
    scanner.spans(prose.as_bytes());
    for text in hostile() {
        // The shorter text compiles the patterns; then eight times the text is compared with it.
        let time = |text: &[u8]| {
            let run = || {
                let start = Instant::now();
                scanner.spans(text);
                start.elapsed()
            };
            (0..3).map(|_| run()).min().unwrap_or_default()
        };
        let (short, long) = (time(&text[..text.len() / 8]), time(&text));
        let name = String::from_utf8_lossy(&text[..text.len().min(24)]).into_owned();
        let bound = short * 8 * 4 + Duration::from_millis(50);
        assert!(long < bound, "{name:?}: {short:?} for an eighth, {long:?} for all");
    }
}

proptest! {
    #[test]
    fn spans_lie_in_the_text_in_order_and_masking_leaves_none(
        parts in proptest::collection::vec(
            prop_oneof![
                "[ -~é漢\n]{0,20}",
                Just(token()),
                Just(r#"password = "s3cr3t-of-mine""#.to_owned()),
                Just("postgres://app:".to_owned() + "p4ssw0rd9" + "@db/x"),
                Just("eyJ".to_owned()),
            ],
            0..8,
        )
    ) {
        let text = parts.concat();
        let scanner = Scanner::standard().unwrap();
        let spans = scanner.spans(text.as_bytes());
        let mut end = 0;
        for span in &spans {
            prop_assert!(end <= span.start && span.start < span.end && span.end <= text.len());
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            end = span.end;
        }
        let masked = masked_text(&text);
        prop_assert_eq!(&masked_text(&masked), &masked);
    }

    #[test]
    fn any_bytes_can_be_scanned(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        masked(&bytes);
    }
}
