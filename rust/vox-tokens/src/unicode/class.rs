//! Classes of characters as bits.

/// A set of character classes. Each character is in exactly one of the classes up to `OTHER`; the
/// rest cut across them.
pub type Class = u16;

/// `\p{Lu}` and `\p{Lt}`.
pub const UPPER: Class = 1;
/// `\p{Ll}`.
pub const LOWER: Class = 1 << 1;
/// `\p{Lm}` and `\p{Lo}`: letters without case.
pub const CASELESS: Class = 1 << 2;
/// `\p{M}`.
pub const MARK: Class = 1 << 3;
/// `\p{N}`.
pub const NUMBER: Class = 1 << 4;
/// `\p{P}`.
pub const PUNCTUATION: Class = 1 << 5;
/// `\p{S}`.
pub const SYMBOL: Class = 1 << 6;
/// `\s` but CR and LF.
pub const BLANK: Class = 1 << 7;
/// CR and LF.
pub const NEWLINE: Class = 1 << 8;
/// Whatever is none of the above: controls, format characters, unassigned ones.
pub const OTHER: Class = 1 << 9;

/// `\p{Nd}`, of `NUMBER`.
pub const DIGIT: Class = 1 << 10;
/// `\p{Han}`, of letters, numbers, punctuation and symbols.
pub const HAN: Class = 1 << 11;
/// In the blocks of CJK ideographs up to extension F, assigned or not.
pub const IDEOGRAPH: Class = 1 << 12;

/// `\p{L}`.
pub const LETTER: Class = UPPER | LOWER | CASELESS;
/// `\s`.
pub const SPACE: Class = BLANK | NEWLINE;
/// Any character.
pub const ANY: Class = LETTER | MARK | NUMBER | PUNCTUATION | SYMBOL | SPACE | OTHER;
