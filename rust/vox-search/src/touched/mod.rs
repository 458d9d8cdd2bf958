//! Which files and symbols a tool call touched, as terms of the structural lane.
//!
//! A call names files in its arguments, in a patch or in a shell command, and symbols where its
//! text defines them or where they are looked for. A file is found by its whole path, by every
//! end of it that begins after a slash (`vox/cli/show.py`, `cli/show.py`, `show.py`) and by its
//! name without extension; a symbol by its whole name and by its last part (`Vox.Cli.show`,
//! `show`). Terms are in lower case, so that nobody has to know how a name is written.

mod arguments;
mod asked;
mod file;
mod patch;
mod paths;
mod shell;
mod symbols;

use std::collections::HashSet;

pub use asked::{Asked, asked};
pub use file::{LONGEST_FILE, file};

/// The most terms that one call gives. Judgement: a patch of hundreds of files names its first
/// ones, and a posting list stays short.
pub const MAX_TERMS: usize = 256;

/// The longest term, in bytes; what is longer is no name anybody asks for. Judgement.
const MAX_TERM_BYTES: usize = 200;

/// Gives each term of a tool call once: `call` is what the archive holds of it, arguments as JSON
/// or a text of the tool's own. A call that names nothing gives none, and no bytes are an error.
pub fn terms(call: &[u8], mut visit: impl FnMut(&str)) {
    let mut terms = Terms::default();
    arguments::read(call, &mut terms);
    for term in &terms.order {
        visit(term);
    }
}

/// The terms that were found, each once, in the order of finding.
#[derive(Default)]
struct Terms {
    order: Vec<String>,
    known: HashSet<String>,
}

impl Terms {
    /// Adds a term in lower case, if it is one and there is room.
    fn add(&mut self, term: &str) {
        if term.is_empty() || term.len() > MAX_TERM_BYTES || self.full() {
            return;
        }
        let term = term.to_lowercase();
        if !self.known.contains(&term) {
            self.known.insert(term.clone());
            self.order.push(term);
        }
    }

    /// Whether there is no room left.
    fn full(&self) -> bool {
        self.order.len() >= MAX_TERMS
    }
}

#[cfg(test)]
mod tests;
