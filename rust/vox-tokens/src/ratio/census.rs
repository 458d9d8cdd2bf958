//! What a text is made of: one pass over its bytes.

/// Names of the counts of a [`Census`], in their order. A number after a name is the place in a
/// run: `lower3` counts third letters of words, so it is the number of words of three letters and
/// more. The last place of a kind counts all later ones as well.
pub const FEATURES: [&str; STATES] = [
    // Letters of a word that are lower case, by their place in it; the rare ones (j k q v w x z),
    // which random letters have more of, apart.
    "lower1",
    "lower2",
    "lower3",
    "lower4",
    "lower5",
    "lower6",
    "lower7",
    "lower8",
    "lower9",
    "lower10",
    "rare1",
    "rare2",
    "rare3",
    "rare4",
    "rare5",
    "rare6",
    "rare7",
    "rare8",
    "rare9",
    "rare10", // Upper case: the first of a word, the next ones, and one after lower case.
    "upper1",
    "upper2",
    "upper3",
    "upper4",
    "upper5",
    "camel",
    // Digits by place modulo three; the first after a letter; a letter after a digit.
    "digit1",
    "digit2",
    "digit3",
    "digit_in_word",
    "letter_in_number",
    // White space.
    "space1",
    "space2",
    "space3",
    "space4",
    "space5",
    "tab",
    "line1",
    "line2",
    "return",
    // Punctuation: the first of a run by kind, after a space or not; the next ones by place.
    "quote",
    "bracket",
    "joint",
    "mark",
    "quote_spaced",
    "bracket_spaced",
    "joint_spaced",
    "mark_spaced",
    "punct2",
    "punct3",
    "punct4",
    "punct5",
    "underscore",
    "control",
    // Bytes above ASCII, by what a character's first one says of its script.
    "latin",
    "greek",
    "cyrillic",
    "hebrew",
    "arabic",
    "indic",
    "georgian",
    "symbol",
    "kana",
    "han",
    "hangul",
    "wide",
    "astral",
    "continuation",
];

/// How many counts a census has.
pub const STATES: usize = 68;

/// How often each of [`FEATURES`] occurs in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Census {
    /// In the order of [`FEATURES`].
    pub counts: [u64; STATES],
}

impl Census {
    /// Of a whole text.
    pub fn of(bytes: &[u8]) -> Self {
        let mut counts = [0; STATES];
        let mut state = BEGIN;
        // Counters are small, so that all sets of them stay near the processor.
        for part in bytes.chunks(1 << 30) {
            state = add(part, state, &mut counts);
        }
        Self { counts }
    }

