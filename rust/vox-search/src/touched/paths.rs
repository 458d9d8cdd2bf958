//! Paths as terms.

use super::Terms;

/// The most ends of a path that become terms. Judgement: nobody asks with more folders.
const MAX_ENDS: usize = 8;

/// What stands for any characters, or for some of several.
const WILDCARDS: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Adds a path: the whole of it, its ends, and the name of the file without its extension.
pub(super) fn add(path: &str, terms: &mut Terms) {
    let path = normal(path);
    let fixed = after_wildcards(&path);
    if !names_something(fixed) {
        return;
    }
    // A path to which wildcards led is only known by what follows them.
    if fixed.len() == path.len() {
        terms.add(fixed);
    }
    let mut starts: Vec<usize> = fixed.match_indices('/').map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    for start in starts.into_iter().rev().take(MAX_ENDS) {
        terms.add(&fixed[start..]);
    }
    if let Some(stem) = stem(fixed) {
        terms.add(stem);
    }
}

/// A path with slashes only, without `./` before it, a drive, slashes after it, or a line number.
pub(super) fn normal(path: &str) -> String {
    let path = path.trim().replace('\\', "/");
    let path = path.strip_prefix("file://").unwrap_or(&path);
    let path = without_line(path);
    let mut path = path.trim_matches(|c: char| matches!(c, '"' | '\'' | '`'));
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path.trim_end_matches(['/', '.', ',', ';', ':']).to_string()
}

/// The path before `:12` or `:12:3`.
fn without_line(path: &str) -> &str {
    let mut path = path;
    while let Some((before, after)) = path.rsplit_once(':') {
        if after.is_empty() || !after.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            break;
        }
        path = before;
    }
    path
}

/// The components after the last one with a wildcard.
fn after_wildcards(path: &str) -> &str {
    match path.rfind(WILDCARDS) {
        None => path,
        Some(at) => match path[at..].find('/') {
            Some(slash) => &path[at + slash + 1..],
            None => "",
        },
    }
}

/// Whether a path has a letter or digit: `/`, `..` and `~` name nothing worth finding.
pub(super) fn names_something(path: &str) -> bool {
    path.chars().any(char::is_alphanumeric) && !path.starts_with("/dev/")
}

/// Whether a path may stand for several.
pub(super) fn has_wildcards(path: &str) -> bool {
    path.contains(WILDCARDS)
}

/// The name of the file without its extension, if it has one.
fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then_some(stem)
}

/// Whether a word looks like a path: components of letters, digits and `._-+@~` with a slash
/// between two of them or an extension at the end, and no address of the web.
pub(super) fn looks_like_one(word: &str) -> bool {
    let word = without_line(word);
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@' | '~' | '/' | '*');
    if word.is_empty() || word.contains("//") || !word.chars().all(plain) {
        return false;
    }
    let mut components = word.split('/').filter(|part| part.chars().any(char::is_alphanumeric));
    if word.contains('/') {
        return components.next().is_some();
    }
    has_extension(word)
}

/// Whether a word looks like a path whose last component has an extension.
pub(super) fn looks_like_file(word: &str) -> bool {
    let path = without_line(word);
    looks_like_one(path) && path.rsplit('/').next().is_some_and(has_extension)
}

/// Whether a name ends with what looks like an extension.
fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(name, extension)| {
        let first = extension.chars().next();
        name.chars().any(char::is_alphanumeric)
            && !name.ends_with('.')
            && first.is_some_and(char::is_alphabetic)
            && extension.len() <= 8
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}
