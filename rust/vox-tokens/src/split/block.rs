//! Many pieces at once: where pieces of ASCII start, worked out for 64 bytes with operations on
//! words of one bit per byte.
//!
//! A block begins where a piece does, so nothing has to be known of what is before it. Towards its
//! end, and before what isn't ASCII, starts that depend on what follows are left out; whoever asks
//! goes on from the last start given.

use super::{
    rules::{Contractions, Lead, Rules, Space, Tail, Word},
    text::Text,
};
use crate::unicode::class::{ANY, LETTER, NEWLINE, NUMBER};

mod bits;

use bits::Bits;

/// Bytes of a block.
const BLOCK: usize = 64;
/// Fewer bytes of ASCII are not worth a block. Judgement.
const FEWEST: usize = 12;
/// A start depends on at most so many characters from there on, but for white space.
const AHEAD: usize = 3;

/// Whether a pattern is one of those whose starts [`starts`] works out.
pub const fn has_blocks<R: Rules>() -> bool {
    let lead = match R::LEAD {
        Lead::Space => true,
        Lead::Of(set) => set == ANY & !NEWLINE & !LETTER & !NUMBER,
    };
    // What differs beyond ASCII doesn't matter.
    lead && R::COMPLETE
        && !R::CODE_WORDS
        && !matches!(R::WORD, Word::Phrase)
        && !matches!(R::TAIL, Tail::OneNewlineOrSlash)
        && matches!(R::SPACE, Space::Run | Space::Lines | Space::LinesButLast)
        && (R::NUMBER == 1 || R::NUMBER == 3 || R::NUMBER == usize::MAX)
        && matches!(R::LEAD, Lead::Space) == matches!(R::SPACE, Space::Run)
}

/// Where pieces start after `at`, which is a start: bit n is for byte `at + n`. None are given
/// where they can't be told.
#[inline(always)]
pub fn starts<R: Rules>(text: &Text<'_>, at: usize) -> u64 {
    let rest = &text.bytes[at..];
    if rest.first().is_none_or(|first| !first.is_ascii()) {
        return 0;
    }
    let mut padded = [0x80; BLOCK];
    let block = match rest.first_chunk::<BLOCK>() {
        Some(block) => block,
        None if rest.len() < FEWEST => return 0,
        None => {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        }
    };
    let bits = Bits::new(block);
    let mut known = bits.high.trailing_zeros() as usize;
    if known < FEWEST {
        return 0;
    }

    let Bits { upper, lower, digit, space, newline, white, .. } = bits;
    let letter = upper | lower;
    let punctuation = !(letter | digit | white);

    // Newlines that go with the punctuation before them.
    let tail = match R::TAIL {
        Tail::None => 0,
        _ => runs(newline, newline & punctuation << 1),
    };
    if R::TAIL == Tail::NewlinesAndSlashes {
        let slash = tail << 1 & bits.slash;
        if slash != 0 {
            known = known.min(slash.trailing_zeros() as usize);
        }
    }

    // White space is cut after its last newline, and before its last character.
    let white_here = white & !tail;
    let blank = if R::SPACE == Space::Run { white_here } else { white_here & !newline };
    let line_end = white_here & !blank;
    let last = blank & !(blank >> 1) & !(line_end >> 1);
    let after_line = line_end << 1 & !line_end;
    let mut starts = white_here & !(white_here << 1) | last | after_line & !white_here;
    let mut indents = after_line & blank;
    while indents != 0 {
        let indent = indents & indents.wrapping_neg();
        indents ^= indent;
        // White space up to another newline goes with that.
        if blank.wrapping_add(indent) & !blank & line_end == 0 || blank.wrapping_add(indent) == 0 {
            starts |= indent;
        }
    }

    // The last space goes with what follows, and so does a lone character with a word.
    let spaced = (blank & space) << 1;
    let led = match R::LEAD {
        Lead::Space => spaced,
        Lead::Of(_) => last << 1 | (punctuation & !(punctuation << 1) & !spaced) << 1,
    };
    let mut words = letter & !(letter << 1);
    if matches!(R::WORD, Word::Cased(..)) {
        words |= upper & lower << 1;
    }
    starts |= words & !led;
    let numbers = digit & !(digit << 1);
    starts |= match R::LEAD {
        Lead::Space => numbers & !spaced,
        Lead::Of(_) => numbers,
    };
    if R::NUMBER == 1 {
        starts |= digit;
    } else if R::NUMBER == 3 {
        let fourth = digit & digit << 1 & digit << 2 & digit << 3;
        let mut groups = numbers << 3 & fourth;
        while groups != 0 {
            starts |= groups;
            groups = groups << 3 & fourth;
        }
    }
    starts |= punctuation & !(punctuation << 1) & !spaced;

    // What is before, within and after a contraction.
    let mut marks = bits.apostrophe & letter >> 1;
    marks &= match R::CONTRACTIONS {
        Contractions::None => 0,
        Contractions::AfterWord => letter << 1,
        Contractions::First | Contractions::FirstAnyCase => starts | 1,
    };
    while marks != 0 {
        let mark = marks.trailing_zeros() as usize;
        marks &= marks - 1;
        let length = text.contraction(at + mark, R::CONTRACTIONS != Contractions::First);
        if length == 0 {
            continue;
        }
        let end = mark + length;
        let from = |place: usize| u64::MAX.checked_shl(place as u32).unwrap_or(0);
        if R::CONTRACTIONS == Contractions::AfterWord {
            starts &= !from(mark) | from(end);
            if bits.apostrophe & from(end) & !from(end + 1) != 0 {
                // What is before this one is no word, so it may be a lead.
                known = known.min(end + AHEAD);
            }
        } else {
            starts &= !from(mark + 1) | from(end);
        }
        starts |= from(end) & !from(end + 1);
    }

    // White space that may go on decides only where it starts.
    let open = (white << (BLOCK - known)).leading_ones() as usize;
    let last = known.saturating_sub(open.max(AHEAD));
    starts & (2_u64.wrapping_shl(last as u32).wrapping_sub(1)) & !1
}

/// The runs of ones in `mask` that begin at a bit of `first`.
#[inline(always)]
fn runs(mask: u64, first: u64) -> u64 {
    mask & !mask.wrapping_add(first)
}
