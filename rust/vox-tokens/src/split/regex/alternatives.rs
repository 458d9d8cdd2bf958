//! The alternatives of a pattern, and what each looks for ahead.

/// One alternative.
pub struct Alternative {
    /// What is matched.
    pub taken: String,
    /// What has to come next, or, if `false` is with it, must not.
    pub ahead: Option<(String, bool)>,
}

/// The alternatives of `pattern` at its top level, in their order.
pub fn of(pattern: &str) -> Result<Vec<Alternative>, String> {
    branches(inner(pattern)).into_iter().map(alternative).collect()
}

/// `pattern` without a group around all of it.
fn inner(pattern: &str) -> &str {
    let body = pattern
        .strip_prefix("(?:")
        .or_else(|| pattern.strip_prefix('(').filter(|body| !body.starts_with('?')));
    match body.and_then(|body| body.strip_suffix(')')) {
        Some(body) if depths(body).all(|(_, depth)| depth >= 0) && closes(body) => body,
        _ => pattern,
    }
}

/// Whether every group of `pattern` is closed, and its last character isn't escaped.
fn closes(pattern: &str) -> bool {
    depths(pattern).last().is_none_or(|(at, depth)| {
        let last = &pattern[at..];
        depth == 0 && (last == "|" || last == ")" || !last.starts_with('\\') || last.len() > 1)
    })
}

/// Every place of `pattern` outside of classes where a character or an escape is, and how many
/// groups are open after it.
fn depths(pattern: &str) -> impl Iterator<Item = (usize, i32)> {
    let (mut depth, mut class, mut escaped) = (0, 0, false);
    pattern.char_indices().filter_map(move |(at, char)| {
        if std::mem::take(&mut escaped) {
            return None;
        }
        match char {
            '\\' => escaped = true,
            '[' => class += 1,
            ']' if class > 0 => class -= 1,
            _ if class > 0 => return None,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (class == 0).then_some((at, depth))
    })
}

/// The parts of `pattern` between `|` outside of groups and classes.
fn branches(pattern: &str) -> Vec<&str> {
    let bars = depths(pattern).filter(|&(at, depth)| depth == 0 && pattern[at..].starts_with('|'));
    let (mut branches, mut start) = (Vec::new(), 0);
    for (bar, _) in bars {
        branches.push(&pattern[start..bar]);
        start = bar + 1;
    }
    branches.push(&pattern[start..]);
    branches
}

/// Takes what is looked for ahead off the end of `branch`.
fn alternative(branch: &str) -> Result<Alternative, String> {
    let opened = depths(branch).filter(|&(at, depth)| depth == 1 && branch[at..].starts_with('('));
    let (taken, ahead) = match opened.last() {
        Some((at, _)) if branch[at..].starts_with("(?=") || branch[at..].starts_with("(?!") => {
            let Some(group) = branch[at + 3..].strip_suffix(')') else {
                return Err("it looks ahead in the middle".to_owned());
            };
            (&branch[..at], Some((group.to_owned(), branch[at..].starts_with("(?="))))
        }
        _ => (branch, None),
    };
    Ok(Alternative { taken: taken.to_owned(), ahead })
}
