//! Pre-tokenisers: how a text is cut into the pieces that a model sees.

mod behaviour;
mod scripts;

use std::ops::Range;

pub use behaviour::Behaviour;
use behaviour::Splitter;
use unicode_categories::UnicodeCategories;

use super::{find::Pattern, text::Normal};

/// One pre-tokeniser. A `Sequence` is a list of these.
#[derive(Debug)]
pub enum PreTokeniser {
    /// White space is dropped, each punctuation character is a piece.
    Bert,
    /// Every byte as the character that stands for it, after splitting with GPT-2's pattern.
    ByteLevel {
        add_prefix_space: bool,
        pattern: Option<Pattern>,
    },
    CharDelimiter(char),
    Digits {
        individual: bool,
    },
    /// So many characters each.
    FixedLength(usize),
    Metaspace {
        replacement: char,
        prepend: Prepend,
        split: bool,
    },
    Punctuation(Behaviour),
    Split {
        pattern: Pattern,
        behaviour: Behaviour,
        invert: bool,
    },
    UnicodeScripts,
    /// Words, and runs of other characters but white space.
    Whitespace,
    WhitespaceSplit,
}

/// Before which pieces `Metaspace` puts its replacement, if they don't begin with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prepend {
    /// Those that stem from the first character of the whole text.
    First,
    Never,
    Always,
}

/// A text and the pieces of it.
#[derive(Debug, Default)]
pub struct Pieces {
    pub text: String,
    /// Not empty, in order.
    pub pieces: Vec<Range<usize>>,
    /// Pieces that start before this stem from the first character of the original.
    origin: usize,
}

impl Pieces {
    /// The whole as one piece.
    pub fn new(normal: Normal) -> Self {
        let whole = 0..normal.text.len();
        let pieces = if whole.is_empty() { Vec::new() } else { vec![whole] };
        Self { text: normal.text, pieces, origin: normal.origin }
    }

    /// Cuts each piece into stretches and puts them together as `behaviour` says. `stretches` gets
    /// a piece and says which stretches it has and whether they are delimiters.
    fn split(
        &mut self,
        behaviour: Behaviour,
        stretches: impl Fn(&str, &mut dyn FnMut(Range<usize>, bool)),
    ) {
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let mut splitter = Splitter::new(behaviour, |part: Range<usize>| {
                pieces.push(piece.start + part.start..piece.start + part.end);
            });
            stretches(&self.text[piece.clone()], &mut |stretch, delimiter| {
                splitter.add(stretch, delimiter);
            });
            splitter.close();
        }
        self.pieces = pieces;
    }

    fn split_at_characters(&mut self, behaviour: Behaviour, is_delimiter: impl Fn(char) -> bool) {
        self.split(behaviour, |text, add| {
            let mut done = 0;
            for (at, c) in text.char_indices().filter(|&(_, c)| is_delimiter(c)) {
                if done < at {
                    add(done..at, false);
                }
                done = at + c.len_utf8();
                add(at..done, true);
            }
            if done < text.len() {
                add(done..text.len(), false);
            }
        });
    }

    fn split_at_matches(&mut self, behaviour: Behaviour, pattern: &Pattern, invert: bool) {
        self.split(behaviour, |text, add| {
            let mut done = 0;
            pattern.each_match(text, |start, end| {
                if done < start {
                    add(done..start, invert);
                }
                add(start..end, !invert);
                done = end;
            });
            if done < text.len() {
                add(done..text.len(), invert);
            }
        });
    }

    /// Cuts each piece where two characters are of different classes, and drops what is of none.
    fn split_by_class<C: PartialEq>(&mut self, class: impl Fn(char) -> Option<C>) {
        let mut pieces = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let mut open = piece.start;
            let mut last = None;
            for (at, c) in self.text[piece.clone()].char_indices() {
                let class = class(c);
                if at > 0 && class != last {
                    if last.is_some() {
                        pieces.push(open..piece.start + at);
                    }
                    open = piece.start + at;
                }
                last = class;
            }
            if last.is_some() {
                pieces.push(open..piece.end);
            }
        }
        self.pieces = pieces;
    }

    /// Writes each piece anew.
    fn rewrite(&mut self, mut write: impl FnMut(&mut Normal)) {
        let mut text = String::with_capacity(self.text.len());
        let mut origin = None;
        for piece in &mut self.pieces {
            let stems = self.origin.saturating_sub(piece.start).min(piece.len());
            let mut normal = Normal { text: self.text[piece.clone()].to_owned(), origin: stems };
            write(&mut normal);
            let start = text.len();
            text.push_str(&normal.text);
            *piece = start..text.len();
            // All of the pieces before it stem from there, or this one doesn't.
            if normal.origin < normal.text.len() && origin.is_none() {
                origin = Some(start + normal.origin);
            }
        }
        self.origin = origin.unwrap_or(text.len());
        self.text = text;
    }

    fn prefix(&mut self, prefix: char, stems_only: bool) {
        let mut encoded = [0; 4];
        let prefix_str = &*prefix.encode_utf8(&mut encoded);
        let needs = |pieces: &Self, piece: &Range<usize>| {
            !pieces.text[piece.clone()].starts_with(prefix)
                && (!stems_only || piece.start < pieces.origin)
        };
        if self.pieces.iter().any(|piece| needs(self, piece)) {
            self.rewrite(|normal| {
                let stems = !stems_only || normal.origin > 0;
                if stems && !normal.text.starts_with(prefix) {
                    normal.prepend(prefix_str);
                }
            });
        }
    }

    /// Every byte as the character that stands for it.
    fn write_bytes_as_characters(&mut self) {
        self.rewrite(|normal| super::normalise::Normaliser::ByteLevel.normalise(normal));
    }
}

