//! The text of a query as a row of lexemes.

use std::ops::Range;

use vox_types::{Code, Error, Result};

use super::{
    AtomKind,
    values::{self, Name},
};

/// What a lexeme is.
#[derive(Debug)]
pub(super) enum What {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `AND`
    And,
    /// `OR`
    Or,
    /// `NOT`, or the minus right before what it excludes.
    Not,
    /// What the text must hold.
    Atom(AtomKind, String),
    /// `field:value,value`
    Filter(Name, Vec<String>),
}

/// A piece of a query that stands for one thing.
#[derive(Debug)]
pub(super) struct Lexeme {
    pub what: What,
    /// Where it stands, in bytes.
    pub at: Range<usize>,
}

/// An error that names the place of `byte` in `query`.
pub(super) fn wrong(query: &str, byte: usize, says: impl std::fmt::Display) -> Error {
    let column = query.get(..byte).unwrap_or(query).chars().count() + 1;
    Error::new(Code::InvalidArgument, format!("column {column} of the query: {says}"))
}

/// Whether `c` belongs to a word.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How many words `text` holds.
fn words_in(text: &str) -> usize {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).count()
}

/// Reads lexemes from left to right.
pub(super) struct Lexer<'q> {
    query: &'q str,
    at: usize,
}

impl<'q> Lexer<'q> {
    pub fn new(query: &'q str) -> Self {
        Self { query, at: 0 }
    }

