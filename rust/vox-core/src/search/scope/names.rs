//! What filters call tools, models, repositories, agents and tags, as symbols.

use vox_store::Snapshot;
use vox_types::{Result, SymbolNo};

/// Which symbols may stand in a field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Names {
    /// Only these, ascending; none: any.
    only: Option<Vec<SymbolNo>>,
    /// None of these, ascending.
    never: Vec<SymbolNo>,
}

impl Names {
    /// Adds what a filter says of the field.
    pub(super) fn add(&mut self, symbols: Vec<SymbolNo>, negated: bool) {
        let all = if negated { &mut self.never } else { self.only.get_or_insert_default() };
        all.extend(symbols);
        all.sort_unstable();
    }

    /// Whether a filter says which it must be.
    pub(super) fn chosen(&self) -> bool {
        self.only.is_some()
    }

    /// Whether the field may hold `symbol`, which is 0 for none.
    pub(super) fn admit(&self, symbol: SymbolNo) -> bool {
        let only = |symbols: &Vec<SymbolNo>| symbols.binary_search(&symbol).is_ok();
        self.only.as_ref().is_none_or(only) && self.never.binary_search(&symbol).is_err()
    }

    /// The same of a field that holds several.
    pub(super) fn admit_some(&self, symbols: &[SymbolNo]) -> bool {
        let among = |all: &Vec<SymbolNo>| symbols.iter().any(|no| all.binary_search(no).is_ok());
        self.only.as_ref().is_none_or(among) && !among(&self.never)
    }
}

/// How a value names a text, letters of either case alike; a star at its end stands for the rest.
pub(super) fn is_called(text: &str, value: &str) -> bool {
    let (text, value) = (text.to_lowercase(), value.to_lowercase());
    match value.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => text == value,
    }
}

/// How a value names a repository: all of its path or address, or the last parts of it.
pub(super) fn is_repo(text: &str, value: &str) -> bool {
    let plain = |text: &str| {
        let text = text.to_lowercase();
        let text = text.strip_suffix('/').unwrap_or(&text);
        text.strip_suffix(".git").unwrap_or(text).to_owned()
    };
    let (text, value) = (plain(text), plain(value));
    let ends = |start: &str| start.is_empty() || start.ends_with(['/', ':', '\\']);
    !value.is_empty() && text.strip_suffix(&value).is_some_and(ends)
}

/// The symbols whose texts `is` one of `values`, ascending.
pub(super) fn symbols(
    snapshot: &Snapshot<'_>,
    values: &[String],
    is: impl Fn(&str, &str) -> bool,
) -> Result<Vec<SymbolNo>> {
    let mut found = Vec::new();
    for no in 1..=snapshot.symbol_count()? as SymbolNo {
        if let Some(text) = snapshot.symbol(no)?
            && values.iter().any(|value| is(&text, value))
        {
            found.push(no);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_called_by_the_last_parts_of_its_path_or_address() {
        let repo = "https://github.com/someone/Thing.git";
        for value in ["thing", "someone/thing", "Thing.git", repo] {
            assert!(is_repo(repo, value), "{value}");
        }
        for value in ["hing", "someone", "other/thing", ""] {
            assert!(!is_repo(repo, value), "{value}");
        }
        assert!(is_repo("/home/me/thing", "thing/"));
        assert!(is_repo("git@host:thing", "thing"));
    }

    #[test]
    fn a_star_stands_for_the_rest_of_a_name() {
        assert!(is_called("Bash", "bash"));
        assert!(is_called("claude-opus-4", "Claude-Opus*"));
        assert!(!is_called("claude-opus-4", "opus*"));
        assert!(!is_called("Bash", "bas"));
    }
}
