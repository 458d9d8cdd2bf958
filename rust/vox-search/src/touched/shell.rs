//! Files that a shell command names.

use super::{Terms, patch, paths};

/// Adds the words of a command that look like paths; a patch in it is read as one.
pub(super) fn add(command: &str, terms: &mut Terms) {
    if patch::is_in(command) {
        patch::add(command, terms);
        return;
    }
    for word in words(command) {
        if terms.full() {
            return;
        }
        if paths::looks_like_one(word) {
            paths::add(word, terms);
        }
    }
}

/// The words of a command but its options.
pub(super) fn words(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split(is_border).map(|word| word.trim_end_matches(['.', ':', ',']));
    words.filter(|word| !word.starts_with('-'))
}

/// What separates words of a command, options from their values, and redirections from files.
fn is_border(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '"' | '\''
                | '`'
                | '='
                | '<'
                | '>'
                | '|'
                | '&'
                | ';'
                | '('
                | ')'
                | '{'
                | '}'
                | ','
                | '$'
        )
}
