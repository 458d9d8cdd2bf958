//! Symbols: those that a text defines, and those that are looked for.

use super::Terms;

/// Words of programming languages after which the name of what is defined stands.
const KEYWORDS: [&str; 22] = [
    "fn",
    "def",
    "defp",
    "defmodule",
    "defmacro",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "function",
    "func",
    "type",
    "module",
    "mod",
    "impl",
    "const",
    "protocol",
    "record",
    "object",
    "namespace",
    "macro_rules",
];

/// Adds the names that stand after a keyword of defining.
pub(super) fn add_defined(text: &str, terms: &mut Terms) {
    for line in text.lines() {
        if terms.full() {
            return;
        }
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            if !KEYWORDS.contains(&word.trim_end_matches('!')) {
                continue;
            }
            if let Some(next) = words.next() {
                add_name(leading_name(next), terms);
            }
            break;
        }
    }
}

/// Adds the names in what was looked for: in a pattern, each that can only be a name; a single
/// word in any case.
pub(super) fn add_sought(pattern: &str, terms: &mut Terms) {
    let single = pattern.chars().all(in_name) && !pattern.is_empty();
    for name in pattern.split(|c| !in_name(c)) {
        if terms.full() {
            return;
        }
        if single || looks_like_one(name) {
            add_name(name, terms);
        }
    }
}

/// Adds a name, and its last part if it has several.
pub(super) fn add_name(name: &str, terms: &mut Terms) {
    let name = name.trim_matches(['.', ':']);
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return;
    }
    terms.add(name);
    if let Some(last) = name.rsplit(['.', ':']).next()
        && last.len() > 1
    {
        terms.add(last);
    }
}

/// Whether a word can only be a name: several parts, `_` within, or capitals after the first
/// letter beside small ones.
pub(super) fn looks_like_one(word: &str) -> bool {
    let inner = word.trim_matches(['.', ':', '_']);
    let mut letters = inner.chars();
    let Some(first) = letters.next() else {
        return false;
    };
    if !first.is_alphabetic() || inner.len() < 3 {
        return false;
    }
    inner.contains(['_', '.'])
        || inner.contains("::")
        || (letters.any(char::is_uppercase) && inner.chars().any(char::is_lowercase))
}

/// Letters of names; `.` and `:` join their parts.
pub(super) fn in_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | ':')
}

/// The name that a word begins with.
fn leading_name(word: &str) -> &str {
    let end = word.find(|c| !in_name(c)).unwrap_or(word.len());
    &word[..end]
}
