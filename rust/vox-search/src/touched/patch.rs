//! Files that a patch names.

use super::{Terms, paths, symbols};

/// The mark at the beginning of a patch as Codex writes them.
const BEGIN: &str = "*** Begin Patch";

/// What stands before the name of a file: in patches of Codex, and in unified ones.
const FILE_MARKS: [&str; 6] = [
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
    "--- a/",
    "+++ b/",
];

/// Whether a text holds a patch.
pub(super) fn is_in(text: &str) -> bool {
    text.contains(BEGIN) || text.contains("\n+++ b/") || text.starts_with("--- a/")
}

/// Adds the files that are changed, and symbols that changed lines define.
pub(super) fn add(text: &str, terms: &mut Terms) {
    for line in text.lines() {
        if let Some(name) = file(line) {
            paths::add(name, terms);
        } else if let Some(hunk) = line.strip_prefix("@@") {
            symbols::add_defined(hunk, terms);
        } else if let Some(changed) = line.strip_prefix(['+', '-']) {
            symbols::add_defined(changed, terms);
        }
    }
}

/// The files that are changed.
pub(super) fn files(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(file)
}

/// The file that a line names.
fn file(line: &str) -> Option<&str> {
    FILE_MARKS.iter().find_map(|mark| line.strip_prefix(mark))
}