impl PreTokeniser {
    /// Cuts what is there further.
    pub fn split(&self, pieces: &mut Pieces) {
        match self {
            Self::Bert => {
                pieces.split_at_characters(Behaviour::Removed, char::is_whitespace);
                pieces.split_at_characters(Behaviour::Isolated, is_punctuation);
            }
            Self::ByteLevel { .. } => {
                self.split_bytes(pieces);
                pieces.write_bytes_as_characters();
            }
            Self::CharDelimiter(delimiter) => {
                pieces.split_at_characters(Behaviour::Removed, |c| c == *delimiter);
            }
            Self::Digits { individual } => {
                let behaviour =
                    if *individual { Behaviour::Isolated } else { Behaviour::Contiguous };
                pieces.split_at_characters(behaviour, char::is_numeric);
            }
            Self::FixedLength(length) => {
                let mut parts = Vec::new();
                for piece in &pieces.pieces {
                    let starts = pieces.text[piece.clone()].char_indices().map(|(at, _)| at);
                    let starts = starts.step_by(*length).skip(1);
                    let mut open = piece.start;
                    for at in starts {
                        parts.push(open..piece.start + at);
                        open = piece.start + at;
                    }
                    parts.push(open..piece.end);
                }
                pieces.pieces = parts;
            }
            Self::Metaspace { replacement, prepend, split } => {
                if pieces.text.contains(' ') {
                    let content = replacement.to_string();
                    let space = Pattern::literal(" ");
                    pieces.rewrite(|normal| super::normalise::replace(normal, &space, &content));
                }
                if *prepend != Prepend::Never {
                    pieces.prefix(*replacement, *prepend == Prepend::First);
                }
                if *split {
                    pieces.split_at_characters(Behaviour::MergedWithNext, |c| c == *replacement);
                }
            }
            Self::Punctuation(behaviour) => pieces.split_at_characters(*behaviour, is_punctuation),
            Self::Split { pattern, behaviour, invert } => {
                pieces.split_at_matches(*behaviour, pattern, *invert);
            }
            Self::UnicodeScripts => scripts::split(pieces),
            Self::Whitespace => pieces.split_by_class(|c| {
                (!c.is_whitespace()).then(|| regex_syntax::is_word_character(c))
            }),
            Self::WhitespaceSplit => {
                pieces.split_at_characters(Behaviour::Removed, char::is_whitespace);
            }
        }
    }

    /// What `ByteLevel` does before it writes bytes as characters.
    pub fn split_bytes(&self, pieces: &mut Pieces) {
        if let Self::ByteLevel { add_prefix_space, pattern } = self {
            if *add_prefix_space {
                pieces.prefix(' ', false);
            }
            if let Some(pattern) = pattern {
                pieces.split_at_matches(Behaviour::Isolated, pattern, false);
            }
        }
    }
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.is_punctuation()
}
