//! Stems of words, which only score.

use frostem::{Algorithm, Stemmer};

use super::{Scratch, Token, words};

/// Stems are remembered by word, so many at a time: a text repeats its words. Judgement.
const REMEMBERED: usize = 4096;

/// Longer words are their own stems. Judgement: English has none.
const LONGEST: usize = 32;

/// Cuts words to their stems by Snowball's English algorithm
/// (<https://snowballstem.org/algorithms/english/stemmer.html>). Words with other characters than
/// `a` to `z` are their own stems.
pub struct Stems {
    stemmer: Stemmer,
    /// A word and its stem, where its hash says.
    remembered: Vec<(String, String)>,
    scratch: Scratch,
}

impl Default for Stems {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::new(Algorithm::English),
            remembered: vec![Default::default(); REMEMBERED],
            scratch: Scratch::default(),
        }
    }
}

impl Stems {
    /// The stem of a folded word.
    pub fn stem<'a>(&'a mut self, word: &'a str) -> &'a str {
        stem(&self.stemmer, &mut self.remembered, word)
    }

    /// Calls `visit` with the stem of every word of `text`, as [`words`] does with the words.
    pub fn stems(&mut self, text: &[u8], mut visit: impl FnMut(Token<'_>)) {
        let Self { stemmer, remembered, scratch } = self;
        words(text, scratch, |token| {
            visit(Token { term: stem(stemmer, remembered, token.term), ..token });
        });
    }
}

fn stem<'a>(stemmer: &Stemmer, remembered: &'a mut [(String, String)], word: &'a str) -> &'a str {
    if word.len() > LONGEST || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    // FNV-1a: short, and no key to keep.
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let (known, stem) = &mut remembered[(hash >> 40) as usize % REMEMBERED];
    if known != word {
        known.clear();
        known.push_str(word);
        stem.clear();
        stem.push_str(&stemmer.stem(word));
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let mut stems = Stems::default();
        for word in ["connect", "connected", "connecting", "connection", "connections"] {
            assert_eq!(stems.stem(word), "connect");
            assert_eq!(stems.stem(word), "connect", "the second time too");
        }
        assert_eq!(stems.stem("e0308"), "e0308");
        assert_eq!(stems.stem("中文"), "中文");
    }

    #[test]
    fn stems_stand_where_their_words_do() {
        let mut found = Vec::new();
        Stems::default().stems(b"running testsFailed", |token| {
            found.push((token.term.to_owned(), token.position));
        });
        let expected = [("run", 0), ("testsfail", 1), ("test", 1), ("fail", 1)];
        assert_eq!(found, expected.map(|(stem, position)| (stem.to_owned(), position)));
    }
}
