//! What kind of content a text is, as far as its bytes tell.

use super::census::{
    ARABIC, ASTRAL, CAMEL, Census, DIGIT, DIGIT_IN_WORD, GEORGIAN, INDIC, KANA, LATIN,
    LETTER_IN_NUMBER, PUNCT, QUOTE, RETURN, SPACE, SYMBOL, WIDE,
};

/// Kinds of content. They differ in how far an estimate can be off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Sentences, in an alphabet.
    Prose,
    /// Programs, paths, tables: much punctuation.
    Code,
    /// JSON and what is quoted as much.
    Json,
    /// Chinese, Japanese, Korean.
    Cjk,
    /// Base64, hexadecimal, ids: letters and digits without words.
    Dense,
    /// Mostly white space.
    Blank,
    /// Alphabets with letters of two bytes: Cyrillic, Greek, Arabic, Latin with accents.
    Alphabet,
    /// Scripts of three bytes a letter: of India, Thai, Georgian.
    Script,
    /// Arrows, boxes, emoji.
    Symbols,
}

impl Class {
    /// All of them, in the order of the coefficients.
    pub const ALL: [Self; 9] = [
        Self::Prose,
        Self::Code,
        Self::Json,
        Self::Cjk,
        Self::Dense,
        Self::Blank,
        Self::Alphabet,
        Self::Script,
        Self::Symbols,
    ];

    /// Which weights it has: those of Latin letters and what comes with them, of alphabets, of
    /// scripts, of Chinese, Japanese and Korean.
    pub(super) fn weights(self) -> usize {
        match self {
            Self::Prose | Self::Code | Self::Json | Self::Dense | Self::Blank | Self::Symbols => 0,
            Self::Alphabet => 1,
            Self::Script => 2,
            Self::Cjk => 3,
        }
    }

    /// As in `contracts/token-ratios.yaml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Code => "code",
            Self::Json => "json",
            Self::Cjk => "cjk",
            Self::Dense => "dense",
            Self::Blank => "blank",
            Self::Alphabet => "alphabet",
            Self::Script => "script",
            Self::Symbols => "symbols",
        }
    }

    /// What the text of a census is. The shares are judgement.
    pub fn of(census: &Census) -> Self {
        let bytes = census.bytes();
        let more_than = |count: u64, percent: u64| count * 100 > bytes * percent;
        let sum = |first: u8, last: u8| census.sum(first..=last);
        let dense =
            sum(CAMEL, CAMEL) + sum(DIGIT_IN_WORD, LETTER_IN_NUMBER) + sum(DIGIT, DIGIT + 2) / 2;
        let quotes = sum(QUOTE, QUOTE) + sum(QUOTE + 4, QUOTE + 4);
        if more_than(3 * sum(KANA, WIDE), 20) {
            Self::Cjk
        } else if more_than(3 * sum(INDIC, GEORGIAN), 20) {
            Self::Script
        } else if more_than(2 * sum(LATIN, ARABIC), 2) {
            Self::Alphabet
        } else if more_than(3 * sum(SYMBOL, SYMBOL) + 4 * sum(ASTRAL, ASTRAL), 10) {
            Self::Symbols
        } else if more_than(sum(SPACE, RETURN), 60) {
            Self::Blank
        } else if more_than(dense, 15) {
            Self::Dense
        } else if more_than(quotes, 6) {
            Self::Json
        } else if more_than(sum(QUOTE, PUNCT + 3), 8) {
            Self::Code
        } else {
            Self::Prose
        }
    }
}