    /// How many bytes the text has.
    pub fn bytes(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The sum over the features `first` to `last`.
    pub(super) fn sum(&self, features: std::ops::RangeInclusive<u8>) -> u64 {
        self.counts[usize::from(*features.start())..=usize::from(*features.end())].iter().sum()
    }
}

// First states of the runs above. What comes after them in a run is counted from them.
pub(super) const LOWER: u8 = 0;
pub(super) const RARE: u8 = 10;
pub(super) const UPPER: u8 = 20;
pub(super) const CAMEL: u8 = 25;
pub(super) const DIGIT: u8 = 26;
pub(super) const DIGIT_IN_WORD: u8 = 29;
pub(super) const LETTER_IN_NUMBER: u8 = 30;
pub(super) const SPACE: u8 = 31;
pub(super) const TAB: u8 = 36;
pub(super) const LINE: u8 = 37;
pub(super) const RETURN: u8 = 39;
pub(super) const QUOTE: u8 = 40;
pub(super) const BRACKET: u8 = 41;
pub(super) const JOINT: u8 = 42;
pub(super) const MARK: u8 = 43;
const SPACED: u8 = 4;
const MARK_SPACED: u8 = 47;
pub(super) const PUNCT: u8 = 48;
const PUNCT_LAST: u8 = 51;
const UNDERSCORE: u8 = 52;
const CONTROL: u8 = 53;
pub(super) const LATIN: u8 = 54;
pub(super) const ARABIC: u8 = 58;
pub(super) const INDIC: u8 = 59;
pub(super) const GEORGIAN: u8 = 60;
pub(super) const SYMBOL: u8 = 61;
pub(super) const KANA: u8 = 62;
pub(super) const WIDE: u8 = 65;
pub(super) const ASTRAL: u8 = 66;
const CONTINUATION: u8 = 67;

/// Before the first byte: as after spaces.
pub(super) const BEGIN: u8 = SPACE + 1;

/// Adds the states of `bytes`, which come after `state`, to `counts`; gives the last one.
///
/// A state waits for the one before it, so two halves are gone through side by side. Counters come
/// in sets, as one that rises at every byte would wait for itself.
fn add(bytes: &[u8], state: u8, counts: &mut [u64; STATES]) -> u8 {
    let mut sets = [[0_u32; 128]; 4];
    let (first, second) = bytes.split_at(parting(bytes));
    let (mut left, mut right) = match first.last() {
        Some(b' ') => (state, SPACE),
        Some(_) => (state, LINE),
        None => (state, state),
    };
    let both = first.len().min(second.len()) / 2 * 2;
    for (ours, theirs) in first[..both].chunks_exact(2).zip(second[..both].chunks_exact(2)) {
        for at in 0..2 {
            left = step(left, ours[at]);
            right = step(right, theirs[at]);
            sets[at][usize::from(left & 127)] += 1;
            sets[at + 2][usize::from(right & 127)] += 1;
        }
    }
    for &byte in &first[both..] {
        left = step(left, byte);
        sets[0][usize::from(left & 127)] += 1;
    }
    for (at, &byte) in second[both..].iter().enumerate() {
        right = step(right, byte);
        sets[at & 3][usize::from(right & 127)] += 1;
    }
    for set in sets {
        counts.iter_mut().zip(set).for_each(|(count, n)| *count += u64::from(n));
    }
    right
}

/// Where `bytes` part in about two halves; 0 if there is no place near. After a space or a line what
/// is neither has the same state, whatever stood before.
fn parting(bytes: &[u8]) -> usize {
    let half = bytes.len() / 2;
    let blank = |byte: u8| byte == b' ' || byte == b'\n';
    let parts = |pair: &[u8]| blank(pair[0]) && !blank(pair[1]);
    bytes[half..].windows(2).take(NEAR).position(parts).map_or(0, |at| half + at + 1)
}

/// How far from the middle a place to part is looked for. Judgement.
const NEAR: usize = 200;

pub(super) fn step(state: u8, byte: u8) -> u8 {
    NEXT[usize::from(state & 127)][usize::from(byte)]
}

static NEXT: [[u8; 256]; 128] = {
    let mut table = [[0; 256]; 128];
    let mut state = 0;
    while state < STATES {
        let mut byte = 0;
        while byte < 256 {
            table[state][byte] = next(state as u8, byte as u8);
            byte += 1;
        }
        state += 1;
    }
    table
};

const fn next(state: u8, byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => lower(state, byte),
        b'A'..=b'Z' => match state {
            LOWER..UPPER | LETTER_IN_NUMBER => CAMEL,
            CAMEL => UPPER + 1,
            UPPER..CAMEL => further(state, UPPER, CAMEL - 1),
            DIGIT..LETTER_IN_NUMBER => LETTER_IN_NUMBER,
            _ => UPPER,
        },
        b'0'..=b'9' => match state {
            DIGIT..DIGIT_IN_WORD => DIGIT + (state - DIGIT + 1) % 3,
            DIGIT_IN_WORD => DIGIT + 1,
            LOWER..DIGIT | LETTER_IN_NUMBER => DIGIT_IN_WORD,
            _ => DIGIT,
        },
        b' ' => further(state, SPACE, TAB - 1),
        b'\t' => TAB,
        b'\n' => further(state, LINE, RETURN - 1),
        b'\r' => RETURN,
        b'_' => UNDERSCORE,
        0..=0x1f | 0x7f => CONTROL,
        0x80..=0xbf => CONTINUATION,
        // Scripts by the blocks that begin with these bytes; some share one.
        0xc0..=0xcd => LATIN,
        0xce..=0xcf => LATIN + 1,
        0xd0..=0xd3 => LATIN + 2,
        // Armenian as well.
        0xd4..=0xd7 => LATIN + 3,
        0xd8..=0xdf => ARABIC,
        // To Lao and Tibetan; Georgian to Mongolian, Ethiopic, Khmer.
        0xe0 => INDIC,
        0xe1 => GEORGIAN,
        // Punctuation, arrows, boxes.
        0xe2 => SYMBOL,
        0xe3 => KANA,
        0xe4..=0xe9 => KANA + 1,
        0xea..=0xed => KANA + 2,
        0xee..=0xef => WIDE,
        0xf0..=0xff => ASTRAL,
        _ => match state {
            QUOTE..=MARK_SPACED => PUNCT,
            PUNCT..=PUNCT_LAST => further(state, PUNCT, PUNCT_LAST),
            SPACE..TAB => punctuation(byte) + SPACED,
            _ => punctuation(byte),
        },
    }
}

const fn lower(state: u8, byte: u8) -> u8 {
    let run = match byte {
        b'j' | b'k' | b'q' | b'v' | b'w' | b'x' | b'z' => RARE,
        _ => LOWER,
    };
    match state {
        LOWER..RARE => run + further(state, LOWER, RARE - 1),
        RARE..UPPER => run + further(state - RARE, LOWER, RARE - 1),
        UPPER..=CAMEL | LETTER_IN_NUMBER => run + 1,
        DIGIT..LETTER_IN_NUMBER => LETTER_IN_NUMBER,
        _ => run,
    }
}

/// The state after `state` in the run from `first` to `last`; `first`, if it isn't in that run.
const fn further(state: u8, first: u8, last: u8) -> u8 {
    if state < first || state > last {
        first
    } else if state == last {
        last
    } else {
        state + 1
    }
}

const fn punctuation(byte: u8) -> u8 {
    match byte {
        b'"' | b'\'' | b'`' => QUOTE,
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' => BRACKET,
        b'.' | b',' | b'/' | b'-' | b':' => JOINT,
        _ => MARK,
    }
}
