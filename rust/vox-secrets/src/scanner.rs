//! Finding the spans of a text that rules describe.

use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex_automata::{Anchored, Input, meta};
use vox_types::{Code, Error, Result};

use crate::{plausible::plausible, rules::Rules};

/// A stretch of a text that is taken for a secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The number of its rule, for [`Rules::id`].
    pub rule: u16,
}

/// Applies rules to texts. May be shared by threads.
///
/// One pass finds the keywords of all rules. Where one stands the pattern of its rule is tried
/// from there on, over no more bytes than its longest match has: what a text costs is bounded by
/// its length, whatever it is.
pub struct Scanner {
    rules: Rules,
    keywords: AhoCorasick,
    owners: Vec<Owner>,
    patterns: Vec<Pattern>,
}

/// What a keyword belongs to.
struct Owner {
    keyword: String,
    ignore_case: bool,
    rule: u16,
}

struct Pattern {
    /// Compiled when its keyword stands in a text for the first time.
    regex: OnceLock<Option<meta::Regex>>,
    longest: usize,
}

impl Scanner {
    /// A scanner with `rules`.
    pub fn new(rules: Rules) -> Result<Self> {
        let mut owners = Vec::new();
        let mut texts = Vec::new();
        let mut patterns = Vec::new();
        for (number, rule) in rules.all().iter().enumerate() {
            let longest = rule.longest().map_err(|what| Error::new(Code::Malformed, what))?;
            patterns.push(Pattern { regex: OnceLock::new(), longest });
            for keyword in &rule.keywords {
                let (keyword, ignore_case) = (keyword.clone(), rule.ignore_case);
                texts.push(keyword.clone());
                owners.push(Owner { keyword, ignore_case, rule: number as u16 });
            }
        }
        let keywords = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(texts)
            .map_err(|error| Error::new(Code::Malformed, format!("keywords: {error}")))?;
        Ok(Self { rules, keywords, owners, patterns })
    }

    /// The scanner with the rules that ship, made once.
    pub fn standard() -> Result<&'static Self> {
        static STANDARD: OnceLock<Result<Scanner>> = OnceLock::new();
        STANDARD.get_or_init(|| Self::new(Rules::standard()?)).as_ref().map_err(Clone::clone)
    }

    /// The rules that it applies.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The spans of `text`, in its order; no two overlap, and each begins and ends at a character
    /// if the text is UTF-8.
    pub fn spans(&self, text: &[u8]) -> Vec<Span> {
        let mut found = Vec::new();
        for hit in self.keywords.find_overlapping_iter(text) {
            let owner = &self.owners[hit.pattern().as_usize()];
            if owner.ignore_case || text[hit.range()] == *owner.keyword.as_bytes() {
                found.extend(self.try_at(text, owner.rule, hit.start()));
            }
        }
        disjoint(found)
    }

    /// What the rule finds whose keyword stands at `keyword`.
    fn try_at(&self, text: &[u8], number: u16, keyword: usize) -> Option<Span> {
        let place = usize::from(number);
        let (rule, pattern) = (&self.rules.all()[place], &self.patterns[place]);
        let from = keyword.saturating_sub(rule.behind);
        // Told at once of the rules that have most of the keywords.
        if rule.behind == 0 && !rule.inside && !begins_word(text, keyword) {
            return None;
        }
        // One byte more, so that the end of a match isn't the end of what is looked at.
        let end = text.len().min(from + pattern.longest + rule.behind + 1);
        let regex = pattern.regex.get_or_init(|| rule.compile().ok()).as_ref()?;
        let anchored = if rule.behind == 0 { Anchored::Yes } else { Anchored::No };
        let input = Input::new(text).span(from..end).anchored(anchored);
        // Most often there is no match, which is told faster than what the groups of one are.
        let all = regex.search(&input)?;
        let begins = rule.inside || begins_word(text, all.start());
        if all.start() > keyword || !begins {
            return None;
        }
        let mut captures = regex.create_captures();
        regex.search_captures(&input, &mut captures);
        let secret = (1..captures.group_len()).find_map(|group| captures.get_group(group));
        let secret = secret.map_or(all.range(), |group| group.range());
        if secret.end == all.end() && goes_on(text, secret.end) {
            return None;
        }
        // A function that is called, or an entry of a list.
        if rule.inside && matches!(text.get(secret.end), Some(b'(' | b'[')) {
            return None;
        }
        plausible(rule, &text[secret.clone()]).then(|| Span {
            start: back_to_character(text, secret.start),
            end: on_to_character(text, secret.end),
            rule: number,
        })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a word may begin at `at`: after a byte that is of no word, or after an escape, whose
/// letters are of none though they look so (`\n`, `\u003d`, `%3D`).
fn begins_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match before {
        [] => true,
        [.., last] if !is_word(*last) => true,
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'\\', b'u', a, b, c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_hexdigit()),
        [.., b'%', a, b] => a.is_ascii_hexdigit() && b.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Whether a word goes on over `at`.
fn goes_on(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|next| is_word(*next)) && at > 0 && is_word(text[at - 1])
}

fn is_continuation(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte & 0xC0 == 0x80)
}

fn back_to_character(text: &[u8], mut at: usize) -> usize {
    let first = at.saturating_sub(3);
    while at > first && is_continuation(text.get(at)) {
        at -= 1;
    }
    at
}

fn on_to_character(text: &[u8], mut at: usize) -> usize {
    let last = text.len().min(at + 3);
    while at < last && is_continuation(text.get(at)) {
        at += 1;
    }
    at
}

/// Puts what overlaps into one span, with the rule of its longest part.
fn disjoint(mut found: Vec<Span>) -> Vec<Span> {
    found.sort_unstable_by_key(|span| (span.start, usize::MAX - span.end, span.rule));
    let mut out: Vec<Span> = Vec::with_capacity(found.len());
    let mut longest = 0;
    for span in found {
        match out.last_mut() {
            Some(last) if span.start < last.end => {
                if span.end - span.start > longest {
                    longest = span.end - span.start;
                    last.rule = span.rule;
                }
                last.end = last.end.max(span.end);
            }
            _ => {
                longest = span.end - span.start;
                out.push(span);
            }
        }
    }
    out
}