    fn rest(&self) -> &'q str {
        &self.query[self.at..]
    }

    fn wrong(&self, byte: usize, says: impl std::fmt::Display) -> Error {
        wrong(self.query, byte, says)
    }

    /// The next lexeme, none at the end.
    pub fn next(&mut self) -> Result<Option<Lexeme>> {
        self.at = self.query.len() - self.rest().trim_start().len();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let second = rest[first.len_utf8()..].chars().next();
        let what = match first {
            '(' => self.sign(What::Open),
            ')' => self.sign(What::Close),
            // `--flag` is no exclusion of an exclusion.
            '-' if second.is_some_and(|c| !c.is_whitespace() && c != '-') => self.sign(What::Not),
            '"' => {
                let text = self.quoted()?;
                if text.is_empty() {
                    return Err(self.wrong(start, "nothing stands between these quotes"));
                }
                What::Atom(AtomKind::Phrase, text)
            }
            '/' => match self.between_slashes()? {
                Some(expression) => self.expression(start + 1, expression)?,
                None => self.word()?,
            },
            _ => match values::name_of(rest) {
                Some((name, length)) => {
                    self.at += length;
                    self.field(start, name)?
                }
                None => self.word()?,
            },
        };
        Ok(Some(Lexeme { what, at: start..self.at }))
    }

    fn sign(&mut self, what: What) -> What {
        self.at += 1;
        what
    }

    /// The inside of the quotes that begin here. `\"` and `\\` stand for the second character.
    fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((index, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + index + 1;
                    return Ok(text);
                }
                '\\' => match chars.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                    Some((_, escaped)) => text.push(escaped),
                    None => text.push(c),
                },
                _ => text.push(c),
            }
        }
        Err(self.wrong(start, "this quote isn't closed; a quote that is part of a text is \\\""))
    }

    /// The text from here to the next space, quote or parenthesis that closes one outside of it;
    /// a backslash before a quote, parenthesis or star takes its meaning. Also whether the last
    /// character is a star that has one.
    fn bare(&mut self, ends: impl Fn(char) -> bool) -> (String, bool) {
        let mut text = String::new();
        let (mut depth, mut star) = (0_usize, false);
        let mut chars = self.rest().char_indices().peekable();
        let mut end = self.rest().len();
        while let Some((index, c)) = chars.next() {
            let escaped = if c == '\\' {
                chars.next_if(|(_, next)| matches!(next, '"' | '(' | ')' | '*'))
            } else {
                None
            };
            match (escaped, c) {
                (Some((_, c)), _) => {
                    star = false;
                    text.push(c);
                }
                (None, c)
                    if c.is_whitespace() || c == '"' || (c == ')' && depth == 0) || ends(c) =>
                {
                    end = index;
                    break;
                }
                (None, c) => {
                    match c {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        _ => {}
                    }
                    star = c == '*';
                    text.push(c);
                }
            }
        }
        self.at += end;
        (text, star)
    }

    fn word(&mut self) -> Result<What> {
        let start = self.at;
        let (text, star) = self.bare(|_| false);
        match &self.query[start..self.at] {
            "AND" => return Ok(What::And),
            "OR" => return Ok(What::Or),
            "NOT" => return Ok(What::Not),
            "-" => {
                let says = "a minus stands right before what it excludes; as a text it is \"-\"";
                return Err(self.wrong(start, says));
            }
            _ => {}
        }
        let beginning = text.strip_suffix('*').filter(|text| star && text.ends_with(is_word));
        let Some(beginning) = beginning else { return Ok(What::Atom(AtomKind::Word, text)) };
        if beginning.starts_with('*') || words_in(beginning) > 1 {
            let inside = beginning.trim_start_matches('*').replace(['\\', '"'], "");
            return Err(self.wrong(
                start,
                format!(
                    "{text:?}: a star stands for the end of one word, as in `begin*`; what begins \
                     or goes on with other characters is found by literal:\"{inside}\""
                ),
            ));
        }
        let word = beginning.trim_start_matches(|c| !is_word(c));
        Ok(What::Atom(AtomKind::Prefix, word.to_owned()))
    }

    /// The expression that begins with the slash here, if the next slash ends the word: else it
    /// is a path.
    fn between_slashes(&mut self) -> Result<Option<&'q str>> {
        let rest = self.rest();
        let mut escaped = false;
        let slash = rest.char_indices().skip(1).find(|(_, c)| {
            let found = *c == '/' && !escaped;
            escaped = *c == '\\' && !escaped;
            found
        });
        let word = rest.split_whitespace().next().unwrap_or(rest);
        match slash {
            Some((slash, _)) if slash > 1 && ends_word(&rest[slash + 1..]) => {
                self.at += slash + 1;
                Ok(Some(&rest[1..slash]))
            }
            Some((slash, _)) if slash + 1 < word.len() && word.ends_with('/') => Err(self.wrong(
                self.at + slash,
                "a slash within /an expression/ is written \\/; a path stands in quotes",
            )),
            _ => Ok(None),
        }
    }

    /// `text`, which stands at `start`, as a regular expression.
    fn expression(&self, start: usize, text: &str) -> Result<What> {
        let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
        match parser.parse(text) {
            Ok(_) => Ok(What::Atom(AtomKind::Regex, text.to_owned())),
            Err(error) => {
                let (offset, says) = match &error {
                    regex_syntax::Error::Parse(error) => {
                        (error.span().start.offset, error.kind().to_string())
                    }
                    regex_syntax::Error::Translate(error) => {
                        (error.span().start.offset, error.kind().to_string())
                    }
                    error => (0, error.to_string()),
                };
                Err(self.wrong(start + offset, format!("the regular expression: {says}")))
            }
        }
    }

    /// What stands behind the colon of `name`.
    fn field(&mut self, start: usize, name: Name) -> Result<What> {
        let value_at = self.at;
        match name {
            Name::Literal | Name::Regex => {
                let quoted = self.rest().starts_with('"');
                let text = if quoted { self.quoted()? } else { self.raw() };
                if text.is_empty() {
                    return Err(self.needs_value(start, name));
                }
                if name == Name::Regex {
                    return self.expression(value_at + usize::from(quoted), &text);
                }
                Ok(What::Atom(AtomKind::Literal, text))
            }
            _ => {
                let mut values = Vec::new();
                loop {
                    let value = if self.rest().starts_with('"') {
                        self.quoted()?
                    } else {
                        self.bare(|c| c == ',').0
                    };
                    if value.is_empty() {
                        return Err(self.needs_value(start, name));
                    }
                    values.push(value);
                    if !self.rest().starts_with(',') {
                        break;
                    }
                    self.at += 1;
                }
                if !ends_word(self.rest()) {
                    return Err(self.wrong(self.at, "a space is missing here"));
                }
                Ok(What::Filter(name, values))
            }
        }
    }

    /// The characters from here to the next space, as they are.
    fn raw(&mut self) -> String {
        let rest = self.rest();
        let text = rest.split(char::is_whitespace).next().unwrap_or_default();
        // Of `(a OR literal:b)` the parenthesis is no part.
        let (mut depth, mut end) = (0_usize, text.len());
        for (index, byte) in text.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    end = index;
                    break;
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        self.at += end;
        text[..end].to_owned()
    }

    fn needs_value(&self, start: usize, name: Name) -> Error {
        let name = name.text();
        self.wrong(
            start,
            format!("{name}: needs a value right behind it; as a text it is \"{name}:\""),
        )
    }
}

/// Whether a word that ends before `rest` is whole.
fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| c.is_whitespace() || c == ')')
}
