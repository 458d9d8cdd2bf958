//! The distinctive names of a text: what a later text would name to speak of the same thing.
//!
//! Names are paths (their last two components, and the last), identifiers of several parts
//! (`a_b`, `aB`, `a::b`, `a.b`), words of letters and digits (`E0308`), codes of errors (`ENOENT`),
//! hashes, ids and long numbers. Bytes that aren't UTF-8 count as letters; a text takes linear time.

use std::ops::ControlFlow;

/// The longest stretch without a space that is looked at: longer ones are data. Judgement.
const LONGEST_RUN: usize = 512;
/// The longest name, and the shortest. Judgement.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=128;

/// Calls `visit` with each name in `text`, as often as it stands there, until it breaks.
pub(super) fn each(text: &[u8], visit: &mut impl FnMut(&[u8]) -> ControlFlow<()>) {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' => at += escape(&text[at..]),
            byte if !in_run(byte) => at += 1,
            _ => {
                let rest = &text[at..];
                let end = rest.iter().position(|byte| !in_run(*byte)).unwrap_or(rest.len());
                let numbered = at > 0 && text[at - 1] == b'#';
                if end <= LONGEST_RUN && run(&rest[..end], numbered, visit).is_break() {
                    return;
                }
                at += end;
            }
        }
    }
}

/// Bytes of a backslash and what it escapes in JSON, where a letter after it isn't one of a word.
fn escape(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'n' | b't' | b'r') => 2,
        Some(b'u') if text.get(2..6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => 6,
        _ => 1,
    }
}

fn in_run(byte: u8) -> bool {
    letter(byte) || matches!(byte, b'0'..=b'9' | b'_' | b'-' | b'.' | b'/' | b':')
}

fn letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

type Flow = ControlFlow<()>;

/// The names of a stretch without spaces; `numbered`: it stands behind a `#`.
fn run(run: &[u8], numbered: bool, visit: &mut impl FnMut(&[u8]) -> Flow) -> Flow {
    if numbered && run.len() >= 3 && run.iter().all(u8::is_ascii_digit) {
        return visit(run);
    }
    let mut start = 0;
    for at in 0..=run.len() {
        // A single colon separates; two are part of a name.
        let colon = |at: Option<usize>| at.and_then(|at| run.get(at)) == Some(&b':');
        let single = colon(Some(at)) && !colon(at.checked_sub(1)) && !colon(Some(at + 1));
        if at == run.len() || single {
            piece(trim(&run[start..at]), run[start..at].starts_with(b"/"), visit)?;
            start = at + 1;
        }
    }
    Flow::Continue(())
}

fn trim(mut name: &[u8]) -> &[u8] {
    while let [b'.' | b'-' | b'/' | b':', rest @ ..] | [rest @ .., b'.' | b'-' | b'/' | b':'] = name
    {
        name = rest;
    }
    name
}

/// The names of a path or word.
fn piece(piece: &[u8], rooted: bool, visit: &mut impl FnMut(&[u8]) -> Flow) -> Flow {
    let Some(slash) = piece.iter().rposition(|byte| *byte == b'/') else {
        return word(piece, visit);
    };
    let above = piece[..slash].iter().rposition(|byte| *byte == b'/');
    let end = &piece[above.map_or(0, |at| at + 1)..];
    let marked = |byte: &u8| matches!(byte, b'.' | b'_' | b'-') || byte.is_ascii_digit();
    // `and/or` is no path.
    let path = rooted || above.is_some() || end.iter().any(marked);
    if path
        && !end.starts_with(b"/")
        && LENGTHS.contains(&end.len())
        && end.iter().any(|b| letter(*b))
    {
        visit(end)?;
    }
    word(trim(&piece[slash + 1..]), visit)
}

/// What a word is made of.
struct Shape {
    letters: bool,
    digits: bool,
    hex: bool,
    underscore: bool,
    dash: bool,
    dot: bool,
    colons: bool,
    /// A capital after a small letter.
    hump: bool,
}

impl Shape {
    fn of(word: &[u8]) -> Self {
        let any = |byte: u8| word.contains(&byte);
        let inner = word.trim_ascii_end();
        let core = inner.iter().position(|b| *b != b'_').unwrap_or(inner.len());
        let last = inner.iter().rposition(|b| *b != b'_').unwrap_or(0);
        Self {
            letters: word.iter().any(|byte| letter(*byte)),
            digits: word.iter().any(u8::is_ascii_digit),
            hex: word.iter().all(u8::is_ascii_hexdigit),
            underscore: inner.get(core..=last).is_some_and(|core| core.contains(&b'_')),
            dash: any(b'-'),
            dot: any(b'.'),
            colons: any(b':'),
            hump: word
                .windows(2)
                .any(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase()),
        }
    }
}

/// The names of a word without slashes.
fn word(word: &[u8], visit: &mut impl FnMut(&[u8]) -> Flow) -> Flow {
    if word.len() < *LENGTHS.start() {
        return Flow::Continue(());
    }
    let shape = Shape::of(word);
    if shape.colons {
        return joined(word, b':', true, visit);
    }
    if shape.dot {
        let mut parts = word.split(|byte| *byte == b'.');
        let named =
            |part: &[u8]| part.len() > 1 && part.first().is_some_and(|b| letter(*b) || *b == b'_');
        // Of a file, what stands before its extension may begin with a digit.
        let name = parts.next().is_some_and(|part| part.len() > 1) && parts.all(named);
        return joined(word, b'.', name && shape.letters && word.len() >= 5, visit);
    }
    if shape.dash && !is_id(word, &shape) {
        for part in word.split(|byte| *byte == b'-') {
            plain(part, visit)?;
        }
        return Flow::Continue(());
    }
    if shape.dash { say(word, visit) } else { plain(word, visit) }
}

/// A UUID, or letters and digits with dashes.
fn is_id(word: &[u8], shape: &Shape) -> bool {
    let uuid = word.len() == 36 && word.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-');
    uuid || shape.letters && shape.digits && word.len() >= 6 && letter(word[0])
}

/// A name of several parts, if it `is` one, and its last part.
fn joined(word: &[u8], by: u8, is: bool, visit: &mut impl FnMut(&[u8]) -> Flow) -> Flow {
    if is {
        say(word, visit)?;
    }
    word.split(|byte| *byte == by).next_back().map_or(Flow::Continue(()), |last| plain(last, visit))
}

/// A word without joints but `_`, if it is a name.
fn plain(word: &[u8], visit: &mut impl FnMut(&[u8]) -> Flow) -> Flow {
    let Some(first) = word.first() else { return Flow::Continue(()) };
    let Shape { letters, digits, hex, underscore, hump, .. } = Shape::of(word);
    let length = word.len();
    let name = match (letters, digits) {
        (true, true) => hex && length >= 7 || length >= 5 && letter(*first),
        (false, true) => length >= 6 && !underscore,
        (true, false) => hump && length >= 5 || is_error(word),
        (false, false) => false,
    };
    if name || underscore && letters { say(word, visit) } else { Flow::Continue(()) }
}

/// Whether a word is a code of an error as systems give them: `ENOENT`.
fn is_error(word: &[u8]) -> bool {
    word[0] == b'E' && (5..=12).contains(&word.len()) && word.iter().all(u8::is_ascii_uppercase)
}

fn say(name: &[u8], visit: &mut impl FnMut(&[u8]) -> Flow) -> Flow {
    if LENGTHS.contains(&name.len()) { visit(name) } else { Flow::Continue(()) }
}

#[cfg(test)]
mod tests;
