//! What published patterns have in common, and where they differ.

use crate::unicode::class::{
    ANY, CASELESS, Class, HAN, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, PUNCTUATION, SPACE,
    SYMBOL, UPPER,
};

/// Where `'s|'t|'re|'ve|'m|'ll|'d` is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Contractions {
    /// Nowhere.
    None,
    /// Before anything else, in lower case.
    First,
    /// Before anything else, in any case.
    FirstAnyCase,
    /// Right after a word, in any case.
    AfterWord,
}

/// What may stand before a word, at most once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// A space. It may stand before a number as well.
    Space,
    /// A character of the set.
    Of(Class),
}

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Characters of the set, which has all letters.
    Run(Class),
    /// The first set, then the second. A word ends before a character that is only in the first
    /// and follows one of the second.
    Cased(Class, Class),
    /// Letters, each with its marks, and single spaces between them: `(\p{L}\p{M}*(?: \p{L}\p{M}*)*)+`.
    Phrase,
    /// Letters, marks and joiners (U+200C and U+200D).
    Joined,
}

/// What belongs to the run of punctuation before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// Nothing.
    None,
    /// `[\r\n]*`
    Newlines,
    /// `[\r\n/]*`
    NewlinesAndSlashes,
    /// `[\r\n/]?`
    OneNewlineOrSlash,
}

/// How white space is cut, where it doesn't lead anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// `\s+(?!\S)|\s+`
    Run,
    /// `\s*[\r\n]+|\s+(?!\S)|\s+`; as it is greedy, `\s*[\r\n]` is the same.
    Lines,
    /// `\s++$|\s*[\r\n]|\s+(?!\S)|\s`
    LinesButLast,
    /// `[\r\n]|\s+(?!\S)|\s+`
    SingleNewlines,
    /// `\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|…|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}`
    PowersOfTwo,
}

/// A pattern. The alternatives, in the order in which they are tried: contractions, ideographs,
/// code words, words, numbers, punctuation, white space.
pub trait Rules {
    const CONTRACTIONS: Contractions = Contractions::None;
    /// Whether `\p{Han}+` is a piece, and no part of a word.
    const HAN_APART: bool = false;
    /// Whether an ASCII punctuation character and the `[A-Za-z]+` after it are a piece.
    const CODE_WORDS: bool = false;
    const LEAD: Lead = Lead::Of(ANY & !NEWLINE & !LETTER & !NUMBER);
    const WORD: Word = Word::Run(LETTER);
    /// How many characters a number has at most. 0: there is no alternative for numbers.
    const NUMBER: usize = 3;
    /// What is punctuation. A space may stand before it.
    const PUNCTUATION: Class = ANY & !SPACE & !LETTER & !NUMBER;
    const TAIL: Tail = Tail::Newlines;
    const SPACE: Space = Space::Lines;

    /// Whether every character starts a match of some alternative.
    const COMPLETE: bool = Self::NUMBER > 0 && Self::PUNCTUATION & OTHER != 0;
}

/// What can't be in a word although it is a letter.
pub const fn apart<R: Rules>() -> Class {
    if R::HAN_APART { HAN } else { 0 }
}

/// What a word can begin with.
pub const fn word_set<R: Rules>() -> Class {
    match R::WORD {
        Word::Run(set) => set,
        Word::Cased(upper, lower) => upper | lower,
        Word::Phrase => LETTER,
        Word::Joined => LETTER | MARK,
    }
}

pub struct Gpt2;
impl Rules for Gpt2 {
    const CONTRACTIONS: Contractions = Contractions::First;
    const LEAD: Lead = Lead::Space;
    const NUMBER: usize = usize::MAX;
    const TAIL: Tail = Tail::None;
    const SPACE: Space = Space::Run;
}

pub struct Cl100k;
impl Rules for Cl100k {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const SPACE: Space = Space::LinesButLast;
}

pub struct Llama3;
impl Rules for Llama3 {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
}

pub struct Jais2;
impl Rules for Jais2 {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const SPACE: Space = Space::PowersOfTwo;
}

pub struct Qwen2;
impl Rules for Qwen2 {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const NUMBER: usize = 1;
}

pub struct Qwen2WithoutContractions;
impl Rules for Qwen2WithoutContractions {
    const NUMBER: usize = 1;
}

pub struct Qwen35;
impl Rules for Qwen35 {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const WORD: Word = Word::Run(LETTER | MARK);
    const NUMBER: usize = 1;
    const PUNCTUATION: Class = ANY & !SPACE & !LETTER & !MARK & !NUMBER;
}

pub struct SeedCoder;
impl Rules for SeedCoder {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const NUMBER: usize = 1;
    const TAIL: Tail = Tail::None;
}

pub struct LongNumbers;
impl Rules for LongNumbers {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const NUMBER: usize = usize::MAX;
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` before `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
const CASED: Word = Word::Cased(UPPER | CASELESS | MARK, LOWER | CASELESS | MARK);

pub struct O200k;
impl Rules for O200k {
    const CONTRACTIONS: Contractions = Contractions::AfterWord;
    const WORD: Word = CASED;
    const TAIL: Tail = Tail::NewlinesAndSlashes;
}

pub struct Tekken;
impl Rules for Tekken {
    const WORD: Word = CASED;
    const NUMBER: usize = 1;
    const TAIL: Tail = Tail::NewlinesAndSlashes;
}

pub struct KimiK2;
impl Rules for KimiK2 {
    const CONTRACTIONS: Contractions = Contractions::AfterWord;
    const HAN_APART: bool = true;
    const WORD: Word = CASED;
}

/// `((?=[\p{L}])([^a-z]))` before `((?=[\p{L}])([^A-Z]))`, which is how llama.cpp writes [`CASED`].
const CASED_WITHOUT_MARKS: Word = Word::Cased(UPPER | CASELESS, LOWER | CASELESS);

pub struct O200kWithoutMarks;
impl Rules for O200kWithoutMarks {
    const CONTRACTIONS: Contractions = Contractions::AfterWord;
    const WORD: Word = CASED_WITHOUT_MARKS;
    const TAIL: Tail = Tail::NewlinesAndSlashes;
}

pub struct TekkenWithoutMarks;
impl Rules for TekkenWithoutMarks {
    const WORD: Word = CASED_WITHOUT_MARKS;
    const NUMBER: usize = 1;
    const TAIL: Tail = Tail::NewlinesAndSlashes;
}

pub struct O200kWithoutCase;
impl Rules for O200kWithoutCase {
    const CONTRACTIONS: Contractions = Contractions::AfterWord;
    const WORD: Word = Word::Run(LETTER | MARK);
    const TAIL: Tail = Tail::NewlinesAndSlashes;
}

pub struct O200kWithoutCaseSingleDigits;
impl Rules for O200kWithoutCaseSingleDigits {
    const CONTRACTIONS: Contractions = Contractions::AfterWord;
    const WORD: Word = Word::Run(LETTER | MARK);
    const NUMBER: usize = 1;
    const TAIL: Tail = Tail::NewlinesAndSlashes;
}

pub struct O200kSingleDigits;
impl Rules for O200kSingleDigits {
    const CONTRACTIONS: Contractions = Contractions::AfterWord;
    const WORD: Word = CASED;
    const NUMBER: usize = 1;
    const TAIL: Tail = Tail::NewlinesAndSlashes;
}

pub struct K2Horizon;
impl Rules for K2Horizon {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const WORD: Word = Word::Joined;
}

pub struct KimiK2WithoutCase;
impl Rules for KimiK2WithoutCase {
    const CONTRACTIONS: Contractions = Contractions::AfterWord;
    const HAN_APART: bool = true;
}

pub struct DeepSeekWords;
impl Rules for DeepSeekWords {
    const CODE_WORDS: bool = true;
    const LEAD: Lead = Lead::Of(ANY & !NEWLINE & !LETTER & !PUNCTUATION & !SYMBOL);
    const WORD: Word = Word::Run(LETTER | MARK);
    const NUMBER: usize = 0;
    const PUNCTUATION: Class = PUNCTUATION | SYMBOL;
}

pub struct SparkWords;
impl Rules for SparkWords {
    const CODE_WORDS: bool = true;
    const LEAD: Lead = DeepSeekWords::LEAD;
    const WORD: Word = DeepSeekWords::WORD;
    const NUMBER: usize = 0;
    const PUNCTUATION: Class = DeepSeekWords::PUNCTUATION;
    const TAIL: Tail = Tail::None;
    const SPACE: Space = Space::SingleNewlines;
}

pub struct ExaoneMoe;
impl Rules for ExaoneMoe {
    const CONTRACTIONS: Contractions = Contractions::FirstAnyCase;
    const WORD: Word = Word::Phrase;
    const NUMBER: usize = 1;
    const TAIL: Tail = Tail::OneNewlineOrSlash;
}
